// For people: axe on every route in both themes, no sideways scrolling at 320 and 360 px, the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./support/axe.mjs";
import { overflow, shots } from "./support/shots.mjs";
import { button, go, open, table } from "./support/viva.mjs";

const ROUTES = ["#/", "#/data", "#/systems", "#/judge", "#/results", "#/inspect/1", "#/report", "#/settings", "#/about"];

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
  for (const [name, route] of Object.entries({ start: "#/", data: "#/data", systems: "#/systems", judge: "#/judge", results: "#/results", inspect: "#/inspect/1", report: "#/report", settings: "#/settings", about: "#/about" })) {
    await go(page, route);
    await page.waitForTimeout(400);
    const files = await shots(page, name);
    assert.equal(files.length, 3);
  }
});
