// The engine of a run where the browser makes it hard: hidden and frozen pages, a full disk, no storage at all,
// clocks that jump, a worker that is gone, and twenty thousand calls.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { browserPath, FLAGS } from "../../scripts/chromium.mjs";
import { allow, download, newContext, profile } from "./support/browser.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { holdWorkers, serveWith, stored, workerOf } from "./support/engine.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { answers, bring, button, calls, endpoint, go, ledger, open, questions, runState } from "./support/viva.mjs";

const good = (request) => reply.labels(request.items.map((_, n) => ["Completely", "Mostly", "Not at all"][n % 3]));

/** The page with `n` questions before it and the endpoint chosen. */
async function prepared(t, { n = 200, items = 2, systems = ["one"], concurrency = 4, delay = 40, ...options } = {}) {
  const provider = await startProvider(t, { script: good, delay });
  const { page, site } = await open(t, { hash: "#/data", ...options });
  const set = questions(n, items);
  await bring(page, set, Object.fromEntries(systems.map((name) => [name, answers(set, name)])));
  await endpoint(page, { url: provider.url, concurrency });
  await page.getByTestId("run-plan").filter({ hasText: new RegExp(`\\b${(n * systems.length).toLocaleString("en-US")} calls|\\b${n * systems.length} calls`) }).waitFor();
  return { page, site, provider, set, planned: n * items * systems.length };
}

const until = async (page, met, what, seconds = 60) => {
  for (const end = performance.now() + 1000 * seconds; !(await met()); await page.waitForTimeout(20))
    if (end < performance.now()) throw new Error(`${what}: not within ${seconds} s`);
};

/** Everything of a run that is done agrees: page, storage and server, and nothing was asked twice. */
async function whole(page, provider, planned) {
  await runState(page, "done");
  const counts = await ledger(page);
  assert.deepEqual([counts.scored, counts.asked], [planned, planned], JSON.stringify(counts));
  assert.equal((await calls(page)).attempts, provider.attempts);
  assert.equal(new Set(provider.requests.map((request) => request.text)).size, provider.attempts, "nothing is asked twice");
  return counts;
}

/**
 * A Chromium that hides and freezes pages as a person's does: Playwright's own defaults make it treat every page
 * as if it were in front.
 */
async function honestBrowser(t) {
  const folder = await profile(t);
  const browser = spawn(browserPath(), [...FLAGS, "--headless=new", "--remote-debugging-port=0", `--user-data-dir=${folder}`, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => browser.once("exit", done));
  atEnd(t, async () => {
    browser.kill("SIGKILL");
    await ended;
  });
  const address = await new Promise((done, failed) => {
    let text = "";
    browser.stderr.on("data", (chunk) => {
      text += chunk;
      const found = /listening on (ws:\S+)/.exec(text);
      if (found) done(found[1]);
    });
    browser.once("exit", () => failed(new Error(`Chromium ended: ${text}`)));
  });
  const { chromium } = await import("playwright-core");
  const connected = await chromium.connectOverCDP(address, { noDefaults: true });
  atEnd(t, () => connected.close());
  const context = connected.contexts()[0];
  return { context, page: context.pages()[0] };
}

/** Puts another tab before the page. */
async function hide(context, page) {
  const other = await context.newPage();
  await other.bringToFront();
  await until(page, () => page.evaluate(() => document.visibilityState === "hidden"), "the page is hidden", 10);
}

// What this does not prove: that a browser which throttles a page after minutes in the background, under Energy
// Saver or on a phone keeps a run going. It shows that a run needs no visible page, no frames and no page timers.
test("a run goes on while its page is hidden", { timeout: 120_000 }, async (t) => {
  const { context, page } = await honestBrowser(t);
  const { provider, planned } = await prepared(t, { page, n: 150 });
  await button(page, "Start run").click();
  await until(page, () => provider.attempts >= 10, "ten calls");
  await hide(context, page);
  const seen = provider.attempts;
  await until(page, () => provider.attempts === 150 && provider.inFlight === 0, "every call while hidden");
  assert.equal(await page.evaluate(() => document.visibilityState), "hidden", "it stayed hidden to the end");
  assert.ok(seen < 110, `${seen} calls were made before the page was hidden: nothing is shown`);
  await page.bringToFront();
  await whole(page, provider, planned);
});

// What this does not prove: that and when Chromium freezes a page with a run in it, and that a call which was open
// for longer than its deadline comes back. The protocol's command freezes at once, for some seconds.
test("a run outlives its page being frozen", { timeout: 120_000 }, async (t) => {
  const { context, page } = await honestBrowser(t);
  const { provider, planned } = await prepared(t, { page, n: 200 });
  await page.evaluate(() => {
    window.lived = [];
    for (const name of ["freeze", "resume"]) document.addEventListener(name, () => window.lived.push(name));
  });
  const session = await context.newCDPSession(page);
  await button(page, "Start run").click();
  await hide(context, page);
  for (const [round, at] of [20, 100].entries()) {
    await until(page, () => provider.attempts >= at, `${at} calls`);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    const before = provider.attempts;
    await sleep(1500);
    t.diagnostic(`round ${round + 1}: frozen at ${before} calls, ${provider.attempts - before} more left in 1.5 s`);
    assert.ok(before < 190, `${before} calls were made before the page was frozen: nothing is shown`);
    await session.send("Page.setWebLifecycleState", { state: "active" });
  }
  await page.bringToFront();
  await whole(page, provider, planned);
  assert.deepEqual(await page.evaluate(() => window.lived), ["freeze", "resume", "freeze", "resume"]);
});

// Chromium's protocol can shrink an origin's quota, and IndexedDB does not care (version 156). So the worker's own
// IndexedDB is made to do what a full one does: a write is taken, and the transaction is aborted at its end; or the
// write is refused at once.
test("a full disk ends the run with its sentence, and room lets it go on", { timeout: 180_000 }, async (t) => {
  const site = await serveWith(t, `self.full = null;
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...given) {
  if (self.full === "at once") throw new DOMException("Full.", "QuotaExceededError");
  const request = put.apply(this, given);
  if (self.full === "at the end") request.addEventListener("success", () => this.transaction.abort());
  return request;
};`);
  const { page, provider, planned } = await prepared(t, { n: 300, site, delay: 20 });
  let worker = await workerOf(page, "run");
  let [lost, before] = [0, 0];
  for (const when of ["at the end", "at once"]) {
    await button(page, "Start run").click();
    const asked = provider.attempts;
    await until(page, () => provider.attempts >= asked + 30, "thirty calls");
    await worker.evaluate((when) => { self.full = when; }, when);
    await page.getByText(/a judgement could not be stored/).first().waitFor({ timeout: 60_000 });
    await runState(page, "stopped");
    assert.match(await page.locator("main").innerText(), /Stopped: a judgement could not be stored\..*Free some space/s, when);
    const counts = await ledger(page);
    const { replies } = await stored(page);
    assert.ok(before + 20 < replies.length && replies.length < 250, `${when}: ${replies.length} of 300 are stored: it ended in its middle`);
    assert.deepEqual([counts.scored, counts.asked], [2 * replies.length, 2 * replies.length], `${when}: what counts is stored, and what is stored counts`);
    const fresh = provider.attempts - replies.length - lost;
    assert.ok(1 <= fresh && fresh <= 4, `${when}: ${fresh} calls were paid and could not be kept: no more than were in flight`);
    lost += fresh;
    before = replies.length;
    // Nothing more is asked of a provider whose words cannot be kept.
    await page.waitForTimeout(300);
    assert.equal(provider.attempts, replies.length + lost, when);
    // And that is what a visitor finds who comes back, with room again.
    await page.reload();
    await runState(page, "stopped");
    assert.deepEqual(await ledger(page), counts, when);
    worker = await workerOf(page, "run");
  }
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, planned);
  assert.equal((await stored(page)).replies.length, 300);
  assert.equal(provider.attempts, 300 + lost, "only what could not be kept is asked again");
});

test("without IndexedDB a run works in memory, and the page says that nothing is kept", { timeout: 120_000 }, async (t) => {
  const WAYS = {
    "no IndexedDB": "Object.defineProperty(self, 'indexedDB', { value: undefined, configurable: true });",
    "an IndexedDB that throws": "IDBFactory.prototype.open = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };",
    // As where another build has left a newer database: the error comes with an event.
    "an IndexedDB that fails later": `IDBFactory.prototype.open = ((open) => function (name, version) {
      open.call(this, name + "-newer", 1000);
      return open.call(this, name + "-newer", version);
    })(IDBFactory.prototype.open);`,
  };
  for (const [name, code] of Object.entries(WAYS)) {
    const site = await serveWith(t, code);
    const { page, provider, planned } = await prepared(t, { n: 20, site });
    await button(page, "Start run").click();
    await whole(page, provider, planned);
    const said = [];
    for (const route of ["#/judge", "#/report", "#/settings"]) {
      await go(page, route);
      await page.waitForTimeout(50);
      said.push(await page.locator("main").innerText());
    }
    assert.match(said[1], /This browser does not store this run\. Save the run file before you close the page\./, name);
    assert.match(said[2], /until this tab closes/, name);
    // And it is so.
    await page.reload();
    await go(page, "#/judge");
    await runState(page, "idle");
    await page.context().close();
  }
});

test("an IndexedDB that refuses for a moment is asked again, and everything is kept", { timeout: 60_000 }, async (t) => {
  // The first two tries of each worker fail, with an event, as after a crash of the browser.
  const site = await serveWith(t, `IDBFactory.prototype.open = ((open) => {
      let tries = 0;
      return function (name, version) {
        if (tries++ >= 2) return open.call(this, name, version);
        const request = open.call(this, name + "-refused", version);
        request.addEventListener("upgradeneeded", () => request.transaction.abort());
        return request;
      };
    })(IDBFactory.prototype.open);`);
  const { page, provider, planned } = await prepared(t, { n: 20, site });
  await button(page, "Start run").click();
  await whole(page, provider, planned);
  assert.equal((await stored(page)).replies.length, provider.attempts);
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "done");
});

test("a run worker that is gone is noticed, and the run goes on after a reload", { timeout: 120_000 }, async (t) => {
  const context = await newContext(t);
  await holdWorkers(context);
  const page = await context.newPage();
  const { provider, planned } = await prepared(t, { page, n: 60 });
  await button(page, "Start run").click();
  await until(page, () => provider.attempts >= 12, "twelve calls");
  await page.evaluate(() => window.heldWorkers.run.terminate());
  await page.getByText("The run worker stopped").first().waitFor({ timeout: 10_000 });
  assert.match(await page.locator("body").innerText(), /Reload the page\. What was judged so far is stored/);
  await runState(page, "stopped");
  const shown = await ledger(page);
  assert.deepEqual([shown["in flight"], shown.asked], [0, shown.scored], "what was in flight is no longer said to be");
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "stopped");
  assert.ok((await ledger(page)).scored >= shown.scored, "what was shown is stored");
  const lost = provider.attempts - (await stored(page)).replies.length;
  assert.ok(1 <= lost && lost <= 4, `${lost} calls were in flight`);
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, planned);
  assert.equal(provider.attempts, 60 + lost);
});

test("clocks that jump by an hour lose, repeat and stop nothing", { timeout: 120_000 }, async (t) => {
  const jump = "self.jumped = 0; Date.now = ((now) => () => now() + self.jumped)(Date.now);";
  const site = await serveWith(t, jump);
  const { page, provider, planned } = await prepared(t, { n: 260, site, delay: 40 });
  // Every third call fails once, so that attempts of one call lie on both sides of a jump.
  const failed = new Set();
  provider.script = (request) => {
    if (request.n % 3 === 0 && !failed.has(request.text)) {
      failed.add(request.text);
      return reply.serverError();
    }
    return good(request);
  };
  allow(page, /console error: Failed to load resource/);
  const worker = await workerOf(page, "run");
  await button(page, "Start run").click();
  const shown = async () => (await ledger(page)).scored;
  for (const [at, hours] of [[40, 1], [110, -1], [180, 0]]) {
    await until(page, () => provider.attempts >= at, `${at} calls`);
    await worker.evaluate((by) => { self.jumped = by; }, hours * 3_600_000);
    // The page follows, whichever way the clock went.
    const before = await shown();
    await until(page, async () => (await shown()) > before + 8, `verdicts shown after a jump to ${hours} h`, 5);
    assert.ok(await page.getByTestId("run-state").filter({ hasText: "running" }).isVisible(), "this was seen while the run went on");
  }
  await runState(page, "done");
  const counts = await ledger(page);
  assert.equal(counts.scored, planned);
  assert.ok(failed.size > 60, `${failed.size} calls failed once`);
  assert.equal(provider.attempts, 260 + failed.size);
  assert.equal((await calls(page)).attempts, provider.attempts);

  // Attempts of a call stand in the order in which they were made, before and after a reload.
  const order = async () => {
    await go(page, "#/report");
    const { text } = await download(page, () => button(page, "Run file (JSON)").click());
    return new Map(JSON.parse(text).replies.map((it) => [it.key, it.attempts.map(({ outcome }) => Object.keys(outcome)[0])]));
  };
  const before = await order();
  assert.equal([...before.values()].filter((it) => it.length === 2).length, failed.size);
  for (const [key, list] of before) assert.equal(list.at(-1), "reply", key);
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "done");
  assert.deepEqual(await ledger(page), counts);
  assert.deepEqual(await order(), before, "the order of attempts after a reload");
});

/** Gives a function that tells how much JavaScript memory a worker uses, after its garbage is gone. */
async function workerHeap(session) {
  const found = new Promise((done) => {
    session.on("Target.attachedToTarget", async ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker" && targetInfo.title.includes("run")) done(sessionId);
    });
  });
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await found;
  let last = 0;
  const send = (method) =>
    new Promise((done) => {
      const id = (last += 1);
      const hear = ({ sessionId: from, message }) => {
        const said = JSON.parse(message);
        if (from !== sessionId || said.id !== id) return;
        session.off("Target.receivedMessageFromTarget", hear);
        done(said.result);
      };
      session.on("Target.receivedMessageFromTarget", hear);
      session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) });
    });
  return async () => {
    await send("HeapProfiler.collectGarbage");
    return (await send("Runtime.getHeapUsage")).usedSize;
  };
}

test("20,000 calls: memory grows by what the ledger keeps and by nothing else", { timeout: 800_000 }, async (t) => {
  // A worker's wasm memory can be asked for only from inside.
  const keep = `const start = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...given) => {
  const made = await start.call(WebAssembly, ...given);
  self.wasmMemory = made.instance.exports.memory;
  return made;
};`;
  const site = await serveWith(t, keep);
  const systems = Array.from({ length: 8 }, (_, n) => `system-${n}`);
  const { page, provider, planned } = await prepared(t, { n: 2500, items: 1, systems, site, concurrency: 32, delay: 0 });
  const session = await page.context().newCDPSession(page);
  const worker = await workerOf(page, "run");
  const heap = await workerHeap(session);
  const size = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return { page: usedSize, wasm: await worker.evaluate(() => self.wasmMemory.buffer.byteLength), worker: await heap() };
  };
  const since = performance.now();
  await button(page, "Start run").click();
  const sizes = [];
  for (const at of [5000, 20_000]) {
    await until(page, () => provider.attempts >= at - 100, `${at} calls`, 500);
    if (at < 20_000) await button(page, "Pause").click();
    await runState(page, at < 20_000 ? "paused" : "done");
    await until(page, async () => (await ledger(page))["in flight"] === 0, "calls in flight end");
    sizes.push({ calls: provider.attempts, ...(await size()) });
    // What the test itself keeps is not the page's.
    if (at < 20_000) await button(page, "Resume").click();
  }
  const took = (performance.now() - since) / 1000;
  const [before, after] = sizes;
  const made = after.calls - before.calls;
  const mb = (bytes) => (bytes / 1e6).toFixed(1);
  const grown = (of) => (after[of] - before[of]) / made;
  t.diagnostic(
    `${after.calls} calls in ${took.toFixed(0)} s; from ${before.calls} to ${after.calls} calls: worker's wasm ${mb(before.wasm)} to ${mb(after.wasm)} MB ` +
      `(${grown("wasm").toFixed(0)} bytes a call), its JavaScript ${mb(before.worker)} to ${mb(after.worker)} MB, the page's ${mb(before.page)} to ${mb(after.page)} MB`,
  );
  await whole(page, provider, planned);
  // The ledger keeps every attempt: run, models, parameters, usage and the reply's text in strings and lists of
  // their own, some 700 bytes here, in tables that double as they grow. Twice that leaves room for the doubling,
  // and none for anything else that is kept a call.
  assert.ok(grown("wasm") <= 1500, `${grown("wasm").toFixed(0)} bytes of wasm memory a call`);
  // Nothing of a call stays in JavaScript.
  assert.ok(grown("worker") <= 100, `${grown("worker").toFixed(0)} bytes of the worker's JavaScript a call`);
  assert.ok(grown("page") <= 100, `${grown("page").toFixed(0)} bytes of the page's JavaScript a call`);
});
