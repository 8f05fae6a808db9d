// The engine of a run where the browser makes it hard: hidden and frozen pages, a full disk, no storage at all,
// clocks that jump, a worker that is gone, and twenty thousand calls.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FLAGS, launch } from "../../scripts/chromium.mjs";
import { allow, download, newContext } from "./support/browser.mjs";
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

// What this does not prove: that a browser which throttles a page after minutes in the background, under Energy
// Saver or on a phone keeps a run going. It shows that a run needs no visible page, no frames and no page timers.
test("a run goes on while its page is hidden", { timeout: 120_000 }, async (t) => {
  // Playwright tells Chromium to treat hidden pages as visible ones; here it shall not.
  const honest = await launch({ ignoreDefaultArgs: ["--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding"] });
  atEnd(t, () => honest.close());
  const context = await honest.newContext();
  const page = await context.newPage();
  const { provider, planned } = await prepared(t, { page, n: 150 });
  await button(page, "Start run").click();
  await until(page, () => provider.attempts >= 10, "ten calls");
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
  const { windowId } = await session.send("Browser.getWindowForTarget");
  await session.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "minimized" } });
  await until(page, () => page.evaluate(() => document.visibilityState === "hidden"), "the page is hidden", 10);
  const hidden = provider.attempts;
  await until(page, () => provider.attempts === 150 && provider.inFlight === 0, "every call while hidden");
  assert.equal(await page.evaluate(() => document.visibilityState), "hidden", "it stayed hidden to the end");
  assert.ok(hidden < 100, `${hidden} calls were made before the page was hidden: nothing is shown`);
  await session.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
  await whole(page, provider, planned);
});

// What this does not prove: that Chromium freezes a page which holds a running worker, and when it does. The
// protocol's command freezes the page at once.
test("a run outlives its page being frozen", { timeout: 120_000 }, async (t) => {
  const { page, provider, planned } = await prepared(t, { n: 150 });
  await page.evaluate(() => {
    window.lived = [];
    for (const name of ["freeze", "resume"]) document.addEventListener(name, () => window.lived.push(name));
  });
  await button(page, "Start run").click();
  const session = await page.context().newCDPSession(page);
  for (const [round, at] of [20, 60].entries()) {
    await until(page, () => provider.attempts >= at, `${at} calls`);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    const before = provider.attempts;
    await page.waitForTimeout(1500);
    t.diagnostic(`round ${round + 1}: ${provider.attempts - before} calls left in 1.5 s of a frozen page`);
    await session.send("Page.setWebLifecycleState", { state: "active" });
  }
  await whole(page, provider, planned);
  assert.deepEqual(await page.evaluate(() => window.lived), ["freeze", "resume", "freeze", "resume"]);
});

test("a full disk ends the run with its sentence, and room lets it go on", { timeout: 180_000 }, async (t) => {
  const { page, site, provider, planned } = await prepared(t, { n: 300, delay: 10 });
  const origin = new URL(site.url).origin;
  const session = await page.context().newCDPSession(page);
  await button(page, "Start run").click();
  await until(page, () => provider.attempts >= 20, "twenty calls");
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await runState(page, "stopped");
  assert.match(await page.locator("body").innerText(), /a judgement could not be stored/);
  const counts = await ledger(page);
  const { replies } = await stored(page);
  assert.ok(counts.scored < planned && provider.attempts < 300, "it ended before its end");
  assert.equal(counts.scored, 2 * replies.length, "what counts is stored, and what is stored counts");
  assert.equal(counts["in flight"], 0);
  assert.ok(provider.attempts - replies.length <= 4, `${provider.attempts} asked, ${replies.length} stored: no more than what was in flight is lost`);

  await session.send("Storage.overrideQuotaForOrigin", { origin });
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, planned);
  assert.equal((await stored(page)).replies.length, 300);
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

test("20,000 calls: memory grows by what the ledger keeps and by nothing else", { timeout: 600_000 }, async (t) => {
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
  const size = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return { page: usedSize, wasm: await worker.evaluate(() => self.wasmMemory.buffer.byteLength) };
  };
  const since = performance.now();
  await button(page, "Start run").click();
  const sizes = [];
  for (const at of [5000, 20_000]) {
    await until(page, () => provider.attempts >= at - 100, `${at} calls`, 300);
    if (at < 20_000) await button(page, "Pause").click();
    await runState(page, at < 20_000 ? "paused" : "done");
    await until(page, async () => (await ledger(page))["in flight"] === 0, "calls in flight end");
    sizes.push({ calls: provider.attempts, ...(await size()) });
    // What the test itself keeps is not the page's.
    if (at < 20_000) await button(page, "Resume").click();
  }
  const took = (performance.now() - since) / 1000;
  t.diagnostic(`${took.toFixed(0)} s, ${JSON.stringify(sizes)}`);
  await whole(page, provider, planned);
});
