// Chromium for the tests: pages that fail their test when something goes wrong that nobody asked about.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { browserPath, FLAGS, launch, watch } from "../../../scripts/chromium.mjs";
import { atEnd } from "./cleanup.mjs";

let browser;
/** The one browser of a test file; it ends with the file. */
export const theBrowser = () => (browser ??= launch());
after(async () => (await browser)?.close());

const watched = new WeakMap();

async function guard(t, context, allowed = []) {
  const state = { problems: [], allowed: [...allowed] };
  await watch(context, (text) => state.problems.push(text));
  watched.set(context, state);
  atEnd(t, async () => {
    await context.close();
    const left = problems(context);
    assert.deepEqual(left, [], `the page reported ${left.length} problem(s) that the test does not allow`);
  });
  return context;
}

const contextOf = (target) => (typeof target.context === "function" ? target.context() : target);

/** What went wrong so far in a page or context and is not allowed. */
export function problems(target) {
  const { problems, allowed } = watched.get(contextOf(target));
  return problems.filter((text) => !allowed.some((pattern) => pattern.test(text)));
}

/** Allows problems that match, from here on and backwards. */
export function allow(target, ...patterns) {
  watched.get(contextOf(target)).allowed.push(...patterns);
}

/** Chromium writes a console error for every answer of 400 and more, handled or not. */
export const HTTP_ERRORS = /console error: Failed to load resource/;

/**
 * A profile of its own that vanishes with the test. Options are Playwright's, `allow: [RegExp]`, and `browser`
 * for one with flags of its own.
 */
export async function newContext(t, { allow: allowed, browser: own, ...options } = {}) {
  const context = await (own ?? (await theBrowser())).newContext({ acceptDownloads: true, locale: "en-GB", ...options });
  return guard(t, context, allowed);
}

/** A page in a profile of its own. */
export async function newPage(t, options = {}) {
  return (await newContext(t, options)).newPage();
}

/** A folder for a profile that outlives its browser, removed with the test. */
export async function profile(t) {
  const folder = await mkdtemp(join(tmpdir(), "viva-profile-"));
  atEnd(t, () => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A browser of its own on a profile's folder: close it and open it again to see what was kept. */
export async function openProfile(t, folder, { allow: allowed, ...options } = {}) {
  const { chromium } = await import("playwright-core");
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: browserPath(),
    headless: true,
    args: FLAGS,
    acceptDownloads: true,
    locale: "en-GB",
    ...options,
  });
  return guard(t, context, allowed);
}

/** Does `action` and gives the file that it downloads. */
export async function download(page, action) {
  const [file] = await Promise.all([page.waitForEvent("download"), action()]);
  const bytes = await readFile(await file.path());
  return { name: file.suggestedFilename(), bytes, text: bytes.toString("utf8") };
}

/** Collects the addresses asked for from here on, workers' requests included. */
export function requestsOf(target) {
  const seen = [];
  contextOf(target).on("request", (request) => seen.push(request.url()));
  return seen;
}

/** Until the page's workers have said Ready. */
export async function workersReady(page, names = ["data", "run", "stats"]) {
  await page.waitForFunction(
    (wanted) => {
      const heard = (document.documentElement.dataset.workers ?? "").split(" ");
      return wanted.every((name) => heard.includes(name));
    },
    names,
  );
}
