// The page as a person uses it: controls found by role and name, as docs/automation.md lists them.

import assert from "node:assert/strict";
import { newPage, workersReady } from "./browser.mjs";
import { serveDist } from "./static.mjs";

/** Opens the built page in a profile of its own. */
export async function open(t, { hash = "#/", page, site, ...options } = {}) {
  site ??= await serveDist(t);
  page ??= await newPage(t, options);
  await page.goto(site.url + hash);
  await page.locator("h1:not(#boot h1)").first().waitFor();
  await workersReady(page);
  return { page, site };
}

export const go = async (page, route) => {
  await page.evaluate((hash) => { location.hash = hash; }, route);
  await page.locator("main#main h1").first().waitFor();
};

export const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Files from memory, as a file input takes them. */
export const file = (name, content, mimeType = "application/octet-stream") => ({
  name,
  mimeType,
  buffer: Buffer.isBuffer(content) ? content : Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
});

export const pick = (page, label, files) => page.getByLabel(label, { exact: true }).setInputFiles(files);

/** Brings a benchmark and answers (name to map) and goes on to the Judge page. */
export async function bring(page, set, systems) {
  await go(page, "#/data");
  await pick(page, "Dataset files", [file("set.json", set)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go(page, "#/systems");
  await pick(page, "Answer files", Object.entries(systems).map(([name, map]) => file(`${name}.json`, map)));
  await page.getByRole("table", { name: "Systems" }).getByText(Object.keys(systems).at(-1)).first().waitFor();
  await go(page, "#/judge");
}

/** Until the run is in one of the states. */
export async function runState(page, ...wanted) {
  const state = page.getByTestId("run-state");
  await state.filter({ hasText: new RegExp(`^(${wanted.join("|")})$`) }).waitFor({ timeout: 120_000 });
  return state.innerText();
}

/** The numbers of "What was asked", by word; the sum is checked on the way. */
export async function ledger(page) {
  const text = await page.getByTestId("run-ledger").innerText();
  const flat = text.replace(/\s+/g, " ");
  const counts = {};
  for (const word of ["scored", "unparsed", "truncated", "refused", "failed", "in flight", "asked"]) {
    const found = new RegExp(`\\b${word} (\\d+)`).exec(flat);
    assert.ok(found, `no "${word} N" in: ${flat}`);
    counts[word] = Number(found[1]);
  }
  const { asked, ...rest } = counts;
  assert.equal(asked, Object.values(rest).reduce((a, b) => a + b, 0), `asked is not the sum: ${flat}`);
  return counts;
}

/** `calls N` and `attempts N`. */
export async function calls(page) {
  const text = (await page.getByTestId("run-calls").innerText()).replace(/\s+/g, " ");
  const number = (word) => Number(new RegExp(`${word} (\\d+)`).exec(text)[1]);
  return { calls: number("calls"), attempts: number("attempts") };
}

/** A table as rows of cell texts, head first. */
export async function table(page, name) {
  const found = page.getByRole("table", { name, exact: true });
  await found.locator("tbody tr").first().waitFor();
  return found.locator("tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));
}

/** Sets up the endpoint's fields on the Judge page. */
export async function endpoint(page, { url, model = "test-model", key, concurrency, maxTokens }) {
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "OpenAI-compatible endpoint" });
  await page.getByLabel("Base URL", { exact: true }).fill(url);
  await page.getByLabel("Model", { exact: true }).fill(model);
  if (key !== undefined) {
    const field = page.getByLabel("API key", { exact: true });
    await field.fill(key);
    await field.blur();
  }
  if (concurrency !== undefined) await page.getByLabel("Concurrency", { exact: true }).fill(String(concurrency));
  if (maxTokens !== undefined) await page.getByLabel("Reply tokens", { exact: true }).fill(String(maxTokens));
}

/** A small benchmark with `n` questions of `items` items each, in two fields. */
export function questions(n = 4, items = 3) {
  return Array.from({ length: n }, (_, q) => ({
    id: `90000000000000000${q}-s1`,
    general_domain: q % 2 ? "Humanities" : "Life & Earth Sciences",
    subdomain: "Sub",
    field: q % 2 ? "Linguistics" : "Genetics",
    query: `Question number ${q}: why does it matter?`,
    date: "2024-05-01",
    rubric: Array.from({ length: items }, (_, i) => ({
      rubric_item: `Does the response mention point ${i} of topic ${q}?`,
      type: i % 2 ? ["Citation", "Other"] : ["Impact"],
      citation_metadata: null,
    })),
  }));
}

/** Answers to all of them. */
export const answers = (list, word = "words") =>
  Object.fromEntries(list.map((it, q) => [it.id, { answer: `An answer about point 0 of topic ${q} with ${word}.` }]));

/** After the sample has been tried: its run is done, and the results page shows the whole of it. */
export async function sampleDone(page) {
  await table(page, "Rubric coverage");
  await go(page, "#/judge");
  await runState(page, "done");
  await go(page, "#/results");
  await page.getByRole("main").getByText("interim", { exact: false }).first().waitFor({ state: "detached" });
  return table(page, "Rubric coverage");
}
