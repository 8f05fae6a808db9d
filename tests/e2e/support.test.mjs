// The tests' own tools, by real requests: a double that misbehaves otherwise than it says proves nothing.

import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { allow, download, HTTP_ERRORS, newPage, openProfile, problems, profile, requestsOf } from "./support/browser.mjs";
import { fill, inTurn, reply, startProvider } from "./support/provider.mjs";
import { serveDist } from "./support/static.mjs";
import { serve } from "../../scripts/serve.mjs";

const PROMPT = "Judge each point.\n1. Names the trial\n2. Gives the interval\n3. Says what follows";
const body = (more = {}) => ({ model: "judge-small", messages: [{ role: "system", content: "You judge." }, { role: "user", content: PROMPT }], ...more });

async function ask(provider, { headers = {}, signal, ...more } = {}) {
  const response = await fetch(`${provider.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test", origin: "http://page.example", ...headers },
    body: JSON.stringify(body(more)),
    signal,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}
const content = (answer) => answer.json().choices[0].message.content;

// ----------------------------------------------------------------- provider

test("a provider answers in lines, or by the schema that it is given", async (t) => {
  const labels = ["Completely", "Not at all", "Mostly"];
  const provider = await startProvider(t, { script: () => reply.labels(labels) });
  assert.equal(content(await ask(provider)), labels.join("\n"));
  const schema = {
    type: "object",
    properties: { verdicts: { type: "array", items: { type: "object", properties: { item: { type: "integer" }, label: { enum: labels } } } } },
  };
  const answer = await ask(provider, { response_format: { type: "json_schema", json_schema: { name: "v", strict: true, schema } } });
  assert.deepEqual(JSON.parse(content(answer)), { verdicts: labels.map((label, at) => ({ item: at + 1, label })) });
  assert.ok(answer.json().usage.prompt_tokens > 0);
  assert.equal(provider.attempts, 2);
  assert.deepEqual(provider.requests[0].items, ["Names the trial", "Gives the interval", "Says what follows"]);
  assert.equal(provider.requests[0].headers.authorization, "Bearer sk-test");
});

test("a schema of named properties is filled too", () => {
  const label = { $ref: "#/$defs/label" };
  const schema = { type: "object", properties: { "1": label, "2": label, note: { type: ["string", "null"] } }, $defs: { label: { enum: ["yes", "no"] } } };
  assert.deepEqual(fill(schema, ["no", "maybe"]), { "1": "no", "2": "maybe", note: "" });
});

test("each failure comes as its provider sends it", async (t) => {
  const cases = [
    [reply.rateLimited({ retryAfter: 7 }), 429, (a) => a.headers.get("retry-after") === "7" && a.headers.get("access-control-expose-headers") === "X-Request-ID"],
    [reply.rateLimited({ expose: true }), 429, (a) => /Retry-After/.test(a.headers.get("access-control-expose-headers"))],
    [reply.outOfQuota(), 429, (a) => a.json().error.code === "insufficient_quota"],
    [reply.badRequest(), 400, (a) => a.json().error.type === "invalid_request_error"],
    [reply.unsupported("seed"), 400, (a) => a.json().error.param === "seed"],
    [reply.tooLong(), 400, (a) => a.json().error.code === "context_length_exceeded"],
    [reply.unauthorized(), 401, (a) => a.headers.get("access-control-allow-origin") === "http://page.example"],
    [reply.unauthorized({ cors: false }), 401, (a) => a.headers.get("access-control-allow-origin") === null],
    [reply.paymentRequired(), 402, (a) => a.json().error.code === 402],
    [reply.forbidden(), 403, (a) => /not supported/.test(a.text)],
    [reply.noModel(), 404, (a) => a.json().error.code === "model_not_found"],
    [reply.tooLarge(), 413, (a) => a.text.startsWith("<html>") && a.headers.get("access-control-allow-origin") === null],
    [reply.serverError(), 500, (a) => a.json().error.type === "server_error"],
    [reply.badGateway(), 502, (a) => a.headers.get("content-type") === "text/html" && a.text.includes("Bad Gateway")],
    [reply.unavailable(), 503, (a) => a.json().error.message.length > 0],
    [reply.overloaded(), 529, (a) => a.json().error.type === "overloaded_error"],
    [reply.truncated("Comp"), 200, (a) => a.json().choices[0].finish_reason === "length"],
    [reply.empty(), 200, (a) => content(a) === ""],
    [reply.refusal("No."), 200, (a) => content(a) === null && a.json().choices[0].message.refusal === "No."],
    [reply.filtered(), 200, (a) => a.json().choices[0].finish_reason === "content_filter"],
    [reply.parts("Mostly"), 200, (a) => content(a)[1].text === "Mostly"],
    [reply.thoughtsOnly(), 200, (a) => a.json().choices[0].message.reasoning_content.length > 0],
    [reply.quoting(["Mostly"]), 200, (a) => content(a) === `${PROMPT}\n\nMostly`],
    [reply.labels(["Mostly"], { usage: null }), 200, (a) => a.json().usage === undefined],
    [reply.labels(["Mostly"], { model: "other" }), 200, (a) => a.json().model === "other"],
    [reply.drip("Mostly", { every: 5 }), 200, (a) => content(a) === "Mostly"],
    [reply.noChoices(), 200, (a) => a.json().choices.length === 0],
    [reply.noChoices(null), 200, (a) => a.json().choices === null],
    [reply.errorIn200(402), 200, (a) => a.json().error.code === 402],
    [reply.errorInChoice(), 200, (a) => a.json().choices[0].finish_reason === "error"],
    [reply.raw(200, "not json"), 200, (a) => a.text === "not json"],
  ];
  const provider = await startProvider(t, { script: inTurn(...cases.map(([answer]) => answer)) });
  for (const [at, [, status, holds]] of cases.entries()) {
    const answer = await ask(provider);
    assert.equal(answer.status, status, `case ${at}`);
    assert.ok(holds(answer), `case ${at}: ${answer.text}`);
  }
  assert.equal(provider.attempts, cases.length);
});

test("broken connections break, and are counted", async (t) => {
  const provider = await startProvider(t, { script: inTurn(reply.reset(), reply.cutBody(), reply.cutJson(), reply.hang()) });
  await assert.rejects(ask(provider));
  await assert.rejects(ask(provider));
  const cut = await ask(provider);
  assert.equal(cut.status, 200);
  assert.throws(() => cut.json());
  await assert.rejects(ask(provider, { signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
  for (let tries = 0; provider.inFlight > 0 && tries < 100; tries += 1) await new Promise((done) => setTimeout(done, 10));
  assert.equal(provider.inFlight, 0);
  assert.deepEqual(provider.requests.map((request) => request.aborted), [true, true, false, true]);
});

test("delays, concurrency and keys are told apart", async (t) => {
  const provider = await startProvider(t, { key: "sk-right", delay: 50 });
  const statuses = await Promise.all(["sk-right", "sk-wrong", "sk-right"].map(async (key) => (await ask(provider, { headers: { authorization: `Bearer ${key}` } })).status));
  assert.deepEqual(statuses, [200, 401, 200]);
  assert.equal(provider.peak, 3);
  assert.ok(provider.requests.every((request) => request.ended - request.at >= 45));
  assert.equal((await fetch(`${provider.url}/models`)).status, 401);
  const listed = await (await fetch(`${provider.url}/models`, { headers: { authorization: "Bearer sk-right" } })).json();
  assert.deepEqual(listed.data.map((model) => model.id), ["judge-small", "judge-large"]);
  assert.equal((await fetch(`${provider.url}/nowhere`)).status, 404);
  assert.equal(provider.listings.length, 2);
});

/** A page on a server of its own, so that every call to the provider crosses origins. */
async function blank(t, options) {
  const folder = await mkdtemp(join(tmpdir(), "viva-blank-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Blank</title><link rel=icon href='data:,'><h1>Blank</h1>");
  await writeFile(join(folder, "worker.js"), "onmessage = ({ data }) => fetch(data).then((r) => postMessage(r.status), (e) => postMessage(String(e)))");
  const site = await serve({ root: folder });
  const page = await newPage(t, options);
  t.after(() => site.close().then(() => rm(folder, { recursive: true })));
  await page.goto(site.url);
  return page;
}
const fromPage = (page, url, headers = {}) =>
  page.evaluate(
    async ([address, sent, text]) => {
      try {
        const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json", ...sent }, body: text });
        return { status: response.status, retryAfter: response.headers.get("retry-after"), id: response.headers.get("x-request-id"), text: await response.text() };
      } catch (error) {
        return { failed: String(error) };
      }
    },
    [`${url}/chat/completions`, headers, JSON.stringify(body())],
  );

test("a page meets the CORS of real providers", async (t) => {
  const page = await blank(t, { allow: [HTTP_ERRORS, /blocked by CORS policy/] });
  const script = inTurn(reply.labels(["Mostly"]), reply.rateLimited(), reply.unauthorized({ cors: false }), reply.rateLimited({ retryAfter: 3, expose: true }));
  const provider = await startProvider(t, { script });
  const good = await fromPage(page, provider.url, { authorization: "Bearer k" });
  assert.equal(good.status, 200);
  assert.equal(good.id, "req_1", "the request id is exposed");
  const limited = await fromPage(page, provider.url);
  assert.deepEqual([limited.status, limited.retryAfter], [429, null], "Retry-After is hidden");
  assert.match((await fromPage(page, provider.url)).failed, /Failed to fetch/);
  assert.equal((await fromPage(page, provider.url)).retryAfter, "3");
  const before = provider.attempts;
  assert.match((await fromPage(page, provider.url, { "x-title": "Viva" })).failed, /Failed to fetch/);
  assert.equal(provider.attempts, before, "a refused preflight is no attempt");
  assert.deepEqual(provider.preflights.at(-1).asked, ["content-type", "x-title"]);
  assert.equal(provider.preflights.at(-1).granted, false);

  const any = await startProvider(t, { cors: { origin: "*" } });
  assert.equal((await fromPage(page, any.url)).status, 200);
  for (const [keepAlive, attempts] of [[true, 2], [false, 1]]) {
    const dropping = await startProvider(t, { script: reply.reset, keepAlive });
    assert.match((await fromPage(page, dropping.url)).failed, /Failed to fetch/);
    assert.equal(dropping.attempts, attempts, "Chromium repeats what a used connection lost");
  }
  const none = await startProvider(t, { cors: { origin: null } });
  assert.match((await fromPage(page, none.url)).failed, /Failed to fetch/);
});

test("over HTTP/2 more than six calls are open at a time", async (t) => {
  const page = await blank(t, { ignoreHTTPSErrors: true });
  const provider = await startProvider(t, { http2: true, delay: 200 });
  const calls = await Promise.all(Array.from({ length: 20 }, () => fromPage(page, provider.url)));
  assert.ok(calls.every((call) => call.status === 200), JSON.stringify(calls[0]));
  assert.ok(provider.peak > 6, `peak ${provider.peak}`);
  const inWorker = await page.evaluate((url) => {
    const worker = new Worker("worker.js");
    worker.postMessage(url);
    return new Promise((done) => (worker.onmessage = ({ data }) => done(data)));
  }, `${provider.url}/models`);
  assert.equal(inWorker, 200, "workers accept the certificate too");
});

// ------------------------------------------------------------------- static

test("the static host gives types, caching and 404s as a plain one does", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "viva-static-"));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "site/data"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "secret");
  const files = {
    "index.html": ["text/html; charset=utf-8", "no-cache"],
    "worker.js": ["text/javascript; charset=utf-8", "no-cache"],
    "worker_bg.wasm": ["application/wasm", "no-cache"],
    "app-0123456789abcdef.js": ["text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
    "app-0123456789abcdef_bg.wasm": ["application/wasm", "public, max-age=31536000, immutable"],
    "data/q.jsonl": ["application/x-ndjson; charset=utf-8", "no-cache"],
  };
  for (const name of Object.keys(files)) await writeFile(join(folder, "site", name), name);
  const site = await serveDist(t, { root: join(folder, "site"), base: "/sub/path/", intercept: (path) => (path.endsWith("/gone.js") ? { status: 410 } : undefined) });
  for (const [name, [type, cache]] of Object.entries(files)) {
    const response = await fetch(site.url + name);
    assert.deepEqual([response.status, response.headers.get("content-type"), response.headers.get("cache-control")], [200, type, cache], name);
    assert.equal(await response.text(), name);
  }
  assert.equal(await (await fetch(site.url)).text(), "index.html");
  const moved = await fetch(site.url.slice(0, -1), { redirect: "manual" });
  assert.deepEqual([moved.status, moved.headers.get("location")], [308, "/sub/path/"]);
  const root = new URL(site.url).origin;
  for (const path of ["/", "/index.html", "/sub/path/nothing", "/sub/path/data/", "/sub/path/%2e%2e/secret.txt", "/sub/path/..%2fsecret.txt"]) {
    assert.equal((await fetch(root + path)).status, 404, path);
  }
  assert.equal((await fetch(`${site.url}gone.js`)).status, 410);
  assert.equal((await fetch(site.url, { method: "POST" })).status, 405);
  assert.equal((await fetch(site.url, { method: "HEAD" })).headers.get("content-length"), "10");
  // fetch tidies an address before it sends it; a socket does not.
  const raw = await new Promise((done) => {
    let text = "";
    const socket = connect(Number(new URL(root).port), "127.0.0.1", () => socket.write("GET /sub/path/../../secret.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    socket.on("data", (bytes) => (text += bytes));
    socket.on("close", () => done(text));
  });
  assert.match(raw, /^HTTP\/1.1 404/);

  const taken = await serve({ root: folder });
  const next = await serve({ root: folder, port: Number(new URL(taken.url).port), tries: 20 });
  assert.notEqual(next.url, taken.url);
  await Promise.all([taken.close(), next.close()]);
});

// ------------------------------------------------------------------ browser

test("a page's problems are seen, those of its workers too", async (t) => {
  const page = await blank(t);
  const asked = requestsOf(page);
  await page.evaluate(() => console.error("one"));
  await page.evaluate(() => void setTimeout(() => { throw new Error("two"); }));
  await page.evaluate(() => void Promise.reject(new Error("three")));
  await page.evaluate(() => void fetch("https://example.invalid/").catch(() => {}));
  const elsewhere = await startProvider(t);
  await page.evaluate((url) => {
    const worker = new Worker("worker.js");
    worker.postMessage(url);
    return new Promise((done) => (worker.onmessage = done));
  }, `${elsewhere.url}/models`);
  await page.evaluate(() => {
    const source = "console.error('four'); setTimeout(() => { throw new Error('five') }); fetch('https://example.invalid/worker').catch(() => {})";
    new Worker(URL.createObjectURL(new Blob([source])));
  });
  const wanted = [/console error: one/, /uncaught: Error: two/, /uncaught: Error: three/, /another machine: GET https:\/\/example\.invalid/, /four/, /five/];
  for (let tries = 0; tries < 100 && !wanted.every((pattern) => problems(page).some((text) => pattern.test(text))); tries += 1) await page.waitForTimeout(20);
  for (const pattern of wanted) assert.ok(problems(page).some((text) => pattern.test(text)), `${pattern} in ${problems(page).join(" | ")}`);
  assert.ok(asked.includes(`${elsewhere.url}/models`), "requests of workers are seen");
  allow(page, /./);
  assert.deepEqual(problems(page), []);
});

test("a problem that nobody allowed fails its test", async () => {
  // A stand-in for node:test's context, whose end is called by hand.
  const ends = [];
  const stand = { after: (action) => ends.push(action) };
  const page = await newPage(stand);
  await page.evaluate(() => console.error("unexpected"));
  await assert.rejects(ends[0](), /1 problem/);
});

test("downloads are read, and a profile outlives its browser", async (t) => {
  const site = await startProvider(t); // any origin with storage
  const folder = await profile(t);
  const options = { allow: [HTTP_ERRORS] };
  const first = await openProfile(t, folder, options);
  const page = await first.newPage();
  await page.goto(`${site.url}/models`);
  await page.evaluate(() => localStorage.setItem("kept", "yes"));
  const file = await download(page, () =>
    page.evaluate(() => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(["a,b\n1,2\n"]));
      link.download = "table.csv";
      link.click();
    }),
  );
  assert.deepEqual([file.name, file.text], ["table.csv", "a,b\n1,2\n"]);
  await first.close();
  const second = await openProfile(t, folder, options);
  const again = await second.newPage();
  await again.goto(`${site.url}/models`);
  assert.equal(await again.evaluate(() => localStorage.getItem("kept")), "yes");
});
