// From a Hub: every way in, every way it can fail, and nothing downloaded twice.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { allow, download, HTTP_ERRORS, newContext } from "./support/browser.mjs";
import { startHub } from "./support/hub.mjs";
import { records, splits } from "./support/researchqa.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, button, file, go, open, pick, questions, runState, table } from "./support/viva.mjs";

const ID = "realliyifei/ResearchQA";
const parquet = (name) => readFile(new URL(`../fixtures/parquet/${name}.parquet`, import.meta.url));
const told = async (locator) => (await locator.innerText()).replace(/\s+/g, " ");
const summary = (page) => page.getByTestId("dataset-summary");
const notice = (page, name) => page.locator(".notice").filter({ has: page.getByRole("heading", { name }) });

/** Fills the fields; what is not named stays. */
async function wish(page, hub, { dataset = ID, split, revision } = {}) {
  await page.getByRole("textbox", { name: "Hub dataset" }).fill(dataset);
  await page.getByRole("textbox", { name: "Hub base URL" }).fill(hub.url);
  if (revision !== undefined) await page.getByRole("textbox", { name: "Revision" }).fill(revision);
  if (split !== undefined) await page.getByRole("combobox", { name: "Split", exact: true }).selectOption(split);
}

const press = (page) => button(page, "Load from Hub").click();

async function load(page, hub, more) {
  await wish(page, hub, more);
  await press(page);
}

const queries = (page, n) => summary(page).filter({ hasText: new RegExp(`^\\s*${n}\\s+queries`) }).waitFor();
const downloads = (hub) => hub.asked().filter((it) => /resolve|xet-bridge/.test(it.path) && it.method === "GET");

test("from a pasted address to a table by the practice judge; the next visit downloads nothing", async (t) => {
  const hub = await startHub(t, { largeFrom: 1000 });
  const set = questions(4, 3);
  const commit = hub.add(ID, { files: { "test.json": set, "valid.json": questions(2, 1) }, rows: { test: 4, valid: 2 } });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { dataset: `${hub.url}/datasets/${ID}/tree/main`, split: "test" });
  await queries(page, 4);
  assert.match(await told(summary(page)), /4 queries 12 rubric items 2 fields 2 domains/);
  assert.equal(await page.getByTestId("hub-commit").innerText(), commit);
  assert.equal(await page.getByTestId("dataset-problems").count(), 0);
  assert.ok(hub.asked("copy").length > 0, "a large file comes from the other origin");
  for (const it of hub.asked()) assert.equal(it.referer, undefined, `a referrer went to ${it.path}`);
  assert.ok(hub.asked().every((it) => !it.authorization && it.method === "GET"), "no token and no question beforehand");
  assert.ok(hub.asked("copy").some((it) => it.range === "bytes=0-0") && hub.asked("copy").some((it) => it.range === "bytes=0-"));

  await go(page, "#/systems");
  await pick(page, "Answer files", [file("alder.json", answers(set))]);
  await go(page, "#/judge");
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/results");
  assert.equal((await table(page, "Rubric coverage")).length, 2);
  await page.getByRole("region", { name: "What these numbers come from" }).getByText(`${ID}@${commit.slice(0, 7)} (test)`).waitFor();
  await go(page, "#/report");
  const saved = JSON.parse((await download(page, () => button(page, "Run file (JSON)").click())).text);
  assert.match(saved.record.frame.dataset.source, new RegExp(`${ID}@${commit} \\(test\\)`), "the numbers name the commit");

  hub.forget();
  await page.reload();
  await go(page, "#/data");
  await queries(page, 4);
  assert.deepEqual(hub.asked(), [], "a reload asks nothing");
  await load(page, hub, { split: "test" });
  await button(page, "Load from Hub").waitFor();
  await page.waitForFunction(() => !document.querySelector("[data-testid=hub-progress]"));
  assert.deepEqual(downloads(hub), [], "a second load downloads nothing");

  hub.down();
  allow(page, HTTP_ERRORS);
  await press(page);
  await notice(page, "Loaded from this device").waitFor({ timeout: 60_000 });
  await queries(page, 4);
  await page.reload();
  await go(page, "#/data");
  await queries(page, 4);
});

test("Parquet is taken rather than JSON, all shards of it, with each column's own codec", async (t) => {
  const hub = await startHub(t, { largeFrom: 1000, pageSize: 2 });
  const second = questions(3, 2);
  hub.add(ID, {
    files: { "test.json": second, "data/test-00000-of-00002.parquet": await parquet("mixed"), "data/test-00001-of-00002.parquet": await parquet("criteria") },
    rows: { test: 9 },
  });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { split: "test" });
  // The second shard has two questions of the first once more, which is told.
  await queries(page, 5);
  assert.match(await told(page.getByTestId("dataset-problems")), /2 questions were already read/);
  assert.match(await told(page.locator("main")), /card lists 9 rows, and its files have 7/);
  assert.match(await told(page.locator("main")), /test-00000-of-00002\.parquet, data\/test-00001-of-00002\.parquet/);
  assert.ok(hub.asked("hub").filter((it) => it.path.includes("/tree/")).length > 1, "the list of files came in pages");
});

test("the Hub's own Parquet form is the last resort, and train is what the others leave", async (t) => {
  const hub = await startHub(t);
  const all = questions(9, 2);
  hub.add(ID, { files: { "full.json": all, "test.json": all.slice(0, 4), "valid.json": all.slice(4, 6) }, rows: { full: 9, test: 4, valid: 2 }, converted: { "default/extra/0000.parquet": await parquet("snappy") } });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { split: "train" });
  await queries(page, 3);
  assert.match(await told(page.locator("main")), /split train: full without test and valid/);
  assert.equal(await notice(page, /not quite what/).count(), 0);
  allow(page, HTTP_ERRORS);
  await load(page, hub, { split: "test_mini" });
  await notice(page, "The dataset has no split test_mini").waitFor();
  await load(page, hub, { split: "extra" });
  await queries(page, 5);
  assert.ok(hub.asked("hub").some((it) => it.path.includes("/resolve-cache/") && it.path.includes("extra")));
});

test("another benchmark of the same shape needs no code", async (t) => {
  const hub = await startHub(t);
  const own = [1, 2, 3].map((n) => ({ id: `case-${n}`, question: `What of ${n}?`, category: "Law", criteria: [{ criterion: "Names the act", points: 3 }, { criterion: "Says why", points: 1 }] }));
  hub.add("other-lab/legal_bench", { files: { "rubrics.json": own } });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { dataset: "other-lab/legal_bench" });
  await notice(page, "The dataset has no split test").waitFor();
  await load(page, hub, { dataset: "other-lab/legal_bench", split: "rubrics" });
  await queries(page, 3);
  await page.getByRole("heading", { name: "legal_bench" }).waitFor();
});

test("a download that breaks off goes on where it was, in the page and after a reload", async (t) => {
  const hub = await startHub(t);
  const set = records({ queries: 4000, seed: 3 });
  const bytes = Buffer.from(JSON.stringify(set));
  hub.add(ID, { files: { "test.json": bytes }, rows: { test: 4000 } });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  hub.fault({ at: "copy", path: "test.json", cutAfter: 3_000_000 });
  hub.fault({ at: "copy", path: "test.json", stallAfter: 2_500_000 });
  await load(page, hub, { split: "test" });
  const bar = page.getByRole("progressbar", { name: "Dataset download" });
  await page.getByTestId("hub-progress").filter({ hasText: /[5-9]\.\d MB of \d+\.\d MB/ }).waitFor({ timeout: 60_000 });
  assert.ok(Number(await bar.getAttribute("value")) > 0.3);
  await button(page, "Cancel download").click();
  await notice(page, "The download was cancelled").waitFor();
  const before = hub.asked("copy").reduce((sum, it) => sum + it.bytes, 0);
  assert.ok(before > 5_000_000 && before < bytes.length, `${before} bytes so far`);

  hub.forget();
  await page.reload();
  await go(page, "#/data");
  await load(page, hub, { split: "test" });
  await queries(page, "4,?000");
  const ranges = hub.asked("copy").map((it) => it.range);
  const from = Number(/bytes=(\d+)-$/.exec(ranges.at(-1))[1]);
  assert.ok(from > 5_000_000, `went on at ${from}`);
  const after = hub.asked("copy").reduce((sum, it) => sum + it.bytes, 0);
  assert.ok(after <= bytes.length - from + 1, `${after} bytes more`);
});

test("limits, faults, old links and hosts without ranges are waited out or worked round", async (t) => {
  const hub = await startHub(t, { largeFrom: 100 });
  hub.add(ID, { files: { "test.json": questions(3, 2) } });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  hub.fault({ path: "/revision/", status: 429 });
  hub.fault({ path: "/tree/", status: 503 });
  hub.fault({ path: "/resolve/", expired: true });
  hub.fault({ at: "copy", noRange: true, cutAfter: 200 });
  hub.fault({ at: "copy", damaged: true, times: 2 });
  await load(page, hub, { split: "test" });
  await page.getByTestId("hub-progress").filter({ hasText: /takes no more requests for now\. Asking again in \d+ s/ }).waitFor();
  await queries(page, 3);
});

test("what the Hub refuses is told apart, with what to do", async (t) => {
  const hub = await startHub(t);
  hub.add(ID, { files: { "test.json": questions(3, 2) } });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  for (const [more, heading] of [
    [{ dataset: "no/such" }, "The Hub shows no such dataset"],
    [{ dataset: "https://huggingface.co/spaces/a/b" }, "This is not the address of a dataset"],
    [{ revision: "v9" }, "The dataset has no such revision"],
    [{ revision: "main", split: "valid" }, "The dataset has no split valid"],
  ]) {
    await load(page, hub, more);
    await notice(page, heading).waitFor();
  }
  hub.fault({ html: true });
  await load(page, hub, { split: "test" });
  await notice(page, "A web page came instead of data").waitFor();
  hub.fault({ path: "/tree/", status: 500, times: 1 });
  await button(page, "Try again").click();
  await queries(page, 3);
  await page.getByRole("textbox", { name: "Hub base URL" }).fill("http://hub.example");
  await press(page);
  await notice(page, /is not the base URL of a Hub/).waitFor();
  await queries(page, 3);
});

test("gated and private data need a token, which only the Hub sees", async (t) => {
  const hub = await startHub(t, { largeFrom: 100 });
  hub.add("lab/gated", { gated: true, files: { "test.json": questions(3, 2) } });
  hub.add("lab/private", { private: true, files: { "test.json": questions(2, 2) } });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  await load(page, hub, { dataset: "lab/gated", split: "test" });
  await notice(page, "The dataset is gated").waitFor();
  const field = page.getByLabel("Hub token", { exact: true });
  assert.equal(await field.getAttribute("type"), "password");
  await field.fill("hf_wrongwrongwrongwrong");
  await field.blur();
  await page.getByText("is in memory").first().waitFor();
  await press(page);
  await notice(page, "The Hub does not accept the token for this dataset").waitFor();
  await field.fill(hub.token);
  await field.blur();
  assert.equal(await field.inputValue(), "");
  await press(page);
  await queries(page, 3);
  await load(page, hub, { dataset: "lab/private" });
  await queries(page, 2);
  assert.ok(hub.asked("hub").some((it) => it.authorization), "the Hub saw the token");
  assert.ok(hub.asked("copy").length > 0 && hub.asked("copy").every((it) => !it.authorization), "nobody else did");
  const everywhere = await page.evaluate(async () => {
    const texts = [document.documentElement.outerHTML, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href];
    const cache = await caches.open("viva-hub-1");
    for (const request of await cache.keys()) texts.push(request.url, await (await cache.match(request)).text());
    return texts.join("\n");
  });
  assert.ok(!everywhere.includes(hub.token), "the token is nowhere to be found");
});

test("a newer commit is noticed and taken only when asked for; a commit can be named", async (t) => {
  const hub = await startHub(t);
  const first = hub.add(ID, { files: { "test.json": questions(3, 2) } });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { split: "test" });
  await queries(page, 3);
  const second = hub.push(ID, { "test.json": questions(5, 2) });
  await load(page, hub);
  await notice(page, new RegExp(`newer version: commit ${second.slice(0, 7)}`)).waitFor();
  assert.equal(await page.getByTestId("hub-commit").innerText(), first);
  await queries(page, 3);
  await button(page, "Load the newer version").click();
  await queries(page, 5);
  assert.equal(await page.getByTestId("hub-commit").innerText(), second);
  await load(page, hub, { revision: first });
  await queries(page, 3);
  assert.equal(await page.getByTestId("hub-commit").innerText(), first);

  await go(page, "#/settings");
  const rows = await table(page, "Downloaded benchmarks");
  assert.deepEqual(rows.slice(1).map((row) => row[1]).sort(), [first.slice(0, 7), second.slice(0, 7)].sort());
  await page.getByRole("button", { name: `Delete ${ID} at ${first.slice(0, 7)}` }).click();
  await page.getByRole("table", { name: "Downloaded benchmarks" }).getByText(first.slice(0, 7)).waitFor({ state: "detached" });
  await page.reload();
  await go(page, "#/data");
  await notice(page, "These files are not kept for your next visit").waitFor();
});

test("two tabs load the same file once", async (t) => {
  const hub = await startHub(t);
  const bytes = Buffer.from(JSON.stringify(records({ queries: 600, seed: 5 })));
  hub.add(ID, { files: { "test.json": bytes } });
  hub.fault({ at: "copy", bytesPerSecond: 600_000, times: 2 });
  const site = await serveDist(t);
  const context = await newContext(t);
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  await Promise.all(pages.map((page) => open(t, { page, site, hash: "#/data" })));
  await Promise.all(pages.map((page) => load(page, hub, { split: "test" })));
  await Promise.all(pages.map((page) => queries(page, 600)));
  const poured = hub.asked("copy").reduce((sum, it) => sum + it.bytes, 0);
  assert.ok(poured <= bytes.length + 2, `${poured} bytes of ${bytes.length}`);
});

test("with the storage full everything works until the tab closes, and it is said", async (t) => {
  const hub = await startHub(t);
  hub.add(ID, { files: { "test.json": records({ queries: 600, seed: 6 }) } });
  const { page, site } = await open(t, { hash: "#/data" });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin, quotaSize: 200_000 });
  allow(page, HTTP_ERRORS);
  await load(page, hub, { split: "test" });
  await queries(page, 600);
  assert.match(await told(notice(page, "These files are not kept for your next visit")), /no room left/);
  // With room again, what is brought next is kept, and that the download is not stays said.
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin });
  await go(page, "#/systems");
  await pick(page, "Answer files", [file("alder.json", { a: { answer: "Words." } })]);
  await page.getByRole("table", { name: "Systems" }).getByText("alder").first().waitFor();
  await go(page, "#/data");
  await notice(page, "These files are not kept for your next visit").waitFor();
});

test("forgetting everything deletes the downloads", async (t) => {
  const hub = await startHub(t);
  hub.add(ID, { files: { "test.json": splits({ queries: 300 }).test } });
  const { page } = await open(t, { hash: "#/data" });
  await load(page, hub, { split: "test" });
  await summary(page).waitFor();
  await go(page, "#/settings");
  page.on("dialog", (dialog) => dialog.accept());
  await button(page, "Forget everything here").click();
  await notice(page, "Everything is forgotten").waitFor();
  assert.deepEqual(await page.evaluate(() => caches.keys()), []);
});
