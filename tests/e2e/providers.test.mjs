// Every profile of the table is asked by the page itself, at a server that is as strict as that provider: its path,
// exactly its headers, its parameters; its reply is read, and its tokens are counted as it means them. And whatever it
// says when it has no answer is counted as what it is, never as a verdict.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { allow, download, HTTP_ERRORS } from "./support/browser.mjs";
import { hurried, serveWith } from "./support/engine.mjs";
import { ownHeaders, PROFILES, startProfile } from "./support/profiles.mjs";
import { reply } from "./support/provider.mjs";
import { answers, bring, button, calls, go, ledger, open, questions, runState } from "./support/viva.mjs";

/** In the run worker waits pass so many times as fast, for asking again after an overload. */
const HURRY = 40;
const ITEMS = 2;
/** Two fields, so that a run of one question a field asks two, and a run of all has room for every way to fail. */
const QUESTIONS = 14;

const LABELS = ["Mostly", "Barely"];
const good = () => reply.labels(LABELS);

const LABEL = { type: "string", enum: ["Not at all", "Barely", "Moderately", "Mostly", "Completely"] };
const SCHEMA = { type: "object", properties: { item_1: LABEL, item_2: LABEL }, required: ["item_1", "item_2"], additionalProperties: false };
const STRICT = { type: "json_schema", json_schema: { name: "labels", strict: true, schema: SCHEMA } };
const NESTED = { type: "json_schema", json_schema: { name: "labels", schema: SCHEMA } };

/** Ends that many providers share, written by each in its own shape: reply, what its items count as, how it is kept, exchanges. */
const SHARED = {
  cut: [reply.truncated("Mostly\nBar"), "truncated", "length", 2],
  refused: [reply.refusal(), "refused", "refused", 1],
  filtered: [reply.filtered(), "refused", "refused", 1],
  thoughts: [reply.thoughtsOnly(), "truncated", "length", 2],
};

/**
 * A row a profile: the option of "Judge", the path with its query, the headers beside the content's type, what is asked
 * for with the body but for model and prompt, what of it is left out, and the ends. `cases` names what the provider
 * says, what its items count as, how the failure is kept, and the exchanges it takes; `wall` is one that stops the
 * run. `alone` are cases that have a run of their own, since some of them would stop it.
 */
const ROWS = {
  openai: {
    judge: "OpenAI",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "gpt-5-mini", seed: 7, effort: "low", dropped: ["temperature"], body: { max_completion_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "gpt-4.1-mini", seed: 7, effort: "low", schema: true, dropped: ["effort"], body: { temperature: 0, max_completion_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    wrongKey: ["unreachable", 4],
    shared: ["cut", "refused", "filtered", "thoughts"],
    cases: [["no credit", "failed", "no_credit", 1], ["too long", "failed", "too_large", 1], ["overloaded", "failed", "overloaded", 4]],
    alone: [["flagged prompt", "refused", "filtered", 1]],
  },
  openai_responses: {
    judge: "OpenAI (Responses)",
    path: "/v1/responses",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "gpt-5-mini", effort: "high", dropped: ["temperature"], body: { max_output_tokens: 2000, store: false, reasoning: { effort: "high" } } },
      { model: "gpt-4.1-mini", schema: true, body: { temperature: 0, max_output_tokens: 2000, store: false, text: { format: { type: "json_schema", name: "labels", strict: true, schema: SCHEMA } } } },
    ],
    noSeed: true,
    wrongKey: ["unreachable", 4],
    shared: ["cut", "refused", "filtered", "thoughts"],
    cases: [["no credit", "failed", "no_credit", 1], ["failed with 200", "failed", "server_error", 4], ["limited with 200", "failed", "rate_limited", 6], ["overloaded", "failed", "overloaded", 4]],
    alone: [["flagged prompt", "refused", "filtered", 1]],
  },
  anthropic: {
    judge: "Anthropic",
    path: "/v1/messages",
    header: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" }),
    asks: [
      { model: "claude-sonnet-4-5", effort: "low", dropped: ["temperature"], body: { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } } },
      { model: "claude-opus-5", effort: "high", schema: true, dropped: ["temperature"], body: { max_tokens: 2000, thinking: { type: "adaptive" }, output_config: { effort: "high", format: { type: "json_schema", schema: SCHEMA } } } },
      { model: "claude-3-5-haiku-20241022", schema: true, body: { max_tokens: 2000, temperature: 0, tools: [{ name: "labels", input_schema: SCHEMA }], tool_choice: { type: "tool", name: "labels", disable_parallel_tool_use: true } } },
      { model: "claude-sonnet-4-5", schema: true, body: { max_tokens: 2000, temperature: 0, output_config: { format: { type: "json_schema", schema: SCHEMA } } } },
    ],
    noSeed: true,
    shared: ["cut", "refused", "thoughts"],
    cases: [
      ["no credit", "failed", "no_credit", 1], ["spend limit", "failed", "no_credit", 1], ["organisation forbids pages", "failed", "forbidden", 1], ["too long", "failed", "too_large", 1],
      ["schema too complex", "failed", "bad_request", 1], ["overloaded", "failed", "overloaded", 4], ["error with 200", "failed", "overloaded", 4],
    ], // prettier-ignore
    alone: [
      ["output blocked", "refused", "filtered", 1],
      ["usage limit", "failed", "no_credit", 1],
    ],
  },
  gemini: {
    judge: "Google Gemini",
    path: (model) => `/v1beta/models/${model}:generateContent`,
    header: (key) => ({ "x-goog-api-key": key }),
    asks: [
      { model: "gemini-2.5-flash", seed: 7, effort: "low", body: { generationConfig: { temperature: 0, maxOutputTokens: 2000, seed: 7, thinkingConfig: { thinkingBudget: 1024 } } } },
      { model: "gemini-2.5-flash", seed: 8, effort: "off", body: { generationConfig: { temperature: 0, maxOutputTokens: 2000, seed: 8, thinkingConfig: { thinkingBudget: 0 } } } },
      { model: "gemini-3-pro-preview", seed: 7, effort: "low", schema: true, body: { generationConfig: { temperature: 0, maxOutputTokens: 2000, seed: 7, thinkingConfig: { thinkingLevel: "LOW" }, responseMimeType: "application/json", responseJsonSchema: SCHEMA } } },
    ],
    shared: ["cut", "filtered", "thoughts"],
    cases: [
      ["country not served", "failed", "forbidden", 1], ["quota of the minute", "failed", "rate_limited", 6], ["overloaded", "failed", "overloaded", 4], ["prompt blocked", "refused", "refused", 1],
      ["recitation", "refused", "refused", 1], ["all thought, no candidate", "truncated", "length", 2],
    ], // prettier-ignore
    wall: ["quota of the day", "daily_quota"],
  },
  openrouter: {
    judge: "OpenRouter",
    path: "/api/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "openai/gpt-oss-20b", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning: { effort: "low" }, provider: { require_parameters: true } } },
      { model: "mistralai/mistral-small-3.2", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: STRICT, provider: { require_parameters: true } } },
    ],
    shared: ["cut", "refused", "filtered", "thoughts"],
    cases: [
      ["no credit", "failed", "no_credit", 1], ["flagged", "refused", "filtered", 1], ["limited with 200", "failed", "rate_limited", 6], ["failed within a choice", "failed", "server_error", 4],
      ["overloaded", "failed", "overloaded", 4],
    ], // prettier-ignore
    wall: ["quota of the day", "daily_quota"],
  },
  groq: {
    judge: "Groq",
    path: "/openai/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "openai/gpt-oss-20b", seed: 7, effort: "low", body: { temperature: 0, max_completion_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "qwen/qwen3-32b", effort: "off", body: { temperature: 0, max_completion_tokens: 2000, reasoning_effort: "none" } },
      { model: "openai/gpt-oss-20b", schema: true, body: { temperature: 0, max_completion_tokens: 2000, response_format: STRICT } },
    ],
    shared: ["cut", "thoughts"],
    cases: [
      ["limit of the minute", "failed", "rate_limited", 6], ["larger than the minute", "failed", "too_large", 1], ["broke the schema", "failed", "malformed", 2], ["decommissioned", "failed", "not_found", 1],
      ["full house", "failed", "overloaded", 4],
    ], // prettier-ignore
    wall: ["limit of the day", "daily_quota"],
  },
  together: {
    judge: "Together",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "openai/gpt-oss-20b", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning_effort: "low", context_length_exceeded_behavior: "error" } },
      { model: "meta-llama/Llama-3.3-70B-Instruct-Turbo", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: NESTED, context_length_exceeded_behavior: "error" } },
    ],
    shared: ["cut", "thoughts"],
    cases: [["no credit", "failed", "no_credit", 1], ["too long", "failed", "too_large", 1], ["overloaded", "failed", "overloaded", 4]],
  },
  deepseek: {
    judge: "DeepSeek",
    path: "/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "deepseek-chat", effort: "high", dropped: ["temperature"], body: { max_tokens: 2000, thinking: { type: "enabled" }, reasoning_effort: "high" } },
      { model: "deepseek-chat", effort: "off", body: { temperature: 0, max_tokens: 2000, thinking: { type: "disabled" } } },
      { model: "deepseek-chat", schema: true, body: { temperature: 0, max_tokens: 2000, response_format: { type: "json_object" } } },
    ],
    noSeed: true,
    shared: ["cut", "filtered", "thoughts"],
    cases: [["no credit", "failed", "no_credit", 1], ["no resources", "failed", "server_error", 4], ["empty JSON", "failed", "empty_reply", 4], ["overloaded", "failed", "overloaded", 4]],
    alone: [["content risk", "refused", "filtered", 1]],
  },
  mistral: {
    judge: "Mistral",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "magistral-small-latest", seed: 7, body: { temperature: 0, max_tokens: 2000, random_seed: 7 } },
      { model: "mistral-small-latest", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, random_seed: 7, response_format: STRICT } },
    ],
    noEffort: true,
    shared: ["cut"],
    cases: [
      ["no capacity", "failed", "rate_limited", 6], ["refused fields", "failed", "bad_request", 1], ["cut by the model", "truncated", "length", 2], ["failed on the way", "failed", "server_error", 4],
      ["overloaded", "failed", "overloaded", 4],
    ], // prettier-ignore
  },
  xai: {
    judge: "xAI",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "grok-3-mini", seed: 7, effort: "low", body: { temperature: 0, max_completion_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "grok-4.20-0309-reasoning", seed: 7, effort: "low", schema: true, dropped: ["effort"], body: { temperature: 0, max_completion_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    shared: ["cut", "refused", "thoughts"],
    cases: [["short error", "failed", "server_error", 4], ["overloaded", "failed", "overloaded", 4]],
    alone: [
      ["against the guidelines", "refused", "filtered", 1],
      ["no credit", "failed", "no_credit", 1],
      ["no licence", "failed", "no_credit", 1],
    ],
  },
  hugging_face: {
    judge: "Hugging Face",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "openai/gpt-oss-20b:groq", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "Qwen/Qwen3-32B:novita", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    shared: ["cut", "thoughts"],
    cases: [["no credit", "failed", "no_credit", 1], ["gone", "failed", "not_found", 1], ["overloaded", "failed", "overloaded", 4]],
    alone: [["no provider enabled", "failed", "not_found", 1]],
  },
  azure: {
    judge: "Azure OpenAI",
    path: "/openai/v1/chat/completions?api-version=preview",
    header: (key) => ({ "api-key": key }),
    asks: [
      { model: "judge-any", seed: 7, effort: "low", body: { temperature: 0, max_completion_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "judge-gpt-41", seed: 7, schema: true, body: { temperature: 0, max_completion_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    shared: ["cut", "refused", "filtered", "thoughts"],
    cases: [["filtered before", "refused", "filtered", 1], ["limit of the minute", "failed", "rate_limited", 6], ["overloaded", "failed", "overloaded", 4]],
  },
  ollama: {
    judge: "Ollama",
    path: "/v1/chat/completions",
    header: () => ({}),
    asks: [
      { model: "qwen3:8b", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "qwen3:8b", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: NESTED } },
    ],
    shared: ["cut", "thoughts"],
    cases: [["server busy", "failed", "overloaded", 4], ["input cut", "truncated", "input_cut", 1], ["runner died", "failed", "server_error", 4]],
  },
  lm_studio: {
    judge: "LM Studio",
    path: "/v1/chat/completions",
    header: () => ({}),
    asks: [
      { model: "qwen/qwen3-8b", seed: 7, body: { temperature: 0, max_tokens: 2000, seed: 7 } },
      { model: "qwen/qwen3-8b", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    noEffort: true,
    shared: ["cut"],
    cases: [["too long", "failed", "too_large", 1], ["too long, as 500", "failed", "too_large", 1], ["model unloaded", "failed", "server_error", 4]],
  },
  vllm: {
    judge: "vLLM",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "Qwen/Qwen3-8B", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "Qwen/Qwen3-8B", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    wrongKey: ["unreachable", 4],
    shared: ["cut", "thoughts"],
    cases: [["too long", "failed", "too_large", 1], ["flat error", "failed", "bad_request", 1], ["engine died", "failed", "server_error", 4]],
    alone: [["longer than the model", "failed", "too_large", 1]],
  },
  llama_cpp: {
    judge: "llama.cpp",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "local", seed: 7, body: { temperature: 0, max_tokens: 2000, seed: 7 } },
      { model: "local", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: NESTED } },
    ],
    noEffort: true,
    noModel: null,
    shared: ["cut", "thoughts"],
    cases: [["model loading", "failed", "overloaded", 4], ["too long", "failed", "too_large", 1], ["bad grammar", "failed", "bad_request", 1]],
  },
  custom: {
    judge: "OpenAI-compatible endpoint",
    path: "/v1/chat/completions",
    header: (key) => ({ authorization: `Bearer ${key}` }),
    asks: [
      { model: "olmo-2-7b", seed: 7, effort: "low", body: { temperature: 0, max_tokens: 2000, seed: 7, reasoning_effort: "low" } },
      { model: "olmo-2-7b", seed: 7, schema: true, body: { temperature: 0, max_tokens: 2000, seed: 7, response_format: STRICT } },
    ],
    shared: ["cut", "refused", "filtered", "thoughts"],
    cases: [["a web page", "failed", "server_error", 4], ["no choices", "failed", "empty_reply", 4], ["overloaded", "failed", "overloaded", 4]],
  },
};

// -------------------------------------------------------------------- steps

const input = (page, name) => page.getByLabel(name, { exact: true });

/** Sets fields of the Judge page; what a provider does not take has none. */
async function set(page, { model, tokens, seed = "", effort = "", schema = false, perField = "" }) {
  await input(page, "Model").fill(model);
  await input(page, "Temperature").fill("0");
  await input(page, "Reply tokens").fill(String(tokens));
  if (seed !== "") await input(page, "Model’s seed").fill(String(seed));
  else if (await input(page, "Model’s seed").count()) await input(page, "Model’s seed").fill("");
  if (await input(page, "Thinking effort").count()) await input(page, "Thinking effort").selectOption(effort);
  else assert.equal(effort, "", "this provider is not asked to think");
  await input(page, "Hold the reply to a JSON schema").setChecked(schema);
  await input(page, "Queries per field").fill(String(perField));
}

async function key(page, value) {
  await input(page, "API key").fill(value);
  await input(page, "API key").blur();
}

/** Starts what is set, and tells what the server saw of it and what the page says. */
async function run(page, provider, settings, ...states) {
  await set(page, settings);
  await runState(page, "idle");
  const before = provider.attempts;
  await button(page, "Start run").click();
  await runState(page, ...states);
  return told(page, provider, before);
}

async function told(page, provider, before) {
  // A run is stopped at once, and what is in flight takes as long as it takes.
  await page.getByTestId("run-ledger").filter({ hasText: /in flight\s*0\b/ }).waitFor();
  const requests = provider.requests.slice(before);
  const [counts, made] = [await ledger(page), await calls(page)];
  assert.equal(made.attempts, requests.length, "the page counts the requests that the server saw");
  return { requests, counts, made };
}

/** The run as it is written to a file. */
async function runFile(page) {
  await go(page, "#/report");
  const { text } = await download(page, () => button(page, "Run file (JSON)").click());
  await go(page, "#/judge");
  return JSON.parse(text);
}

/** How an exchange ended, in a word. */
const endOf = ({ outcome }) =>
  outcome.failure ? outcome.failure.kind : typeof outcome.reply.finish === "string" ? outcome.reply.finish : Object.keys(outcome.reply.finish)[0];

/** How each call of a run ended, and after how many exchanges. */
const endsOf = (file) => file.replies.map(({ attempts }) => `${endOf(attempts.at(-1))} ×${attempts.length}`).sort();

const sorted = (list) => list.map((it) => JSON.stringify(it, Object.keys(it ?? {}).sort())).sort();

const COUNTS = { scored: 0, unparsed: 0, truncated: 0, refused: 0, failed: 0, "in flight": 0 };

/** Exactly what the page set by itself, and exactly these parameters. */
function asExpected(request, row, ask, { key }) {
  assert.equal(request.path, typeof row.path === "function" ? row.path(ask.model) : row.path);
  assert.deepEqual(ownHeaders(request.headers), { "content-type": "application/json", ...row.header(key) });
  const { model, messages, input, contents, ...parameters } = request.body;
  assert.equal(request.model, ask.model);
  assert.deepEqual(parameters, ask.body);
  assert.match(request.prompt, /^You mark a written answer/, "one text, from the user");
}

// -------------------------------------------------------------------- tests

test("every profile of the table has its row here", () => {
  const table = readFileSync(new URL("../../src/judge/provider/table.rs", import.meta.url), "utf8");
  const names = [...table.matchAll(/^ {8}name: "(.+)",$/gm)].map(([, name]) => name);
  assert.deepEqual(Object.values(ROWS).map((row) => row.judge), names);
  assert.deepEqual(Object.keys(ROWS), Object.keys(PROFILES));
});

/** A request as this provider wants it, but for what `change` makes of it; by hand, so that it can be wrong. */
async function post(provider, name, change = () => {}) {
  const row = ROWS[name];
  const [{ model, body }] = row.asks;
  const prompt = { "/responses": { model, input: "Hello" }, undefined: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] } }[PROFILES[name].path] ?? { model, messages: [{ role: "user", content: "Hello" }] };
  const it = {
    url: new URL(typeof row.path === "function" ? row.path(model) : row.path, provider.url),
    headers: { "content-type": "application/json", origin: "http://page.example", ...row.header(provider.key) },
    body: structuredClone({ ...prompt, ...body }),
  };
  change(it);
  const response = await fetch(it.url, { method: "POST", headers: it.headers, body: JSON.stringify(it.body) });
  return { status: response.status, text: await response.text(), isReadable: response.headers.has("access-control-allow-origin") };
}

const KEYS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

test("each server is as strict as its provider", async (t) => {
  for (const [name, profile] of Object.entries(PROFILES)) {
    const provider = await startProfile(t, name, { script: () => reply.text("Mostly") });
    const status = async (change) => (await post(provider, name, change)).status;
    assert.equal(await status(), 200, name);
    assert.equal(await status(({ headers }) => { headers["x-stainless-lang"] = "js"; }), 400, `${name}: a header more`);
    assert.equal(await status(({ headers }) => { headers["content-type"] = "text/plain"; }), 400, `${name}: another type`);
    assert.equal(await status(({ url }) => { url.pathname += "/more"; }), 404, `${name}: another path`);
    assert.ok((await status(({ url, headers }) => url.searchParams.set("key", headers["x-goog-api-key"] ?? "k"))) >= 400, `${name}: a key in the address`);
    assert.equal(await status(({ body }) => { delete body.messages; delete body.input; delete body.contents; }), 400, `${name}: no prompt`);
    if (provider.key) {
      const own = KEYS.find((it) => it in ROWS[name].header("k"));
      const refused = [400, 401, 403];
      assert.ok(refused.includes(await status(({ headers }) => { delete headers[own]; })), `${name}: no key`);
      assert.ok(refused.includes(await status(({ headers }) => { headers[own] += "x"; })), `${name}: a wrong key`);
      const other = KEYS.find((it) => it !== own);
      assert.ok(refused.includes(await status(({ headers }) => { headers[other] = headers[own]; delete headers[own]; })), `${name}: a key in another's place`);
    }
    if (profile.models) assert.ok([400, 404].includes(await status(({ url, body }) => { body.model = "nope"; url.pathname = url.pathname.replace(/gemini-[^:]+/, "nope"); if (name === "gemini") delete body.model; })), `${name}: no such model`);
    const granted = await fetch(provider.url, { method: "OPTIONS", headers: { origin: "http://page.example", "access-control-request-headers": "x-title" } });
    assert.deepEqual(granted.headers.get("access-control-allow-headers").split(", ").sort(), [...profile.grants].sort());
  }
});

test("each server refuses in its provider's words", async (t) => {
  const cases = [
    ["openai", ({ body }) => { body.max_tokens = 9; }, 400, /'max_tokens' is not supported with this model\. Use 'max_completion_tokens' instead/],
    ["openai", ({ body }) => { body.temperature = 0; }, 400, /'temperature' does not support 0 with this model/],
    ["openai", ({ body }) => { body.top_k = 1; }, 400, /Unrecognized request argument supplied: top_k/],
    ["openai", ({ body }) => { body.response_format = structuredClone(STRICT); delete body.response_format.json_schema.schema.additionalProperties; }, 400, /'additionalProperties' is required/],
    ["openai_responses", ({ body }) => { body.messages = []; }, 400, /has moved to 'input'/],
    ["openai_responses", ({ body }) => { body.max_output_tokens = 15; }, 400, /Expected a value >= 16/],
    ["openai_responses", ({ body }) => { body.text = { format: STRICT }; }, 400, /Missing required parameter: 'text\.format\.name'/],
    ["anthropic", ({ body }) => { delete body.max_tokens; }, 400, /"type":"invalid_request_error","message":"max_tokens: Field required"/],
    ["anthropic", ({ body }) => { body.seed = 7; }, 400, /seed: Extra inputs are not permitted/],
    ["anthropic", ({ body }) => { body.temperature = 0; }, 400, /only be set to 1 when thinking is enabled/],
    ["anthropic", ({ body }) => { body.model = "claude-opus-5"; delete body.thinking; body.temperature = 0; }, 400, /`temperature` is deprecated/],
    ["anthropic", ({ headers }) => { delete headers["anthropic-version"]; }, 400, /anthropic-version: header is required/],
    ["gemini", ({ body }) => { body.messages = []; }, 400, /Unknown name \\"messages\\": Cannot find field/],
    ["gemini", ({ body }) => { body.generationConfig.thinkingConfig = { thinkingLevel: "LOW" }; }, 400, /Thinking level is not supported/],
    ["gemini", ({ headers }) => { headers["x-goog-api-key"] = "no"; }, 400, /API_KEY_INVALID/],
    ["openrouter", ({ body }) => { body.model = "mistralai/mistral-small-3.2"; }, 404, /No endpoints found that can handle the requested parameters/],
    ["groq", ({ body }) => { body.reasoning_effort = "none"; }, 400, /`reasoning_effort` must be one of/],
    ["together", ({ body }) => { body.max_completion_tokens = 9; }, 422, /Input validation error/],
    ["deepseek", ({ body }) => { body.response_format = STRICT; }, 400, /This response_format type is unavailable now/],
    ["deepseek", ({ body }) => { body.response_format = { type: "json_object" }; }, 400, /must contain the word 'json'/],
    ["mistral", ({ body }) => { body.seed = 7; }, 422, /"detail":\[\{"type":"extra_forbidden","loc":\["body","seed"\]/],
    ["xai", ({ body }) => { body.model = "grok-4.20-0309-reasoning"; }, 400, /"error":"Argument not supported on this model: reasoningEffort"/],
    ["xai", ({ headers }) => { headers.authorization = "Bearer xai-none"; }, 400, /"error":"Incorrect API key provided/],
    ["azure", ({ url }) => { url.search = ""; }, 404, /Resource not found/],
  ];
  const servers = new Map();
  for (const [name, change, status, words] of cases) {
    if (!servers.has(name)) servers.set(name, await startProfile(t, name, { script: good }));
    const got = await post(servers.get(name), name, change);
    assert.equal(got.status, status, got.text);
    assert.match(got.text, words);
    assert.ok(got.isReadable);
  }
  const hidden = async (name, change) => {
    const got = await post(servers.get(name), name, change);
    assert.deepEqual([got.status, got.isReadable], [401, false], name);
  };
  await hidden("anthropic", ({ headers }) => { delete headers["anthropic-dangerous-direct-browser-access"]; });
  await hidden("openai", ({ headers }) => { headers.authorization = "Bearer sk-none"; });
});

// Two at a time: much of a run is waiting.
describe("the page asks", { concurrency: 2 }, () => {
  for (const [name, row] of Object.entries(ROWS)) {
    test(`${row.judge}: asked as it wants, read as it means, and its failures are no verdicts`, async (t) => {
      const provider = await startProfile(t, name, { script: good });
      const site = await serveWith(t, hurried(HURRY));
      const { page } = await open(t, { hash: "#/data", site });
      allow(page, HTTP_ERRORS, /CORS policy/);
      const list = questions(QUESTIONS, ITEMS);
      await bring(page, list, { one: answers(list) });
      await page.getByRole("combobox", { name: "Judge", exact: true }).selectOption({ label: row.judge });
      await input(page, "Base URL").fill(provider.url);
      if (provider.key) await key(page, provider.key);
      assert.equal(await input(page, "Model’s seed").count(), row.noSeed ? 0 : 1, "a seed where the provider takes one");
      assert.equal(await input(page, "Thinking effort").count(), row.noEffort ? 0 : 1, "an effort where the provider takes one");

      await t.test("its list of models", async () => {
        await button(page, "List this host’s models").click();
        const models = Object.keys(PROFILES[name].models ?? { "local-model": {} }).length;
        await page.getByText(new RegExp(`^${models} models? to choose from$`)).waitFor();
        assert.deepEqual(provider.listings.map(({ headers }) => ownHeaders(headers)), [row.header(provider.key)]);
      });

      // Lines and schemas: done, each verdict scored, each token kept.
      for (const ask of row.asks) {
        const { requests, counts, made } = await run(page, provider, { ...ask, tokens: 2000, perField: 1 }, "done", "done with failures", "stopped");
        assert.deepEqual(requests.map((request) => request.status), [200, 200], `${ask.model}: ${JSON.stringify(requests[0]?.body)}`);
        for (const request of requests) asExpected(request, row, ask, provider);
        assert.deepEqual(counts, { ...COUNTS, scored: 2 * ITEMS, asked: 2 * ITEMS });
        assert.deepEqual(made, { calls: 2, attempts: 2 });
        const file = await runFile(page);
        assert.equal(file.record.settings.judge.endpoint.provider, name);
        const attempts = file.replies.flatMap((it) => it.attempts);
        assert.deepEqual(sorted(attempts.map((it) => it.usage)), sorted(requests.map((it) => it.means)));
        const labels = ask.schema ? { item_1: "Mostly", item_2: "Barely" } : LABELS.join("\n");
        for (const { outcome, model_asked, dropped = [] } of attempts) {
          assert.equal(model_asked, ask.model);
          assert.deepEqual(dropped.map((it) => it.split(":")[0]), ask.dropped ?? [], "what is left out is told");
          assert.equal(outcome.reply.finish, "stop");
          assert.deepEqual(ask.schema ? JSON.parse(outcome.reply.text) : outcome.reply.text, labels, "thoughts are no part of the reply");
        }
      }

      const plain = { model: row.asks[0].model, perField: 1 };
      if (provider.key) {
        // A key that is not accepted, and one that is.
        const [kind, tries] = row.wrongKey ?? ["key_refused", 1];
        await key(page, `${provider.key}-not`);
        const { counts } = await run(page, provider, { ...plain, tokens: 2001 }, "done with failures");
        assert.deepEqual(counts, { ...COUNTS, failed: 2 * ITEMS, asked: 2 * ITEMS });
        assert.deepEqual(endsOf(await runFile(page)), [`${kind} ×${tries}`, `${kind} ×${tries}`]);
        await key(page, provider.key);
        await button(page, "Retry failed").click();
        await runState(page, "done");
        assert.equal((await ledger(page)).scored, 2 * ITEMS);
      }

      if (row.noModel !== null) {
        await t.test("a model that it does not have", async () => {
          const { counts } = await run(page, provider, { ...plain, model: "nope", tokens: 2002 }, "done with failures");
          assert.deepEqual(counts, { ...COUNTS, failed: 2 * ITEMS, asked: 2 * ITEMS });
          assert.deepEqual(endsOf(await runFile(page)), ["not_found ×1", "not_found ×1"]);
        });
      }

      // Each end in one question, and the rest good.
      const ends = [...row.shared.map((it) => SHARED[it]), ...row.cases.map(([what, ...more]) => [provider.says[what], ...more])];
      assert.ok(ends.every(([it]) => it) && ends.length < QUESTIONS);
      const topic = (request) => Number(/topic (\d+)/.exec(request.prompt)[1]);
      provider.script = (request) => ends[topic(request)]?.[0] ?? good();
      const { requests, counts } = await run(page, provider, { ...plain, perField: "", tokens: 2003 }, "done with failures");
      const wanted = { ...COUNTS, scored: ITEMS * (QUESTIONS - ends.length), asked: ITEMS * QUESTIONS };
      for (const [, state] of ends) wanted[state] += ITEMS;
      const file = await runFile(page);
      const kept = [...ends.map(([, , kind, tries]) => `${kind} ×${tries}`), ...Array.from({ length: QUESTIONS - ends.length }, () => "stop ×1")].sort();
      assert.deepEqual(endsOf(file), kept);
      assert.deepEqual(counts, wanted);
      assert.equal(requests.length, ends.reduce((sum, [, , , tries]) => sum + tries, QUESTIONS - ends.length));

      if (row.wall) {
        const [what, kind] = row.wall;
        provider.script = () => provider.says[what];
        const { requests, counts } = await run(page, provider, { ...plain, perField: "", tokens: 2004 }, "stopped");
        assert.ok(requests.length < QUESTIONS, `${requests.length}: the rest is not asked`);
        assert.equal(counts.scored, 0);
        assert.deepEqual([...new Set(endsOf(await runFile(page)))], [`${kind} ×1`]);
      }

      for (const [at, [what, state, kind, tries]] of (row.alone ?? []).entries()) {
        await t.test(what, async () => {
          provider.script = () => provider.says[what];
          const { counts } = await run(page, provider, { ...plain, tokens: 2005 + at }, "done", "done with failures", "stopped");
          assert.deepEqual(endsOf(await runFile(page)), [`${kind} ×${tries}`, `${kind} ×${tries}`]);
          assert.deepEqual(counts, { ...COUNTS, [state]: 2 * ITEMS, asked: 2 * ITEMS });
        });
      }
      assert.deepEqual(provider.strays, []);
      // The browser asked leave for what the page set, and for nothing else.
      const own = Object.keys({ "content-type": "", ...row.header("") }).sort();
      const asked = provider.preflights.filter((it) => !/\/models(\?|$)/.test(it.path));
      assert.ok(asked.length > 0);
      for (const it of asked) assert.deepEqual([it.asked.sort(), it.granted], [own, true]);
    });
  }
});
