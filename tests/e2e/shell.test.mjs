// What must hold before any feature: the page starts wherever it is put, and says why when it cannot.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./support/axe.mjs";
import { allow, HTTP_ERRORS, newPage, requestsOf, workersReady } from "./support/browser.mjs";
import { overflow, shots } from "./support/shots.mjs";
import { DIST, FOLDER, serveDist } from "./support/static.mjs";

const started = (page) => page.locator("h1:not(#boot h1)").first().waitFor();
const html = () => readFile(join(DIST, "index.html"), "utf8");

for (const base of ["/", FOLDER]) {
  test(`starts at ${base}`, async (t) => {
    const site = await serveDist(t, { base });
    const page = await newPage(t);
    const warnings = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    const asked = requestsOf(page);
    await page.goto(site.url);
    await started(page);
    await workersReady(page);
    assert.match(await page.title(), /Viva/);
    assert.equal(await page.locator("#boot").count(), 0, "the app removes the loading message");
    assert.deepEqual(asked.filter((url) => !url.startsWith(site.url)), [], "everything comes from the page's own folder");
    assert.equal(asked.filter((url) => url.endsWith(".wasm")).length, 1, "the preloaded wasm is the one that is used");
    // Once the page has settled Chromium complains about preloads that nothing used.
    await page.waitForTimeout(500);
    assert.deepEqual(warnings.filter((text) => /preload|integrity/i.test(text)), []);
  });
}

test("a reload of a deep link starts again", async (t) => {
  const site = await serveDist(t, { base: FOLDER });
  const page = await newPage(t);
  await page.goto(`${site.url}#/settings`);
  await started(page);
  await page.reload();
  await started(page);
});

test("the page says what it needs where scripts are off", async (t) => {
  const site = await serveDist(t);
  const page = await newPage(t, { javaScriptEnabled: false });
  await page.goto(site.url);
  assert.match(await page.locator("body").innerText(), /needs JavaScript and WebAssembly/);
});

test("the policy stands before everything that loads or runs, and is strict", async () => {
  const text = await html();
  const at = text.indexOf("http-equiv=\"Content-Security-Policy\"");
  assert.ok(0 < at && at < text.search(/<(script|link|style)\b/), "the policy comes first");
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)[1];
  assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'( 'sha256-[^']+')+; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
  assert.doesNotMatch(text, /<base\b/, "a base would turn links of routes into navigations");
});

test("the policy stops what it should", async (t) => {
  const site = await serveDist(t);
  const page = await newPage(t);
  await page.goto(site.url);
  await started(page);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.head.append(script);
  });
  assert.equal(await page.evaluate(() => window.ran), undefined);
  allow(page, /policy breach: script-src-elem inline/, /console error: .*Content Security Policy/);
});

test("file names tell their bytes apart", async () => {
  const short = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const text = await html();
  let named = 0;
  for (const name of await readdir(DIST)) {
    const hash = /-([0-9a-f]{16})(\.js|_bg\.wasm)$/.exec(name)?.[1];
    if (!hash) continue;
    named += 1;
    assert.equal(hash, short(await readFile(join(DIST, name))), name);
    assert.ok(text.includes(name), `the page asks for ${name}`);
  }
  assert.equal(named, 2, "the page's JavaScript and its wasm");
  const loader = await readFile(join(DIST, "worker_loader.js"), "utf8");
  for (const name of ["worker.js", "worker_bg.wasm"]) {
    assert.ok(loader.includes(`${name}?v=${short(await readFile(join(DIST, name)))}`), `the loader pins ${name}`);
  }
  assert.match(text, /<meta name="build" content="[0-9a-f]{16}" \/>/);
});

/** Opens the page where something is broken and gives what it says. */
async function broken(t, { intercept, script, allowed = [] }) {
  const site = await serveDist(t, { intercept });
  const page = await newPage(t, { allow: [HTTP_ERRORS, ...allowed] });
  if (script) await page.addInitScript(script);
  await page.goto(site.url);
  await page.locator("#boot[data-state=failed]").waitFor({ timeout: 10_000 });
  assert.equal(await page.title(), "Viva could not start");
  const text = await page.locator("#boot").innerText();
  assert.match(text, /Reload the page/);
  assert.equal(await overflow(page), 0);
  return { page, text };
}
const missing = (pattern) => (path) => (pattern.test(path) ? { status: 404, body: "Not found" } : undefined);

test("a missing wasm is explained", async (t) => {
  const { page, text } = await broken(t, { intercept: missing(/_bg\.wasm$/), allowed: [/uncaught/] });
  assert.match(text, /could not be loaded/);
  assert.match(text, /404/);
  assert.deepEqual(await violations(page), []);
  await shots(page, "cannot-start");
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await overflow(page), 0);
});

test("a page of HTML in the wasm's place is explained", async (t) => {
  const intercept = (path) =>
    path.endsWith("_bg.wasm") ? { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Sign in</h1>" } : undefined;
  await broken(t, { intercept, allowed: [/uncaught/] });
});

test("missing JavaScript is explained", async (t) => {
  const { text } = await broken(t, { intercept: missing(/\/app-[^/]*\.js$/) });
  assert.match(text, /A part of the program could not be loaded/);
});

test("JavaScript with other bytes than the page expects is explained", async (t) => {
  const intercept = (path) =>
    /\/app-[^/]*\.js$/.test(path) ? { status: 200, headers: { "content-type": "text/javascript" }, body: "export default 1" } : undefined;
  await broken(t, { intercept, allowed: [/integrity/] });
});

test("a browser without WebAssembly is told so", async (t) => {
  const { text } = await broken(t, { script: "delete globalThis.WebAssembly", allowed: [/uncaught|WebAssembly/] });
  assert.match(text, /no WebAssembly/);
});

test("a long wait is explained, and the page may still start", async (t) => {
  let release;
  const held = new Promise((done) => (release = done));
  const site = await serveDist(t, { intercept: async (path) => path.endsWith("_bg.wasm") && path.includes("/app-") ? await held : undefined });
  const page = await newPage(t);
  await page.clock.install();
  await page.goto(site.url, { waitUntil: "commit" });
  await page.getByText("Loading …").waitFor();
  await page.clock.fastForward(21_000);
  await page.locator("#boot[data-state=slow]").waitFor();
  assert.match(await page.locator("#boot").innerText(), /still loading[\s\S]*Reload the page/);
  release(undefined);
  await started(page);
  assert.doesNotMatch(await page.title(), /could not/);
});

test("a page opened as a file says that it needs a web server", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "viva-file-"));
  t.after(() => rm(folder, { recursive: true }));
  await cp(DIST, folder, { recursive: true });
  const page = await newPage(t, { allow: [/console error/] });
  await page.goto(pathToFileURL(join(folder, "index.html")).href);
  await page.locator("#boot[data-state=failed]").waitFor();
  assert.match(await page.locator("#boot").innerText(), /You opened this page as a file/);
});

test("an unknown path is a 404, not the page", async (t) => {
  const site = await serveDist(t, { base: FOLDER });
  assert.equal((await fetch(`${site.url}no/such/page`)).status, 404);
});
