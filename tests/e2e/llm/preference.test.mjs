// A battle by a real model, in both seat orders, through the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startModel } from "../support/llm.mjs";
import { bring, button, calls, endpoint, go, ledger, open, questions } from "../support/viva.mjs";

test("a real model compares two answers in both seat orders", async (t) => {
  const model = await startModel(t, { seconds: 180 });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(2, 1);
  const by = (words) => Object.fromEntries(set.map((it) => [it.id, { answer: words }]));
  await bring(page, set, { plain: by("It matters."), fuller: by("It matters, since two studies of 2020 found the same effect.") });
  await endpoint(page, { url: model.url, model: model.model, concurrency: 1, maxTokens: 80 });
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).check();
  await page.getByRole("checkbox", { name: "Rubric coverage", exact: true }).uncheck();
  await page.getByRole("checkbox", { name: "Pairwise preference", exact: true }).check();
  await page.getByTestId("run-plan").filter({ hasText: /\b4 calls/ }).waitFor();
  await button(page, "Start run").click();
  await page.getByTestId("run-state").filter({ hasText: /^done/ }).waitFor({ timeout: 480_000 });
  const counts = await ledger(page);
  assert.equal(counts.asked, 4, JSON.stringify(counts));
  assert.ok(counts.scored >= 2, `one battle in both orders at least: ${JSON.stringify(counts)}`);
  const made = await calls(page);
  assert.ok(made.calls === 4 && made.attempts >= 4, JSON.stringify(made));
  await go(page, "#/inspect/1");
  await page.getByRole("heading", { name: "Battles over this question" }).waitFor();
  await page.getByText("fuller and plain").or(page.getByText("plain and fuller")).first().click();
  const replies = page.getByRole("region", { name: "Raw reply" });
  assert.match((await replies.allInnerTexts()).join(" "), /judgement/);
});
