// A real model behind a server of one's own: examined and asked as the llama.cpp profile, live and by a batch file
// that the script in the docs runs.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { download } from "../support/browser.mjs";
import { atEnd } from "../support/cleanup.mjs";
import { startModel } from "../support/llm.mjs";
import { bring, button, calls, file, ledger, open, pick, questions, runState } from "../support/viva.mjs";

const set = questions(4, 2);
const short = Object.fromEntries(set.map((it, q) => [it.id, { answer: `Point 0 of topic ${q} holds.` }]));

async function ready(t, model) {
  const { page } = await open(t, { hash: "#/data" });
  await bring(page, set, { short });
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "llama.cpp" });
  const fill = (name, value) => page.getByLabel(name, { exact: true }).fill(value);
  await fill("Base URL", model.url);
  await fill("Model", model.model);
  await fill("Reply tokens", "60");
  await fill("Concurrency", "1");
  // A schema, since a model this small keeps to no format by itself. Its scores mean nothing.
  await page.getByLabel("Hold the reply to a JSON schema", { exact: true }).check();
  await page.getByTestId("run-plan").filter({ hasText: /\b4 calls/ }).waitFor();
  return page;
}

test("a real model is listed, examined and asked as llama.cpp", async (t) => {
  const model = await startModel(t, { seconds: 180 });
  const page = await ready(t, model);
  await button(page, "List this host’s models").click();
  await page.getByText("1 model to choose from").waitFor();
  assert.deepEqual(await page.locator("#judge-models option").evaluateAll((list) => list.map((it) => it.value)), [model.model]);

  await button(page, "Try this judge").click();
  const found = page.getByTestId("judge-diagnosis");
  await found.getByText(/answers/).waitFor({ timeout: 240_000 });
  const words = (await found.innerText()).replace(/\s+/g, " ");
  assert.match(words, new RegExp(`${model.model} at 127\\.0\\.0\\.1:\\d+ answers with a label`), words);
  // The model's own count of our prompt, not ours.
  assert.match(words, /1 call, \d{2,} tokens in and \d+ out/);
  assert.deepEqual(await calls(page), { calls: 0, attempts: 0 }, "an examination is no run");

  await page.getByLabel("Model", { exact: true }).fill("no-such-model-here");
  await button(page, "Try this judge").click();
  await found.getByRole("paragraph").first().waitFor({ timeout: 240_000 });
  await page.getByLabel("Model", { exact: true }).fill(model.model);

  await button(page, "Start run").click();
  await page.getByTestId("run-state").filter({ hasText: /^done/ }).waitFor({ timeout: 480_000 });
  const counts = await ledger(page);
  assert.equal(counts.asked, 8, JSON.stringify(counts));
  assert.ok(counts.scored > 0, "a schema makes even a small model give labels");
});

test("a batch file is run against a real model by the script in the docs, and read back", async (t) => {
  const model = await startModel(t, { seconds: 180 });
  const page = await ready(t, model);
  await page.locator("summary", { hasText: "In batches" }).click();
  const saved = await download(page, () => button(page, "Download batch files").click());
  const folder = mkdtempSync(join(tmpdir(), "viva-batch-"));
  atEnd(t, () => rmSync(folder, { recursive: true }));
  const [requests, results] = ["requests.jsonl", "results.jsonl"].map((name) => join(folder, name));
  writeFileSync(requests, saved.text);
  const script = ["docs/examples/run_batch.py", requests, results, "--base-url", model.url, "--concurrency", "1"];
  await promisify(execFile)("python3", script, { timeout: 480_000 });
  await pick(page, "Batch results", [file("results.jsonl", readFileSync(results))]);
  await page.getByTestId("batch-notes").getByText("results.jsonl: 4 replies read").waitFor();
  const counts = await ledger(page);
  assert.equal(counts.asked, 8, JSON.stringify(counts));
  assert.ok(counts.scored > 0, JSON.stringify(counts));
  await runState(page, "done", "done with failures");
});
