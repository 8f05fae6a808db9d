// Batches: the same run live and by file gives the same tables; the page submits, watches and reads by itself;
// nothing is paid twice that anybody could know of.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { allow, download, HTTP_ERRORS, newPage } from "./support/browser.mjs";
import { jsonl, resultsOf, startBatches, startGeminiBatches } from "./support/batches.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { hashed, stored } from "./support/engine.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { answers, bring, button, calls, endpoint, file, go, ledger, open, pick, questions, runState, table } from "./support/viva.mjs";

const LABELS = ["Completely", "Mostly", "Moderately", "Barely", "Not at all"];

/** Labels by what is asked, so that a prompt has one reply however it travels. */
const labels = (prompt) => {
  const items = [...prompt.matchAll(/^\s*(\d+)[.):]\s+(.+)$/gm)];
  const first = hashed(prompt);
  return items.map((_, n) => LABELS[(first + n * 7) % 5]).join("\n");
};
const promptOf = (body) => body.messages.at(-1).content;
const said = (body) => ({ content: labels(promptOf(body)) });

const set = questions(6, 3);
const systems = { one: answers(set, "plain words"), two: answers(set, "other words") };

async function ready(t, options) {
  const opened = await open(t, { hash: "#/data", ...options });
  allow(opened.page, HTTP_ERRORS);
  await bring(opened.page, set, systems);
  return opened;
}

/** Chooses a judge at this host, with its key. */
async function judge(page, label, host) {
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label });
  await page.getByLabel("Base URL", { exact: true }).fill(host.url);
  await page.getByLabel("API key", { exact: true }).fill(host.key);
  await page.getByLabel("API key", { exact: true }).blur();
}

const inBatches = async (page) => {
  const summary = page.locator("summary", { hasText: "In batches" });
  if (!(await summary.evaluate((it) => it.parentElement.open))) await summary.click();
};
const notes = (page) => page.getByTestId("batch-notes");

const results = async (page) => {
  await go(page, "#/results");
  const rows = await table(page, "Rubric coverage");
  await go(page, "#/report");
  const saved = await download(page, () => button(page, "Coverage (JSON)").first().click());
  await go(page, "#/judge");
  return { rows, coverage: JSON.parse(saved.text) };
};

/** The whole batch file that the page writes. */
async function written(page) {
  await inBatches(page);
  const saved = await download(page, () => button(page, "Download batch files").click());
  await notes(page).getByText(/requests/).first().waitFor();
  return saved.text;
}

test("a run live, and the same by files that come back in parts and out of order, give the same tables", async (t) => {
  const provider = await startProvider(t, { script: (request) => reply.text(labels(request.prompt)) });
  const live = await ready(t);
  await endpoint(live.page, { url: provider.url });
  await button(live.page, "Start run").click();
  await runState(live.page, "done");
  const wanted = await results(live.page);
  assert.equal(provider.attempts, 12);

  const { page } = await ready(t);
  await endpoint(page, { url: provider.url });
  const text = await written(page);
  const lines = text.trim().split("\n").map((line) => ({ ...JSON.parse(line), sent: line.slice(line.indexOf('"body":') + '"body":'.length, -1) }));
  assert.equal(lines.length, 12);
  // What a batch asks is what a live call asked, to the byte.
  const asked = new Set(provider.requests.map((it) => it.text));
  for (const line of lines) {
    assert.match(line.custom_id, /^[0-9a-f]{32}$/);
    assert.deepEqual([line.method, line.url], ["POST", "/v1/chat/completions"]);
    assert.ok(asked.has(line.sent), line.sent.slice(0, 200));
  }
  assert.deepEqual(await calls(page), { calls: 0, attempts: 0 }, "a file is no call");

  // Two are refused, two expire, and the rest comes in two parts, the last first, with a line that is none.
  const { done, failed } = resultsOf(text, (body, _, n) =>
    n < 2 ? "expired" : n < 4 ? { error: { status: 500, message: "The server had an error" } } : said(body));
  done.reverse();
  await pick(page, "Batch results", [file("part-2.jsonl", jsonl(done.slice(0, 3)))]);
  await notes(page).getByText("part-2.jsonl: 3 replies read").waitFor();
  await pick(page, "Batch results", [file("part-1.jsonl", `${jsonl(done)}{"custom_id":"${"0".repeat(32)}","response":null}\nnot a line\n`), file("errors.jsonl", jsonl(failed))]);
  await notes(page).getByText(/part-1\.jsonl: 5 replies read/).waitFor();
  const told = (await notes(page).innerText()).replace(/\s+/g, " ");
  assert.match(told, /3 results that were here already/);
  assert.match(told, /errors\.jsonl: 0 replies read, 2 errors, 2 requests that the batch did not come to/);
  await page.getByTestId("batch-problems").getByText(/part-1\.jsonl/).first().waitFor();
  const counts = await ledger(page);
  assert.equal(counts.scored, 24, JSON.stringify(counts));
  assert.equal(counts.unparsed + counts.truncated + counts.refused, 0, "no verdict is no bad verdict");

  // The rest live: what came by file is not asked again.
  const before = provider.attempts;
  await button(page, "Start run").click();
  await runState(page, "done", "done with failures");
  if ((await ledger(page)).scored < 36) {
    await button(page, "Retry failed").click();
    await runState(page, "done");
  }
  assert.equal(provider.attempts - before, 4);
  assert.deepEqual(await results(page), wanted);
});

test("the page submits a batch, is reloaded, and reads what came of it", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page, site } = await ready(t);
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "OpenAI" });
  await page.getByLabel("Base URL", { exact: true }).fill(host.url);
  await page.getByLabel("Model", { exact: true }).fill("gpt-4.1-mini");
  const key = async () => {
    const field = page.getByLabel("API key", { exact: true });
    await field.fill(host.key);
    await field.blur();
  };
  await key();
  await inBatches(page);
  await button(page, "Submit from here").click();
  const batches = page.getByRole("table", { name: "Batches" });
  await batches.getByText("under way").waitFor();
  assert.equal(host.begun, 1);

  // The id is kept: a reload loses nothing, and a second submission is refused.
  await page.reload();
  await go(page, "#/judge");
  await key();
  await inBatches(page);
  await batches.getByText("under way").waitFor();
  await button(page, "Submit from here").click();
  await page.getByText("Requests of this run are out already").waitFor();
  assert.equal(host.begun, 1, "nothing is paid twice");

  await button(page, "Look for results").click();
  await notes(page).getByText(/under way \(in_progress\), 0 of 12 done/).waitFor();
  await button(page, "Look for results").click();
  await batches.getByText("results read").waitFor();
  await notes(page).getByText(/12 replies read/).waitFor();
  assert.equal((await ledger(page)).scored, 36);
  await runState(page, "done");
  for (const request of host.requests) assert.equal(request.headers.authorization, `Bearer ${host.key}`);
  const found = await results(page);

  const provider = await startProvider(t, { script: (request) => reply.text(labels(request.prompt)) });
  const other = await newPage(t);
  await ready(t, { page: other, site });
  other.on("dialog", (dialog) => dialog.accept());
  await other.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "OpenAI" });
  await other.getByLabel("Base URL", { exact: true }).fill(provider.url);
  await other.getByLabel("Model", { exact: true }).fill("gpt-4.1-mini");
  await button(other, "Start run").click();
  await runState(other, "done");
  assert.deepEqual(await results(other), found);
});

test("Gemini's batches go as one body, and the rest is asked live", async (t) => {
  const host = await startGeminiBatches(t, {
    answer: (prompt, n) => (n < 2 ? { error: { code: 13, message: "Internal error encountered." } } : { content: labels(prompt) }),
  });
  const { page } = await ready(t);
  page.on("dialog", (dialog) => dialog.accept());
  await judge(page, "Google Gemini", host);
  await page.getByLabel("Model", { exact: true }).fill("gemini-2.5-flash");
  await inBatches(page);
  await button(page, "Submit from here").click();
  const batches = page.getByRole("table", { name: "Batches" });
  await batches.getByText("under way").waitFor();
  await button(page, "Look for results").click();
  await notes(page).getByText(/under way \(BATCH_STATE_RUNNING\)/).waitFor();
  await button(page, "Look for results").click();
  await batches.getByText("results read").waitFor();
  await notes(page).getByText(/10 replies read, 2 errors/).waitFor();
  assert.equal((await ledger(page)).scored, 30);
  assert.deepEqual(host.requests.map((it) => `${it.method} ${it.path}`), [
    "POST /v1beta/models/gemini-2.5-flash:batchGenerateContent",
    "GET /v1beta/batches/b0",
    "GET /v1beta/batches/b0",
  ]);

  // What is left goes to the same host live, and nothing else does.
  await button(page, "Start run").click();
  await runState(page, "done", "done with failures");
  if ((await ledger(page)).scored < 36) {
    await button(page, "Retry failed").click();
    await runState(page, "done");
  }
  assert.deepEqual(host.requests.slice(3).map((it) => it.path), Array(2).fill("/v1beta/models/gemini-2.5-flash:generateContent"));
  assert.equal((await ledger(page)).scored, 36);
  // Thoughts count as output, what came from a cache is within the input, in batches as live.
  const attempts = (await stored(page)).replies.map(([, text]) => JSON.parse(text)).filter((it) => it.usage);
  assert.equal(attempts.length, 12);
  for (const { usage } of attempts) assert.deepEqual(usage, { input: 945, output: 42, cached: 45, reasoning: 30 });
});

test("an answer that never came is not taken for a no, and live calls meanwhile are asked about", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page } = await ready(t);
  const asked = [];
  page.on("dialog", async (dialog) => {
    asked.push(dialog.message());
    await (dialog.message().includes("paid twice") ? dialog.dismiss() : dialog.accept());
  });
  await judge(page, "OpenAI", host);
  await inBatches(page);
  host.swallow = "begin";
  await button(page, "Submit from here").click();
  await page.getByText("Nobody here knows whether the batch began", { exact: true }).waitFor();
  const batches = page.getByRole("table", { name: "Batches" });
  await batches.getByText("not known").waitFor();
  await page.getByText("Nobody here knows whether it began.").waitFor();
  assert.equal(host.begun, 1, "it had begun");
  await button(page, "Start run").click();
  await page.waitForFunction(() => true);
  assert.ok(asked.some((it) => it.includes("12 requests") && it.includes("paid twice")), JSON.stringify(asked));
  assert.equal(await page.getByTestId("run-state").innerText(), "idle");

  // Its results can be fetched elsewhere and brought.
  const { done } = resultsOf(host.files.get("file-0"), said);
  await pick(page, "Batch results", [file("results.jsonl", jsonl(done))]);
  await notes(page).getByText("results.jsonl: 12 replies read").waitFor();
  assert.equal((await ledger(page)).scored, 36);
  await batches.getByText("results read").waitFor();
  assert.ok(await button(page, "Wait no longer").isHidden(), "nothing is left to wonder about");
});

test("a gateway that gives up says nothing of the batch behind it", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page } = await ready(t);
  page.on("dialog", (dialog) => dialog.accept());
  await judge(page, "OpenAI", host);
  await inBatches(page);
  host.swallow = "gateway";
  await button(page, "Submit from here").click();
  await page.getByRole("table", { name: "Batches" }).getByText("not known", { exact: true }).waitFor();
  host.swallow = null;
  await button(page, "Submit from here").click();
  await page.getByText("Requests of this run are out already").waitFor();
  assert.equal(host.begun, 1, "what may have begun is not begun again");
  // Unless somebody has looked, and waits no longer.
  await button(page, "Wait no longer").click();
  await page.getByRole("table", { name: "Batches" }).getByText("failed", { exact: true }).waitFor();
  await button(page, "Submit from here").click();
  await page.getByRole("table", { name: "Batches" }).getByText("under way").waitFor();
});

test("what is out in a batch is out for other settings that ask the same, and for a budget", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page } = await ready(t);
  const asked = [];
  let agree = false;
  page.on("dialog", async (dialog) => {
    const twice = dialog.message().includes("paid twice");
    if (twice) asked.push(dialog.message());
    await (twice && !agree ? dialog.dismiss() : dialog.accept());
  });
  const fill = (name, value) => page.getByLabel(name, { exact: true }).fill(value);
  await judge(page, "OpenAI", host);
  await inBatches(page);
  await button(page, "Submit from here").click();
  await page.getByRole("table", { name: "Batches" }).getByText("under way").waitFor();

  // Another seed is another run, and the same requests.
  await fill("Seed", "8");
  await button(page, "Submit from here").click();
  await page.getByText("The same requests are out already").waitFor();
  assert.match(await page.getByRole("alert").first().innerText(), /12 of them are in a batch of another run/);
  await button(page, "Start run").click();
  assert.match(asked.at(-1) ?? "nobody asked", /^12 requests .* paid twice/);
  assert.equal(host.requests.filter((it) => it.path === "/v1/chat/completions").length, 0, "nothing was asked live");

  // Nobody knows what the batch can cost, so no budget could hold beside it.
  await fill("Seed", "7");
  await fill("Input price (USD per million tokens)", "2");
  await fill("Output price (USD per million tokens)", "8");
  await fill("Budget (USD)", "5");
  agree = true;
  await button(page, "Start run").click();
  await page.getByText("The budget cannot hold now").waitFor();
  assert.equal(host.begun, 1);

  // And when it is given up, all is open again.
  await inBatches(page);
  await button(page, "Wait no longer").click();
  await page.getByRole("table", { name: "Batches" }).getByText(/no longer waited for: batch_0/).waitFor();
  assert.ok(await button(page, "Wait no longer").isHidden());
});

test("a budget holds for what the page submits, and an upload that fails costs nothing", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page } = await ready(t);
  page.on("dialog", (dialog) => dialog.accept());
  await judge(page, "OpenAI", host);
  const fill = (name, value) => page.getByLabel(name, { exact: true }).fill(value);
  await fill("Input price (USD per million tokens)", "2");
  await fill("Output price (USD per million tokens)", "8");
  await fill("Budget (USD)", "0.01");
  await inBatches(page);
  await button(page, "Submit from here").click();
  await page.getByText(/only where their prices and the reply’s limit are known/).waitFor();
  await fill("Batch input price (USD per million tokens)", "1");
  await fill("Batch output price (USD per million tokens)", "4");
  await button(page, "Submit from here").click();
  await page.getByText(/more than the budget of \$0\.01/).waitFor();
  assert.deepEqual(host.requests, [], "nothing has left");

  await fill("Budget (USD)", "5");
  host.swallow = "upload";
  await button(page, "Submit from here").click();
  await page.getByRole("table", { name: "Batches" }).getByText("not submitted").waitFor();
  host.swallow = null;
  host.polls = 0;
  await button(page, "Submit from here").click();
  await page.getByRole("table", { name: "Batches" }).getByText("under way").waitFor();
  await button(page, "Look for results").click();
  await runState(page, "done");
  const usage = [...host.files.entries()].filter(([id]) => id.startsWith("file-out"))
    .flatMap(([, text]) => text.trim().split("\n").map((line) => JSON.parse(line).response.body.usage));
  const cost = usage.reduce((sum, it) => sum + it.prompt_tokens + 4 * it.completion_tokens, 0) / 1e6;
  await page.locator("summary", { hasText: "What it cost, by system" }).click();
  const rows = await table(page, "Cost");
  const all = Number(rows.at(-1).at(-1));
  assert.ok(Math.abs(all - cost) < 1e-4, `${all} shown, ${cost} by the host's count`);
});

test("where no page may submit, that is said before anything leaves", async (t) => {
  const host = await startBatches(t, { answer: said });
  const { page } = await ready(t);
  for (const [judge, words] of [["Anthropic", /lets no page submit a batch/], ["OpenAI-compatible endpoint", /run_batch\.py/]]) {
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: judge });
    await page.getByLabel("Base URL", { exact: true }).fill(host.url);
    await inBatches(page);
    await button(page, "Submit from here").click();
    await page.getByText("This page cannot submit the batch").waitFor();
    assert.match(await page.getByRole("alert").first().innerText(), words);
  }
  assert.deepEqual(host.requests, []);
});

test("the script in the docs runs the page's file against a compatible server", async (t) => {
  const provider = await startProvider(t, { script: (request) => reply.text(labels(request.prompt)) });
  const { page } = await ready(t);
  await endpoint(page, { url: provider.url });
  const text = await written(page);
  const folder = mkdtempSync(join(tmpdir(), "viva-batch-"));
  atEnd(t, () => rmSync(folder, { recursive: true }));
  const [requests, out] = ["requests.jsonl", "results.jsonl"].map((name) => join(folder, name));
  writeFileSync(requests, text);
  // Not synchronously: the server that is asked lives in this process.
  await promisify(execFile)("python3", ["docs/examples/run_batch.py", requests, out, "--base-url", provider.url]);
  assert.equal(provider.attempts, 12);
  await pick(page, "Batch results", [file("results.jsonl", readFileSync(out))]);
  await notes(page).getByText("results.jsonl: 12 replies read").waitFor();
  await runState(page, "done");
});
