// Own files, good and bad: what is read, what is told, and that hostile text stays text.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { download } from "./support/browser.mjs";
import { answers, button, file, go, open, pick, questions, runState, table } from "./support/viva.mjs";

const four = questions(4, 3);

test("questions and answers come in, join by id, and are judged", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json.gz", gzipSync(JSON.stringify(four)))]);
  await page.getByTestId("dataset-summary").filter({ hasText: /4 queries/ }).waitFor();
  assert.match((await page.getByTestId("dataset-summary").innerText()).replace(/\s+/g, " "), /12 rubric items.*2 fields.*2 domains/);

  await go(page, "#/systems");
  const one = { ...answers(four), nowhere: { answer: "An answer to nothing." } };
  const two = four.slice(0, 2).map((it, n) => ({ id: it.id, response: n ? "" : "Short." }));
  await pick(page, "Answer files", [
    file("one.json", one),
    file("two.jsonl", two.map((it) => JSON.stringify(it)).join("\n")),
    file("three.csv", `id,answer\r\n${four.map((it) => `${it.id},"A ""quoted"" answer,\r\non two lines"`).join("\r\n")}\r\n`),
  ]);
  await page.getByRole("table", { name: "Systems" }).getByText("three").first().waitFor();
  const rows = Object.fromEntries((await table(page, "Systems")).slice(1).map((row) => [row[0].split(" ")[0], row.join(" ")]));
  assert.deepEqual(Object.keys(rows).sort(), ["one", "three", "two"]);
  const cells = Object.fromEntries((await table(page, "Systems")).slice(1).map((row) => [row[0].split(" ")[0], row.slice(1).filter((cell) => /^\d+$/.test(cell)).map(Number)]));
  // matched, missing, unknown id, empty, duplicate, then words
  assert.deepEqual(cells.one.slice(0, 5), [4, 0, 1, 0, 0], JSON.stringify(cells));
  assert.deepEqual(cells.two.slice(0, 5), [2, 2, 0, 1, 0], JSON.stringify(cells));
  assert.deepEqual(cells.three.slice(0, 5), [4, 0, 0, 0, 0], JSON.stringify(cells));

  await go(page, "#/judge");
  await page.getByTestId("run-plan").filter({ hasText: /\d+ calls/ }).waitFor();
  // 4 + 1 + 4 answers of three items each; the empty and the missing ones are never asked about.
  assert.match(await page.getByTestId("run-plan").innerText(), /\b9 calls/);
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/results");
  assert.equal((await table(page, "Rubric coverage")).length, 4);
});

test("each kind of bad file is told with its place and its cure, and the good part is kept", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  const lines = four.map((it) => JSON.stringify(it));
  const broken = [lines[0], "{ not json", JSON.stringify({ ...four[1], query: null }), JSON.stringify({ ...four[2], rubric: [] }), lines[3], lines[3]].join("\n");
  await pick(page, "Dataset files", [file("mixed.jsonl", broken)]);
  const problems = page.getByTestId("dataset-problems");
  await problems.waitFor();
  const told = (await problems.innerText()).replace(/\s+/g, " ");
  for (const place of [/mixed\.jsonl, line 2/, /mixed\.jsonl, line 3/, /mixed\.jsonl, line 4/, /mixed\.jsonl, line 6/]) assert.match(told, place);
  assert.match(await page.getByTestId("dataset-summary").innerText(), /2 queries/);

  const cases = [
    ["page.json", "<!doctype html><html><title>Sign in</title></html>", /page\.json.*web page/i],
    ["empty.json", "", /empty\.json/],
    ["utf16.json", Buffer.from(`\ufeff${JSON.stringify(four)}`, "utf16le"), /utf16\.json.*UTF-8/],
    ["latin1.json", Buffer.from(JSON.stringify([{ ...four[0], query: "Où est-ce ?" }]), "latin1"), /latin1\.json.*UTF-8/],
  ];
  for (const [name, bytes, expected] of cases) {
    await page.evaluate(() => { location.hash = "#/settings"; });
    page.once("dialog", (dialog) => dialog.accept());
    await button(page, "Forget everything here").click();
    await page.getByText("Everything is forgotten").waitFor();
    await go(page, "#/data");
    await pick(page, "Dataset files", [file(name, bytes)]);
    await problems.filter({ hasText: name }).waitFor();
    assert.match((await problems.innerText()).replace(/\s+/g, " "), expected, name);
  }
});

test("a file that cannot be used is told where it was brought, and changes nothing", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", four)]);
  await page.getByTestId("dataset-summary").waitFor();
  await pick(page, "Dataset files", [file("page.json", "<!doctype html><title>Sign in</title>")]);
  await page.getByTestId("dataset-problems").filter({ hasText: "page.json" }).waitFor();
  await page.getByText(/page\.json could not be used/).first().waitFor();
  assert.match(await page.getByTestId("dataset-summary").innerText(), /4 queries/);
});

test("answers come by folder, as field/mode/provider", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", four)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go(page, "#/systems");
  const root = await mkdtemp(join(tmpdir(), "viva-answers-"));
  for (const [field, at] of [["genetics", 0], ["linguistics", 1]]) {
    await mkdir(join(root, field, "parametric"), { recursive: true });
    const rows = four.filter((_, n) => n % 2 === at).map((it) => ({ corpusid_sectionid: it.id, answer: "From a folder." }));
    await writeFile(join(root, field, "parametric", "gpt.json"), JSON.stringify(rows));
  }
  await page.getByLabel("Answer folder", { exact: true }).setInputFiles(root);
  await page.getByRole("table", { name: "Systems" }).getByText("parametric-gpt").first().waitFor();
  const row = (await table(page, "Systems"))[1];
  assert.ok(row.includes("4"), JSON.stringify(row));
  await rm(root, { recursive: true });
});

test("at most 200 problems are listed, and the rest is counted", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  const bad = Array.from({ length: 230 }, () => "{]").join("\n");
  await pick(page, "Dataset files", [file("bad.jsonl", `${JSON.stringify(four[0])}\n${bad}\n`)]);
  const problems = page.getByTestId("dataset-problems");
  await problems.filter({ hasText: "and 30 more" }).waitFor();
  assert.equal(await problems.locator("li").count(), 201);
});

test("handed-out queries come back filled", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", four)]);
  await page.getByTestId("dataset-summary").waitFor();
  const jsonl = await download(page, () => button(page, "Queries (JSONL)").click());
  const csv = await download(page, () => button(page, "Queries (CSV)").click());
  assert.match(csv.text, /id/);
  const filled = jsonl.text.trim().split("\n").map((line) => JSON.stringify({ ...JSON.parse(line), answer: "Filled in." })).join("\n");
  await go(page, "#/systems");
  await pick(page, "Answer files", [file("mine.jsonl", filled), file("empty.csv", csv.text)]);
  await page.getByRole("table", { name: "Systems" }).getByText("mine").first().waitFor();
  const rows = (await table(page, "Systems")).slice(1).map((row) => row.join(" "));
  assert.match(rows.find((row) => row.startsWith("mine")), /\b4\b/);
});

test("a script in an answer, a name or a question stays text", async (t) => {
  const hostile = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
  const set = questions(2, 2);
  set[0].query = hostile;
  set[0].rubric[0].rubric_item = `Does the response ${hostile}?`;
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", set)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go(page, "#/systems");
  const list = set.flatMap((it) => ["plain", `x${hostile}`].map((system) => ({ id: it.id, answer: hostile, system })));
  await pick(page, "Answer files", [file("many.jsonl", list.map((it) => JSON.stringify(it)).join("\n"))]);
  await page.getByRole("table", { name: "Systems" }).getByText("onerror").first().waitFor();
  await go(page, "#/judge");
  await button(page, "Start run").click();
  await runState(page, "done");
  for (const route of ["#/results", "#/inspect/1", "#/report", "#/data"]) {
    await go(page, route);
    await page.waitForTimeout(200);
    assert.doesNotMatch(await page.title(), /owned/);
    assert.equal(await page.locator("main script, main img").count(), 0, route);
  }
  await go(page, "#/inspect/1");
  await page.getByText("<script>").first().waitFor();
  await go(page, "#/report");
  const csv = await download(page, () => button(page, "Table (CSV)").click());
  assert.match(csv.text, /onerror/);
  const markdown = await download(page, () => button(page, "Table (Markdown)").click());
  assert.doesNotMatch(markdown.text, /(^|[^\\])<script>/);
});

test("files dropped anywhere find their place", async (t) => {
  const { page } = await open(t);
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "set.json"));
    return data;
  }, JSON.stringify(four));
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await go(page, "#/data");
  await page.getByTestId("dataset-summary").filter({ hasText: /4 queries/ }).waitFor();
});

test("a system can be renamed and removed", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  await pick(page, "Dataset files", [file("set.json", four)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go(page, "#/systems");
  await pick(page, "Answer files", [file("one.json", answers(four)), file("two.json", answers(four, "other"))]);
  await page.getByRole("table", { name: "Systems" }).getByText("two").first().waitFor();
  await page.getByRole("button", { name: /Rename/ }).first().click();
  const input = page.getByRole("table", { name: "Systems" }).getByRole("textbox").first();
  await input.fill("renamed");
  await page.getByRole("button", { name: /Save/ }).first().click();
  await page.getByRole("table", { name: "Systems" }).getByText("renamed").first().waitFor();
  await page.reload();
  await page.getByRole("table", { name: "Systems" }).getByText("renamed").first().waitFor();
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: /Remove.*two/ }).click();
  await page.waitForFunction(() => document.querySelectorAll("table[aria-label='Systems'] tbody tr").length === 1);
});
