// Pairwise preference: planned, asked in both seat orders, counted, rated, and told where it cannot be rated.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./support/axe.mjs";
import { download } from "./support/browser.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { bring, button, calls, endpoint, go, ledger, open, questions, runState, sampleDone, table } from "./support/viva.mjs";

const check = (page, name) => page.getByRole("checkbox", { name, exact: true });
const told = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
const verdict = (seat) => reply.text(`**output: {"judgement": "Response ${seat}"}**\nJustification: as scripted.`);
const isDuel = (request) => request.prompt.includes("RESPONSE 1");
/** Which of two answers, by the word planted in it, sits where. */
const seats = (request) => /RESPONSE 1 [\s\S]*?with (\w+)\.[\s\S]*RESPONSE 2 [\s\S]*?with (\w+)\./.exec(request.prompt).slice(1);

test("the sample, by the practice judge, both protocols, to a leaderboard", async (t) => {
  const { page } = await open(t);
  await button(page, "Try the sample").click();
  await sampleDone(page);
  await go(page, "#/judge");
  await check(page, "Rubric coverage").check();
  await check(page, "Pairwise preference").check();
  await page.getByRole("spinbutton", { name: "Battles per pair", exact: true }).fill("21");
  await page.getByTestId("run-plan").filter({ hasText: "Battles" }).waitFor();
  assert.match(await told(page.getByTestId("run-plan")), /1105 verdicts .*Battles 198, in 396 calls/);
  await page.getByText("Who meets whom").click();
  const grid = await table(page, "Planned battles");
  assert.equal(grid.length, 6);
  // Two answers are missing and one is empty: their systems meet less often.
  const pairs = grid.slice(1).flatMap((row, at) => row.slice(2 + at).map(Number));
  assert.ok(pairs.every((n) => 18 <= n && n <= 21) && pairs.reduce((a, b) => a + b) === 198, JSON.stringify(grid));
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 1105);
  await go(page, "#/results");
  const rows = await table(page, "Leaderboard");
  assert.equal(rows.length, 6);
  for (const name of ["Rank", "System", "Rating", "Low", "High", "Battles"]) assert.ok(rows[0].some((head) => head.startsWith(name)), `${name} in ${rows[0]}`);
  assert.match(await told(page.locator("main")), /[Pp]osition bias[^.]*not applicable/);
  assert.deepEqual(await violations(page), []);
  await go(page, "#/inspect/1");
  await page.getByRole("heading", { name: "Battles over this question" }).waitFor();
});

test("both seat orders are asked, split verdicts are seen, and one query in the prompt", async (t) => {
  // The first seat wins, whoever sits there: a judge that looks at seats alone.
  const provider = await startProvider(t, { script: (request) => (isDuel(request) ? verdict(1) : reply.labels(request.items.map(() => "Mostly"))) });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(4, 2);
  const by = (word) => Object.fromEntries(set.map((it, q) => [it.id, { answer: `On topic ${q} [link](https://x.test/${word}) with ${word}.` }]));
  await bring(page, set, { one: by("oak"), two: by("elm") });
  await endpoint(page, { url: provider.url });
  await check(page, "Pairwise preference").check();
  await page.getByTestId("run-plan").filter({ hasText: /\b16 calls/ }).waitFor();
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal((await ledger(page)).scored, 16 + 8);
  assert.deepEqual(await calls(page), { calls: 16, attempts: provider.attempts });
  const duels = provider.requests.filter((request) => request.prompt.includes("RESPONSE 1"));
  assert.equal(duels.length, 8);
  for (const request of duels) {
    assert.match(request.prompt, /why does it matter/);
    assert.doesNotMatch(request.prompt, /x\.test|mention point/);
  }
  assert.deepEqual(duels.map((it) => seats(it).join()).sort(), [...Array(4).fill("elm,oak"), ...Array(4).fill("oak,elm")]);
  await go(page, "#/results");
  const rows = await table(page, "Leaderboard");
  const words = await told(page.locator("main"));
  assert.match(words, /turn(s|ed)? with the seats/);
  assert.match(words, /100(\.0)? %/);
  // Split verdicts and equal coverage: ties all over, so the two are rated alike.
  const rating = rows[0].findIndex((head) => head.startsWith("Rating"));
  assert.deepEqual(rows.slice(1).map((row) => row[rating]), ["1000", "1000"]);
  await go(page, "#/inspect/1");
  await page.getByText("the verdict turns with the seats").first().click();
  await page.getByText("one sits first, two second").waitFor();

  await go(page, "#/report");
  const saved = JSON.parse((await download(page, () => button(page, "Run file (JSON)").click())).text);
  assert.equal(saved.record.battles.length, 4);
  const battles = JSON.parse((await download(page, () => button(page, "Battles (JSON)").click())).text);
  assert.equal(battles.length, 4);
  const arena = (await download(page, () => button(page, "Battles (arena CSV)").click())).text;
  assert.equal(arena.trim().split("\n").length, 5);
  assert.equal(arena.match(/,tie/g).length, 4);
});

test("a tournament that nobody can rate says so, and what would mend it", async (t) => {
  const provider = await startProvider(t, {
    script: (request) => (isDuel(request) ? verdict(seats(request)[0] === "oak" ? 1 : 2) : reply.labels(request.items.map(() => "Mostly"))),
  });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(4, 2);
  const by = (word) => Object.fromEntries(set.map((it, q) => [it.id, { answer: `On topic ${q} with ${word}.` }]));
  await bring(page, set, { one: by("oak"), two: by("elm") });
  await endpoint(page, { url: provider.url });
  await check(page, "Pairwise preference").check();
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/results");
  const gate = page.getByTestId("rating-gate");
  await gate.waitFor();
  const words = await told(gate);
  assert.match(words, /one/);
  assert.match(words, /At least 1 more battle/);
  assert.equal(await page.getByRole("table", { name: "Leaderboard", exact: true }).count(), 0);
  assert.deepEqual(await violations(page), []);
});

test("an unreadable verdict is asked again, then left undecided, and never a tie", async (t) => {
  const odd = new Set();
  const provider = await startProvider(t, {
    script: (request) => {
      if (!isDuel(request)) return reply.labels(request.items.map(() => "Mostly"));
      if (/Question number 0/.test(request.prompt) && seats(request)[0] === "oak") {
        odd.add(request.n);
        return reply.text("Both have their merits.");
      }
      return verdict(seats(request)[0] === (/Question number [12]/.test(request.prompt) ? "oak" : "elm") ? 1 : 2);
    },
  });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(4, 2);
  const by = (word) => Object.fromEntries(set.map((it, q) => [it.id, { answer: `On topic ${q} with ${word}.` }]));
  await bring(page, set, { one: by("oak"), two: by("elm") });
  await endpoint(page, { url: provider.url, concurrency: 1 });
  await check(page, "Pairwise preference").check();
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  const counts = await ledger(page);
  assert.equal(counts.unparsed, 1);
  assert.equal(odd.size, 3, "asked three times");
  assert.equal((await calls(page)).attempts, provider.attempts);
  await go(page, "#/results");
  await table(page, "Leaderboard");
  assert.match(await told(page.locator("main")), /4 battles, 3 decided, 1 undecided/);
});
