// Ratings without a judge: battle files in, a leaderboard or the reason why there is none out.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { violations } from "./support/axe.mjs";
import { profile } from "./support/browser.mjs";
import { overflow, shots } from "./support/shots.mjs";
import { button, file, go, open, pick, table } from "./support/viva.mjs";

const select = (page, name) => page.getByRole("combobox", { name, exact: true });
const board = (page) => page.getByRole("table", { name: "Leaderboard", exact: true });
const gate = (page) => page.getByTestId("rating-gate");
/** Until what was chosen is rated. */
const rested = (page) => page.getByTestId("rating-progress").filter({ hasText: /^\s*$/ }).waitFor();

/** A CSV file as arenas write it; each battle has its own query unless there is a `prompt`. */
const arena = (results) =>
  ["model_a,model_b,winner", ...results.flatMap(([a, b, wins, losses, ties]) => [
    ...Array(wins).fill(`${a},${b},model_a`),
    ...Array(losses).fill(`${a},${b},model_b`),
    ...Array(ties).fill(`${a},${b},tie`),
  ])].join("\n");

const FOUR = [["M1", "M2", 6, 2, 0], ["M2", "M3", 5, 3, 0], ["M1", "M3", 7, 1, 0], ["M3", "M4", 4, 2, 2], ["M1", "M4", 6, 1, 1], ["M2", "M4", 5, 2, 1]];

async function bring(page, ...files) {
  await go(page, "#/systems");
  await pick(page, "Battle files", files);
  await page.getByRole("heading", { name: "Leaderboard", exact: true }).waitFor();
}

/** Rows of a table by the names of its columns. */
async function records(page, name) {
  const [head, ...rows] = await table(page, name);
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
}

async function looked(page, name, within) {
  assert.deepEqual(await violations(page), []);
  await shots(page, name);
  const before = page.viewportSize();
  for (const width of [360, 864, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok((await overflow(page)) <= 0, `${name} scrolls sideways at ${width} px`);
    assert.ok(await within.isVisible());
    if (width === 360) assert.deepEqual(await violations(page), []);
  }
  await page.setViewportSize(before);
}

test("a battle file becomes a leaderboard without a judge", async (t) => {
  const { page } = await open(t);
  await bring(page, file("four.csv", arena(FOUR), "text/csv"));
  const found = await records(page, "Leaderboard");
  assert.deepEqual(found.map((it) => it.System), ["M1", "M2", "M3", "M4"]);
  assert.deepEqual(found.map((it) => it.Rank), ["1", "2", "3", "4"]);
  [1195.3, 1008.9, 923.4, 872.4].forEach((expected, at) => {
    assert.ok(Math.abs(Number(found[at].Rating) - expected) <= 0.5, `${found[at].Rating} against ${expected}`);
    assert.ok(Number(found[at].Low) < expected && expected < Number(found[at].High));
    assert.equal(found[at].Battles, "24");
  });
  assert.equal(await gate(page).count(), 0);
  await page.getByText("48 battles, 48 decided, 0 undecided").first().waitFor();
  await page.getByText("those of one pair reach 2.01.").waitFor();

  // Ranking alone stands there: no empty state, no filter that belongs to a run.
  assert.equal(await page.getByText("No results yet").count(), 0);
  assert.equal(await page.getByRole("form", { name: "Filter all views" }).count(), 0);

  await page.getByText(/^Pairs: 6$/).click();
  const pairs = await records(page, "Pairs");
  assert.equal(pairs.length, 6);
  assert.deepEqual([pairs[0].System, pairs[0].Against, pairs[0].Difference], ["M1", "M2", "+186"]);
  await select(page, "Pairs of").selectOption("M4");
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Pairs"] tbody tr').length === 3);
  const turned = await records(page, "Pairs");
  assert.ok(turned.every((it) => it.System === "M4" && it.Difference.startsWith("−")), JSON.stringify(turned));
  assert.equal(turned.find((it) => it.Against === "M1").Reading, "below");

  await page.getByText("Win–tie–loss grid", { exact: true }).click();
  const [, first] = await table(page, "Wins, ties and losses");
  assert.deepEqual(first, ["M1", "–", "6–0–2", "7–0–1", "6–1–1", "19–1–4"]);
  await page.getByText(/^Diagnostics/).click();
  const diagnostics = await records(page, "Diagnostics");
  assert.deepEqual(diagnostics.map((it) => it["Online Elo"]), ["1027", "1002", "990", "982"]);
  await page.getByText("Resamples by query").click();
  assert.equal((await records(page, "Resamples")).length, 4);
  await looked(page, "leaderboard", board(page));

  // A system that is left out takes its battles with it.
  await page.getByText("Systems rated: 4 of 4").click();
  await page.getByLabel("M4", { exact: true }).uncheck();
  await page.getByText("24 battles, 24 decided, 0 undecided").first().waitFor();
  assert.deepEqual((await records(page, "Leaderboard")).map((it) => it.Battles), ["16", "16", "16"]);
});

test("modes never mix, and an anchor moves labels", async (t) => {
  const { page } = await open(t);
  // Often enough that no resample falls apart.
  await bring(page, file("many.csv", arena(FOUR.map(([a, b, ...n]) => [a, b, ...n.map((it) => it * 8)]))));
  const recommended = await records(page, "Leaderboard");
  await select(page, "Ratings as").selectOption("As in the paper");
  await page.getByText(/^As in the paper\. Rating: median of 1000 resamples/).waitFor();
  const paper = await records(page, "Leaderboard");
  assert.ok(!("SE" in paper[0]) && !("Rank range" in paper[0]) && "Std" in paper[0]);
  await select(page, "Ratings as").selectOption("As in the authors’ code");
  await page.getByText(/too small by about √2/).first().waitFor();
  const released = await records(page, "Leaderboard");
  const ratio = Number(paper[0].Std) / Number(released[0].Std);
  assert.ok(1.25 < ratio && ratio < 1.6, `${ratio}`);
  await select(page, "Ratings as").selectOption("Recommended");
  await page.getByText(/^Recommended\. Rating by maximum likelihood/).waitFor();
  await select(page, "Anchor").selectOption("M3 at 1000");
  await page.getByText(/M3 is held at 1000/).waitFor();
  const held = await records(page, "Leaderboard");
  const of = (list, name) => list.find((it) => it.System === name);
  assert.deepEqual([of(held, "M3").Rating, of(held, "M3").Low, of(held, "M3").High], ["1000", "–", "–"]);
  const gap = (list) => Number(of(list, "M1").Rating) - Number(of(list, "M3").Rating);
  assert.ok(Math.abs(gap(held) - gap(recommended)) <= 1);
  await rested(page);
});

test("no rating where one would be invented, but what battles do say", async (t) => {
  const { page } = await open(t);
  await bring(page, file("unbeaten.csv", arena([["a", "b", 5, 0, 0], ["a", "c", 5, 0, 0], ["b", "c", 3, 2, 0]])));
  await gate(page).waitFor();
  assert.equal(await board(page).count(), 0);
  const text = (await gate(page).innerText()).replace(/\s+/g, " ");
  for (const part of [
    "No rating here: a was never beaten",
    "a won all 10 of its battles",
    /a stands at least \d+ points above b and c/,
    "among themselves b 1035, c 965",
    "At least 1 more battle, 2 calls to a judge",
    "added after seeing results",
  ]) {
    assert.match(text, part instanceof RegExp ? part : new RegExp(part.replaceAll(".", "\\.")));
  }
  const [, first] = await table(page, "Wins, ties and losses");
  assert.deepEqual(first, ["a", "–", "5–0–0", "5–0–0", "10–0–0"]);
  await looked(page, "leaderboard-gate", gate(page));

  // Two islands, in the other style of file.
  await bring(page, file("islands.csv", "left,right,winner\na,b,left\nb,a,left\nc,d,left\nd,c,left\n"));
  await gate(page).getByText(/some systems never met the others/).waitFor();
  assert.match(await gate(page).innerText(), /At least 2 more battles, 4 calls/);
  assert.equal(await board(page).count(), 0);
});

test("a file that cannot be read is told, and bad lines do not cost the good ones", async (t) => {
  const { page } = await open(t);
  await go(page, "#/systems");
  await pick(page, "Battle files", [file("notes.csv", "a,b\n1,2\n")]);
  await page.getByRole("alert").filter({ hasText: "No battles could be read" }).waitFor();
  await pick(page, "Battle files", [file("four.csv", `${arena(FOUR)}\nM1,M2,nobody\n`)]);
  await page.getByTestId("battle-problems").getByText("line 50").waitFor();
  assert.equal((await records(page, "Leaderboard")).length, 4);
});

test("a million battles never stop the page", { timeout: 180_000 }, async (t) => {
  const { page } = await open(t);
  let seed = 7;
  const random = (n) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const lines = ["model_a,model_b,winner,prompt"];
  for (let n = 0; n < 1_000_000; n += 1) {
    const a = random(200);
    const b = (a + 1 + random(199)) % 200;
    lines.push(`s${a},s${b},${random(400) < 200 + (b - a) ? "model_a" : "model_b"},q${random(5000)}`);
  }
  const path = join(await profile(t), "million.csv");
  await writeFile(path, lines.join("\n"));
  await go(page, "#/systems");
  await page.evaluate(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((it) => it.duration))).observe({ type: "longtask" });
  });
  const start = Date.now();
  await pick(page, "Battle files", [path]);
  await board(page).waitFor({ timeout: 150_000 });
  t.diagnostic(`from file to leaderboard: ${Date.now() - start} ms`);
  await board(page).locator("tbody tr").nth(199).waitFor();
  assert.equal((await records(page, "Leaderboard")).length, 200);
  const long = await page.evaluate(() => window.longTasks);
  t.diagnostic(`long tasks: ${long.map(Math.round).join(", ") || "none"} ms`);

  // Given up, the table stays with the choices it was made with, and the next choice is rated again.
  const before = await records(page, "Leaderboard");
  await select(page, "Resamples").selectOption("20000");
  await button(page, "Stop rating").click();
  await rested(page);
  assert.equal(await select(page, "Resamples").inputValue(), "1000");
  assert.deepEqual(await records(page, "Leaderboard"), before);
  await select(page, "Resamples").selectOption("200");
  await page.getByText("Resamples by query").click();
  await page.getByText(/ 200 resamples, seed 0/).waitFor({ timeout: 60_000 });
  await rested(page);
  assert.equal(await select(page, "Resamples").inputValue(), "200");
  await board(page).locator("tbody tr").nth(199).waitFor();
  assert.equal((await records(page, "Leaderboard")).length, 200);
});
