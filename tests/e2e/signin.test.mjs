// Signing in at OpenRouter: away with a fingerprint, back with a code, and a key that the page never sees.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import test from "node:test";
import { allow, HTTP_ERRORS, newContext, requestsOf, workersReady } from "./support/browser.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { listen, messagesWith, placesWith, recordMessages } from "./support/secrets.mjs";
import { FOLDER, serveDist } from "./support/static.mjs";
import { answers, bring, button, endpoint, go, open, questions, runState } from "./support/viva.mjs";

const KEY = "sk-or-v1-0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";

/** OpenRouter as far as this goes: its page to sign in at, codes that hold once, and a judge. */
async function openRouter(t, { refuse } = {}) {
  const codes = new Map();
  const host = { key: KEY, calls: [], exchanges: [], codes };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://host");
    let text = "";
    for await (const part of request) text += part;
    const say = (status, json) => {
      response.writeHead(status, { "content-type": "application/json", "access-control-allow-origin": "*" });
      response.end(JSON.stringify(json));
    };
    if (request.method === "OPTIONS") {
      response.writeHead(204, { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, content-type" });
      return response.end();
    }
    if (url.pathname === "/auth") {
      const code = `code-${randomBytes(12).toString("hex")}`;
      host.asked = Object.fromEntries(url.searchParams);
      codes.set(code, host.asked);
      const back = new URL(host.asked.callback_url);
      back.searchParams.append("code", code);
      response.writeHead(200, { "content-type": "text/html" });
      return response.end(`<!doctype html><link rel="icon" href="data:,"><title>Sign in</title><a href="${back.href.replaceAll("&", "&amp;")}">Authorise</a>`);
    }
    if (url.pathname === "/api/v1/auth/keys") {
      const body = JSON.parse(text);
      host.exchanges.push({ body, headers: request.headers });
      const wanted = codes.get(body.code);
      codes.delete(body.code);
      const hash = createHash("sha256").update(body.code_verifier).digest("base64url");
      const fits = wanted?.code_challenge === hash && body.code_challenge_method === "S256";
      if (refuse || !fits) return say(403, { error: { code: 403, message: refuse?.(body) ?? "Invalid code or code_verifier" } });
      return say(200, { key: host.key, user_id: "user_1" });
    }
    if (url.pathname === "/api/v1/chat/completions") {
      host.calls.push(request.headers);
      const content = [...JSON.parse(text).messages[0].content.matchAll(/^\s*\d+[.):]\s+.+$/gm)].map(() => "Mostly").join("\n");
      if (host.delay) await new Promise((done) => setTimeout(done, host.delay));
      return say(200, { model: "m", choices: [{ message: { content }, finish_reason: "stop" }], usage: { prompt_tokens: 900, completion_tokens: 9 } });
    }
    return say(404, { error: { message: "no such address" } });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(t, () => new Promise((done) => { server.close(done); server.closeAllConnections(); }));
  host.host = `127.0.0.1:${server.address().port}`;
  host.url = `http://${host.host}/api/v1`;
  return host;
}

const field = (page, name) => page.getByLabel(name, { exact: true });

/** Chooses OpenRouter at the address, and leaves for it. */
async function depart(page, host) {
  await field(page, "Judge").selectOption({ label: "OpenRouter" });
  await field(page, "Base URL").fill(host.url);
  await button(page, "Sign in at OpenRouter").click();
  await page.getByRole("link", { name: "Authorise" }).waitFor();
}

async function arrive(page) {
  await page.getByRole("link", { name: "Authorise" }).click();
  await page.locator("h1:not(#boot h1)").first().waitFor();
  await workersReady(page);
}

/** The page was loaded at an address with the code in it: the browser's own record of that no script can change. */
const ARRIVED = ["addresses asked for"];

const historyOf = async (page) => {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  await session.detach();
  return entries.map(({ url }) => url);
};

const hasCode = (address) => new URL(address).searchParams.has("code");

for (const [name, base] of [["at its root", "/"], ["in a folder", FOLDER]]) {
  test(`a person signs in and comes back to a page ${name}`, async (t) => {
    const host = await openRouter(t);
    const context = await newContext(t);
    const said = listen(context);
    await recordMessages(context);
    const site = await serveDist(t, { base });
    const { page } = await open(t, { page: await context.newPage(), site, hash: "?theme=dark&x=%C3%BC%26#/judge" });
    const set = questions(2);
    await bring(page, set, { one: answers(set) });
    await depart(page, host);
    const { callback_url: back, code_challenge: challenge, code_challenge_method: method, ...more } = host.asked;
    assert.deepEqual([method, more], ["S256", {}]);
    assert.match(challenge, /^[\w-]{43}$/);
    assert.ok(back.startsWith(`${site.url}?`) && !back.includes("#"), back);
    await arrive(page);
    await page.getByText(`A key for ${host.host} is in memory.`).waitFor();

    const address = new URL(page.url());
    assert.equal(address.hash, "#/judge");
    assert.deepEqual(Object.fromEntries(address.searchParams), { theme: "dark", x: "ü&" });
    assert.equal(address.origin + address.pathname, site.url);
    assert.equal(await field(page, "Judge").inputValue(), "OpenRouter");
    assert.equal(await field(page, "Base URL").inputValue(), host.url);
    assert.deepEqual(await page.evaluate(() => ({ ...sessionStorage })), {}, "no secret of the sign-in is left");
    const [exchange, ...others] = host.exchanges;
    assert.deepEqual(others, []);
    assert.equal(exchange.headers.authorization, undefined);
    const { code, code_verifier: verifier } = exchange.body;
    assert.match(verifier, /^[\w-]{43,128}$/);
    for (const secret of [verifier, KEY]) assert.deepEqual(await placesWith(page, secret, said), []);
    assert.deepEqual(await placesWith(page, code, said), ARRIVED);

    await button(page, "Start run").click();
    await runState(page, "done");
    assert.deepEqual(host.calls.map(({ authorization }) => authorization), [`Bearer ${KEY}`, `Bearer ${KEY}`]);
    for (const route of ["#/settings", "#/report"]) await go(page, route);
    assert.deepEqual(await messagesWith(page, KEY), [], "it never crossed to the page");

    const visited = await historyOf(page);
    assert.ok(visited.some((it) => it.includes("/auth?")) && !visited.some(hasCode), visited.join("\n"));
    for (let n = await page.evaluate(() => history.length); 1 < n; n -= 1) {
      await page.goBack().catch(() => {});
      assert.ok(!hasCode(page.url()), page.url());
      if (page.url().includes("/auth?")) break;
    }
  });
}

test("a code from elsewhere is not traded, and leaves the address", async (t) => {
  const context = await newContext(t);
  const asked = requestsOf(context);
  const { page, site } = await open(t, { page: await context.newPage(), hash: "?a=1&code=abc123def#/results" });
  await page.waitForTimeout(300);
  const address = new URL(page.url());
  assert.deepEqual([address.search, address.hash], ["?a=1", "#/results"]);
  assert.ok(asked.every((url) => url.startsWith(site.url)), "nobody else was asked");
  assert.deepEqual(await placesWith(page, "abc123def"), ARRIVED);
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a code of another sign-in is refused by the host, and a code holds once", async (t) => {
  const host = await openRouter(t);
  const { page, site } = await open(t, { hash: "#/judge" });
  allow(page, HTTP_ERRORS);
  await depart(page, host);
  const [mine] = host.codes.keys();
  // Somebody else's, with a fingerprint of their own.
  host.codes.set("code-of-somebody-else", { code_challenge: "x" });
  await page.goto(`${site.url}?code=code-of-somebody-else#/judge`);
  await page.getByRole("alert").filter({ hasText: "Signing in failed" }).waitFor();
  assert.equal(await page.getByText("is in memory").count(), 0);
  // That was the one use of the secret: what comes later finds none.
  await page.goto(`${site.url}?code=${mine}`);
  await page.locator("h1:not(#boot h1)").first().waitFor();
  await workersReady(page);
  await page.waitForTimeout(300);
  assert.equal(host.exchanges.length, 1);
  assert.ok(!hasCode(page.url()));
});

const REFUSALS = {
  "in words of its own": { refuse: () => "Invalid code or code_verifier", words: /the host answered 403: .*Invalid code or code_verifier/ },
  "in words that repeat the code": { refuse: ({ code }) => `The code ${code} has run out`, words: /the host answered 403/ },
  "in words that repeat a key": { refuse: () => `Account of ${KEY} is closed`, words: /Account of \[key\] is closed/ },
};

test("a refused code is told in words, without the code", async (t) => {
  for (const [name, { refuse, words }] of Object.entries(REFUSALS)) {
    await t.test(name, async (t) => {
      const host = await openRouter(t, { refuse });
      const context = await newContext(t, { allow: [HTTP_ERRORS] });
      const said = listen(context);
      const { page } = await open(t, { page: await context.newPage(), hash: "#/judge" });
      await depart(page, host);
      await arrive(page);
      const alert = page.getByRole("alert").filter({ hasText: "Signing in failed" });
      await alert.waitFor();
      assert.match(await alert.innerText(), words);
      assert.match(await alert.innerText(), /Sign in once more/);
      assert.equal(await page.getByText("is in memory").count(), 0);
      assert.equal(await field(page, "Base URL").inputValue(), host.url);
      const [{ body }] = host.exchanges;
      assert.deepEqual(await placesWith(page, body.code_verifier, said), []);
      assert.deepEqual(await placesWith(page, KEY, said), []);
      await t.test("and the code is nowhere", async () => {
        assert.deepEqual(await placesWith(page, body.code, said), ARRIVED);
      });
    });
  }
});

test("an answer without a usable key is told, and none is held", async (t) => {
  const host = await openRouter(t);
  const { page } = await open(t, { hash: "#/judge" });
  for (const [key, words] of [[undefined, /the host’s answer holds no key/], ["sk-or-ü", /cannot be sent in a header/]]) {
    host.key = key;
    await depart(page, host);
    await arrive(page);
    const alert = page.getByRole("alert").filter({ hasText: "Signing in failed" });
    await alert.filter({ hasText: words }).waitFor();
    assert.equal(await page.getByText("is in memory").count(), 0);
  }
});

test("nobody is sent away in the middle of a run, or without an address", async (t) => {
  const host = await openRouter(t);
  const { page, site } = await open(t, { hash: "#/data" });
  const set = questions(12);
  await bring(page, set, { one: answers(set) });
  const alert = page.getByRole("alert");
  await field(page, "Judge").selectOption({ label: "OpenRouter" });
  await field(page, "Base URL").fill("openrouter.ai");
  await button(page, "Sign in at OpenRouter").click();
  await alert.filter({ hasText: "The base URL is no address." }).waitFor();

  host.delay = 100;
  await field(page, "Base URL").fill(host.url);
  await field(page, "Concurrency").fill("1");
  await button(page, "Start run").click();
  await runState(page, "running");
  await button(page, "Sign in at OpenRouter").click();
  await alert.filter({ hasText: "A run is going on" }).waitFor();
  assert.ok(page.url().startsWith(site.url));
  assert.equal(host.asked, undefined);
  await runState(page, "done");
});

test("what was set before is kept from a sign-in: a stored run does not take its place", async (t) => {
  const host = await openRouter(t);
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(1);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: host.url, model: "before" });
  await button(page, "Start run").click();
  await runState(page, "done");
  await depart(page, host);
  await arrive(page);
  await page.getByText(`A key for ${host.host} is in memory.`).waitFor();
  await page.waitForTimeout(300);
  assert.equal(await field(page, "Judge").inputValue(), "OpenRouter");
  assert.equal(await field(page, "Base URL").inputValue(), host.url);
});
