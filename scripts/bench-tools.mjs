// What the benchmarks share: the product's own code built for them, and figures from alternated loops.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** A folder to serve, removed when `work` is done. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "viva-bench-"));
  try {
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>Bench</title>");
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the binary `bench` into `own/` of a folder, as the workers of the page are built. */
export function buildOwn(folder) {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const run = (command, ...rest) => execFileSync(command, rest, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  run("cargo", "build", "--locked", "--quiet", "--profile", "worker", "--target", "wasm32-unknown-unknown", "--features", "browser", "--bin", "bench");
  mkdirSync(join(folder, "own"), { recursive: true });
  run("wasm-bindgen", "--target", "web", "--no-typescript", "--out-dir", join(folder, "own"), join(target, "wasm32-unknown-unknown/worker/bench.wasm"));
  run("wasm-opt", "-O3", join(folder, "own/bench_bg.wasm"), "-o", join(folder, "own/bench_bg.wasm"));
}

const sorted = (list) => [...list].sort((a, b) => a - b);

export const middle = (list) => sorted(list)[list.length >> 1];

/**
 * Prints how many times as fast `own` is as `other`, loop by loop, and the process ends with an error where the
 * median is below `gate`.
 */
export function compare(name, { own, other, against, gate, aim, more = "" }) {
  const ratios = sorted(other.map((time, n) => time / own[n]));
  const ratio = middle(ratios);
  console.log(
    `${name}: ${against} ${middle(other).toFixed(0)} ms, here ${middle(own).toFixed(0)} ms, ${ratio.toFixed(1)} times as fast ` +
      `(${ratios[0].toFixed(1)} to ${ratios.at(-1).toFixed(1)}, n = ${ratios.length}; gate ${gate}, aim ${aim})${more}`,
  );
  if (ratio < gate) {
    console.error(`${name}: below the gate of ${gate}`);
    process.exitCode = 1;
  }
}
