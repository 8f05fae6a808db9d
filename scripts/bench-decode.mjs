// How fast questions are read: bytes to records that can be asked, against TextDecoder and JSON.parse of the
// same bytes in the same page, in turns. The binary `bench` calls the product's own reader.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonJson, records } from "../tests/e2e/support/researchqa.mjs";
import { buildOwn, compare, withFolder } from "./bench-tools.mjs";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const LOOPS = 9;

await withFolder(async (folder) => {
  buildOwn(folder);
  const files = { "ordinary.json": pythonJson(records()), "escaped.json": pythonJson(records({ escaped: true }), { ascii: true }) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

  const site = await serve({ root: folder });
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(site.url);
  for (const name of Object.keys(files)) {
    const found = await page.evaluate(async ([name, loops]) => {
      const own = await import("/own/bench.js");
      const { memory } = await own.default();
      const bytes = new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer());
      const timed = (work) => {
        const start = performance.now();
        const value = work();
        return [performance.now() - start, value];
      };
      const times = { page: [], own: [] };
      for (let n = 0; n < loops; n += 1) {
        const [page, list] = timed(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
        const [mine, read] = timed(() => own.read(name, bytes));
        times.page.push(page);
        times.own.push(mine);
        if (n === 0) {
          // The same records, or the times mean nothing.
          const same = (at) => JSON.stringify(read.texts(at)) === JSON.stringify([list[at].query, ...list[at].rubric.map((item) => item.rubric_item)]);
          if (read.questions() !== list.length || read.problems() !== 0) throw new Error(`${read.questions()} of ${list.length} questions`);
          for (let at = 0; at < list.length; at += 97) if (!same(at)) throw new Error(`question ${at} differs`);
        }
        read.free();
      }
      return { ...times, bytes: bytes.length, memory: memory.buffer.byteLength };
    }, [name, LOOPS]);
    compare(`${name}, ${(found.bytes / 1e6).toFixed(1)} MB`, {
      own: found.own,
      other: found.page,
      against: "page",
      gate: 4,
      aim: 10,
      more: `; the first call ${found.own[0].toFixed(0)} ms; memory ${(found.memory / 1e6).toFixed(0)} MB`,
    });
  }
  await browser.close();
  await site.close();
});
