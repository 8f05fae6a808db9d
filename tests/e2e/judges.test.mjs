// What a run costs, what a plan can show, how steady a judge is, and two judges side by side.

import assert from "node:assert/strict";
import test from "node:test";
import { allow } from "./support/browser.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { answers, bring, button, calls, endpoint, go, ledger, open, questions, runState, table } from "./support/viva.mjs";

const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
const words = ["Completely", "Mostly", "Moderately", "Barely", "Not at all"];
const topicOf = (request) => Number(/topic (\d+)/.exec(request.prompt)[1]);

/** Labels by topic: the same each time it is asked. */
const steady = (shift = 0) => (request) => {
  const topic = topicOf(request);
  return reply.text([0, 1, 2].map((item) => words[(topic + item + shift) % 5]).join("\n"), { usage });
};

const field = (page, name) => page.getByLabel(name, { exact: true });

/** `$0.12` and the like, as numbers. */
const dollars = (text) => [...text.matchAll(/\$(\d+(?:\.\d+)?)/g)].map((it) => Number(it[1]));

async function loaded(t, { n, script = steady(), ...more }) {
  const provider = await startProvider(t, { script, ...more });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(n);
  await bring(page, set, { one: answers(set, "plain words"), two: answers(set, "other words") });
  return { provider, page };
}

async function prices(page, { budget, input = "2", output = "10" }) {
  await field(page, "Input price (USD per million tokens)").fill(input);
  await field(page, "Output price (USD per million tokens)").fill(output);
  if (budget !== undefined) await field(page, "Budget (USD)").fill(budget);
}

test("the bill is what the provider counted, and a budget stops before it could be passed", async (t) => {
  // A call is $0.0025 by the provider's count.
  const each = (1000 * 2 + 50 * 10) / 1e6;
  const { provider, page } = await loaded(t, { n: 30 });
  await endpoint(page, { url: provider.url, concurrency: 4, maxTokens: 100 });
  await prices(page, { budget: "0.05" });
  const plan = await page.getByTestId("run-plan").innerText();
  assert.equal(dollars(plan).length, 2, `no cost range in: ${plan}`);
  await button(page, "Start run").click();
  await runState(page, "stopped");
  await page.getByText(/Stopped before the budget could be passed/).waitFor();
  const spent = provider.attempts * each;
  assert.ok(0.02 < spent && spent <= 0.05, `$${spent} of a budget of $0.05`);
  const [shown, projected, budget] = dollars(await page.getByTestId("run-money").innerText());
  assert.ok(Math.abs(shown - spent) < 0.006, `${shown} shown, ${spent} spent`);
  assert.ok(Math.abs(projected - 60 * each) < 0.02, `${projected} projected`);
  assert.equal(budget, 0.05);

  await field(page, "Budget (USD)").fill("1");
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 60, "what was paid for is not asked again");

  // By system, and adding up.
  await page.getByText("What it cost, by system").click();
  const rows = await table(page, "Cost");
  assert.deepEqual(rows.slice(1).map((row) => [row[0], row[2]]), [["one", "30"], ["two", "30"], ["All", "60"]]);
  assert.equal(rows[3][5], (60 * each).toFixed(4));
  await go(page, "#/settings");
  const runs = await table(page, "Runs");
  assert.ok(runs[1].includes("$0.15"), runs[1].join(" | "));
});

test("a judge that wavers is found out, and its repeats enter no table", async (t) => {
  const seen = new Map();
  const wavering = (request) => {
    const nth = (seen.get(request.prompt) ?? 0) + 1;
    seen.set(request.prompt, nth);
    return steady(nth > 1 && topicOf(request) % 2 === 0 ? 1 : 0)(request);
  };
  const { provider, page } = await loaded(t, { n: 12, script: wavering });
  await endpoint(page, { url: provider.url, concurrency: 1 });
  await field(page, "Repeat queries").fill("6");
  await field(page, "Times each").fill("3");
  await page.getByTestId("run-plan").getByText("24 calls").waitFor();
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 48, "24 calls, and 6 queries of two systems twice more");
  assert.equal((await ledger(page)).asked, 144);
  await go(page, "#/results");
  const coverage = await table(page, "Rubric coverage");
  const asked = coverage[0].findIndex((it) => it.startsWith("Asked"));
  assert.ok(coverage.slice(1).every((row) => row[asked].startsWith("36")), "repeats are not in the table");
  const repeats = await table(page, "Repeats");
  assert.equal(repeats[1][0], "Items whose label flipped, %");
  assert.deepEqual(repeats[1].slice(2), ["36", "36"]);
  const flipped = Number(/^[\d.]+/.exec(repeats[1][1])[0]);
  const even = [...seen].filter(([prompt, n]) => n === 3 && Number(/topic (\d+)/.exec(prompt)[1]) % 2 === 0).length;
  assert.ok(Math.abs(flipped - (100 * even) / 12) < 0.1, `${flipped} % of items, ${even} of 12 answers wavered`);
});

test("two judges stand side by side, and a bridge reaches from one to the other", async (t) => {
  const { provider, page } = await loaded(t, { n: 24 });
  await endpoint(page, { url: provider.url, model: "judge-a", concurrency: 6 });
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.equal(provider.attempts, 48);

  // Another judge, one label more generous wherever there is one.
  const other = await startProvider(t, {
    script: (request) => {
      const topic = topicOf(request);
      return reply.text([0, 1, 2].map((item) => words[Math.max(0, ((topic + item) % 5) - 1)]).join("\n"));
    },
  });
  await endpoint(page, { url: other.url, model: "judge-b", concurrency: 6 });
  await go(page, "#/compare");
  await page.getByText(/There is no other run/).waitFor();
  await field(page, "Queries to judge again").fill("10");
  await button(page, "Judge the sample again").click();
  const agreement = page.getByRole("table", { name: "Agreement", exact: true });
  await agreement.locator("tbody tr").nth(2).waitFor();
  await page.waitForFunction(() => !/Interim\./.test(document.querySelector("main").innerText));
  assert.equal(other.attempts, 20, "ten queries, two systems");
  const rows = await table(page, "Agreement");
  const all = rows.find((row) => row[0] === "All");
  const at = (name) => all[rows[0].indexOf(name)];
  assert.deepEqual([at("Queries"), at("Items"), at("In both")], ["10", "60", "60"]);
  assert.match(at("B − A"), /^\+\d+\.\d \(\+/, "the generous judge lies above, and surely");
  const [[, ...across], ...down] = await table(page, "Labels of both");
  let both = 0;
  for (const [label, ...cells] of down) for (const [column, text] of cells.entries()) {
    both += Number(text);
    const expected = words[Math.max(0, words.indexOf(label) - 1)];
    if (across[column] !== expected) assert.equal(text, "0", `${label} became ${across[column]}`);
  }
  assert.equal(both, 60);
  const settings = await table(page, "Settings that differ");
  assert.ok(settings.some((row) => row[0] === "Judge" && row[1].includes("judge-a") && row[2].includes("judge-b")));
});

test("sliders show what a plan could tell apart, and a judge's own kin is named", async (t) => {
  const { provider, page } = await loaded(t, { n: 20 });
  await page.getByText("How much is enough?").click();
  const outlook = page.getByTestId("plan-outlook");
  await outlook.getByText(/assumed: two systems differ/).waitFor();
  const points = async () => {
    const rows = await table(page, "What the plan can show");
    return Number(/^[\d.]+/.exec(rows[1][1])[0]);
  };
  const slide = async (name, value) => {
    await page.getByRole("slider", { name }).fill(String(value));
    await page.waitForTimeout(300);
  };
  // (z.975 + z.80) · 25 / √n for two systems.
  await slide("Queries", 20);
  assert.ok(Math.abs((await points()) - ((1.959964 + 0.841621) * 25) / Math.sqrt(20)) < 0.06);
  await slide("Queries", 5);
  assert.ok(Math.abs((await points()) - ((1.959964 + 0.841621) * 25) / Math.sqrt(5)) < 0.06);
  await slide("Battles of each pair", 5);
  const rating = (await table(page, "What the plan can show"))[2][1];
  assert.equal(rating, `${Math.round(173.7178 * Math.sqrt(8 / (2 * 5)) * 2.8)} Elo`);
  await outlook.getByText(/no known cost/).waitFor();

  // From a run it learns the spread itself.
  await endpoint(page, { url: provider.url, model: "gpt-4.1-mini", concurrency: 6 });
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.deepEqual(await calls(page), { calls: 40, attempts: 40 });

  await go(page, "#/systems");
  await button(page, "Rename one").click();
  await page.getByRole("textbox", { name: /Name/ }).fill("GPT-5 research");
  await page.keyboard.press("Enter");
  await go(page, "#/judge");
  await page.getByText("The judge’s own kin.").waitFor();
  await page.getByText(/the judge and GPT-5 research are of one maker, OpenAI/).waitFor();
});

test("what is interim is neither ranked nor compared", async (t) => {
  const { provider, page } = await loaded(t, { n: 30, delay: 40 });
  await endpoint(page, { url: provider.url, concurrency: 2 });
  await field(page, "Pairwise preference").check();
  await button(page, "Start run").click();
  while (provider.attempts < 70) await page.waitForTimeout(20);
  await button(page, "Stop").click();
  await runState(page, "stopped");
  await go(page, "#/results");
  await page.getByText("Interim", { exact: false }).first().waitFor();
  const gaps = await table(page, "Differences from a baseline");
  const [interval, reading] = ["95% interval", "Reading"].map((name) => gaps[0].indexOf(name));
  assert.ok(gaps.slice(1).every((row) => row[interval] === "–" && row[reading] === "interim"), gaps.join("\n"));
});

test("prices come from the provider's own list, dated, and what a person typed stays", async (t) => {
  const { provider, page } = await loaded(t, { n: 4 });
  // The one list that a page can read without a key, answered here in its own shape: nothing leaves.
  allow(page, /request to another machine: GET https:\/\/openrouter\.ai/);
  await page.context().route("https://openrouter.ai/api/v1/models*", (route) => route.fulfill({
    headers: { "access-control-allow-origin": "*" },
    json: { data: [
      { id: "maker/judge", name: "Judge", context_length: 128000, expiration_date: "2027-03-01", pricing: { prompt: "0.0000004", completion: "0.0000016" } },
      { id: "maker/free", name: "Free", pricing: { prompt: "0", completion: "0" } },
      { id: "maker/router", name: "Router", pricing: { prompt: "-1", completion: "-1" } },
    ] },
  }));
  await endpoint(page, { url: "https://openrouter.ai/api/v1", model: "maker/judge" });
  await button(page, "List this host’s models").click();
  await page.getByText("3 models to choose from").waitFor();
  const shown = async () => [await field(page, "Input price (USD per million tokens)").inputValue(), await field(page, "Output price (USD per million tokens)").inputValue()];
  assert.deepEqual(await shown(), ["0.4", "1.6"]);
  await page.getByTestId("run-plan").getByText(/at the prices of the host’s list of \d{4}-\d\d-\d\d/).waitFor();
  await page.getByTestId("model-retires").getByText("gone from 2027-03-01").waitFor();
  // Another host may have a model of that name, at a price of its own.
  await field(page, "Base URL").fill(provider.url);
  await page.waitForFunction(() => document.querySelector("#judge-price-in").value === "");
  assert.deepEqual(await shown(), ["", ""], "one host's price is not another's");
  assert.equal(await page.getByText("3 models to choose from").count(), 0);
  await field(page, "Base URL").fill("https://openrouter.ai/api/v1");
  await page.waitForFunction(() => document.querySelector("#judge-price-in").value === "0.4");
  await field(page, "Model").fill("maker/router");
  await page.waitForFunction(() => document.querySelector("#judge-price-in").value === "");
  assert.deepEqual(await shown(), ["", ""], "no price is not a price of nothing");
  assert.ok(await page.getByTestId("model-retires").isHidden());
  await field(page, "Model").fill("maker/free");
  await page.waitForFunction(() => document.querySelector("#judge-price-in").value === "0");
  await field(page, "Input price (USD per million tokens)").fill("0.5");
  await field(page, "Model").fill("maker/judge");
  await page.waitForTimeout(300);
  assert.deepEqual(await shown(), ["0.5", "0"], "what was typed stays");
  assert.equal(provider.attempts, 0);
});

test("several judges over the same answers are a panel: agreement, majority and mean, costs", async (t) => {
  const { provider, page } = await loaded(t, { n: 8 });
  const shifts = { "judge-a": 0, "judge-b": 0, "judge-c": 1 };
  provider.script = (request) => steady(shifts[request.body.model])(request);
  await page.locator("summary", { hasText: "Several judges" }).click();
  for (const model of Object.keys(shifts)) {
    await endpoint(page, { url: provider.url, model });
    await prices(page, {});
    await button(page, "Add this judge").click();
  }
  assert.equal(await page.getByRole("list", { name: "Judges of the panel" }).getByRole("listitem").count(), 3);
  await button(page, "Start the panel").click();
  // One after the other: each is a run of its own over the same plan.
  while (provider.attempts < 48) await page.waitForTimeout(50);
  await runState(page, "done");
  assert.deepEqual([...new Set(provider.requests.map((it) => it.body.model))], Object.keys(shifts));
  assert.equal(provider.attempts, 48, "one call an answer and judge");
  // Again, with nothing left to ask: nothing is asked twice, and the panel still comes to its end.
  await button(page, "Start the panel").click();
  await page.waitForFunction(() => document.querySelector("#judge-model").value === "judge-c");
  await page.getByText("still to come").waitFor({ state: "detached" });
  await runState(page, "done");
  assert.equal(provider.attempts, 48, "what was judged is not asked again");
  await go(page, "#/compare");
  const pairs = await table(page, "Agreement of judges");
  const share = (one, other) => pairs.find((row) => row[0].includes(one) && row[1].includes(other) || row[0].includes(other) && row[1].includes(one))[3];
  assert.match(share("judge-a", "judge-b"), /^100\.0/);
  assert.match(share("judge-a", "judge-c"), /^0\.0/);
  const coverage = await table(page, "Coverage by judge");
  const of = (who) => coverage.filter((row) => row[1].includes(who)).map((row) => row[2]);
  assert.deepEqual(of("ajority"), of("judge-a"), "two of three agree on everything");
  assert.notDeepEqual(of("judge-c"), of("judge-a"));
  // Tokens as the provider counted them, at the prices given: each judge has cost the same.
  const panel = page.getByTestId("panel");
  const costs = await panel.getByRole("table").last().innerText();
  assert.equal((costs.match(/0\.0400/g) ?? []).length, 3, costs);

  // A judge can be left out, and one alone is no panel.
  await page.getByRole("checkbox", { name: /judge-c/ }).uncheck();
  await panel.getByRole("table", { name: "Agreement of judges" }).locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.equal((await table(page, "Agreement of judges")).length, 2);
});
