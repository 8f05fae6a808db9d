// How fast a Parquet file is read: bytes to records that can be asked, through the product's own worker, against
// hyparquet's objects from the same bytes in the same page, in turns. Needs the built page in dist/.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { records } from "../tests/e2e/support/researchqa.mjs";
import { buildOwn, compare, root, withFolder } from "./bench-tools.mjs";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const LOOPS = 7;

/** The questions as the Hub's files have them: a list of structs, each with a list and a struct in it. */
function parquet(list) {
  const text = (name) => ({ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" });
  const group = (name, num_children, repetition_type = "OPTIONAL", more = {}) => ({ name, num_children, repetition_type, ...more });
  const listOf = (name) => [group(name, 1, "OPTIONAL", { converted_type: "LIST" }), group("list", 1, "REPEATED")];
  const flat = ["id", "general_domain", "subdomain", "field", "query", "date"];
  const schema = [
    { name: "root", num_children: flat.length + 1 }, ...flat.map(text),
    ...listOf("rubric"), group("element", 3), text("rubric_item"), ...listOf("type"), text("element"),
    group("citation_metadata", 4), text("first_author"), text("title"), text("url"), { name: "year", type: "INT32", repetition_type: "OPTIONAL" },
  ];
  const columnData = [...flat, "rubric"].map((name) => ({ name, data: list.map((record) => record[name]) }));
  return new Uint8Array(parquetWriteBuffer({ schema, columnData, codec: "SNAPPY" }));
}

await withFolder(async (folder) => {
  cpSync(join(root, "dist"), folder, { recursive: true });
  cpSync(join(root, "node_modules/hyparquet/src"), join(folder, "hyparquet"), { recursive: true });
  buildOwn(folder);
  const file = parquet(records());
  writeFileSync(join(folder, "full.parquet"), file);

  const site = await serve({ root: folder });
  const browser = await launch();
  // The other reader's scripts are not those the page's own policy allows.
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  await page.goto(`${site.url}#/about`);
  const found = await page.evaluate(async (loops) => {
    const { parquetReadObjects } = await import("./hyparquet/index.js");
    const own = await import("./own/bench.js");
    await own.default();
    const file = await (await fetch("./full.parquet")).arrayBuffer();
    const start = performance.now();
    const worker = new Worker("./parquet_loader.js", { type: "module" });
    const next = () => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    await next();
    const ready = performance.now() - start;
    const times = { own: [], other: [], ready };
    for (let n = 0; n < loops; n += 1) {
      const began = performance.now();
      const rows = await parquetReadObjects({ file });
      const between = performance.now();
      const copy = new Uint8Array(file.slice(0));
      worker.postMessage({ id: n + 1, body: { name: "full.parquet" }, bytes: [copy] }, [copy.buffer]);
      const { bytes } = await next();
      const read = own.read("full.jsonl", bytes[0]);
      times.own.push(performance.now() - between);
      times.other.push(between - began);
      if (n === 0) {
        const same = (at) => JSON.stringify(read.texts(at)) === JSON.stringify([rows[at].query, ...rows[at].rubric.map((item) => item.rubric_item)]);
        if (read.questions() !== rows.length || read.problems() !== 0) throw new Error(`${read.questions()} of ${rows.length} questions`);
        for (let at = 0; at < rows.length; at += 97) if (!same(at)) throw new Error(`question ${at} differs`);
      }
      read.free();
    }
    worker.terminate();
    return times;
  }, LOOPS);
  compare(`Parquet (snappy), ${(file.length / 1e6).toFixed(1)} MB`, {
    ...found,
    against: "hyparquet",
    gate: 1,
    aim: 4,
    more: `; the first call ${found.own[0].toFixed(0)} ms against ${found.other[0].toFixed(0)}, and ${found.ready.toFixed(0)} ms to load the worker`,
  });
  await browser.close();
  await site.close();
});
