// One run, one tab: what a second tab sees, and how a run changes hands. Storage and its loss.

import assert from "node:assert/strict";
import test from "node:test";
import { allow, HTTP_ERRORS, newContext } from "./support/browser.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, calls, endpoint, go, ledger, open, questions, runState } from "./support/viva.mjs";

const good = () => reply.text("Mostly\nBarely\nCompletely");

/** Two tabs of one profile, the first with a run of `n` calls that goes on. */
async function twoTabs(t, { n = 60, delay = 120, concurrency = 4 } = {}) {
  const provider = await startProvider(t, { script: good, delay });
  const context = await newContext(t);
  const site = await serveDist(t);
  const { page: first } = await open(t, { site, page: await context.newPage() });
  const set = questions(n);
  await bring(first, set, { one: answers(set) });
  await endpoint(first, { url: provider.url, concurrency });
  await button(first, "Start run").click();
  while (provider.attempts < 8) await first.waitForTimeout(20);
  const { page: second } = await open(t, { site, page: await context.newPage(), hash: "#/judge" });
  await second.getByTestId("run-elsewhere").waitFor();
  return { provider, context, site, first, second, n };
}

const takeOver = (page) => button(page, "Take over here").click();

/** Verdicts that the page shows as scored, as soon as there are any more than `least`. */
async function scoredBeyond(page, least) {
  await page.waitForFunction((least) => {
    const text = document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ");
    return least < Number(/scored (\d+)/.exec(text)[1]);
  }, least);
}

test("a second tab watches a run, and holds it, and asks nothing itself", async (t) => {
  const { provider, first, second, n } = await twoTabs(t, { n: 150 });
  await runState(second, "running");
  const before = (await ledger(second)).scored;
  await scoredBeyond(second, before);
  assert.equal(await button(second, "Start run").isDisabled(), true);

  // What is asked of the run there is done by the tab that drives it.
  await button(second, "Pause").click();
  await runState(first, "paused");
  await runState(second, "paused");
  await button(second, "Resume").click();
  await runState(first, "done");
  await runState(second, "done");
  await second.getByTestId("run-elsewhere").waitFor({ state: "detached" });
  for (const page of [first, second]) {
    assert.equal((await ledger(page)).scored, 3 * n);
    assert.deepEqual(await calls(page), { calls: n, attempts: n });
  }
  assert.equal(provider.attempts, n, "no call was made twice");

  // Deleted in one tab, it is gone in the other.
  await go(first, "#/settings");
  first.on("dialog", (dialog) => dialog.accept());
  await first.getByRole("table", { name: "Runs" }).getByRole("button", { name: /^Delete/ }).click();
  await runState(second, "idle");
});

test("a run is taken over while the other tab is alive, and nothing is asked twice", async (t) => {
  const { provider, first, second, n } = await twoTabs(t);
  await takeOver(second);
  await runState(second, "running");
  await first.getByTestId("run-elsewhere").waitFor();
  await first.getByText("The run goes on in another tab").waitFor();
  await runState(second, "done");
  await runState(first, "done");
  assert.equal((await ledger(first)).scored, 3 * n);
  assert.deepEqual(await calls(second), { calls: n, attempts: n });
  assert.equal(provider.attempts, n);
});

test("when the driving tab is closed, the other says so and goes on", async (t) => {
  const { provider, first, second, n } = await twoTabs(t);
  allow(first, /ERR_ABORTED/);
  await first.close({ runBeforeUnload: false });
  await runState(second, "stopped");
  await second.getByTestId("run-elsewhere").waitFor({ state: "detached" });
  const lost = provider.attempts - (await calls(second)).attempts;
  assert.ok(lost <= 4, `${lost} calls in flight were lost, of 4 at most`);
  await button(second, "Start run").click();
  await runState(second, "done");
  assert.equal((await ledger(second)).scored, 3 * n);
  assert.equal(provider.attempts, n + lost, "only what was in flight is asked again");
});

test("a run is taken from a tab that is frozen, which then leaves it alone", async (t) => {
  const { provider, context, first, second, n } = await twoTabs(t, { n: 80 });
  // The browser's own word for a tab that sleeps. Workers of the page sleep with it.
  allow(first, /ERR_ABORTED/, HTTP_ERRORS);
  const session = await context.newCDPSession(first);
  await session.send("Debugger.enable");
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await takeOver(second);
  await runState(second, "running");
  await runState(second, "done");
  assert.equal((await ledger(second)).scored, 3 * n);
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await runState(first, "done");
  const made = provider.attempts;
  await first.waitForTimeout(500);
  assert.equal(provider.attempts, made, "the tab that woke asks nothing");
  assert.ok(made <= n + 4, `${made} calls for ${n}: at most those in flight twice`);
  assert.equal((await ledger(first)).scored, 3 * n);
});

test("the same settings started in both tabs make one run", async (t) => {
  const provider = await startProvider(t, { script: good, delay: 60 });
  const context = await newContext(t);
  const site = await serveDist(t);
  const set = questions(40);
  const pages = [];
  for (let tab = 0; tab < 2; tab += 1) {
    const { page } = await open(t, { site, page: await context.newPage() });
    if (tab === 0) await bring(page, set, { one: answers(set) });
    else await go(page, "#/judge");
    await endpoint(page, { url: provider.url, concurrency: 4 });
    pages.push(page);
  }
  await Promise.all(pages.map((page) => button(page, "Start run").click()));
  for (const page of pages) await runState(page, "done");
  assert.equal(provider.attempts, 40);
  for (const page of pages) assert.equal((await ledger(page)).scored, 120);
});

test("a copy is kept in a picked file, and reopens in an empty profile", async (t) => {
  const provider = await startProvider(t, { script: good, delay: 40 });
  const context = await newContext(t);
  const { page, site } = await open(t, { page: await context.newPage() });
  // The dialog is the browser's; the file behind it is a real one, of the origin's own file system.
  await page.evaluate(() => {
    window.showSaveFilePicker = async ({ suggestedName }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  });
  const set = questions(20);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, concurrency: 2 });
  await button(page, "Start run").click();
  await button(page, "Keep a copy in a file").click();
  const copy = page.getByTestId("run-copy");
  await copy.filter({ hasText: /^viva-run-\w+\.json, written/ }).waitFor();
  await runState(page, "done");
  const written = async () => page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory();
    for await (const [, handle] of folder.entries()) return (await handle.getFile()).text();
    return null;
  });
  let text = await written();
  for (let n = 0; n < 50 && !/"phase":\s*"Done"/.test(text ?? ""); n += 1) {
    await page.waitForTimeout(100);
    text = await written();
  }
  assert.match(text, /"phase":\s*"Done"/, "the copy at the end is of the run that is done");

  const { page: other } = await open(t, { site, page: await (await newContext(t)).newPage(), hash: "#/report" });
  await other.getByLabel("Run file", { exact: true }).setInputFiles([
    { name: "copy.json", mimeType: "application/json", buffer: Buffer.from(text) },
  ]);
  await other.getByText("20 replies read").waitFor();
  await button(page, "Stop copying").click();
  await button(page, "Keep a copy in a file").waitFor();
});

test("what the browser removed is told, and what a person forgot is not", async (t) => {
  const context = await newContext(t);
  const { page, site } = await open(t, { page: await context.newPage() });
  await button(page, "Try the sample").first().click();
  await page.getByRole("table", { name: "Rubric coverage" }).waitFor();
  await go(page, "#/judge");
  await runState(page, "done");
  // As the browser does it: the database goes, and the page was not asked.
  await page.goto("about:blank");
  const other = await context.newPage();
  // The browser asks for an icon of a page that is only a file.
  allow(context, HTTP_ERRORS);
  await other.goto(`${site.url}sample/questions.json`);
  await other.evaluate(() => new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase("viva");
    request.onsuccess = resolve;
    request.onerror = reject;
    request.onblocked = () => reject(new Error("the database is still open"));
  }));
  await other.close();
  await page.goto(site.url);
  await page.getByText("What this page had kept was removed by the browser").waitFor();
  await page.getByText(/At your last visit 1 run was kept/).waitFor();

  // Told once: now nothing is kept, and that is known.
  await page.reload();
  await page.locator("main#main h1").first().waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.getByText("was removed by the browser").count(), 0);
});
