// A scripted provider: every exchange is counted, every failure is itself, and no key is ever seen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allow, download, HTTP_ERRORS, newContext } from "./support/browser.mjs";
import { inTurn, reply, startProvider } from "./support/provider.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, calls, endpoint, file, go, ledger, open, pick, questions, runState, table } from "./support/viva.mjs";

const KEY = "sk-test-0123456789abcdefghij";

async function loaded(t, { n = 4, systems = ["one"], ...options } = {}) {
  const opened = await open(t, { hash: "#/data", ...options });
  const set = questions(n, 3);
  await bring(opened.page, set, Object.fromEntries(systems.map((name) => [name, answers(set, name)])));
  return { ...opened, set };
}

const good = (request) => reply.labels(request.items.map((_, n) => ["Completely", "Mostly", "Not at all"][n % 3]));

test("a run by endpoint: plan, attempts as the server counts them, table, exports", async (t) => {
  const provider = await startProvider(t, { script: good, key: KEY });
  const { page } = await loaded(t, { systems: ["one", "two"] });
  await endpoint(page, { url: provider.url, key: KEY });
  await page.getByTestId("run-plan").filter({ hasText: /\b8 calls/ }).waitFor();
  const plan = (await page.getByTestId("run-plan").locator("xpath=..").innerText()).replace(/\s+/g, " ");
  assert.match(plan, /Answers (go to|stay on this machine)[^.]*127\.0\.0\.1/);
  assert.match(plan, /\d+(\.\d+)?( k| M)? in, \d+(\.\d+)?( k| M)? out/);
  assert.match(plan, /8 answers|Answers of 2 systems 8/);
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.deepEqual(await ledger(page), { scored: 24, unparsed: 0, truncated: 0, refused: 0, failed: 0, "in flight": 0, asked: 24 });
  assert.deepEqual(await calls(page), { calls: 8, attempts: provider.attempts });
  assert.equal(provider.attempts, 8);
  for (const request of provider.requests) {
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.equal(request.body.temperature, 0);
    assert.equal(request.body.messages.length, 1, "one user message");
    assert.doesNotMatch(request.prompt, /why does it matter/, "the query is not shown");
    assert.equal(request.headers.referer, undefined);
  }
  await go(page, "#/results");
  const rows = await table(page, "Rubric coverage");
  // (1 + .75 + 0) / 3
  assert.ok(rows[1].some((cell) => cell === "58.3"), JSON.stringify(rows));

  // One judgement, with everything that is known of it.
  await go(page, "#/inspect/1");
  await page.getByRole("region", { name: "Raw reply" }).first().waitFor();
  const one = (await page.locator("main").innerText()).replace(/\s+/g, " ");
  for (const part of [/Question number 0/, /An answer about point 0/, /mention point 1 of topic 0/, /Completely/, /Model asked test-model/, /Model answered test-model/, /temperature=0/, /Dropped none/, /Tokens in \d+/, /Tokens out \d+/, /Time [\d.]+ s/, /UTC/]) assert.match(one, part);
  await page.getByText(/Prompt as sent/).first().click();
  assert.match(await page.locator("main").innerText(), /Give exactly one of these labels/);

  await go(page, "#/report");
  const coverage = JSON.parse((await download(page, () => button(page, "Coverage (JSON)").click())).text);
  assert.deepEqual(Object.values(coverage)[0].map((it) => it.score), ["Completely", "Mostly", "Not at all"]);
  assert.match(Object.values(coverage)[0][0].rubric, /^Does the response mention point 0/);
});

test("no key in the page, in storage, in the address or in any export", async (t) => {
  const provider = await startProvider(t, { script: inTurn(reply.unauthorized({ json: { error: { message: `Incorrect API key provided: ${KEY}` } } }), good) });
  const { page } = await loaded(t);
  allow(page, HTTP_ERRORS);
  await endpoint(page, { url: provider.url, key: KEY, concurrency: 1 });
  await button(page, "Start run").click();
  await runState(page, "done", "done with failures");
  const places = [];
  for (const route of ["#/judge", "#/results", "#/inspect/1", "#/report", "#/settings"]) {
    await go(page, route);
    places.push(await page.content(), page.url());
  }
  places.push(
    await page.evaluate(async () => {
      const open = await new Promise((done) => {
        const request = indexedDB.open("viva");
        request.onsuccess = () => done(request.result);
      });
      const all = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie];
      for (const store of open.objectStoreNames) {
        const values = await new Promise((done) => {
          const request = open.transaction(store).objectStore(store).getAll();
          request.onsuccess = () => done(request.result);
        });
        all.push(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value, (_, it) => (it instanceof Uint8Array ? new TextDecoder().decode(it) : it)))).join("\n"));
      }
      return all.join("\n");
    }),
  );
  await go(page, "#/report");
  await page.getByLabel("Include questions and answers", { exact: true }).check();
  for (const name of ["Run file (JSON)", "Coverage (JSON)", "Table (CSV)", "Table (Markdown)", "Table (LaTeX)", "Summary (Markdown)"]) {
    places.push((await download(page, () => button(page, name).click())).text);
  }
  for (const text of places) assert.ok(!text.includes(KEY) && !text.includes(KEY.slice(3)), "the key is seen");
  assert.ok(places.some((text) => text.includes("[key]")), "a key that a server echoes is blotted out");
});

test("a host is asked for its models only when one asks", async (t) => {
  const provider = await startProvider(t, { script: good, key: KEY, models: ["judge-b", "judge-a"] });
  const { page } = await loaded(t, { n: 1 });
  await endpoint(page, { url: provider.url, key: KEY });
  assert.equal(provider.listings.length, 0);
  await button(page, "List this host’s models").click();
  await page.getByText("2 models to choose from").waitFor();
  assert.deepEqual(await page.locator("#judge-models option").evaluateAll((list) => list.map((it) => it.value)), ["judge-a", "judge-b"]);
  assert.equal(provider.attempts, 0, "listing is no call");
});

test("without a key no Authorization header is sent", async (t) => {
  const provider = await startProvider(t, { script: good });
  const { page } = await loaded(t, { n: 1 });
  await endpoint(page, { url: provider.url });
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.requests[0].headers.authorization, undefined);
});

test("every kind of failure is counted as itself and none stops the rest", async (t) => {
  const kinds = [
    [reply.text("Mostly\nBarely"), "unparsed"],
    [reply.truncated("Mostly\nBar"), "truncated"],
    [reply.refusal(), "refused"],
    [reply.filtered(), "refused"],
    [reply.badRequest(), "failed"],
    [reply.forbidden(), "failed"],
    [reply.tooLong(), "failed"],
    [reply.thoughtsOnly(), "truncated"],
  ];
  const set = questions(kinds.length + 2, 3);
  const topic = (request) => Number(/topic (\d+)/.exec(request.prompt)[1]);
  const provider = await startProvider(t, {
    script: (request) => (topic(request) < kinds.length ? kinds[topic(request)][0] : good(request)),
  });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, concurrency: 3 });
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  const wanted = { scored: 6, unparsed: 0, truncated: 0, refused: 0, failed: 0 };
  for (const [, state] of kinds) wanted[state] += 3;
  const counts = await ledger(page);
  assert.deepEqual(counts, { ...wanted, "in flight": 0, asked: 30 });
  // A wrong count is asked three times, a cut reply twice; nothing else here is worth a second try.
  assert.equal(provider.attempts, kinds.length + 2 + 2 + 2);
  assert.equal((await calls(page)).attempts, provider.attempts);

  // What failed is asked again, and only that.
  const before = provider.attempts;
  kinds.fill([null, null]);
  kinds.length = 0;
  await button(page, "Retry failed").click();
  await runState(page, "done");
  assert.equal(provider.attempts - before, 8);
  assert.equal((await ledger(page)).scored, 30);
  assert.equal((await calls(page)).attempts, provider.attempts);
});

test("odd replies are read as what they are", async (t) => {
  // [reply, what it counts as, exchanges it takes]
  const kinds = [
    [reply.raw(200, "<!doctype html><title>Welcome</title>", { type: "text/html" }), "failed", 2],
    [reply.errorIn200(429), "failed", 6],
    [reply.errorInChoice(502), "failed", 4],
    [reply.noChoices([]), "failed", 4],
    [reply.noChoices(null), "failed", 4],
    [reply.empty(), "failed", 4],
    [reply.cutJson(), "failed", 2],
    [reply.unauthorized({ cors: false }), "failed", 4],
    [reply.paymentRequired(), "failed", 1],
    [reply.noModel(), "failed", 1],
    [reply.tooLarge({ cors: true }), "failed", 1],
    [reply.quoting(["Mostly", "Mostly", "Mostly"]), "unparsed", 3],
    [reply.text("Mostly\nBarely\nCompletely\nMostly"), "unparsed", 3],
    [reply.parts("Mostly\nBarely\nCompletely"), "scored", 1],
    [reply.text("1. mostly.\n2. **Barely**\n- COMPLETELY"), "scored", 1],
    [reply.drip("Mostly\nBarely\nCompletely"), "scored", 1],
  ];
  const set = questions(kinds.length, 3);
  const provider = await startProvider(t, { script: (request) => kinds[Number(/topic (\d+)/.exec(request.prompt)[1])][0] });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS, /CORS policy/);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, concurrency: 6 });
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  const wanted = { scored: 0, unparsed: 0, truncated: 0, refused: 0, failed: 0 };
  for (const [, state] of kinds) wanted[state] += 3;
  assert.deepEqual(await ledger(page), { ...wanted, "in flight": 0, asked: 3 * kinds.length });
  assert.equal(provider.attempts, kinds.reduce((sum, [, , n]) => sum + n, 0));
  assert.equal((await calls(page)).attempts, provider.attempts);
});

test("queries per field are a seeded choice that grows", async (t) => {
  const provider = await startProvider(t, { script: good });
  const { page } = await loaded(t, { n: 12 });
  await endpoint(page, { url: provider.url });
  const field = page.getByLabel("Queries per field", { exact: true });
  await field.fill("1");
  await page.getByTestId("run-plan").filter({ hasText: /\b2 calls/ }).waitFor();
  await button(page, "Start run").click();
  await runState(page, "done");
  const topics = () => provider.requests.map((request) => /topic (\d+)/.exec(request.prompt)[1]);
  const first = topics();
  assert.equal(first.length, 2);
  await field.fill("3");
  await page.getByTestId("run-plan").filter({ hasText: /\b6 calls/ }).waitFor();
  await button(page, "Start run").click();
  await page.waitForFunction(() => /scored 18/.test(document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ")));
  assert.equal(provider.attempts, 6, "what was chosen before is not asked again");
  assert.equal(new Set(topics()).size, 6);
  await page.getByLabel("Seed", { exact: true }).fill("8");
  await runState(page, "idle");
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 18, "another seed is another run; equal requests are not paid twice");
  await field.fill("");
  await page.getByTestId("run-plan").filter({ hasText: /\b12 calls/ }).waitFor();
});

test("limits and outages are waited out", async (t) => {
  const provider = await startProvider(t, {
    script: inTurn(reply.rateLimited(), reply.unavailable(), reply.badGateway(), good),
  });
  const { page } = await loaded(t, { n: 2 });
  allow(page, HTTP_ERRORS);
  await endpoint(page, { url: provider.url, concurrency: 1 });
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 5);
  assert.equal((await calls(page)).attempts, 5);
  assert.equal((await ledger(page)).scored, 6);
});

test("a wall stops the run with the reason, and a mended key goes on", async (t) => {
  const provider = await startProvider(t, { script: good, key: KEY });
  const { page } = await loaded(t, { n: 30 });
  allow(page, HTTP_ERRORS);
  await endpoint(page, { url: provider.url, key: "sk-wrong-000000000000", concurrency: 2 });
  await button(page, "Start run").click();
  await runState(page, "stopped");
  assert.ok(provider.attempts < 12, `${provider.attempts} calls with a wrong key`);
  await page.getByText(/key was not accepted/i).first().waitFor();
  const field = page.getByLabel("API key", { exact: true });
  await field.fill(KEY);
  await field.blur();
  await button(page, "Start run").click();
  await runState(page, "done with failures", "done");
  await button(page, "Retry failed").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 90);
  assert.equal((await calls(page)).attempts, provider.attempts);
});

test("pause, resume, stop and a reload lose nothing and pay nothing twice", async (t) => {
  const provider = await startProvider(t, { script: good, delay: 60 });
  const { page } = await loaded(t, { n: 40 });
  await endpoint(page, { url: provider.url, concurrency: 4 });
  await button(page, "Start run").click();
  while (provider.attempts < 8) await page.waitForTimeout(20);
  await page.getByText(/\d a minute/).first().waitFor();
  await page.getByText(/about \d+ (s|min) left/).first().waitFor();
  await button(page, "Pause").click();
  await runState(page, "paused");
  await page.waitForFunction(() => /in flight 0/.test(document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ")));
  const held = provider.attempts;
  await page.waitForTimeout(400);
  assert.equal(provider.attempts, held, "nothing is asked while paused");
  await button(page, "Resume").click();
  while (provider.attempts < held + 6) await page.waitForTimeout(20);
  await button(page, "Stop").click();
  await runState(page, "stopped");
  // The state is there at once; what is in flight takes as long as it takes.
  await page.waitForFunction(() => /in flight 0/.test(document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ")));
  const stopped = await ledger(page);
  assert.equal(stopped.scored, provider.attempts * 3, "what was in flight finished and counts");

  await page.reload();
  await go(page, "#/judge");
  await runState(page, "stopped");
  assert.deepEqual(await ledger(page), stopped);
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 120);
  assert.equal(provider.attempts, 40, "every call was made once");
  assert.deepEqual(await calls(page), { calls: 40, attempts: 40 });
});

test("cancel drops what is in flight, counts it, and it can be asked again", async (t) => {
  const provider = await startProvider(t, { script: good, delay: 60_000 });
  const { page } = await loaded(t, { n: 12 });
  allow(page, /ERR_ABORTED/);
  await endpoint(page, { url: provider.url, concurrency: 3 });
  await button(page, "Start run").click();
  while (provider.attempts < 3) await page.waitForTimeout(20);
  await button(page, "Cancel").click();
  await runState(page, "stopped");
  const counts = await ledger(page);
  assert.deepEqual([counts.scored, counts.failed, counts["in flight"]], [0, 9, 0]);
  assert.equal((await calls(page)).attempts, provider.attempts);
  for (let n = 0; n < 50 && provider.inFlight > 0; n += 1) await page.waitForTimeout(50);
  assert.ok(provider.requests.every((request) => request.aborted), "the connections were given up");
  provider.delay = 0;
  await button(page, "Retry failed").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 36);
  assert.equal((await calls(page)).attempts, provider.attempts);
});

test("a reload in mid-run goes on where it was", async (t) => {
  const provider = await startProvider(t, { script: good, delay: 80 });
  const { page } = await loaded(t, { n: 24 });
  await endpoint(page, { url: provider.url, concurrency: 3 });
  await button(page, "Start run").click();
  while (provider.attempts < 9) await page.waitForTimeout(20);
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "stopped");
  const kept = (await ledger(page)).scored;
  assert.ok(kept >= 9, `${kept} verdicts kept`);
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 72);
  assert.ok(provider.attempts <= 24 + 3, `${provider.attempts}: at most what was in flight is asked again`);
});

test("the call cap holds, and a raised cap goes on", async (t) => {
  const provider = await startProvider(t, { script: good });
  const { page } = await loaded(t, { n: 10 });
  await endpoint(page, { url: provider.url, concurrency: 2 });
  await page.getByLabel("Call cap", { exact: true }).fill("4");
  await button(page, "Start run").click();
  await runState(page, "stopped");
  assert.equal(provider.attempts, 4);
  await page.getByLabel("Call cap", { exact: true }).fill("");
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 10);
});

test("another system extends the run; another setting is another run", async (t) => {
  const provider = await startProvider(t, { script: good });
  const { page, set } = await loaded(t, { n: 3 });
  await endpoint(page, { url: provider.url });
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/systems");
  await pick(page, "Answer files", [file("late.json", answers(set, "late"))]);
  await page.getByRole("table", { name: "Systems" }).getByText("late").first().waitFor();
  await go(page, "#/judge");
  await page.getByTestId("run-plan").filter({ hasText: /\b6 calls/ }).waitFor();
  await button(page, "Start run").click();
  await page.waitForFunction(() => /scored 18/.test(document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ")));
  await runState(page, "done");
  assert.equal(provider.attempts, 6, "only the new system was asked about");
  await page.getByLabel("Model", { exact: true }).fill("another-model");
  await runState(page, "idle");
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 12);
  assert.equal((await ledger(page)).scored, 18);
});

test("a schema is asked for and read; a cut input is refused", async (t) => {
  const provider = await startProvider(t, { script: good });
  const { page } = await loaded(t, { n: 2 });
  await endpoint(page, { url: provider.url });
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).check();
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.ok(provider.requests[0].schema, "response_format carries a schema");
  assert.equal((await ledger(page)).scored, 6);
  provider.script = (request) => reply.text(request.items.map(() => "Mostly").join("\n"), { usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 } });
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).uncheck();
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  const counts = await ledger(page);
  assert.deepEqual([counts.scored, counts.truncated], [0, 6]);
});

test("an unreachable host is never called a bad key", async (t) => {
  const { page } = await loaded(t, { n: 1 });
  allow(page, HTTP_ERRORS, /ERR_CONNECTION_REFUSED/);
  await endpoint(page, { url: "http://127.0.0.1:9/v1", key: KEY });
  await button(page, "Start run").click();
  await runState(page, "done with failures", "stopped");
  const text = await page.locator("main").innerText();
  assert.match(text, /no answer that this page may read/i);
  assert.doesNotMatch(text, /key was not accepted/i);
  assert.equal((await ledger(page)).failed, 3);
});

test("a host that is not this machine is asked about first", async (t) => {
  const site = await serveDist(t);
  const context = await newContext(t);
  const page = await context.newPage();
  await loaded(t, { n: 1, page, site });
  await endpoint(page, { url: "https://api.example.org/v1", key: KEY });
  await page.getByText("api.example.org").first().waitFor();
  const asked = [];
  page.on("dialog", (dialog) => { asked.push(dialog.message()); dialog.dismiss(); });
  const requests = [];
  context.on("request", (request) => requests.push(request.url()));
  await button(page, "Start run").click();
  await page.waitForTimeout(300);
  assert.match(asked.join(), /api\.example\.org/);
  assert.deepEqual(requests.filter((url) => url.includes("example.org")), []);
  assert.match(await page.locator("main").innerText(), /Answers go to api\.example\.org/);
});

