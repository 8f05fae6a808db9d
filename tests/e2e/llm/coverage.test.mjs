// The whole road with a real model: from the page, through its worker, with a reload in between, to a table.

import assert from "node:assert/strict";
import { test } from "node:test";
import { download, newPage } from "../support/browser.mjs";
import { startModel } from "../support/llm.mjs";
import { bring, button, calls, endpoint, file, go, ledger, open, pick, questions, runState, table } from "../support/viva.mjs";

test("a real model judges, the page is reloaded in between, and the counts add up", async (t) => {
  const model = await startModel(t, { seconds: 180 });
  const { page, site } = await open(t, { hash: "#/data" });
  const set = questions(8, 2);
  const short = Object.fromEntries(set.map((it, q) => [it.id, { answer: `Point 0 of topic ${q} holds.` }]));
  await bring(page, set, { short });
  // A schema, since a model this small keeps to no format by itself. Its scores mean nothing.
  await endpoint(page, { url: model.url, model: model.model, concurrency: 1, maxTokens: 60 });
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).check();
  await page.getByTestId("run-plan").filter({ hasText: /\b8 calls/ }).waitFor();
  await button(page, "Start run").click();
  await page.waitForFunction(() => Number(/calls (\d+)/.exec(document.querySelector("[data-testid=run-calls]").innerText)[1]) >= 3, undefined, { timeout: 240_000 });
  await page.reload();
  await go(page, "#/judge");
  await runState(page, "stopped");
  const kept = await ledger(page);
  assert.ok(kept.asked >= 6, `${kept.asked} verdicts before the reload`);
  await button(page, "Start run").click();
  const state = page.getByTestId("run-state");
  await state.filter({ hasText: /^done/ }).waitFor({ timeout: 480_000 });
  const counts = await ledger(page);
  assert.equal(counts.asked, 16, JSON.stringify(counts));
  assert.ok(counts.scored > 0, "a schema makes even a small model give labels");
  const made = await calls(page);
  assert.ok(made.calls >= 6 && made.attempts >= made.calls, JSON.stringify(made));

  await go(page, "#/results");
  const rows = await table(page, "Rubric coverage");
  await go(page, "#/inspect/1");
  assert.ok((await page.getByRole("region", { name: "Raw reply" }).first().innerText()).length > 2);
  await go(page, "#/report");
  const saved = await download(page, () => button(page, "Run file (JSON)").click());
  const attempts = JSON.parse(saved.text).replies.flatMap((it) => it.attempts);
  assert.ok(attempts.some((it) => it.usage?.input > 100), "the model's own token counts are kept");

  const other = await newPage(t);
  await open(t, { page: other, site, hash: "#/report" });
  await pick(other, "Run file", [file("run.json", saved.bytes)]);
  await go(other, "#/results");
  assert.deepEqual(await table(other, "Rubric coverage"), rows);
});
