// How fast ratings are: bootstraps and the reading of CSV, in Chromium and natively, against NumPy, SciPy and
// pandas, in turns. Also whether the browser's digits are those that the tests expect.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildOwn, middle, root, withFolder } from "./bench-tools.mjs";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const LOOPS = 7;
const ROUNDS = 1000;
/** Ratios below which this ends with an error, and what is aimed at. */
const GATES = {
  "18 systems, 7,650 battles, in Chromium": [60, 100],
  "18 systems, 7,650 battles, natively": [70, 120],
  "200 systems, 1,000,000 battles, in Chromium": [60, 120],
  "CSV of 1,000,000 battles, in Chromium": [1 / 1.5, 1],
};
/** How many rounds of 200 systems the reference computes: a line through both says what 1,000 cost. */
const FEW = [1, 6];

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const tools = process.env.VIVA_TOOLS ?? join(process.env.HOME, ".cache/viva-tools");
const run = (command, ...rest) => execFileSync(command, rest, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });

/** A program that answers each line with a line. */
function child(command, ...rest) {
  const process = spawn(command, rest, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ended early`);
    return JSON.parse(value);
  };
  return {
    next,
    ask: (request) => {
      process.stdin.write(`${JSON.stringify(request)}\n`);
      return next();
    },
    end: () => process.stdin.end(),
  };
}

const sorted = (list) => [...list].sort((a, b) => a - b);
const shown = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));

function report(name, reference, own) {
  const ratios = reference.map((time, n) => time / own[n]);
  const ratio = middle(ratios);
  const [gate, aim] = GATES[name];
  console.log(
    `${name}: reference ${shown(middle(reference))} ms, here ${shown(middle(own))} ms, ${shown(ratio)} times as fast ` +
      `(${shown(sorted(ratios)[0])} to ${shown(sorted(ratios).at(-1))}, n = ${own.length}; gate ${shown(gate)}, aim ${shown(aim)})`,
  );
  if (gate <= ratio) return;
  console.error(`${name}: below the gate of ${shown(gate)}`);
  process.exitCode = 1;
}

await withFolder(async (folder) => {
  run("bash", "scripts/bench-setup.sh");
  run("cargo", "build", "--locked", "--quiet", "--profile", "worker", "--bin", "bench-native");
  buildOwn(folder);

  const python = child(join(tools, "bench-venv/bin/python"), "bench/reference.py", folder);
  console.log((await python.next()).ready);
  const native = child(join(target, "worker/bench-native"), join(folder, "few.counts"), "18", String(ROUNDS));
  const site = await serve({ root: folder });
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(site.url);
  const cells = readFileSync(join(root, "tests/fixtures/ratings/cells18.txt"), "utf8");
  const digits = await page.evaluate(async (cells) => {
    const own = await import("/own/bench.js");
    await own.default();
    const bytes = async (name) => new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer());
    const numbers = async (name) => new Uint32Array((await bytes(name)).buffer);
    const files = {
      csv: await bytes("many.csv"),
      few: [18, await numbers("few.counts"), await numbers("few.battles")],
      many: [200, await numbers("many.counts"), await numbers("many.battles")],
    };
    const timed = (work, look) => {
      const start = performance.now();
      const value = work();
      const ms = performance.now() - start;
      const seen = look(value);
      value.free();
      return { ms, ...seen };
    };
    /** Medians and standard deviations belong to the work. */
    const rated = (bootstrap, systems, table, rounds) => {
      let summaries;
      return timed(
        () => {
          const found = bootstrap(systems, table, rounds, 1n);
          summaries = found.summaries();
          return found;
        },
        (found) => ({ summaries: [...summaries], fingerprint: found.fingerprint() }),
      );
    };
    window.bench = {
      battles: (name, rounds) => rated(own.bootstrap_battles, files[name][0], files[name][1], rounds),
      queries: (name, rounds) => rated(own.bootstrap_queries, files[name][0], files[name][2], rounds),
      csv: () => timed(() => own.count_csv(files.csv), ({ systems, battles, pairs, problems }) => ({ systems, battles, pairs, problems })),
    };
    const fingerprint = (bootstrap, systems, table) => {
      const found = bootstrap(systems, new Uint32Array(table), 1000, 7n);
      const text = found.fingerprint();
      found.free();
      return text;
    };
    // The tables of tests/it/bootstrap.rs, in the order of pairs: the greater number first counts.
    const rows = cells.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split(" ").map(Number));
    const won = rows.flatMap(([first, second, ...times]) => times.flatMap((times, result) => Array(times).fill([first, second, result])));
    const battles = won.flatMap((battle, at) => [...battle, Math.floor(at / 10), Math.floor(at / 10) % 7]);
    rows.sort((one, other) => one[1] - other[1] || one[0] - other[0]);
    const four = [6, 2, 0, 7, 1, 0, 5, 3, 0, 6, 1, 1, 5, 2, 1, 4, 2, 2];
    return [
      fingerprint(own.bootstrap_battles, 18, rows.flatMap((row) => row.slice(2))),
      fingerprint(own.bootstrap_battles, 4, four),
      fingerprint(own.bootstrap_queries, 18, battles),
    ];
  }, cells);
  const expected = readFileSync(join(root, "tests/fixtures/ratings/fingerprints.txt"), "utf8").trim().split("\n");
  console.log(`digits in Chromium: ${digits.join(", ")}`);
  if (digits.join() !== expected.join()) {
    console.error(`digits differ from those of the tests: ${expected.join(", ")}`);
    process.exitCode = 1;
  }

  // A bootstrap takes a hundredth of the reference's time, over which disturbances even out. So a turn is the
  // middle of several.
  const several = async (work) => {
    const all = [];
    for (let n = 0; n < 5; n += 1) all.push(await work());
    return middle(all);
  };
  const here = (work, ...rest) => page.evaluate(([work, rest]) => window.bench[work](...rest), [work, rest]);
  const times = { few: [], fewPage: [], fewNative: [], fewQueries: [], many: [], manyPage: [], manyQueries: [], csv: [], csvPage: [] };
  // The first calls translate the module; a page that stays open has done so.
  await here("battles", "few", ROUNDS);
  await here("queries", "few", ROUNDS);
  await here("csv");
  for (let n = 0; n < LOOPS; n += 1) {
    const few = await python.ask({ do: "bootstrap", set: "few", rounds: ROUNDS, seed: n });
    const fewPage = await here("battles", "few", ROUNDS);
    times.few.push(few.ms);
    times.fewPage.push(await several(async () => (await here("battles", "few", ROUNDS)).ms));
    times.fewNative.push(await several(() => native.ask({})));
    times.fewQueries.push(await several(async () => (await here("queries", "few", ROUNDS)).ms));
    const [short, long] = [
      await python.ask({ do: "bootstrap", set: "many", rounds: FEW[0], seed: n }),
      await python.ask({ do: "bootstrap", set: "many", rounds: FEW[1], seed: n }),
    ];
    const manyPage = await here("battles", "many", ROUNDS);
    if (n < 3) times.manyQueries.push((await here("queries", "many", ROUNDS)).ms);
    const csv = await python.ask({ do: "csv" });
    const csvPage = await here("csv");
    const each = (long.ms - short.ms) / (FEW[1] - FEW[0]);
    times.many.push(short.ms + each * (ROUNDS - FEW[0]));
    times.manyPage.push(manyPage.ms);
    times.csv.push(csv.ms);
    times.csvPage.push(csvPage.ms);
    if (n === 0) {
      // The same answers, or the times mean nothing: medians within Monte Carlo error, and the reference's
      // spread too small by √2, as its table is twice as long.
      const median = (system) => fewPage.summaries[2 * system];
      const ratios = few.std.map((std, system) => fewPage.summaries[2 * system + 1] / std);
      const apart = few.median.map((value, system) => Math.abs(value - median(system)));
      if (4 < Math.max(...apart)) throw new Error(`medians are ${Math.max(...apart)} Elo apart`);
      if (ratios.some((ratio) => ratio < 1.25 || 1.6 < ratio)) throw new Error(`ratios of spreads: ${ratios}`);
      if (csvPage.battles !== csv.battles || csvPage.pairs !== csv.pairs || csvPage.problems !== 0) {
        throw new Error(`${JSON.stringify(csvPage)} from CSV, not ${JSON.stringify(csv)}`);
      }
    }
  }
  const [fewPage, fewNative, manyPage, csvPage] = Object.keys(GATES);
  report(fewPage, times.few, times.fewPage);
  report(fewNative, times.few, times.fewNative);
  report(manyPage, times.many, times.manyPage);
  report(csvPage, times.csv, times.csvPage);
  const cost = (queries, battles) => shown(middle(queries) / middle(battles));
  console.log(
    `by query instead of by battle: ${cost(times.fewQueries, times.fewPage)} times the time with 18 systems ` +
      `(${shown(middle(times.fewQueries))} ms, n = ${LOOPS}), ${cost(times.manyQueries, times.manyPage)} with 200 ` +
      `(${shown(middle(times.manyQueries))} ms, n = ${times.manyQueries.length})`,
  );
  python.end();
  native.end();
  await browser.close();
  await site.close();
});
