// The first minute: the sample without a key, its table, what one takes away, and coming back.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { download, newContext, openProfile, profile, requestsOf } from "./support/browser.mjs";
import { DIST, serveDist } from "./support/static.mjs";
import { button, file, go, ledger, open, pick, runState, sampleDone, table } from "./support/viva.mjs";

async function sample(t, options = {}) {
  const opened = await open(t, options);
  const asked = requestsOf(opened.page);
  const from = Date.now();
  await button(opened.page, "Try the sample").click();
  await table(opened.page, "Rubric coverage");
  const seconds = (Date.now() - from) / 1000;
  return { ...opened, asked, rows: await sampleDone(opened.page), seconds };
}

test("one click gives a table of all five systems, and nothing leaves the page", async (t) => {
  const { page, site, asked, rows, seconds } = await sample(t);
  assert.match(page.url(), /#\/results$/);
  assert.equal(rows.length, 6, JSON.stringify(rows));
  assert.deepEqual(rows.slice(1).map((row) => row[0].split(" ")[0]).sort(), ["alder-research", "birch", "cedar-brief", "dogwood-long", "elm-search"]);
  assert.deepEqual(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith("blob:")), []);
  const body = await page.locator("body").innerText();
  assert.match(body, /Word-overlap score \(practice\)/);
  assert.match(body, /not a judgement/);
  assert.match(body, /Coverage is not correctness/);
  console.log(`# sample: ${seconds.toFixed(2)} s from the click to the table`);
  assert.ok(seconds < 30, `${seconds} s`);

  await go(page, "#/judge");
  assert.equal(await runState(page, "done"), "done");
  const counts = await ledger(page);
  assert.equal(counts.scored, counts.asked);
  assert.ok(counts.asked > 600, JSON.stringify(counts));

  await go(page, "#/data");
  const summary = (await page.getByTestId("dataset-summary").innerText()).replace(/\s+/g, " ");
  for (const part of [/\b21 queries/, /\b146 rubric items/, /\b14 fields/, /\b7 domains/]) assert.match(summary, part);
  assert.equal(await page.getByTestId("dataset-problems").count(), 0);
});

test("a reload finds the run, and a new visit too", async (t) => {
  const site = await serveDist(t);
  const folder = await profile(t);
  const first = await openProfile(t, folder);
  const page = first.pages()[0] ?? (await first.newPage());
  await open(t, { page, site });
  await button(page, "Try the sample").click();
  const before = await sampleDone(page);
  await page.reload();
  assert.deepEqual(await table(page, "Rubric coverage"), before);
  await first.close();

  const second = await openProfile(t, folder);
  const again = second.pages()[0] ?? (await second.newPage());
  await open(t, { page: again, site, hash: "#/results" });
  assert.deepEqual(await table(again, "Rubric coverage"), before);
  await go(again, "#/systems");
  assert.equal((await table(again, "Systems")).length, 6);
});

test("a run file gives every table again, in an empty profile without a network", async (t) => {
  const { page, site, rows } = await sample(t);
  const differences = await table(page, "Differences from a baseline");
  await go(page, "#/report");
  const saved = await download(page, () => button(page, "Run file (JSON)").click());
  const run = JSON.parse(saved.text);
  assert.equal(run.format, "viva-run");
  assert.equal(run.texts, null, "no texts unless they are asked for");
  assert.match(run.watermark, /word overlap, not a judgement/);
  assert.ok(run.replies.length >= 100);

  const context = await newContext(t, { allow: [/ERR_INTERNET_DISCONNECTED/] });
  const other = await context.newPage();
  await open(t, { page: other, site, hash: "#/report" });
  await context.setOffline(true);
  await pick(other, "Run file", [file("run.json", saved.bytes)]);
  await go(other, "#/results");
  assert.deepEqual(await table(other, "Rubric coverage"), rows);
  assert.deepEqual(await table(other, "Differences from a baseline"), differences);

  // To the last digit: what is saved again is what was read.
  await go(other, "#/report");
  const again = JSON.parse((await download(other, () => button(other, "Run file (JSON)").click())).text);
  assert.deepEqual(again.tables, run.tables);
  assert.deepEqual(again.replies, run.replies);
});

test("every practice export says what it is, and the judge's own shape is refused", async (t) => {
  const { page } = await sample(t);
  await go(page, "#/report");
  for (const name of ["Table (CSV)", "Table (Markdown)", "Table (LaTeX)", "Summary (Markdown)"]) {
    const { text } = await download(page, () => button(page, name).click());
    assert.match(text, /word overlap, not a judgement/i, name);
    assert.match(text, /alder-research/, name);
  }
  assert.ok(await button(page, "Coverage (JSON)").isDisabled(), "practice scores are not written as judge results");
});

test("the tables answer to filters, readings and the common subset", async (t) => {
  const { page, rows } = await sample(t);
  const asked = (found) => found.slice(1).map((row) => row.join("|"));
  const shown = page.getByRole("table", { name: "Rubric coverage", exact: true });
  const before = await shown.innerText();
  await page.getByRole("combobox", { name: "Domain", exact: true }).selectOption({ index: 1 });
  for (let n = 0; n < 50 && (await shown.innerText()) === before; n += 1) await page.waitForTimeout(100);
  const filtered = await table(page, "Rubric coverage");
  assert.notDeepEqual(asked(filtered), asked(rows));
  await page.getByRole("combobox", { name: "Domain", exact: true }).selectOption({ index: 0 });
  await page.getByRole("combobox", { name: "Reading", exact: true }).selectOption({ label: "As in the paper" });
  await page.getByText("As in the paper", { exact: false }).first().waitFor();
  const types = await table(page, "By rubric type");
  assert.ok(types.length > 6);
});

test("one judgement opens with question, answer, item, label, reply and evidence", async (t) => {
  const { page } = await sample(t);
  await go(page, "#/inspect/1");
  await page.getByRole("table", { name: "Rubric items" }).waitFor();
  assert.ok((await table(page, "Rubric items")).length > 6);
  assert.ok((await page.locator("mark.ev").count()) > 0, "evidence is marked in the answer");
  assert.match(await page.getByRole("region", { name: "Raw reply" }).first().innerText(), /Completely|Mostly|Moderately|Barely|Not at all/);
  await page.keyboard.press("j");
  await page.waitForURL(/#\/inspect\/2$/);
});

test("where the browser gives no storage everything works, and the page says what that means", async (t) => {
  const loader = await readFile(join(DIST, "worker_loader.js"), "utf8");
  // Imports come first whatever the order, and the program opens its storage later than this.
  const body = `Object.defineProperty(self, "indexedDB", { value: undefined });\n${loader}`;
  const site = await serveDist(t, {
    intercept: (path) => (path.endsWith("worker_loader.js") ? { status: 200, headers: { "content-type": "text/javascript" }, body } : undefined),
  });
  const { page, rows } = await sample(t, { site });
  assert.equal(rows.length, 6);
  await go(page, "#/judge");
  await page.getByText("Nothing is kept beyond this tab").waitFor();
  await go(page, "#/report");
  const saved = await download(page, () => button(page, "Run file (JSON)").click());
  assert.ok(JSON.parse(saved.text).replies.length > 100, "what is not stored can still be saved");
});

test("forgetting empties all storage", async (t) => {
  const { page } = await sample(t);
  await go(page, "#/settings");
  page.once("dialog", (dialog) => dialog.accept());
  await button(page, "Forget everything here").click();
  await page.getByText("Everything is forgotten").waitFor();
  const left = await page.evaluate(async () => {
    const open = await new Promise((done, fail) => {
      const request = indexedDB.open("viva");
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
    const counts = {};
    for (const store of open.objectStoreNames) {
      counts[store] = await new Promise((done) => {
        const request = open.transaction(store).objectStore(store).count();
        request.onsuccess = () => done(request.result);
      });
    }
    return { counts, local: localStorage.length, session: sessionStorage.length };
  });
  assert.deepEqual(left, { counts: { files: 0, meta: 0, replies: 0, runs: 0, texts: 0 }, local: 0, session: 0 });
  await go(page, "#/results");
  assert.equal(await page.getByRole("table", { name: "Rubric coverage" }).count(), 0);
});
