// A provider that goes wrong in every way it knows, all mixed, in Chromium: each verdict ends as what happened to
// it, and the page has counted as many attempts as the server. `tests/it/faults.rs` has each fault by itself.
//
// Waits are those of the product on a clock that runs fast: the test's server puts a few lines before the
// worker's own, so nothing of the product knows of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allow, HTTP_ERRORS } from "./support/browser.mjs";
import { chance, hashed, hurried, serveWith, stored } from "./support/engine.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { answers, bring, button, calls, endpoint, go, ledger, open, questions, runState } from "./support/viva.mjs";

const SEED = Number(process.env.VIVA_SEED ?? 20_261_130);
const CALLS = 500;
const ITEMS = 3;
/** The deadline of five minutes passes in seven seconds, which no honest answer on loopback takes. */
const HURRY = 40;
/** As many as Chromium opens connections to one host: a call that waits for one is not at the server yet. */
const AT_ONCE = 6;

const LABELS = ["Mostly", "Barely", "Completely"];
const good = () => reply.labels(LABELS);
const page502 = "<!doctype html><title>Welcome</title>";
/** A server that does not escape what a model wrote. */
const latex = String.raw`{"choices":[{"message":{"content":"\(\frac{1}{2}\) Mostly"},"finish_reason":"stop"}]}`;

/** Every way to go wrong: name, how often among a hundred requests, what it makes of a call that ends with it, the reply. */
const FAULTS = [
  ["429 with a wait that can be read", 2, "failed", () => reply.rateLimited({ retryAfter: 7, expose: true })],
  ["429 with a wait that cannot", 2, "failed", () => reply.rateLimited({ retryAfter: 7 })],
  ["429 with a wait in its body", 1, "failed", () => reply.raw(429, '{"error":{"message":"slow down","details":[{"retryDelay":"3s"}]}}')],
  ["500", 2, "failed", () => reply.serverError()],
  ["502 in HTML", 2, "failed", () => reply.badGateway()],
  ["503", 1, "failed", () => reply.unavailable()],
  ["529", 1, "failed", () => reply.overloaded()],
  ["an error within 200", 2, "failed", () => reply.errorIn200(500, "inside")],
  ["a limit within 200", 1, "failed", () => reply.errorIn200(429)],
  ["an error within a choice", 1, "failed", () => reply.errorInChoice(502)],
  ["400", 1, "failed", () => reply.badRequest()],
  ["401", 0.6, "failed", () => reply.unauthorized()],
  ["401 that the page may not read", 1, "failed", () => reply.unauthorized({ cors: false })],
  ["402", 0.6, "failed", () => reply.paymentRequired()],
  ["403", 0.6, "failed", () => reply.forbidden()],
  ["404", 0.6, "failed", () => reply.noModel()],
  ["413", 1, "failed", () => reply.tooLarge({ cors: true })],
  ["a context that is too long", 1, "failed", () => reply.tooLong()],
  ["no answer at all", 0.6, "failed", () => reply.hang()],
  ["a body that breaks off", 1.5, "failed", () => reply.cutBody(LABELS.join("\n"))],
  ["half a JSON", 1.5, "failed", () => reply.cutJson(LABELS.join("\n"))],
  ["a web page", 1, "failed", () => reply.raw(200, page502, { type: "text/html" })],
  ["LaTeX that breaks the JSON", 1, "failed", () => reply.raw(200, latex)],
  ["empty text", 1.5, "failed", () => reply.empty()],
  ["null for text", 1, "failed", () => reply.text(null)],
  ["no choice", 1, "failed", () => reply.noChoices([])],
  ["cut at its length", 2, "truncated", () => reply.truncated("Mostly\nBar")],
  ["thoughts and no text", 1, "truncated", () => reply.thoughtsOnly()],
  ["refused", 1.5, "refused", () => reply.refusal()],
  ["filtered", 1, "refused", () => reply.filtered()],
  ["a label too few", 2, "unparsed", () => reply.text("Mostly\nBarely")],
  ["a label too many", 1.5, "unparsed", () => reply.text("Mostly\nBarely\nCompletely\nMostly")],
  ["the prompt before the labels", 1.5, "unparsed", () => reply.quoting(LABELS)],
  ["LaTeX in place of labels", 1, "unparsed", () => reply.text(String.raw`\(\text{Mostly}\)` + "\n\\frac{1}{2}\n\\\\")],
  ["duplicate keys", 1, "unparsed", () => reply.text('{"item_1":"Mostly","item_1":"Barely","item_2":"Mostly"}')],
  ["a slow drip", 2, "scored", () => reply.drip(LABELS.join("\n"), { every: 30, pieces: 8 })],
  ["text in parts", 2, "scored", () => reply.parts(LABELS.join("\n"))],
  ["labels in other clothes", 2, "scored", () => reply.text("1. mostly.\n2. **Barely**\n- COMPLETELY")],
];

/** What becomes of a request: the same for the same words asked as often, whatever order calls come in. */
function drawing() {
  const seen = new Map();
  return (request) => {
    const n = (seen.get(request.text) ?? 0) + 1;
    seen.set(request.text, n);
    let left = 100 * chance(SEED ^ hashed(`${request.body.messages[0].content} ${request.body.max_tokens} ${n}`))();
    for (const [name, share, ends, make] of FAULTS) {
      left -= share;
      if (left < 0) return { name, ends, answer: make() };
    }
    return { name: "good", ends: "scored", answer: good() };
  };
}

async function opened(t, { n = CALLS } = {}) {
  const draw = drawing();
  /** By question: how each of its requests ended, in order. */
  const told = new Map();
  const names = new Map();
  const provider = await startProvider(t, {
    script: (request) => {
      const topic = /topic (\d+)/.exec(request.prompt)[1];
      const { name, ends, answer } = draw(request);
      told.set(topic, [...(told.get(topic) ?? []), ends]);
      names.set(name, (names.get(name) ?? 0) + 1);
      return answer;
    },
  });
  const site = await serveWith(t, hurried(HURRY));
  const { page } = await open(t, { hash: "#/data", site });
  allow(page, HTTP_ERRORS, /CORS policy/);
  const set = questions(n, ITEMS);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, concurrency: AT_ONCE });
  return { page, provider, told, names };
}

test("500 calls among all faults at once: every verdict is accounted for, attempts are the server's own count", { timeout: 300_000 }, async (t) => {
  const { page, provider, told, names } = await opened(t);
  await page.getByTestId("run-plan").filter({ hasText: new RegExp(`\\b${CALLS} calls`) }).waitFor();
  const since = performance.now();
  await button(page, "Start run").click();
  await runState(page, "done", "done with failures");
  const took = performance.now() - since;

  // The page, the server and storage say the same.
  const counts = await ledger(page);
  assert.equal(counts.asked, ITEMS * CALLS);
  assert.equal(counts["in flight"], 0);
  const made = await calls(page);
  assert.deepEqual(made, { calls: CALLS, attempts: provider.attempts });
  const { replies } = await stored(page);
  assert.equal(replies.length, provider.attempts, "one record an attempt");
  assert.ok(provider.requests.every((request) => request.ended), "nothing is left open");

  // And each call ended as what the server did to it. A good reply speaks for ever; where replies went wrong in
  // several ways the last good reading decides, so those are held between bounds.
  assert.equal(told.size, CALLS);
  const all = [...told.values()];
  assert.equal(counts.scored, ITEMS * all.filter((ends) => ends.includes("scored")).length, "scored is what got labels");
  for (const state of ["failed", "unparsed", "truncated", "refused"]) {
    const lost = all.filter((ends) => !ends.includes("scored"));
    const least = ITEMS * lost.filter((ends) => ends.every((it) => it === state)).length;
    const most = ITEMS * lost.filter((ends) => ends.includes(state)).length;
    assert.ok(least <= counts[state] && counts[state] <= most, `${state}: ${counts[state]} of ${least} to ${most}`);
  }
  assert.ok(all.every((ends) => ends.indexOf("scored") === -1 || ends.indexOf("scored") === ends.length - 1), "nobody is asked again after a good reply");

  // Not every draw is a test: what is listed has been met.
  const unmet = FAULTS.filter(([name]) => !names.has(name)).map(([name]) => name);
  assert.deepEqual(unmet, [], "faults that nobody met");
  assert.ok(counts.failed > 0 && counts.unparsed > 0 && counts.truncated > 0 && counts.refused > 0, JSON.stringify(counts));
  const tries = Math.max(...all.map((ends) => ends.length));
  t.diagnostic(`${FAULTS.length} kinds, ${provider.attempts} attempts, at most ${tries} of one call, ${(took / 1000).toFixed(1)} s with waits ${HURRY} times as fast; ${JSON.stringify(counts)}`);

  // A reload tells the same, and asks nothing.
  const attempts = provider.attempts;
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "done with failures");
  assert.deepEqual(await ledger(page), counts);
  assert.deepEqual(await calls(page), made);
  assert.equal(provider.attempts, attempts);

  // What failed is asked again, and with a provider that has come to itself everything ends well but for
  // replies that came: a refusal is an answer.
  provider.script = good;
  await button(page, "Retry failed").click();
  // The state before it is one of those after it, so the count is waited for.
  await page.getByTestId("run-ledger").filter({ hasText: /failed\s*0\b/ }).waitFor({ timeout: 60_000 });
  await runState(page, "done", "done with failures");
  const after = await ledger(page);
  assert.equal(after.asked, ITEMS * CALLS);
  assert.equal(after.failed, 0);
  assert.equal((await calls(page)).attempts, provider.attempts);
});

test("a wall stops a run with its sentence, and the rest is not asked", { timeout: 120_000 }, async (t) => {
  const WALLS = [
    ["401", () => reply.unauthorized(), /the key was not accepted/, 1],
    ["401 unread", () => reply.unauthorized({ cors: false }), /no answer that this page may read/, 4],
    ["402", () => reply.paymentRequired(), /no credit left/, 1],
    ["403", () => reply.forbidden(), /access was refused/, 1],
    ["404", () => reply.noModel(), /model or address unknown/, 1],
  ];
  const { page, provider } = await opened(t, { n: 60 });
  for (const [name, wall, words, tries] of WALLS) {
    // Some good replies first, so that there is something to keep.
    const before = provider.attempts;
    provider.script = (request) => (request.n - before <= 8 ? good() : wall());
    await endpoint(page, { url: provider.url, model: `wall-${name}` });
    await runState(page, "idle");
    await button(page, "Start run").click();
    await runState(page, "stopped");
    const made = provider.attempts - before;
    // Five calls in a row, and what left beside them.
    assert.ok(8 + 5 * tries <= made && made <= 8 + (5 + AT_ONCE) * tries, `${name}: ${made} attempts`);
    assert.match(await page.locator("main").innerText(), words, name);
    assert.match(await page.locator("main").innerText(), /“Start run” goes on where it stopped/, name);
    const counts = await ledger(page);
    assert.deepEqual([counts.scored, counts["in flight"], counts.unparsed], [8 * ITEMS, 0, 0], name);
    assert.ok(counts.failed >= 5 * ITEMS, `${name}: ${JSON.stringify(counts)}`);
    assert.equal((await calls(page)).attempts, made, name);
  }
  // A wall that is gone: the run goes on where it stopped.
  provider.script = good;
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  await button(page, "Retry failed").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 60 * ITEMS);
});
