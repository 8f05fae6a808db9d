// For people: axe on every route in both themes, no sideways scrolling at 320 and 360 px, the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./support/axe.mjs";
import { download } from "./support/browser.mjs";
import { overflow, shots } from "./support/shots.mjs";
import { button, file, go, open, pick, table } from "./support/viva.mjs";

const ROUTES = ["#/", "#/data", "#/systems", "#/judge", "#/results", "#/inspect/1", "#/compare", "#/report", "#/settings", "#/about"];

async function filled(t) {
  const { page } = await open(t);
  await button(page, "Try the sample").click();
  await table(page, "Rubric coverage");
  return page;
}

for (const scheme of ["light", "dark"]) {
  test(`axe finds nothing on any route, ${scheme}, empty and full`, async (t) => {
    const empty = (await open(t, { colorScheme: scheme })).page;
    const found = [];
    for (const route of ROUTES) {
      await go(empty, route);
      await empty.waitForTimeout(150);
      found.push(...(await violations(empty)).map((it) => `${route} empty: ${it}`));
    }
    const { page } = await open(t, { colorScheme: scheme });
    await button(page, "Try the sample").click();
    await table(page, "Rubric coverage");
    for (const route of ROUTES) {
      await go(page, route);
      await page.waitForTimeout(400);
      found.push(...(await violations(page)).map((it) => `${route}: ${it}`));
    }
    assert.deepEqual(found, []);
  });
}

test("axe finds nothing in states that take a step to reach", async (t) => {
  const { page } = await open(t);
  const found = [];
  const look = async (name) => {
    await page.waitForTimeout(300);
    found.push(...(await violations(page)).map((it) => `${name}: ${it}`));
    assert.ok((await overflow(page)) <= 0, `${name} scrolls sideways`);
  };
  await button(page, "Try the sample").click();
  await table(page, "Rubric coverage");
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await go(page, "#/judge");
    await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "OpenAI-compatible endpoint" });
    await page.getByLabel("Base URL", { exact: true }).fill("nonsense");
    await page.getByText(/^Prompt:/).first().click();
    await look(`endpoint with a bad field, ${width}`);
    await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "By hand" });
    await page.getByLabel("Your name or initials", { exact: true }).fill(`Ada ${width}`);
    await button(page, "Start run").click();
    await page.getByRole("radio").first().waitFor();
    await look(`by hand, ${width}`);
    await page.getByRole("button", { name: /Shortcuts/ }).click();
    await page.getByRole("dialog").waitFor();
    await look(`shortcuts, ${width}`);
    await page.keyboard.press("Escape");
  }
  await go(page, "#/report");
  await pick(page, "Judgement files", [file("x.json", { a: [{ rubric: "?", score: "Mostly" }] })]);
  await button(page, "Import judgements").waitFor();
  await look("import");
  await go(page, "#/data");
  await pick(page, "Dataset files", [file("bad.json", "<html></html>")]);
  await page.getByTestId("dataset-problems").waitFor();
  await look("problems");
  assert.deepEqual(found, []);
});

test("judging, inspecting and saving by keyboard alone", async (t) => {
  const { page } = await open(t);
  const active = () => page.evaluate(() => {
    const it = document.activeElement;
    return `${it.innerText?.trim() ?? ""}|${it.labels?.[0]?.innerText?.trim() ?? ""}`;
  });
  const tabTo = async (wanted) => {
    for (let n = 0; n < 120; n += 1) {
      if (wanted.test(await active())) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${wanted} is not reached by Tab`);
  };
  await tabTo(/^Try the sample/);
  await page.keyboard.press("Enter");
  await table(page, "Rubric coverage");
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.waitForURL(/#\/judge$/);
  await tabTo(/\|Queries per field$/);
  await page.keyboard.type("1");
  await page.getByTestId("run-plan").filter({ hasText: /\b6\d calls|\b7\d calls/ }).waitFor();
  await tabTo(/\|Seed$/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("11");
  await tabTo(/^Start run/);
  await page.keyboard.press("Enter");
  await page.getByTestId("run-state").filter({ hasText: /^done$/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/#\/results$/);
  await tabTo(/^Read the judgements/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/inspect\/1$/);
  await page.getByRole("table", { name: "Rubric items" }).waitFor();
  await page.keyboard.press("j");
  await page.waitForURL(/#\/inspect\/2$/);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.waitForURL(/#\/report$/);
  await tabTo(/^Run file \(JSON\)/);
  const saved = await download(page, () => page.keyboard.press("Enter"));
  assert.equal(JSON.parse(saved.text).format, "viva-run");
});

test("nothing scrolls sideways on a phone", async (t) => {
  const page = await filled(t);
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    for (const route of ROUTES) {
      await go(page, route);
      await page.waitForTimeout(200);
      assert.ok((await overflow(page)) <= 0, `${route} at ${width} px is ${await overflow(page)} px too wide`);
    }
  }
});

test("each route has its own title and one h1", async (t) => {
  const page = await filled(t);
  const titles = new Set();
  for (const route of ROUTES) {
    await go(page, route);
    await page.waitForTimeout(100);
    titles.add(await page.title());
    assert.equal(await page.locator("h1").count(), 1, route);
  }
  assert.equal(titles.size, ROUTES.length);
});

test("the sample is reached and read with the keyboard alone", async (t) => {
  const { page } = await open(t);
  const focused = () => page.evaluate(() => document.activeElement.innerText?.trim().slice(0, 40) ?? "");
  await page.keyboard.press("Tab");
  assert.match(await focused(), /Skip to the content/);
  for (let n = 0; n < 30 && (await focused()) !== "Try the sample"; n += 1) await page.keyboard.press("Tab");
  assert.equal(await focused(), "Try the sample");
  await page.keyboard.press("Enter");
  await table(page, "Rubric coverage");
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.waitForURL(/#\/judge$/);
});

test("pages in both themes and on a phone, for a person to look at", async (t) => {
  const page = await filled(t);
  for (const [name, route] of Object.entries({ start: "#/", data: "#/data", systems: "#/systems", judge: "#/judge", results: "#/results", inspect: "#/inspect/1", compare: "#/compare", report: "#/report", settings: "#/settings", about: "#/about" })) {
    await go(page, route);
    await page.waitForTimeout(400);
    const files = await shots(page, name);
    assert.equal(files.length, 3);
  }
});
