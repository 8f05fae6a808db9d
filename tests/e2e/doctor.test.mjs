// "Try this judge": every sentence that a browser can lead to, each by a real fault on loopback. Which words
// a host may choose and what they mean is tested natively; here it counts that they arrive, that no key does,
// and that a silence is never taken for a refusal.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { createServer as createSecureServer } from "node:https";
import test from "node:test";
import { FLAGS, launch } from "../../scripts/chromium.mjs";
import { allow, HTTP_ERRORS, newPage } from "./support/browser.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { hurried, serveWith, stored } from "./support/engine.mjs";
import { certificate, reply, startProvider } from "./support/provider.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, calls, go, ledger, open, questions, runState } from "./support/viva.mjs";

const KEY = "sk-test-0123456789abcdefghij";
const MODEL = "judge-small";

const good = (request) => reply.labels(request.items.map(() => "Completely"));
/** An error that echoes the key. */
const says = (status, message, more) => reply.error(status, `${message} Key: ${KEY}`, more);

// ------------------------------------------------------------------ the page

const field = (page, name) => page.getByLabel(name, { exact: true });
const diagnosis = (page) => page.getByTestId("judge-diagnosis");

async function setKey(page, key) {
  await field(page, "API key").fill(key);
  await field(page, "API key").blur();
  await page.getByText("is in memory").waitFor();
}

/** Fills in who judges. `key`: null to have none in memory, undefined to leave it. */
async function judge(page, { provider = "OpenAI-compatible endpoint", url, model = MODEL, key, json = false }) {
  await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: provider });
  await field(page, "Base URL").fill(url);
  await field(page, "Model").fill(model);
  if (key) await setKey(page, key);
  if (key === null && (await button(page, "Forget the key").count()) > 0) await button(page, "Forget the key").click();
  await field(page, "Hold the reply to a JSON schema").setChecked(json);
}

/** What stands there once `start` led to a new result. */
async function examined(page, start = () => button(page, "Try this judge").click()) {
  const bold = diagnosis(page).locator("strong");
  // What was found before goes when the next examination begins, and must not be read for its result.
  await bold.evaluateAll((list) => list.forEach((it) => it.setAttribute("data-before", "")));
  await start();
  await diagnosis(page).locator("strong:not([data-before])").waitFor();
  const sentence = await bold.innerText();
  const [first, small] = await diagnosis(page).locator("p").allInnerTexts();
  const text = await diagnosis(page).innerText();
  const seen = await page.content();
  assert.ok(!seen.includes(KEY) && !seen.includes(KEY.slice(3)), "the key is in the page");
  assert.equal(await diagnosis(page).getAttribute("role"), "status", "said to those who do not see it");
  return {
    sentence,
    next: first.slice(sentence.length).trim(),
    words: /The host’s words: “([\s\S]*?)”\./.exec(small)?.[1] ?? "",
    spent: Number(/(\d+) calls?\b/.exec(small)?.[1] ?? (/No call was made/.test(small) ? 0 : NaN)),
    changes: await diagnosis(page).getByRole("listitem").allInnerTexts(),
    text,
  };
}

function check(found, { sentence, next, words, spent = 1 }) {
  assert.match(found.sentence, sentence);
  assert.match(found.next, next);
  if (words === undefined) assert.equal(found.words, "");
  else assert.match(found.words, words);
  assert.equal(found.spent, spent, found.text);
}

/** Of what a page could not read, all that may be said of a key is that nothing is known. */
function checkNoClaim({ sentence, next }) {
  const rest = sentence
    .replace(/nothing is known about the key/i, "")
    .replace(/(is known to|may) hide the answer to a refused key/, "")
    .replace("It may be about the key, the credit, the model or the account.", "");
  assert.doesNotMatch(rest, /key/i);
  assert.doesNotMatch(next, /paste|new one|another key|wrong/i);
}

// ------------------------------------------------- faults that a page can read

/**
 * By finding: what the host answers to calls, and what is made of it. `calls` are counted by the host too.
 * `set` are fields, `models` the host's list.
 */
const FAULTS = {
  Works: { script: good, sentence: /judge-small at 127\.0\.0\.1:\d+ answers with a label\./, next: /^Start the run\.$/ },
  Unreadable: {
    script: () => reply.text("The sky is blue indeed."),
    sentence: /answers, and not with a label/,
    next: /larger model, or hold the reply to a JSON schema/,
    words: /The sky is blue indeed/,
  },
  ReplyCut: {
    script: () => reply.truncated("Let me"),
    sentence: /used all 512 tokens of its reply before a label/,
    next: /Allow more tokens for a reply, or less thinking/,
    calls: 2,
  },
  InputCut: {
    script: () => reply.labels(["Completely"], { usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 } }),
    sentence: /saw only part of what was sent: the server counted 20 input tokens where about \d+ were sent\.$/,
    next: /Raise the server’s context length/,
  },
  ContextTooSmall: {
    script: () => says(400, "This model's maximum context length is 256 tokens.", { code: "context_length_exceeded", param: "messages" }),
    sentence: /too long for judge-small/,
    next: /Raise the server’s context length, or use a model with a longer one/,
    words: /maximum context length is 256 tokens\. Key: \[key\]/,
  },
  TextRefused: {
    script: () => reply.refusal(`I can’t help with ${KEY}.`),
    sentence: /declined a harmless text/,
    next: /choose another model/,
    words: /I can’t help with \[key\]/,
  },
  KeyMissing: {
    set: { key: null },
    script: () => reply.error(401, "Missing bearer authentication"),
    sentence: /wants a key, and none was sent/,
    next: /Enter the key for this host/,
    words: /Missing bearer/,
  },
  KeyRefused: {
    script: () => says(401, "Incorrect API key provided."),
    sentence: /does not accept this key\.$/,
    next: /Paste the key again, or make a new one/,
    words: /\[key\]/,
  },
  BlockedByOrganisation: {
    script: () => says(403, "Your organization has disabled this endpoint."),
    sentence: /organisation behind this key forbids/,
    next: /whoever manages the account/,
    words: /has disabled this endpoint\. Key: \[key\]/,
  },
  Forbidden: {
    script: () => says(403, "Country, region, or territory not supported."),
    sentence: /knows the key and refuses the call/,
    next: /whether your country is served/,
    words: /territory not supported/,
  },
  NoCredit: {
    script: () => says(429, "You exceeded your current quota.", { code: "insufficient_quota" }),
    sentence: /has no credit left/,
    next: /Add credit/,
    words: /exceeded your current quota/,
  },
  QuotaPerMinute: {
    script: () => reply.rateLimited({ retryAfter: 7, expose: true }),
    sentence: /faster than it allows/,
    next: /Wait 7 seconds, then test again/,
    words: /Rate limit reached/,
  },
  QuotaPerDay: {
    script: () => says(429, "Limit of 50 requests per day reached."),
    sentence: /quota of the day at 127\.0\.0\.1:\d+ is used up/,
    next: /tomorrow/,
    words: /50 requests per day/,
  },
  ModelUnknown: {
    set: { model: "judge-smal" },
    script: () => says(404, "The model does not exist.", { code: "model_not_found" }),
    sentence: /has no model called judge-smal\./,
    next: /Did you mean judge-small\?/,
    words: /does not exist/,
    offers: ["judge-small"],
  },
  ModelRetired: {
    models: [{ id: MODEL, shutdown_date: "2024-10-23" }, "judge-small-2"],
    script: () => reply.error(404, "The model was not found."),
    sentence: /retired judge-small on 2024-10-23/,
    next: /in service, such as judge-small-2/,
    words: /not found/,
    offers: ["judge-small-2"],
  },
  ModelNotYours: {
    script: () => says(404, "Your organization must be verified to use this model."),
    sentence: /has judge-small, and not for this account/,
    next: /Ask the provider for access/,
    words: /must be verified/,
  },
  AddressUnknown: {
    set: { path: "/api" },
    script: good,
    sentence: /answers, and has no such address/,
    next: /it often ends in \/v1/,
    words: /Unknown request URL/,
    calls: 0,
  },
  ParametersRefused: {
    script: ({ body }) => reply.unsupported("max_tokens" in body ? "max_tokens" : "max_completion_tokens"),
    sentence: /refuses a parameter, and no other way of sending it was accepted/,
    next: /Lower the reply’s limit, or empty it/,
    words: /max_completion_tokens' is not supported/,
    calls: 2,
  },
  RequestRefused: {
    script: () => says(400, "messages: expected a list"),
    sentence: /refused the request/,
    next: /Its words say why/,
    words: /expected a list/,
  },
  HostBusy: {
    script: () => reply.overloaded({ headers: { "retry-after": "9" }, expose: ["Retry-After"] }),
    sentence: /failed, or is overloaded/,
    next: /Try again in 9 seconds/,
    words: /Overloaded/,
  },
  NotAnApi: {
    script: () => reply.raw(200, `<!doctype html><title>Welcome ${KEY}</title>`, { type: "text/html" }),
    sentence: /is not the API that is expected there/,
    next: /an API’s and not a web page’s/,
    words: /an HTML page titled “Welcome \[key\]/,
  },
  SchemaUnsupported: {
    set: { json: true },
    script: ({ body }) => (body.response_format ? says(400, "This response_format type is unavailable now.") : reply.json({ item_1: "Completely" })),
    sentence: /takes no schema for its replies/,
    next: /Choose label lines, or take over what was learned/,
    changes: [/held to their form by: none/],
    offers: ["Use what was learned"],
    calls: 4,
  },
  WorksChanged: {
    script: ({ body, items }) => ("temperature" in body ? says(400, "`temperature` is deprecated for this model.") : good({ items })),
    sentence: /answers once it is asked another way: temperature is left out/,
    next: /Take over what was learned: it makes another judge/,
    changes: [/temperature is left out/],
    offers: ["Use what was learned"],
    calls: 2,
  },
};

test("what a host says is told, with what to do next, what it cost and no key", async (t) => {
  const models = [];
  const provider = await startProvider(t, { models });
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, HTTP_ERRORS);
  await judge(page, { url: provider.url });
  for (const [name, { set = {}, models: listed = [MODEL, "judge-large"], script, calls: made = 1, changes = [], offers = [], ...expected }] of Object.entries(FAULTS)) {
    await t.test(name, async () => {
      const { path, ...fields } = set;
      models.splice(0, models.length, ...listed);
      provider.script = script;
      await judge(page, { url: path ? provider.url.replace("/v1", path) : provider.url, key: KEY, ...fields });
      const before = provider.attempts;
      const found = await examined(page);
      check(found, { ...expected, spent: path ? 1 : made });
      assert.equal(provider.attempts - before, made, "calls are counted as the host counts them");
      assert.equal(found.changes.length, changes.length);
      changes.forEach((change, n) => assert.match(found.changes[n], change));
      assert.deepEqual(await diagnosis(page).getByRole("button").allInnerTexts(), offers);
      if (name === "Works") assert.match(found.text, /1 call, \d+ tokens in and \d+ out\./);
      for (const { headers } of provider.requests.slice(before)) assert.equal(headers.authorization, fields.key === null ? undefined : `Bearer ${KEY}`);
    });
  }
});

test("a key goes to no other host, and that is told apart from a key that is refused", async (t) => {
  const [own, other] = [await startProvider(t, { script: good }), await startProvider(t, { script: () => reply.error(401, "No key.") })];
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, HTTP_ERRORS);
  await judge(page, { url: own.url, key: KEY });
  // Where every call needs a key, none is made without it.
  await judge(page, { provider: "OpenAI", url: other.url });
  check(await examined(page), { sentence: /The key in memory is another host’s; nothing was sent to 127/, next: /Enter the key for this host/, spent: 0 });
  assert.equal(other.attempts + other.preflights.length, 0);
  // Where it may need one, it is asked without.
  await judge(page, { url: other.url });
  check(await examined(page), { sentence: /wants a key, and the one in memory is another host’s/, next: /Enter the key for this host/, words: /No key/ });
  assert.equal(other.requests[0].headers.authorization, undefined);
  assert.equal(own.attempts, 0);
});

test("hosts of other dialects are understood in their own words", async (t) => {
  const asked = [];
  let body;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(request.method === "OPTIONS" ? 204 : body.status, {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
      "content-type": "application/json",
    });
    response.end(request.method === "OPTIONS" ? undefined : JSON.stringify(body.json));
  });
  const host = await listening(t, server);
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, HTTP_ERRORS);
  body = { status: 400, json: { error: { code: 400, message: `API key not valid: ${KEY}`, status: "INVALID_ARGUMENT" } } };
  await judge(page, { provider: "Google Gemini", url: `http://${host}/v1beta`, key: KEY });
  check(await examined(page), { sentence: /does not accept this key/, next: /Paste the key again/, words: /API key not valid: \[key\]/ });
  assert.ok(asked.includes(`POST /v1beta/models/${MODEL}:generateContent`), asked.join());
  body = { status: 401, json: { type: "error", error: { type: "authentication_error", message: "CORS requests are not allowed for this Organization" } } };
  await judge(page, { provider: "Anthropic", url: `http://${host}/v1` });
  check(await examined(page), { sentence: /organisation behind this key forbids/, next: /administrator can allow calls from pages/, words: /CORS requests are not allowed/ });
  assert.ok(asked.includes("POST /v1/messages"), asked.join());
});

async function listening(t, server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(t, () => new Promise((done) => { server.close(done); server.closeAllConnections(); }));
  return `127.0.0.1:${server.address().port}`;
}

// --------------------------------------------------- what a page cannot read

const NETWORK = [/CORS policy/, /net::ERR_/, HTTP_ERRORS];

/** A port at which nobody listens any more. */
async function closedPort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Silences on loopback: the provider, and what is made of it. */
const SILENCES = {
  "Unreachable: a closed port": {
    sentence: /^Nothing answers at 127\.0\.0\.1:\d+\. Nothing is known about the key\.$/,
    next: /Start the server, and check the port/,
  },
  "Unreachable: a name without an address": {
    url: "https://nobody.invalid/v1",
    sentence: /nobody\.invalid could not be reached, or the browser or an extension stopped the call\. Nothing is known about the key/,
    next: /spelling of the base URL, the connection and any blocker/,
  },
  "CorsRefused: no page is let in": {
    options: { cors: { origin: null } },
    sentence: /lets this page read nothing of it \(CORS\)\. .*nothing is known about the key/,
    next: /owner has to allow http:\/\/127\.0\.0\.1:\d+\. Otherwise choose a provider/,
  },
  "CorsRefused: Ollama is told whom to let in": {
    options: { cors: { origin: null } },
    set: { provider: "Ollama", key: null },
    sentence: /\(CORS\)\. It may hide any refusal in this way\.$/,
    next: /OLLAMA_ORIGINS=http:\/\/127\.0\.0\.1:\d+/,
  },
  "CorsRefused: a wrong key, and errors that no page may read": {
    options: { key: "another", cors: { errors: false } },
    sentence: /\(CORS\)\. .*nothing is known about the key/,
    next: /has to allow/,
    posts: 1,
  },
  "HiddenAnswer: the list can be read and the answer not": {
    options: { script: () => says(402, "Insufficient credits", { cors: false }) },
    sentence: /hid its answer to this call from the page\. It may be about the key, the credit, the model or the account/,
    next: /look at key, credit and model there/,
    posts: 1,
  },
  "HiddenAnswer: vLLM checks the key before it lets pages read": {
    options: { key: "another", cors: { errors: false } },
    set: { provider: "vLLM" },
    sentence: /hid its answer to this call from the page; vLLM may hide the answer to a refused key/,
    next: /look at key, credit and model there/,
    posts: 1,
  },
};

test("a silence is never called a bad key", async (t) => {
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, ...NETWORK, /another machine: \w+ https:\/\/(nobody\.invalid|llm\.example\.org)/);
  for (const [name, { options, url, set = {}, posts = 0, ...expected }] of Object.entries(SILENCES)) {
    await t.test(name, async (t) => {
      const provider = options && (await startProvider(t, options));
      await judge(page, { url: url ?? provider?.url ?? `http://127.0.0.1:${await closedPort()}/v1`, key: KEY, ...set });
      const found = await examined(page);
      check(found, expected);
      checkNoClaim(found);
      assert.equal(provider?.attempts ?? 0, posts);
    });
  }
  await t.test("Offline", async () => {
    await judge(page, { url: "https://llm.example.org/v1", key: KEY });
    await page.context().setOffline(true);
    const found = await examined(page);
    await page.context().setOffline(false);
    check(found, { sentence: /^This device is offline\.$/, next: /Connect it.*Nothing is known about key or host/ });
    checkNoClaim(found);
  });
});

test("too slow: it is asked, and then it is said that nobody answered in time", async (t) => {
  const provider = await startProvider(t, { script: () => reply.hang() });
  // Two minutes of patience in less than two seconds.
  const { page } = await open(t, { hash: "#/judge", site: await serveWith(t, hurried(80)) });
  allow(page, /ERR_ABORTED/);
  await judge(page, { url: provider.url, key: KEY });
  const found = await examined(page, async () => {
    await button(page, "Try this judge").click();
    await diagnosis(page).getByText("Asking…").waitFor();
  });
  check(found, { sentence: /did not answer in time/, next: /may still be loading the model/ });
  checkNoClaim(found);
  assert.match(found.text, /Of 1 call the host told no tokens; it may cost something all the same/);
  assert.ok(provider.requests[0].aborted, "what nobody waits for is given up");
});

// -------------------------------------------------------------- a page by https

const PUBLIC = "https://viva.example.org";

/**
 * The page as it is published: by https, under a name, in the public part of the network. The names are
 * led to loopback by the browser; a header says what the address of a real host would.
 */
async function published(t, hosts = {}, flags = []) {
  const site = await serveDist(t);
  const front = createSecureServer(certificate(), (request, response) => {
    get(new URL(request.url, site.url), (inner) => {
      response.writeHead(inner.statusCode, { ...inner.headers, "content-security-policy": "treat-as-public-address" });
      inner.pipe(response);
    });
  });
  const names = { "viva.example.org": await listening(t, front), ...hosts };
  const rules = Object.entries(names).map(([name, at]) => `MAP ${name} ${at}`);
  const browser = await launch({ args: [...FLAGS, ...flags, `--host-resolver-rules=${rules.join(",")}`] });
  atEnd(t, () => browser.close());
  const page = await newPage(t, { browser, ignoreHTTPSErrors: true, allow: [...NETWORK, /another machine: GET https:\/\/viva\.example\.org/] });
  await open(t, { page, site: { url: `${PUBLIC}/` }, hash: "#/judge" });
  const session = await page.context().newCDPSession(page);
  const { targetInfo: { browserContextId } } = await session.send("Target.getTargetInfo");
  /** What a person answered when the browser asked; "prompt" if nothing. Each version knows names of its own. */
  const permit = async (setting, names = ["loopback-network", "local-network", "local-network-access"]) => {
    const set = (name) => session.send("Browser.setPermission", { permission: { name }, setting, origin: PUBLIC, browserContextId });
    const done = await Promise.allSettled(names.map(set));
    assert.ok(done.some(({ status }) => status === "fulfilled"), "this Chromium knows no permission for the local network: it needs 142 or later");
  };
  return { page, permit };
}

const PUBLISHED = {
  PermissionAsked: {
    permission: "prompt",
    sentence: /has not been told yet whether this page may reach servers on this machine/,
    next: /press “Allow”/,
  },
  PermissionDenied: {
    permission: "denied",
    sentence: /was told not to let this page reach servers on this machine/,
    next: /allow local network access for this site/,
  },
  MixedContent: {
    permission: "denied",
    url: "http://llm.example.org/v1",
    sentence: /came over https, and browsers let it call nothing over plain http such as llm\.example\.org/,
    next: /Use the host’s https address/,
  },
  "HiddenAnswer: OpenAI, as it treats a refused key": {
    permission: "granted",
    provider: "OpenAI",
    url: "https://api.openai.com/v1",
    sentence: /api\.openai\.com is there and hid its answer.*OpenAI is known to hide the answer to a refused key\. It may be about/,
    next: /Sign in at the provider and look at key, credit and model there/,
  },
};

test("a page by https: permission, mixed content, and a provider that hides its errors", async (t) => {
  const provider = await startProvider(t, { script: good });
  // Errors without a word for pages, as real ones come from the layer in front of the API.
  const hiding = createSecureServer(certificate(), (request, response) => {
    const granted = request.method === "OPTIONS";
    response.writeHead(granted ? 204 : 401, granted ? { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization,content-type" } : {});
    response.end();
  });
  const { page, permit } = await published(t, { "api.openai.com": await listening(t, hiding) });
  allow(page, /another machine: \w+ https?:\/\/(llm\.example\.org|api\.openai\.com)/, /Mixed Content/);
  for (const [name, { permission, provider: kind, url = provider.url, ...expected }] of Object.entries(PUBLISHED)) {
    await t.test(name, async () => {
      await permit(permission);
      await judge(page, { provider: kind, url, key: KEY });
      const found = await examined(page);
      check(found, expected);
      checkNoClaim(found);
    });
  }
  assert.equal(provider.attempts + provider.preflights.length, 0, "the browser asked before the server heard anything");
  await permit("granted");
  await judge(page, { url: provider.url, key: KEY });
  check(await examined(page), { sentence: /answers with a label/, next: /Start the run/ });
});

test("a page by https and servers in one's own network", async (t) => {
  const servers = [await startProvider(t, { script: good }), await startProvider(t, { script: good, http2: true })];
  const ports = servers.map(({ url }) => new URL(url).port);
  // Loopback ports that stand for another device's.
  const spaces = ports.map((port) => `127.0.0.1:${port}=local`).join(",");
  const { page, permit } = await published(t, { "llm.local": "127.0.0.1" }, [`--ip-address-space-overrides=${spaces}`]);
  allow(page, /another machine: \w+ https?:\/\/llm\.local/, /Mixed Content/);
  // A permission lifts mixed content for documents and not for workers, and calls come from a worker.
  await t.test("http stays mixed content with a permission", async () => {
    for (const setting of ["granted", "denied", "prompt"]) {
      await permit(setting);
      await judge(page, { url: `http://llm.local:${ports[0]}/v1`, key: KEY });
      const found = await examined(page);
      checkNoClaim(found);
      check(found, { sentence: /came over https, and browsers let it call nothing over plain http/, next: /Put https before the server/ });
    }
  });
  const asked = { url: `https://llm.local:${ports[1]}/v1`, key: KEY };
  await t.test("https works with the permission for it", async () => {
    await permit("granted");
    await judge(page, asked);
    check(await examined(page), { sentence: /answers with a label/, next: /Start the run/ });
  });
  await t.test("the permission for this machine is another one", async () => {
    await permit("denied", ["local-network", "local-network-access"]);
    await judge(page, asked);
    const found = await examined(page);
    checkNoClaim(found);
    check(found, { sentence: /was told not to let this page reach devices in your network/, next: /allow local network access/ });
  });
});

// -------------------------------------------------------------- what follows

test("a run sends what was learned, and counts no call of an examination", async (t) => {
  const strict = ({ body, items }) => {
    for (const name of ["temperature", "max_tokens", "seed"]) if (name in body) return reply.unsupported(name);
    return good({ items });
  };
  const provider = await startProvider(t, { script: strict });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  const set = questions(3, 3);
  await bring(page, set, { one: answers(set, "one") });
  await judge(page, { url: provider.url, key: KEY });
  await field(page, "Model’s seed").fill("7");
  const found = await examined(page);
  check(found, { sentence: /asked another way: temperature is left out; the reply’s limit is sent as max_completion_tokens; seed is left out/, next: /another judge/, spent: 4 });
  assert.deepEqual((await stored(page)).replies, [], "an examination is nobody's judgement");
  await button(page, "Use what was learned").click();
  await page.waitForFunction(() => document.querySelector("[data-testid=judge-diagnosis]").innerText.trim() === "");
  assert.equal(await field(page, "Model’s seed").count(), 0, "a seed that is not taken is not asked for");
  const before = provider.attempts;
  await button(page, "Start run").click();
  await runState(page, "done");
  const run = provider.requests.slice(before).map((request) => request.body);
  assert.equal(run.length, 3);
  for (const body of run) assert.deepEqual(Object.keys(body).sort(), ["max_completion_tokens", "messages", "model"]);
  assert.equal(run[0].max_completion_tokens, 512);
  assert.deepEqual(await calls(page), { calls: 3, attempts: 3 });
  // An examination after a run leaves its numbers alone.
  const counts = await ledger(page);
  check(await examined(page), { sentence: /answers with a label/, next: /Start the run/ });
  assert.deepEqual([await ledger(page), await calls(page)], [counts, { calls: 3, attempts: 3 }]);
  assert.equal((await stored(page)).replies.length, 3);
  // Another address has learned nothing.
  const other = await startProvider(t, { script: good });
  await judge(page, { url: other.url });
  await examined(page);
  assert.equal(other.requests[0].body.temperature, 0);
});

test("without a schema a run goes on with plain JSON, once that was learned", async (t) => {
  const provider = await startProvider(t, {
    script: ({ body, items }) =>
      body.response_format ? reply.unsupported("response_format") : reply.json(Object.fromEntries(items.map((_, n) => [`item_${n + 1}`, "Mostly"]))),
  });
  const { page } = await open(t, { hash: "#/data" });
  allow(page, HTTP_ERRORS);
  const set = questions(2, 3);
  await bring(page, set, { one: answers(set, "one") });
  await judge(page, { url: provider.url, json: true });
  await examined(page);
  await button(page, "Use what was learned").click();
  const before = provider.attempts;
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.ok(provider.requests.slice(before).every((request) => !("response_format" in request.body)));
  assert.deepEqual([provider.attempts - before, (await ledger(page)).scored], [2, 6]);
});

test("a name that is offered fills the field, by keyboard alone", async (t) => {
  const script = (request) => (request.body.model === MODEL ? good(request) : reply.noModel());
  const provider = await startProvider(t, { script, models: [MODEL, "judge-large"] });
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, HTTP_ERRORS);
  await judge(page, { url: provider.url, model: "judge-smal" });
  await field(page, "Hold the reply to a JSON schema").focus();
  const press = async () => {
    await page.keyboard.press("Tab");
    assert.ok(await button(page, "Try this judge").evaluate((it) => it === document.activeElement), "the button comes after the fields");
    await page.keyboard.press("Enter");
  };
  check(await examined(page, press), { sentence: /has no model called judge-smal/, next: /Did you mean judge-small\?/, words: /model_not_found/ });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await field(page, "Model").inputValue(), MODEL);
  check(await examined(page), { sentence: /answers with a label/, next: /Start the run/ });
  await field(page, "Model").fill("");
  assert.ok(await button(page, "Try this judge").isDisabled(), "fields that cannot be used are not tried");
});

test("what is shown is of what was asked, in the words of who said it", async (t) => {
  const provider = await startProvider(t);
  const { page } = await open(t, { hash: "#/judge" });
  allow(page, ...NETWORK);
  const found = async (script, start) => {
    provider.script = script;
    await judge(page, { url: provider.url, key: KEY });
    return examined(page, start);
  };
  await t.test("a browser's error is not the host's words", async () => {
    await judge(page, { url: `http://127.0.0.1:${await closedPort()}/v1` });
    assert.equal((await examined(page)).words, "");
  });
  await t.test("nor is our own count", async () => {
    assert.equal((await found(FAULTS.InputCut.script)).words, "");
  });
  await t.test("words are said once, and end before the next step begins", async () => {
    const { text, sentence } = await found(FAULTS.KeyRefused.script);
    assert.equal(text.split("Incorrect API key provided").length, 2);
    assert.match(sentence, /[.”]$/);
  });
  await t.test("an answer without a choice is not a long thought", async () => {
    assert.doesNotMatch((await found(() => reply.noChoices())).sentence, /used all|thinking/);
  });
  await t.test("an answer that broke off is no other API", async () => {
    check(await found(() => reply.cutBody()), { sentence: /began to come and broke off/, next: /Test again/ });
  });
  await t.test("a second press asks nothing while the first is out", async () => {
    const before = provider.attempts;
    await found(() => reply.labels(["Completely"], { wait: 300 }), () => button(page, "Try this judge").dblclick());
    await page.waitForTimeout(500);
    assert.equal(provider.attempts - before, 1);
  });
  await t.test("a keyboard keeps its place when what was learned is taken", async () => {
    await found(FAULTS.WorksChanged.script);
    await button(page, "Use what was learned").focus();
    await page.keyboard.press("Enter");
    await button(page, "Use what was learned").waitFor({ state: "detached" });
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
  });
  await t.test("what was learned is offered for no other address or provider", async () => {
    // With nothing learned yet for the address, so that there is something to learn.
    const host = await startProvider(t, { script: FAULTS.WorksChanged.script });
    await judge(page, { url: host.url });
    await examined(page);
    const offered = () => button(page, "Use what was learned").count();
    assert.equal(await offered(), 1);
    await field(page, "Base URL").fill(provider.url);
    const elsewhere = await offered();
    await field(page, "Base URL").fill(host.url);
    await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: "Anthropic" });
    assert.deepEqual([elsewhere, await offered()], [0, 0]);
  });
});

test("a server of one's own is asked as much as a run will ask", async (t) => {
  // Sees 2,048 tokens, whatever it is sent, and says nothing of it.
  const script = ({ items, text }) => reply.labels(items.map(() => "Mostly"), { usage: { prompt_tokens: Math.min(2048, Math.ceil(text.length / 4)), completion_tokens: 2 } });
  const provider = await startProvider(t, { script });
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(2, 3);
  await bring(page, set, { one: Object.fromEntries(set.map((it) => [it.id, { answer: "Words of an answer. ".repeat(2000) }])) });
  await judge(page, { provider: "Ollama", url: provider.url });
  check(await examined(page), { sentence: /saw only part of what was sent/, next: /Raise OLLAMA_CONTEXT_LENGTH/, spent: 2 });
});

test("no finding is without a fault", () => {
  const source = readFileSync(new URL("../../src/judge/doctor.rs", import.meta.url), "utf8");
  const all = /const ALL: \[Self; \d+\] = \[([^\]]+)\]/.exec(source)[1].match(/(?<=Self::)\w+/g);
  const reached = [FAULTS, SILENCES, PUBLISHED].flatMap(Object.keys).map((name) => name.split(":")[0]);
  // These have a test of their own.
  assert.deepEqual([...new Set([...reached, "BrokenOff", "KeyElsewhere", "Offline", "TooSlow"])].sort(), all.sort());
});
