// "What this host can do": what it says, what can be copied from it, and what its choices change in requests.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { newContext, requestsOf } from "./support/browser.mjs";
import { violations } from "./support/axe.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { fill } from "./support/provider.mjs";
import { overflow } from "./support/shots.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, endpoint, go, open, questions, runState, table } from "./support/viva.mjs";

const KEY = "sk-test-0123456789abcdefghij";
const CUSTOM = "OpenAI-compatible endpoint";

const field = (page, name) => page.getByLabel(name, { exact: true });
const abilities = (page) => page.getByTestId("judge-abilities");
const choose = (page, provider) => field(page, "Judge").selectOption({ label: provider });
const unfold = async (page) => {
  await page.locator("summary", { hasText: "What this host can do" }).click();
  await abilities(page).getByRole("table").waitFor();
};

const SYSTEMS = {
  Linux: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  Windows: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  macOS: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
};

test("a server of one's own: commands for this page, those of this system first, copied as they are", async (t) => {
  const site = await serveDist(t);
  const origin = new URL(site.url).origin;
  for (const [system, userAgent] of Object.entries(SYSTEMS)) {
    await t.test(system, async (t) => {
      const context = await newContext(t, { userAgent });
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
      const asked = requestsOf(context);
      const { page } = await open(t, { page: await context.newPage(), site, hash: "#/judge" });
      await choose(page, "Ollama");
      await unfold(page);
      const heads = await abilities(page).getByRole("heading", { name: /^To allow this page on/ }).allInnerTexts();
      assert.equal(heads[0], `To allow this page on ${system}`);
      assert.deepEqual([...heads].sort(), ["Docker", "Linux", "Windows", "macOS"].map((it) => `To allow this page on ${it}`));
      const commands = await abilities(page).locator("pre code").evaluateAll((list) => list.map((it) => it.textContent));
      assert.equal(commands.length, heads.length);
      for (const [n, command] of commands.entries()) {
        assert.ok(command.includes(`OLLAMA_ORIGINS`) && command.includes(origin) && !command.includes("{origin}"), command);
        assert.ok(!command.includes(`${origin}/`), "an origin has no path");
        const copy = abilities(page).getByRole("button", { name: "Copy" }).nth(n);
        await copy.click();
        await abilities(page).getByText("Copied.").nth(n).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
      }
      assert.ok(asked.every((url) => url.startsWith(site.url)), "nobody was asked");
    });
  }
});

test("what a model does not take is named", async (t) => {
  const { page } = await open(t, { hash: "#/judge" });
  await choose(page, "OpenAI");
  await unfold(page);
  assert.doesNotMatch(await abilities(page).innerText(), /Left out/);
  await field(page, "Model").fill("o3");
  await abilities(page).getByText("Left out").waitFor();
  const told = (await abilities(page).innerText()).replace(/\s+/g, " ");
  assert.match(told, /Left out temperature: o3 takes none\./);
  assert.match(told, /A call sends, beside model and prompt: max_completion_tokens=512\./);
  assert.match(told, /Headers: Content-Type, and the key in Authorization\. No others\./);
  const rows = Object.fromEntries(await table(page, "What this host can do"));
  assert.deepEqual([rows.Dialect, rows["Key goes in"], rows["Reply’s limit"], rows["Wants a key"]], ["Chat Completions", "Authorization", "max_completion_tokens", "yes"]);
  assert.equal(await abilities(page).getByRole("combobox").count(), 0, "a known provider's row is not to be corrected");
  // Another provider's table takes its place, without a word of the one before.
  await choose(page, "Anthropic");
  await abilities(page).getByText("x-api-key", { exact: true }).waitFor();
  await field(page, "Model").fill("claude-haiku-4-5");
  await abilities(page).getByText("Left out").waitFor({ state: "detached" });
  assert.doesNotMatch(await abilities(page).innerText(), /o3|max_completion_tokens|Authorization/);
});

// ------------------------------------------------------------------ a host of one's own

/** A host that speaks all dialects, and keeps what it was sent. */
async function anyHost(t) {
  const host = { requests: [], preflights: [] };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const origin = { "access-control-allow-origin": "*" };
    if (request.method === "OPTIONS") {
      const headers = request.headers["access-control-request-headers"] ?? "";
      host.preflights.push(headers.split(",").sort().join());
      response.writeHead(204, { ...origin, "access-control-allow-headers": headers, "access-control-max-age": "0" });
      return response.end();
    }
    const { pathname: path } = new URL(request.url, "http://host");
    const body = JSON.parse(text);
    host.requests.push({ path, body, headers: request.headers });
    // The only item, in the form that is asked for.
    const schema = body.response_format?.json_schema?.schema ?? body.tools?.[0].input_schema ?? body.output_config?.format?.schema ?? body.generationConfig?.responseJsonSchema ?? body.text?.format?.schema;
    const wanted = schema ? fill(schema, ["Mostly"]) : { item_1: "Mostly" };
    const said = host.json ? JSON.stringify(wanted) : "Mostly";
    // Fewer than were sent would be taken for a server that cuts.
    const usage = { prompt_tokens: 900, completion_tokens: 5, input_tokens: 900, output_tokens: 5 };
    const replies = {
      "/v1/chat/completions": { model: "m", usage, choices: [{ message: { role: "assistant", content: said }, finish_reason: "stop" }] },
      "/v1/responses": { model: "m", usage, status: "completed", output: [{ type: "message", content: [{ type: "output_text", text: said }] }] },
      "/v1/messages": body.tools
        ? { model: "m", usage, stop_reason: "tool_use", content: [{ type: "tool_use", name: "labels", input: wanted }] }
        : { model: "m", usage, stop_reason: "end_turn", content: [{ type: "text", text: said }] },
      "/v1/models/test-model:generateContent": { modelVersion: "m", candidates: [{ content: { parts: [{ text: said }] }, finishReason: "STOP" }] },
    };
    response.writeHead(replies[path] ? 200 : 404, { ...origin, "content-type": "application/json" });
    response.end(JSON.stringify(replies[path] ?? { error: { message: `no ${path}` } }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(t, () => new Promise((done) => { server.close(done); server.closeAllConnections(); }));
  host.url = `http://127.0.0.1:${server.address().port}/v1`;
  return host;
}

const HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
const CHAT = "/v1/chat/completions";
/** What a request sends of the things that can be turned. */
const shape = ({ path, body, headers }) => ({
  path,
  keys: Object.fromEntries(HEADERS.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]])),
  fields: Object.keys(body).filter((name) => !["model", "messages"].includes(name)).sort(),
});
const USUAL = { path: CHAT, keys: { authorization: `Bearer ${KEY}` }, fields: ["max_tokens", "temperature"] };
const keyIn = (keys) => ({ ...USUAL, keys });
const withFields = (...fields) => ({ ...USUAL, fields: fields.sort() });

/** Name, what is turned, what else is set, and what a request is then. `more` looks at its body. */
const TURNS = [
  ["as it is", {}, {}, USUAL],
  ["key in x-api-key", { "Key goes in": "x-api-key" }, {}, keyIn({ "x-api-key": KEY })],
  ["key in x-goog-api-key", { "Key goes in": "x-goog-api-key" }, {}, keyIn({ "x-goog-api-key": KEY })],
  ["key in api-key", { "Key goes in": "api-key" }, {}, keyIn({ "api-key": KEY })],
  ["key nowhere", { "Key goes in": "none" }, {}, keyIn({})],
  ["limit", { "Reply’s limit": "max_completion_tokens" }, {}, withFields("max_completion_tokens", "temperature")],
  ["no temperature", { "Takes a temperature": "no" }, {}, withFields("max_tokens")],
  ["seed", { "Takes a seed": "seed" }, { seed: "7" }, withFields("max_tokens", "temperature", "seed"), ({ seed }) => assert.equal(seed, 7)],
  ["seed by another name", { "Takes a seed": "random_seed" }, { seed: "7" }, withFields("max_tokens", "temperature", "random_seed"), (body) => assert.equal(body.random_seed, 7)],
  ["no seed", { "Takes a seed": "none" }, { seed: null }, USUAL],
  ["thinking as reasoning_effort", { "Takes thinking": "reasoning_effort" }, { effort: "low" }, withFields("max_tokens", "temperature", "reasoning_effort"), (body) => assert.equal(body.reasoning_effort, "low")],
  ["thinking as reasoning.effort", { "Takes thinking": "reasoning.effort" }, { effort: "high" }, withFields("max_tokens", "temperature", "reasoning"), (body) => assert.deepEqual(body.reasoning, { effort: "high" })],
  ["thinking as thinking", { "Takes thinking": "thinking" }, { effort: "low" }, withFields("max_tokens", "temperature", "thinking", "reasoning_effort"), (body) => assert.deepEqual(body.thinking, { type: "enabled" })],
  ["no thinking", { "Takes thinking": "none" }, { effort: null }, USUAL],
  ["strict schema", { "JSON replies": "strict schema" }, { json: true }, withFields("max_tokens", "temperature", "response_format"), (body) => assert.equal(body.response_format.json_schema.strict, true)],
  ["schema", { "JSON replies": "schema" }, { json: true }, withFields("max_tokens", "temperature", "response_format"), (body) => assert.ok(body.response_format.json_schema.schema && !("strict" in body.response_format.json_schema))],
  ["JSON without a schema", { "JSON replies": "JSON, no schema" }, { json: true }, withFields("max_tokens", "temperature", "response_format"), (body) => { assert.deepEqual(body.response_format, { type: "json_object" }); assert.match(body.messages[0].content, /must fit this schema/); }],
  ["no schema", { "JSON replies": "none" }, { json: true }, USUAL],
  ["Responses", { Dialect: "Responses" }, {}, { ...USUAL, path: "/v1/responses", fields: ["input", "max_output_tokens", "store", "temperature"] }, (body) => assert.equal(body.store, false)],
  ["Messages with a forced tool", { Dialect: "Messages", "Key goes in": "x-api-key", "JSON replies": "forced tool" }, { json: true }, { path: "/v1/messages", keys: { "x-api-key": KEY }, fields: ["max_tokens", "temperature", "tool_choice", "tools"] }],
  ["generateContent", { Dialect: "generateContent", "Key goes in": "x-goog-api-key" }, {}, { path: "/v1/models/test-model:generateContent", keys: { "x-goog-api-key": KEY }, fields: ["contents", "generationConfig"] }, ({ generationConfig }) => assert.deepEqual(Object.keys(generationConfig).sort(), ["maxOutputTokens", "temperature"])],
];

/** Sets the fields anew, with nothing learned, and turns what is to be turned. */
async function turn(page, host, turns, { seed, effort, json = false }) {
  await choose(page, "Ollama");
  await endpoint(page, { url: host.url, model: "test-model" });
  for (const [name, option] of Object.entries(turns)) {
    await field(page, name).selectOption({ label: option });
    assert.equal(await field(page, name).inputValue(), option);
  }
  await field(page, "Hold the reply to a JSON schema").setChecked(json);
  if (seed) await field(page, "Model’s seed").fill(seed);
  if (effort) await field(page, "Thinking effort").selectOption({ label: effort });
  if (seed === null) assert.equal(await field(page, "Model’s seed").count(), 0, "what is not taken is not asked for");
  if (effort === null) assert.equal(await field(page, "Thinking effort").count(), 0, "what is not taken is not asked for");
}

test("a host of one's own: what is turned changes what is sent, and makes another run", async (t) => {
  const host = await anyHost(t);
  const { page } = await open(t, { hash: "#/data" });
  const set = questions(1, 1);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: host.url, key: KEY });
  await page.getByText("is in memory").waitFor();
  await unfold(page);
  for (const [name, turns, more, expected, look = () => {}] of TURNS) {
    await t.test(name, async () => {
      host.json = more.json ?? false;
      await turn(page, host, turns, more);
      await runState(page, "idle");
      const before = host.requests.length;
      await button(page, "Start run").click();
      await runState(page, "done");
      const [request] = host.requests.slice(before);
      assert.ok(request, "nothing was sent");
      assert.deepEqual(shape(request), expected);
      look(request.body);
      // What the table says and what was sent are one.
      const rows = Object.fromEntries(await table(page, "What this host can do"));
      for (const [knob, option] of Object.entries(turns)) assert.equal(rows[knob], option);
    });
  }
  const asked = new Set(host.preflights);
  assert.deepEqual([...asked].sort(), [
    "anthropic-dangerous-direct-browser-access,anthropic-version,content-type,x-api-key",
    "api-key,content-type",
    "authorization,content-type",
    "content-type",
    "content-type,x-api-key",
    "content-type,x-goog-api-key",
  ]);
  await go(page, "#/settings");
  const runs = await table(page, "Runs");
  assert.equal(runs.length - 1, TURNS.length, "each is a run of its own");
});

test("what is unfolded breaks no rule and fits a phone", async (t) => {
  const { page } = await open(t, { hash: "#/judge" });
  for (const provider of ["Ollama", "OpenAI", CUSTOM]) {
    await choose(page, provider);
    if (!(await abilities(page).isVisible())) await unfold(page);
    if (provider === "OpenAI") await field(page, "Model").fill("o3");
    await abilities(page).getByRole("columnheader", { name: provider }).waitFor();
    if (provider === CUSTOM) {
      // The vault's fields as well: they stand in the same form.
      await field(page, "Keep the key").selectOption({ label: "In a vault" });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.deepEqual(await violations(page), [], provider);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await overflow(page), 0, provider);
    assert.deepEqual(await violations(page), [], `${provider}, narrow`);
  }
});
