// A run by a real model that is paused, reloaded, ended in mid-call and resumed: counts add up, and attempts are
// what was asked at the model's door.

import assert from "node:assert/strict";
import { createServer, request as forward } from "node:http";
import { test } from "node:test";
import { newContext } from "../support/browser.mjs";
import { atEnd } from "../support/cleanup.mjs";
import { holdWorkers, stored } from "../support/engine.mjs";
import { startModel } from "../support/llm.mjs";
import { bring, button, calls, endpoint, go, ledger, open, questions, runState } from "../support/viva.mjs";

const CALLS = 12;
const PATIENCE = 480_000;

/** Passes everything on to the model as it is, and counts: its server tells nobody how often it was asked. */
async function door(t, target) {
  const state = { attempts: 0, inFlight: 0, answered: 0 };
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const counts = incoming.method === "POST" && incoming.url.endsWith("/chat/completions");
    if (counts) {
      state.attempts += 1;
      state.inFlight += 1;
    }
    const onward = forward({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => {
      onward.destroy();
      if (!counts) return;
      state.inFlight -= 1;
      state.answered += Number(outgoing.writableFinished);
    });
    incoming.pipe(onward);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(t, () => new Promise((done) => (server.close(done), server.closeAllConnections())));
  state.url = `http://127.0.0.1:${server.address().port}/v1`;
  return state;
}

test("a real model's run is paused, reloaded, ended and resumed, and every call is accounted for", { timeout: 850_000 }, async (t) => {
  const model = await startModel(t, { seconds: 180 });
  const server = await door(t, model.url);
  const context = await newContext(t);
  await holdWorkers(context);
  let page = await context.newPage();
  const { site } = await open(t, { page, hash: "#/data" });
  const set = questions(CALLS, 2);
  const short = Object.fromEntries(set.map((it, q) => [it.id, { answer: `Point 0 of topic ${q} holds.` }]));
  await bring(page, set, { short });
  await endpoint(page, { url: server.url, model: model.model, concurrency: 2, maxTokens: 60 });
  // A schema, since a model this small keeps to no format by itself. Its scores mean nothing.
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).check();
  await page.getByTestId("run-plan").filter({ hasText: new RegExp(`\\b${CALLS} calls`) }).waitFor();

  const counted = async () => (await calls(page)).calls;
  const until = async (met, what) => {
    for (const end = performance.now() + PATIENCE; !(await met()); await page.waitForTimeout(50))
      assert.ok(performance.now() < end, `${what}: not in time`);
  };
  /** What page, storage and door know of the same run; `lost` calls had left and were never heard of again. */
  const agree = async (lost, what) => {
    await until(() => server.inFlight === 0, `${what}: nothing in flight`);
    const [made, counts, { replies }] = [await calls(page), await ledger(page), await stored(page)];
    assert.equal(made.attempts, replies.length, `${what}: what counts is stored`);
    assert.equal(counts["in flight"], 0, what);
    assert.equal(server.attempts - replies.length, lost, `${what}: ${server.attempts} asked, ${replies.length} stored`);
    return { made, counts };
  };

  // Paused: what is in flight ends and counts, and nothing more is asked.
  await button(page, "Start run").click();
  await until(async () => (await counted()) >= 2, "two calls");
  await button(page, "Pause").click();
  await runState(page, "paused");
  await until(async () => (await ledger(page))["in flight"] === 0, "calls in flight");
  const paused = await agree(0, "paused");
  await page.waitForTimeout(1000);
  assert.equal(server.attempts, paused.made.attempts, "nothing is asked while paused");

  // Reloaded while paused: nothing is lost.
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "stopped");
  assert.deepEqual(await agree(0, "reloaded"), paused);

  // Ended in mid-call, first the worker alone, then the whole page.
  let lost = 0;
  for (const end of ["worker", "page"]) {
    await button(page, "Start run").click();
    const before = server.attempts;
    await until(() => server.attempts >= before + 2 && server.inFlight > 0, `calls before the end of the ${end}`);
    if (end === "worker") {
      await page.evaluate(() => window.heldWorkers.run.terminate());
      await until(() => server.inFlight === 0, "the model is let go");
      await page.reload();
    } else {
      const session = await context.newCDPSession(page);
      const crashed = page.waitForEvent("crash");
      session.send("Page.crash").catch(() => {});
      await crashed;
      await until(() => server.inFlight === 0, "the model is let go");
      page.close().catch(() => {});
      page = await context.newPage();
      await page.goto(site.url);
      await page.locator("h1:not(#boot h1)").first().waitFor();
    }
    await go(page, "#/judge");
    await runState(page, "stopped");
    const fresh = server.attempts - (await stored(page)).replies.length - lost;
    assert.ok(1 <= fresh && fresh <= 2, `the end of the ${end} cost ${fresh} calls of the two in flight`);
    lost += fresh;
    await agree(lost, `after the end of the ${end}`);
  }

  await button(page, "Start run").click();
  await page.getByTestId("run-state").filter({ hasText: /^done/ }).waitFor({ timeout: PATIENCE });
  const { made, counts } = await agree(lost, "done");
  assert.equal(made.calls, CALLS);
  assert.equal(counts.asked, 2 * CALLS, JSON.stringify(counts));
  assert.ok(counts.scored > 0, "a schema makes even a small model give labels");
  t.diagnostic(`${server.attempts} requests at the model, ${made.attempts} in the ledger, ${lost} lost with their pages; ${JSON.stringify(counts)}`);
});
