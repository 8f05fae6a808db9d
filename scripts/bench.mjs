// What a visitor pays: bytes over the wire, and the time until the page stands and its workers are ready.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const RUNS = 7;
const WORKERS = (process.env.SMOKE_WORKERS ?? "data run stats").split(/\s+/).filter(Boolean);
const dist = fileURLToPath(new URL("../dist", import.meta.url));

const kb = (bytes) => `${(bytes / 1000).toFixed(1).padStart(9)} kB`;
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const total = { raw: 0, gzip: 0, brotli: 0 };
console.log(`${"file".padEnd(36)} ${"raw".padStart(12)} ${"gzip".padStart(12)} ${"brotli".padStart(12)}`);
for (const name of readdirSync(dist).filter((file) => /\.(html|js|wasm|css|svg)$/.test(file)).sort()) {
  const bytes = readFileSync(join(dist, name));
  const size = { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes, quality).length };
  for (const kind of Object.keys(total)) total[kind] += size[kind];
  console.log(`${name.padEnd(36)} ${kb(size.raw)} ${kb(size.gzip)} ${kb(size.brotli)}`);
}
/** What is fetched before the first page stands; the workers load beside it, and Parquet's only when asked for. */
const LIMIT = 450_000;
const shell = readdirSync(dist)
  .filter((file) => /\.(html|js|wasm|css)$/.test(file) && !/^(worker|parquet)/.test(file))
  .reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(dist, name)), quality).length, 0);
console.log(`${"the shell (page without workers)".padEnd(36)} ${" ".repeat(26)}${kb(shell)} of ${kb(LIMIT)}`);
if (shell > LIMIT) process.exitCode = 1;
console.log(`${"in all".padEnd(36)} ${kb(total.raw)} ${kb(total.gzip)} ${kb(total.brotli)}`);

const NAMES = { page: "the first page", workers: "all workers are ready", number: "the sample’s first number, from open, clicked at once" };
const site = await serve({ root: dist });
const browser = await launch();
const times = { page: [], workers: [], number: [] };
for (let run = 0; run < RUNS; run += 1) {
  // A context of its own has an empty cache.
  const context = await browser.newContext();
  const page = await context.newPage();
  const start = performance.now();
  await page.goto(site.url, { waitUntil: "commit" });
  await page.locator("h1:not(#boot h1)").first().waitFor();
  times.page.push(performance.now() - start);
  await page.waitForFunction((names) => names.every((name) => (document.documentElement.dataset.workers ?? "").split(" ").includes(name)), WORKERS);
  times.workers.push(performance.now() - start);
  await page.getByRole("button", { name: "Try the sample", exact: true }).click();
  await page.locator("table[aria-label='Rubric coverage'] tbody tr").first().waitFor();
  times.number.push(performance.now() - start);
  await context.close();
}
await browser.close();
await site.close();
for (const [what, list] of Object.entries(times)) {
  const sorted = list.map(Math.round).sort((a, b) => a - b);
  console.log(`until ${NAMES[what]}: median ${sorted[RUNS >> 1]} ms, ${sorted[0]} to ${sorted.at(-1)} ms (n = ${RUNS}, loopback, empty cache)`);
}
