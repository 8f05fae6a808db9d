// Whether the page stays smooth: the longest task of the main thread while 53 MB are loaded, filtered, searched and
// scrolled, and while a tournament of 18 systems is rated in several ways; how many frames came late, and how much
// memory the worker takes that holds it all. Needs the built page in dist/.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonJson, records } from "../tests/e2e/support/researchqa.mjs";
import { middle, root, withFolder } from "./bench-tools.mjs";
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const RUNS = 5;
/** Milliseconds. The browser tells of no task that is shorter. */
const LIMIT = 50;

/** 18 systems, 50 battles a pair over 3,750 queries: the stronger one wins more often. */
function tournament() {
  const lines = ["session_id,model_a,model_b,winner"];
  for (let b = 1; b < 18; b += 1)
    for (let a = 0; a < b; a += 1)
      for (let n = 0; n < 50; n += 1) {
        const chance = ((a * 7919 + b * 104_729 + n * 1_299_709) % 1000) / 1000;
        lines.push(`q${(a * 271 + b * 97 + n * 53) % 3750},system ${a},system ${b},${chance < 1 / (1 + Math.exp((a - b) / 6)) ? "model_b" : "model_a"}`);
      }
  return lines.join("\n");
}

const set = records();
await withFolder(async (folder) => {
  cpSync(join(root, "dist"), folder, { recursive: true });
  // A worker's memory can be asked for only from inside.
  const loader = join(folder, "worker_loader.js");
  const keep = `const start = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...given) => {
  const made = await start.call(WebAssembly, ...given);
  self.benchMemory = made.instance.exports.memory;
  return made;
};
`;
  writeFileSync(loader, keep + readFileSync(loader, "utf8"));
  const file = join(folder, "full.json");
  const text = pythonJson(set);
  writeFileSync(file, text);
  const battles = join(folder, "battles.csv");
  writeFileSync(battles, tournament());
  const site = await serve({ root: folder });
  const browser = await launch();
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}#/data`);
    await page.waitForFunction(() => (document.documentElement.dataset.workers ?? "").split(" ").includes("data"));
    await page.evaluate(() => {
      window.step = "load";
      window.tasks = {};
      new PerformanceObserver((list) => list.getEntries().forEach((it) => (window.tasks[window.step] ??= []).push(it.duration))).observe({ type: "longtask" });
    });
    const step = (name) => page.evaluate((name) => (window.step = name), name);
    const count = (n) => page.getByTestId("explorer-count").filter({ hasText: new RegExp(`^\\s*${n.toLocaleString("en-US")} of |^\\s*${n} of `) }).waitFor({ timeout: 60_000 });
    await page.getByLabel("Dataset files", { exact: true }).setInputFiles(file);
    await count(set.length);

    await step("filter");
    const domain = set[9000].general_domain;
    await page.getByRole("combobox", { name: "Domain", exact: true }).selectOption(domain);
    await count(set.filter((it) => it.general_domain === domain).length);
    await page.getByRole("combobox", { name: "Domain", exact: true }).selectOption("");
    await count(set.length);

    await step("search");
    await page.getByRole("searchbox", { name: "Text" }).fill(set[12_345].query.slice(9, 40));
    await count(1);
    await page.getByRole("searchbox", { name: "Text" }).fill("");
    await count(set.length);

    await step("scroll");
    await page.evaluate(() => {
      window.frames = [];
      let before = performance.now();
      const frame = (now) => {
        window.frames.push(now - before);
        before = now;
        window.counting = requestAnimationFrame(frame);
      };
      window.counting = requestAnimationFrame(frame);
    });
    const list = page.getByRole("listbox", { name: "Questions" });
    await list.hover();
    for (let n = 0; n < 60; n += 1) {
      await page.mouse.wheel(0, 700);
      await page.waitForTimeout(16);
    }
    await list.focus();
    await page.keyboard.press("End");
    await list.getByRole("option").filter({ hasText: set.at(-1).query.slice(0, 40) }).waitFor();
    const frames = await page.evaluate(() => (cancelAnimationFrame(window.counting), window.frames));
    await step("rate");
    await page.goto(`${site.url}#/systems`);
    await page.getByLabel("Battle files", { exact: true }).setInputFiles(battles);
    const board = page.getByRole("table", { name: "Leaderboard", exact: true });
    const rated = () => page.waitForFunction(() => !/Rating|Resampling/.test(document.querySelector("[data-testid=rating-progress]")?.textContent ?? "Rating"));
    await board.locator("tbody tr").nth(17).waitFor();
    for (const [choice, value] of [["Resamples", "5000"], ["Anchor", "3"], ["Ratings as", "As in the paper"], ["Resamples", "200"], ["Ratings as", "Recommended"]]) {
      await page.getByRole("combobox", { name: choice, exact: true }).selectOption(value);
      await page.waitForTimeout(60);
      await rated();
    }
    const sizes = await Promise.all(page.workers().map((it) => it.evaluate(() => self.benchMemory?.buffer.byteLength ?? 0)));
    runs.push({ memory: Math.max(...sizes), tasks: await page.evaluate(() => window.tasks), late: frames.filter((it) => 25 < it).length, frames: frames.length });
    await context.close();
  }
  await browser.close();
  await site.close();
  const longest = (run, step) => Math.max(0, ...(run.tasks[step] ?? []));
  for (const step of ["load", "filter", "search", "scroll", "rate"]) {
    const times = runs.map((run) => longest(run, step));
    const typical = middle(times);
    const told = (time) => (time === 0 ? `none over ${LIMIT} ms` : `${time.toFixed(0)} ms`);
    console.log(`longest task of the page, ${step}: median ${told(typical)}, worst ${told(Math.max(...times))} (n = ${RUNS}, limit ${LIMIT} ms)`);
    if (typical > LIMIT) {
      console.error(`${step}: a task of ${typical.toFixed(0)} ms blocks the page`);
      process.exitCode = 1;
    }
  }
  const share = middle(runs.map((run) => run.late / run.frames));
  console.log(`frames later than 25 ms while scrolling: median ${(100 * share).toFixed(1)} % of ${middle(runs.map((run) => run.frames))} (n = ${RUNS})`);
  console.log(`memory of the data worker with a file of ${(text.length / 1e6).toFixed(0)} MB: ${middle(runs.map((run) => run.memory / 1e6)).toFixed(0)} MB`);
});
