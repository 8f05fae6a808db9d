// By hand: five labels by keyboard, blind, kept, merged with another person's; and labels brought from elsewhere.

import assert from "node:assert/strict";
import { test } from "node:test";
import { download, newPage } from "./support/browser.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, file, go, open, pick, questions, runState, table } from "./support/viva.mjs";

const set = questions(2, 2);

async function byHand(t, person, { site } = {}) {
  const opened = await open(t, { hash: "#/data", site });
  const { page } = opened;
  await bring(page, set, { "secret-system": answers(set) });
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "By hand" });
  await page.getByLabel("Your name or initials", { exact: true }).fill(person);
  await button(page, "Start run").click();
  await page.getByRole("radiogroup", { name: "Label" }).or(page.getByRole("group", { name: "Label" })).first().waitFor();
  return opened;
}

/** Until `n` are counted and the next item is shown: the ledger can be ahead of it, and a key pressed before it is here
 * labels nothing, as nobody has read it yet. */
async function labelled(page, n) {
  await page.getByRole("status").filter({ hasText: new RegExp(`\\b${n} labelled`) }).waitFor();
  await page.waitForFunction(
    (wanted) => new RegExp(`scored ${wanted}\\b`).test(document.querySelector("[data-testid=run-ledger]").innerText.replace(/\s+/g, " ")), n);
}

async function label(page, key, n) {
  await page.locator("body").press(key);
  await labelled(page, n);
}

test("items are labelled by keys, blind to the system, and found again", async (t) => {
  const { page } = await byHand(t, "Ada");
  const panel = page.getByRole("radio").first().locator("xpath=ancestor::section[1]");
  assert.doesNotMatch(await panel.innerText(), /secret-system/);
  await page.locator("h1").click();
  await label(page, "5", 1);
  await label(page, "1", 2);
  await page.reload();
  await go(page, "#/judge");
  await labelled(page, 2);
  await page.getByRole("radio").first().waitFor();
  await page.locator("h1").click();
  await label(page, "3", 3);
  await label(page, "3", 4);
  await runState(page, "done");
  // With everything labelled, one more key is no change of mind.
  await page.locator("body").press("5");
  await page.waitForTimeout(300);
  await go(page, "#/results");
  const rows = await table(page, "Rubric coverage");
  // (4 + 0 + 2 + 2) / 16
  assert.ok(rows[1].some((cell) => cell === "50.0"), JSON.stringify(rows));
});

test("run files of two people merge, and their conflicts are listed", async (t) => {
  const site = await serveDist(t);
  const files = [];
  for (const [person, keys] of [["Ada", ["5", "5", "1", "1"]], ["Ben", ["5", "5", "1", "4"]]]) {
    const { page } = await byHand(t, person, { site });
    await page.locator("h1").click();
    for (const [n, key] of keys.entries()) await label(page, key, n + 1);
    await go(page, "#/report");
    files.push(await download(page, () => button(page, "Run file (JSON)").click()));
  }
  const page = await newPage(t);
  await open(t, { page, site, hash: "#/report" });
  await pick(page, "Run file", files.map((it, n) => file(`person-${n}.json`, it.bytes)));
  await button(page, "Merge the labels").waitFor();
  for (const box of await page.getByRole("checkbox", { name: /Ada|Ben/ }).all()) await box.check();
  await button(page, "Merge the labels").click();
  const rows = await table(page, "Rubric coverage");
  const conflicts = (await page.locator("main").innerText()).replace(/\s+/g, " ");
  assert.match(conflicts, /1 item is labelled differently/i);
  await go(page, "#/judge");
  await go(page, "#/report");
  const merged = JSON.parse((await download(page, () => button(page, "Run file (JSON)").click())).text);
  assert.equal(merged.record.conflicts.length, 1);
  assert.equal(merged.tables[0].coverage.rows[0].tally.scored, 3);
  assert.equal(merged.tables[0].coverage.rows[0].tally.unparsed, 1);
  assert.ok(rows.length === 2);
});

test("judgements made elsewhere come in with their judge named, and unknown stays unknown", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", set)]);
  await page.getByTestId("dataset-summary").waitFor();
  const coverage = Object.fromEntries(set.map((it) => [it.id, it.rubric.map((item) => ({ rubric: item.rubric_item, score: "Mostly" }))]));
  coverage.nowhere = [{ rubric: "?", score: "Mostly" }];
  await go(page, "#/report");
  await pick(page, "Judgement files", [file("their-system.json", coverage)]);
  await page.getByLabel("Judge", { exact: true }).fill("gpt-4.1-mini");
  await button(page, "Import judgements").click();
  await page.getByText(/nowhere/).first().waitFor();
  await go(page, "#/results");
  const rows = await table(page, "Rubric coverage");
  assert.match(rows[1][0], /their-system/);
  assert.ok(rows[1].some((cell) => cell === "75.0"), JSON.stringify(rows));
  const head = await page.getByRole("region", { name: "What these numbers come from" }).innerText();
  assert.match(head, /Imported: gpt-4\.1-mini/);
  await go(page, "#/report");
  const summary = await download(page, () => button(page, "Summary (Markdown)").click());
  assert.match(summary.text, /unknown/);
});
