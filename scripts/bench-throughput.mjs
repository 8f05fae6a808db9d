// How much of a host's speed a run takes: calls a second at 200 ms and 32 at once over HTTP/2, against a bare
// loop of fetches of the same bodies in a plain worker of the same browser, in turns. Both are timed by the
// provider: from the first request that comes to the last answer that goes. Needs the built page in dist/.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, startProvider } from "../tests/e2e/support/provider.mjs";
import { middle, root, withFolder } from "./bench-tools.mjs";
import { FLAGS, launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const ROUNDS = 5;
const CALLS = 1600;
const AT_ONCE = 32;
const DELAY = 200;
const GATE = 0.9;

const questions = Array.from({ length: CALLS }, (_, q) => ({
  id: `question-${q}`,
  general_domain: "Life & Earth Sciences",
  subdomain: "Sub",
  field: "Genetics",
  query: `Question number ${q}: why does it matter?`,
  date: "2024-05-01",
  rubric: [0, 1, 2].map((i) => ({ rubric_item: `Does the response mention point ${i} of topic ${q}?`, type: ["Impact"], citation_metadata: null })),
}));
const answers = Object.fromEntries(questions.map(({ id }, q) => [id, { answer: `An answer about point 0 of topic ${q} with words.` }]));

/** The bare loop: what a person would write who wants the replies and nothing else. */
const BARE = `onmessage = async ({ data: { url, bodies, atOnce } }) => {
  let next = 0;
  let labels = 0;
  const lane = async () => {
    while (next < bodies.length) {
      const body = bodies[next++];
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, credentials: "omit", body });
      const { choices } = await response.json();
      labels += choices[0].message.content.split("\\n").length;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  postMessage(labels);
};`;

await withFolder(async (folder) => {
  cpSync(join(root, "dist"), folder, { recursive: true });
  writeFileSync(join(folder, "bare.js"), BARE);
  writeFileSync(join(folder, "bare.html"), "<!doctype html><title>Bare</title>");
  const site = await serve({ root: folder });
  const provider = await startProvider(null, {
    http2: true,
    delay: DELAY,
    script: (request) => reply.labels(request.items.map((_, n) => ["Completely", "Mostly", "Not at all"][n % 3])),
  });
  const browser = await launch({ args: [...FLAGS, "--ignore-certificate-errors"] });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${site.url}#/data`);
  await page.waitForFunction(() => ["data", "run"].every((name) => (document.documentElement.dataset.workers ?? "").split(" ").includes(name)));
  const file = (name, value) => ({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(value)) });
  const field = (name) => page.getByLabel(name, { exact: true });
  const go = (route) => page.evaluate((hash) => { location.hash = hash; }, route);
  const ledger = () => page.getByTestId("run-ledger").innerText();
  await field("Dataset files").setInputFiles([file("set.json", questions)]);
  await page.getByTestId("dataset-summary").waitFor();
  await go("#/systems");
  await field("Answer files").setInputFiles([file("one.json", answers)]);
  await page.getByRole("table", { name: "Systems" }).getByText("one").first().waitFor();
  await go("#/judge");
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "OpenAI-compatible endpoint" });
  await field("Base URL").fill(provider.url);
  await field("Concurrency").fill(String(AT_ONCE));
  const bare = await context.newPage();
  await bare.goto(`${site.url}bare.html`);

  /** Calls a second of what `work` makes the provider see. */
  const timed = async (work) => {
    const from = provider.requests.length;
    provider.peak = 0;
    await work();
    const made = provider.requests.slice(from);
    if (made.length !== CALLS) throw new Error(`${made.length} calls of ${CALLS}`);
    if (made.some((request) => request.status !== 200 || request.aborted)) throw new Error("a call failed");
    const seconds = (Math.max(...made.map((it) => it.ended)) - made[0].at) / 1000;
    return { rate: CALLS / seconds, bodies: made.map((it) => it.text), peak: provider.peak };
  };
  const own = (round) =>
    timed(async () => {
      await page.bringToFront();
      await field("Model").fill(`model-${round}`);
      await page.getByTestId("run-state").filter({ hasText: /^idle$/ }).waitFor();
      await page.getByTestId("run-plan").filter({ hasText: /1,?600 calls/ }).waitFor();
      await page.getByRole("button", { name: "Start run", exact: true }).click();
      await page.getByTestId("run-state").filter({ hasText: /^done$/ }).waitFor({ timeout: 300_000 });
      const scored = Number(/scored\s+(\d+)/.exec(await ledger())[1]);
      if (scored !== 3 * CALLS) throw new Error(`${scored} verdicts of ${3 * CALLS}`);
    });
  const plain = (bodies) =>
    timed(async () => {
      await bare.bringToFront();
      const labels = await bare.evaluate(
        ([url, bodies, atOnce]) =>
          new Promise((done, failed) => {
            const worker = new Worker("bare.js");
            worker.onmessage = ({ data }) => (worker.terminate(), done(data));
            worker.onerror = (event) => failed(new Error(event.message));
            worker.postMessage({ url, bodies, atOnce });
          }),
        [`${provider.url}/chat/completions`, bodies, AT_ONCE],
      );
      if (labels !== 3 * CALLS) throw new Error(`${labels} labels of ${3 * CALLS}`);
    });

  const rates = { own: [], bare: [] };
  const peaks = new Set();
  for (let round = 0; round < ROUNDS; round += 1) {
    const mine = await own(round);
    const other = await plain(mine.bodies);
    rates.own.push(mine.rate);
    rates.bare.push(other.rate);
    peaks.add(mine.peak).add(other.peak);
  }
  await browser.close();
  await provider.close();
  await site.close();

  const ratios = rates.own.map((rate, n) => rate / rates.bare[n]).sort((a, b) => a - b);
  const ratio = middle(ratios);
  console.log(
    `throughput, HTTP/2 loopback, ${DELAY} ms, ${AT_ONCE} at once, ${CALLS} calls: bare loop ${middle(rates.bare).toFixed(0)} a second, ` +
      `a run ${middle(rates.own).toFixed(0)}, ratio ${ratio.toFixed(3)} (${ratios[0].toFixed(3)} to ${ratios.at(-1).toFixed(3)}, n = ${ROUNDS}; gate ${GATE}); ` +
      `most at once ${[...peaks].join(" and ")}; ideal ${(AT_ONCE / DELAY) * 1000} a second`,
  );
  if (ratio < GATE) {
    console.error(`throughput: below the gate of ${GATE}`);
    process.exitCode = 1;
  }
});
