// How fast questions are read: bytes to records that can be asked, against TextDecoder and JSON.parse of the
// same bytes in the same page, in turns. The binary `bench` calls the product's own reader.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonJson, records } from "../tests/e2e/support/researchqa.mjs";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const LOOPS = 9;
/** Ratios below which this ends with an error, and what is aimed at. */
const GATE = 4;
const AIM = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const run = (command, ...rest) => execFileSync(command, rest, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });

const folder = mkdtempSync(join(tmpdir(), "viva-bench-"));
try {
  run("cargo", "build", "--locked", "--quiet", "--profile", "worker", "--target", "wasm32-unknown-unknown", "--features", "browser", "--bin", "bench");
  mkdirSync(join(folder, "own"));
  run("wasm-bindgen", "--target", "web", "--no-typescript", "--out-dir", join(folder, "own"), join(target, "wasm32-unknown-unknown/worker/bench.wasm"));
  run("wasm-opt", "-O3", join(folder, "own/bench_bg.wasm"), "-o", join(folder, "own/bench_bg.wasm"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Bench</title>");
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
    const sorted = (list) => [...list].sort((a, b) => a - b);
    const middle = (list) => sorted(list)[list.length >> 1];
    const ratios = found.page.map((time, n) => time / found.own[n]);
    const ratio = middle(ratios);
    console.log(
      `${name}, ${(found.bytes / 1e6).toFixed(1)} MB: page ${middle(found.page).toFixed(0)} ms, here ${middle(found.own).toFixed(0)} ms, ` +
        `${ratio.toFixed(1)} times as fast (${sorted(ratios)[0].toFixed(1)} to ${sorted(ratios).at(-1).toFixed(1)}, n = ${LOOPS}; gate ${GATE}, aim ${AIM}); ` +
        `the first call ${found.own[0].toFixed(0)} ms; memory ${(found.memory / 1e6).toFixed(0)} MB`,
    );
    if (ratio < GATE) {
      console.error(`${name}: below the gate of ${GATE}`);
      process.exitCode = 1;
    }
  }
  await browser.close();
  await site.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
