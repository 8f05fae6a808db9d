// Parquet files, through the file inputs: read by a worker of their own, which nobody else loads.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { allow, HTTP_ERRORS } from "./support/browser.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, button, file, go, open, pick, questions, runState, table } from "./support/viva.mjs";

const fixture = async (name) => file(name, await readFile(new URL(`../fixtures/parquet/${name}`, import.meta.url)));

/** A site that remembers what it was asked for. */
async function watched(t, intercept = () => undefined) {
  const asked = [];
  const site = await serveDist(t, {
    intercept: (path) => {
      asked.push(path);
      return intercept(path);
    },
  });
  return { site, parquet: () => asked.filter((path) => path.includes("parquet")).length };
}

const told = async (locator) => (await locator.innerText()).replace(/\s+/g, " ");

test("a Parquet benchmark is judged with Parquet and CSV answers, and is there after a reload", async (t) => {
  const { site, parquet } = await watched(t);
  const { page } = await open(t, { hash: "#/data", site });
  assert.equal(parquet(), 0, "nothing of the Parquet reader is loaded with the page");
  await pick(page, "Dataset files", [await fixture("mixed.parquet")]);
  await page.getByTestId("dataset-summary").filter({ hasText: /5 queries/ }).waitFor();
  assert.match(await told(page.getByTestId("dataset-summary")), /11 rubric items.*1 field.*2 domains/);
  assert.ok(parquet() >= 3, "loader, script and wasm");

  await go(page, "#/systems");
  const ids = Array.from({ length: 5 }, (_, n) => `${1000 + n}-s${n}`);
  const csv = ["id,answer", ...ids.map((id) => `${id},"An answer, with a comma"`)].join("\r\n");
  await pick(page, "Answer files", [await fixture("answers.parquet"), file("two.csv", csv)]);
  await page.getByRole("table", { name: "Systems" }).getByText("two").first().waitFor();
  const cells = Object.fromEntries((await table(page, "Systems")).slice(1).map((row) => [row[0].split(" ")[0], row.slice(1).filter((cell) => /^\d+$/.test(cell)).map(Number)]));
  // matched, missing, unknown id, empty, duplicate
  assert.deepEqual(cells.one.slice(0, 5), [5, 0, 0, 1, 0], JSON.stringify(cells));
  assert.deepEqual(cells.two.slice(0, 5), [5, 0, 0, 0, 0], JSON.stringify(cells));

  await go(page, "#/judge");
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/results");
  assert.equal((await table(page, "Rubric coverage")).length, 3);

  await page.reload();
  await go(page, "#/data");
  await page.getByTestId("dataset-summary").filter({ hasText: /5 queries/ }).waitFor();
});

test("what cannot be read is told by column and row", async (t) => {
  const { page } = await open(t, { hash: "#/data" });
  const problems = page.getByTestId("dataset-problems");
  await pick(page, "Dataset files", [await fixture("brotli.parquet")]);
  await problems.filter({ hasText: "brotli.parquet" }).waitFor();
  assert.match(await told(problems), /The column id is packed with brotli.*compression="snappy"/);

  const cut = await fixture("snappy.parquet");
  cut.name = "cut.parquet";
  cut.buffer = cut.buffer.subarray(0, 3000);
  await pick(page, "Dataset files", [cut]);
  await problems.filter({ hasText: "cut.parquet" }).waitFor();
  assert.match(await told(problems), /ends before its footer.*fetch it again/);

  await pick(page, "Dataset files", [await fixture("uneven.parquet")]);
  await problems.filter({ hasText: "uneven.parquet" }).waitFor();
  assert.match(await told(problems), /uneven\.parquet, row 1/);
});

test("who brings JSON never loads the Parquet reader", async (t) => {
  const { site, parquet } = await watched(t);
  const { page } = await open(t, { hash: "#/data", site });
  const set = questions(4, 3);
  await pick(page, "Dataset files", [file("set.json", set)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go(page, "#/systems");
  await pick(page, "Answer files", [file("one.json", answers(set))]);
  await page.getByRole("table", { name: "Systems" }).getByText("one").first().waitFor();
  await go(page, "#/judge");
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(parquet(), 0);
});

test("a reader that does not load is told, and other files come in", async (t) => {
  for (const missing of ["parquet_loader.js", "parquet.js", "parquet_bg.wasm"]) {
    const { site } = await watched(t, (path) => (path.endsWith(missing) ? { status: 404, body: "gone" } : undefined));
    const { page } = await open(t, { hash: "#/data", site });
    allow(page, HTTP_ERRORS, /parquet/i);
    await pick(page, "Dataset files", [await fixture("snappy.parquet"), file("set.json", questions(4, 3))]);
    await page.getByTestId("dataset-problems").filter({ hasText: "The Parquet reader could not be loaded" }).waitFor({ timeout: 15_000 });
    assert.match(await page.getByTestId("dataset-summary").innerText(), /4 queries/, missing);
    await page.context().close();
  }
});
