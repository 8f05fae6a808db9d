// Each provider of the table on loopback, as strict as the real one: its own path, exactly its headers, its key,
// its rules for what may stand in a body, its words when it refuses, its shape of a reply and its way to count.
//
//   const provider = await startProfile(t, "anthropic");
//   … the page asks at provider.url with provider.key …
//   assert.deepEqual(provider.requests[0].means, { input: 945, output: 37, cached: 64, reasoning: 32 });
//
// Scripts give the replies of `provider.mjs`, which are written here in the provider's own shape: a cut reply ends
// with `max_tokens` at one and with `MAX_TOKENS` at another. What each says when it cannot answer is in
// `profile.says`. The facts are those of `docs/providers.md`; what a provider ignores is ignored here too.

import { CHAT, reply, startProvider, textOf } from "./provider.mjs";

/** What Chromium adds to a request by itself. Anything beyond these is the page's doing. */
export const BROWSERS_OWN = [
  "accept", "accept-encoding", "accept-language", "connection", "content-length", "host", "origin", "user-agent",
  "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
]; // prettier-ignore

/** The request headers that the page set: all but the browser's own. */
export const ownHeaders = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !BROWSERS_OWN.includes(name)));

// ------------------------------------------------------------------- errors

const raw = (status, json, more = {}) => ({ kind: "raw", status, json, ...more });
const { error } = reply;

/** As OpenAI words them, and most of its kin. */
const openai = {
  noKey: () => error(401, "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.", { code: null }),
  wrongKey: (key) => error(401, `Incorrect API key provided: ${key.slice(0, 3)}***${key.slice(-3)}. You can find your API key at https://platform.openai.com/account/api-keys.`, { code: "invalid_api_key" }),
  noModel: (model) => error(404, `The model \`${model}\` does not exist or you do not have access to it.`, { code: "model_not_found" }),
  unknown: (field) => error(400, `Unrecognized request argument supplied: ${field}`),
  bad: (message, param = null, code = null) => error(400, message, { param, code }),
};

const anthropicError = (status, type, message, more) => raw(status, { type: "error", error: { type, message }, request_id: "req_011CS" }, more);

const anthropic = {
  noKey: () => anthropicError(401, "authentication_error", "x-api-key header is required"),
  wrongKey: () => anthropicError(401, "authentication_error", "invalid x-api-key"),
  noModel: (model) => anthropicError(404, "not_found_error", `model: ${model}`),
  unknown: (field) => anthropicError(400, "invalid_request_error", `${field}: Extra inputs are not permitted`),
  bad: (message) => anthropicError(400, "invalid_request_error", message),
};

const googleError = (code, status, message, details) => raw(code, { error: { code, message, status, ...(details ? { details } : {}) } });

const google = {
  noKey: () => googleError(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."),
  // Not a 401.
  wrongKey: () =>
    googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com", metadata: { service: "generativelanguage.googleapis.com" } },
    ]),
  noModel: (model) => googleError(404, "NOT_FOUND", `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`),
  unknown: (field) => google.bad(`Invalid JSON payload received. Unknown name "${field}": Cannot find field.`, field),
  bad: (message, field) => googleError(400, "INVALID_ARGUMENT", message, field ? [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field, description: message }] }] : undefined),
};

/** Numbers for codes, and no types. */
const routerError = (code, message, metadata) => raw(code, { error: { message, code, ...(metadata ? { metadata } : {}) }, user_id: "user_2x7D" });

const quota = (id, seconds) =>
  googleError(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: id }] },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` },
  ]);

/** Filtered before the model saw it. */
const openaiFilter = () => openai.bad("Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting", null, "invalid_prompt");

const azureFilter = () =>
  raw(400, {
    error: {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      type: null, param: "prompt", code: "content_filter", status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: { violence: { filtered: true, severity: "medium" } } },
    },
  }); // prettier-ignore

// -------------------------------------------------------------------- rules

const isWhole = (value, least = 0, most = Number.MAX_SAFE_INTEGER) => Number.isInteger(value) && least <= value && value <= most;

/** What is wrong with a schema by the strictest rules that the providers share, or null. */
export function schemaFault(schema, path = "schema") {
  if (schema?.type === "object") {
    const names = Object.keys(schema.properties ?? {});
    if (schema.additionalProperties !== false) return `In context=(${path}), 'additionalProperties' is required to be supplied and to be false.`;
    if (names.some((name) => !schema.required?.includes(name))) return `In context=(${path}), 'required' is required to be supplied and to be an array including every key in properties.`;
    return names.map((name) => schemaFault(schema.properties[name], `${path}.${name}`)).find(Boolean) ?? null;
  }
  const known = ["type", "enum", "description", "title", "anyOf", "items", "properties", "required", "additionalProperties"];
  const odd = Object.keys(schema ?? {}).find((name) => !known.includes(name));
  return !schema || !schema.type ? `In context=(${path}), schema must have a 'type' key.` : odd ? `In context=(${path}), '${odd}' is not permitted.` : null;
}

/** What a body of Chat Completions needs everywhere: a text from the user, and sound numbers. */
function chatFault(body, { mostTemperature = 2 } = {}) {
  const message = body.messages;
  if (!Array.isArray(message) || message.length === 0) return ["Missing required parameter: 'messages'.", "messages"];
  if (message.some((it) => !["system", "developer", "user", "assistant"].includes(it.role) || !textOf(it.content))) return ["Invalid value for 'messages'.", "messages"];
  const { temperature, seed } = body;
  if (temperature !== undefined && !(typeof temperature === "number" && 0 <= temperature && temperature <= mostTemperature)) return ["Invalid value for 'temperature'.", "temperature"];
  for (const name of ["max_tokens", "max_completion_tokens"]) if (body[name] !== undefined && !isWhole(body[name], 1)) return [`Invalid value for '${name}'.`, name];
  if (seed !== undefined && !isWhole(seed)) return ["Invalid value for 'seed'.", "seed"];
  return formatFault(body.response_format);
}

/** The nested form of Chat Completions. */
function formatFault(format) {
  if (format === undefined || format.type === "json_object" || format.type === "text") return null;
  if (format.type !== "json_schema") return [`Invalid value: '${format.type}'. Supported values are: 'json_object', 'json_schema', and 'text'.`, "response_format.type"];
  const { name, strict, schema } = format.json_schema ?? {};
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name ?? "")) return ["Missing required parameter: 'response_format.json_schema.name'.", "response_format.json_schema.name"];
  if (!schema) return ["Missing required parameter: 'response_format.json_schema.schema'.", "response_format.json_schema.schema"];
  const fault = strict ? schemaFault(schema) : null;
  return fault && [`Invalid schema for response_format '${name}': ${fault}`, "response_format"];
}

/** OpenAI's own, at Azure too. `thinks` and `efforts` are the model's. */
function openaiFault(body, { thinks, efforts = [] }) {
  if (thinks && body.max_tokens !== undefined)
    return ["Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter"];
  if (thinks && body.temperature !== undefined && body.temperature !== 1)
    return [`Unsupported value: 'temperature' does not support ${body.temperature} with this model. Only the default (1) value is supported.`, "temperature", "unsupported_value"];
  const effort = body.reasoning_effort;
  if (effort !== undefined && efforts.length === 0) return ["Unrecognized request argument supplied: reasoning_effort"];
  if (effort !== undefined && !efforts.includes(effort))
    return [`Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${efforts.map((it) => `'${it}'`).join(", ")}.`, "reasoning_effort", "unsupported_value"];
  return chatFault(body);
}

// ------------------------------------------------------------------ replies

/** Labels that would count if thoughts were read as the reply. */
const THOUGHTS = "Not at all\nNot at all";

/**
 * The tokens of the n-th request, other ones each time, so that no two records can be mistaken for each other.
 * The input is more than a prompt of these tests has: a provider that counts less is taken to have cut it.
 */
const spent = (n, thinks) => ({ fresh: 900 + n, cached: 64 + n, written: 16 + n, said: 4 + n, thought: thinks ? 30 + n : 0 });

/** What those mean. The parts are there where the provider tells them. */
const meaning = ({ fresh, cached, written, said, thought }, { tells = [], writesCache = false }) => ({
  input: fresh + cached + (writesCache ? written : 0),
  output: said + thought,
  ...(tells.includes("cached") ? { cached } : {}),
  ...(tells.includes("reasoning") ? { reasoning: thought } : {}),
});

/** Chat Completions: parts within the whole. */
const chatUsage = ({ fresh, cached, said, thought }) => ({ prompt_tokens: fresh + cached, completion_tokens: said + thought, total_tokens: fresh + cached + said + thought });
const withCached = (spent) => ({ ...chatUsage(spent), prompt_tokens_details: { cached_tokens: spent.cached } });
const withBoth = (spent) => ({ ...withCached(spent), completion_tokens_details: { reasoning_tokens: spent.thought } });

/** Where thoughts stand beside the text. */
const thoughtsIn = (name) => (message, thoughts) => ({ ...message, [name]: thoughts });
const THINKING_PARTS = (message, thoughts) => ({ ...message, content: [{ type: "thinking", thinking: [{ type: "text", text: thoughts }] }, { type: "text", text: message.content }] });

const writesChat = (profile) => (answer, seen) => {
  const { reasoning_content: own, ...message } = answer.message;
  const thoughts = own ?? (seen.thinks ? THOUGHTS : undefined);
  const whole = { role: "assistant", ...profile.message, ...message };
  const choice = {
    index: 0,
    message: thoughts === undefined || !profile.thoughts ? whole : profile.thoughts(whole, thoughts),
    finish_reason: profile.ends?.[answer.finish] ?? answer.finish,
    ...profile.choice,
  };
  const text = JSON.stringify({ id: `chatcmpl-${seen.n}`, object: "chat.completion", created: 1793000000, model: seen.model, choices: [choice], usage: profile.usage(seen.spent), ...profile.beside });
  return `${profile.before ?? ""}${text}`;
};

const writesResponses = (profile) => (answer, seen) => {
  const { content, refusal } = answer.message;
  const part = refusal ? { type: "refusal", refusal } : { type: "output_text", text: content, annotations: [], logprobs: [] };
  const isCut = answer.finish === "length" || answer.finish === "content_filter";
  const says = typeof content === "string" && content !== "" || refusal;
  return {
    id: `resp_${seen.n}`,
    object: "response",
    created_at: 1793000000,
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: answer.finish === "length" ? "max_output_tokens" : "content_filter" } : null,
    model: seen.model,
    output: [
      ...(seen.thinks || answer.message.reasoning_content ? [{ id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: THOUGHTS }] }] : []),
      ...(says ? [{ id: "msg_1", type: "message", role: "assistant", status: isCut ? "incomplete" : "completed", content: [part] }] : []),
    ],
    store: seen.body.store ?? true,
    usage: profile.usage(seen.spent),
  };
};

const writesMessages = (profile) => (answer, seen) => {
  const { content, refusal } = answer.message;
  const isRefused = Boolean(refusal) || answer.finish === "content_filter";
  const tool = seen.body.tools?.[0];
  const says = isRefused || !content ? [] : [tool ? { type: "tool_use", id: "toolu_1", name: tool.name, input: JSON.parse(content) } : { type: "text", text: content }];
  return {
    id: `msg_${seen.n}`,
    type: "message",
    role: "assistant",
    model: seen.model,
    content: [...(seen.thinks ? [{ type: "thinking", thinking: THOUGHTS, signature: "EqQB" }] : []), ...says],
    stop_reason: isRefused ? "refusal" : tool && answer.finish === "stop" ? "tool_use" : ({ stop: "end_turn", length: "max_tokens" }[answer.finish] ?? answer.finish),
    stop_sequence: null,
    ...(isRefused ? { stop_details: { type: "refusal", category: "frontier_llm", explanation: refusal ?? null } } : {}),
    usage: profile.usage(seen.spent, seen),
  };
};

const writesGenerate = (profile) => (answer, seen) => {
  const { content } = answer.message;
  const finishReason = { stop: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" }[answer.finish] ?? answer.finish;
  // All thoughts and no room: the content is there and has no parts.
  const parts = content ? { parts: [{ text: THOUGHTS, thought: true }, { text: content, thoughtSignature: "CpcB" }], role: "model" } : { role: "model" };
  return { candidates: [{ content: parts, finishReason, index: 0 }], modelVersion: `${seen.model}-002`, responseId: `r${seen.n}`, usageMetadata: profile.usage(seen.spent) };
};

// ----------------------------------------------------------------- profiles

const BEARER = { grants: ["authorization", "content-type"], keyOf: (headers) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] };
const keyIn = (name, ...more) => ({ grants: [name, "content-type", ...more], keyOf: (headers) => headers[name] });

const CHAT_FIELDS = ["model", "messages", "temperature", "max_tokens", "seed", "response_format"];
const THINKER = { thinks: true, efforts: ["minimal", "low", "medium", "high"] };

/** A provider with Chat Completions, as OpenAI has it but for what is told. */
const chat = (own) => ({
  base: "/v1",
  path: "/chat/completions",
  key: "sk-test-0123456789abcdefghij",
  ...BEARER,
  prompt: CHAT.prompt,
  schema: CHAT.schema,
  /** Names that a body may hold; null where others are ignored. */
  fields: null,
  fault: (body) => chatFault(body),
  usage: chatUsage,
  tells: [],
  writes: writesChat,
  listing: CHAT.listing,
  ...own,
  errors: { ...openai, ...own.errors },
});

/** The layer that looks at the key lies before the one that lets pages read. */
const unread = { noKey: () => raw(401, { error: "Unauthorized" }, { cors: false }), wrongKey: () => raw(401, { error: "Unauthorized" }, { cors: false }) };

const openAiFields = [...CHAT_FIELDS, "max_completion_tokens", "reasoning_effort"];

export const PROFILES = {
  openai: chat({
    fields: openAiFields,
    models: { "gpt-5-mini": THINKER, "gpt-4.1-mini": {} },
    fault: openaiFault,
    // A page may not read why.
    errors: { wrongKey: (key) => ({ ...openai.wrongKey(key), cors: false }), noKey: () => ({ ...openai.noKey(), cors: false }) },
    message: { refusal: null, annotations: [] },
    usage: withBoth,
    tells: ["cached", "reasoning"],
    says: {
      "no credit": reply.outOfQuota(),
      "too long": reply.tooLong(),
      "flagged prompt": openaiFilter(),
      overloaded: reply.unavailable(),
    },
  }),

  openai_responses: {
    base: "/v1",
    path: "/responses",
    key: "sk-test-0123456789abcdefghij",
    ...BEARER,
    errors: {
      ...openai,
      wrongKey: (key) => ({ ...openai.wrongKey(key), cors: false }),
      unknown: (name) =>
        name === "messages"
          ? openai.bad("Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'.", "messages", "unsupported_parameter")
          : openai.bad(`Unknown parameter: '${name}'.`, name, "unknown_parameter"),
    },
    models: { "gpt-5-mini": THINKER, "gpt-4.1-mini": {} },
    fields: ["model", "input", "instructions", "temperature", "max_output_tokens", "store", "reasoning", "text"],
    prompt: (body) => (typeof body?.input === "string" ? body.input : ""),
    schema: (body) => body?.text?.format?.schema,
    fault: (body, { thinks, efforts = [] }) => {
      if (!body.input) return ["Missing required parameter: 'input'.", "input"];
      if (body.max_output_tokens !== undefined && !isWhole(body.max_output_tokens, 16))
        return [`Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`, "max_output_tokens", "integer_below_min_value"];
      if (thinks && body.temperature !== undefined) return ["Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter"];
      if (body.reasoning && !efforts.includes(body.reasoning.effort)) return ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort", "unsupported_parameter"];
      const format = body.text?.format;
      if (!format) return null;
      for (const name of ["type", "name", "schema"]) if (!format[name]) return [`Missing required parameter: 'text.format.${name}'.`, `text.format.${name}`, "missing_required_parameter"];
      const fault = format.strict ? schemaFault(format.schema) : null;
      return fault && [`Invalid schema for response_format '${format.name}': ${fault}`, "text.format.schema", "invalid_json_schema"];
    },
    usage: ({ fresh, cached, said, thought }) => ({
      input_tokens: fresh + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: said + thought,
      output_tokens_details: { reasoning_tokens: thought },
      total_tokens: fresh + cached + said + thought,
    }),
    tells: ["cached", "reasoning"],
    writes: writesResponses,
    listing: CHAT.listing,
    says: {
      "no credit": reply.outOfQuota(),
      "flagged prompt": openaiFilter(),
      // The request was taken, and failed later.
      "failed with 200": raw(200, { id: "resp_0", object: "response", status: "failed", error: { code: "server_error", message: "The server had an error while processing your request." }, output: [] }),
      "limited with 200": raw(200, { id: "resp_0", object: "response", status: "failed", error: { code: "rate_limit_exceeded", message: "Rate limit reached." }, output: [] }),
      overloaded: reply.unavailable(),
    },
  },

  anthropic: {
    base: "/v1",
    path: "/messages",
    key: "sk-ant-test-0123456789abcdefghij",
    ...keyIn("x-api-key", "anthropic-version", "anthropic-dangerous-direct-browser-access"),
    errors: anthropic,
    headerFault: (headers) =>
      headers.origin && headers["anthropic-dangerous-direct-browser-access"] !== "true"
        ? { ...anthropicError(401, "authentication_error", "CORS requests must set 'anthropic-dangerous-direct-browser-access' header"), cors: false }
        : headers["anthropic-version"] !== "2023-06-01"
          ? anthropic.bad(headers["anthropic-version"] ? "anthropic-version: invalid version" : "anthropic-version: header is required")
          : null,
    models: {
      "claude-sonnet-4-5": { budget: true, schema: true },
      "claude-opus-5": { adaptive: true, schema: true, thinks: true },
      "claude-3-5-haiku-20241022": {},
    },
    thinks: (body, model) => model.thinks || body.thinking?.type === "enabled",
    fields: ["model", "max_tokens", "messages", "system", "temperature", "thinking", "output_config", "tools", "tool_choice"],
    prompt: CHAT.prompt,
    schema: (body) => body?.output_config?.format?.schema ?? body?.tools?.[0]?.input_schema,
    fault: (body, model) => {
      if (!isWhole(body.max_tokens, 1)) return ["max_tokens: Field required"];
      if (!body.messages?.length || body.messages.some((it) => !["user", "assistant"].includes(it.role))) return ["messages: Unexpected role. Allowed roles are \"user\" or \"assistant\"."];
      const { temperature, thinking, output_config: config, tools } = body;
      if (temperature !== undefined && model.adaptive) return ["`temperature` is deprecated for this model."];
      if (temperature !== undefined && !(0 <= temperature && temperature <= 1)) return ["temperature: range: 0..1"];
      if (thinking?.type === "enabled") {
        if (!model.budget) return ["adaptive thinking is supported on this model; \"thinking.type.enabled\" is not"];
        if (!isWhole(thinking.budget_tokens, 1024)) return ["thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"];
        if (body.max_tokens <= thinking.budget_tokens) return ["`max_tokens` must be greater than `thinking.budget_tokens`."];
        if (temperature !== undefined && temperature !== 1) return ["`temperature` may only be set to 1 when thinking is enabled."];
        if (tools) return ["Thinking may not be enabled when tool_choice forces tool use."];
      }
      if (thinking?.type === "adaptive" && !model.adaptive) return ["adaptive thinking is not supported on this model"];
      if (config?.effort !== undefined && !(model.adaptive && ["low", "medium", "high", "xhigh", "max"].includes(config.effort))) return ["This model does not support the effort parameter."];
      if (config?.format) {
        if (!model.schema) return ["This model does not support output_config.format."];
        const other = Object.keys(config.format).find((name) => !["type", "schema"].includes(name));
        if (other) return [`output_config.format.${other}: Extra inputs are not permitted`];
        const fault = schemaFault(config.format.schema);
        if (fault) return [`output_config.format.schema: ${fault}`];
      }
      if (tools && (tools.length !== 1 || !tools[0].input_schema || body.tool_choice?.name !== tools[0].name)) return ["tools.0: Field required"];
      return null;
    },
    // What comes from the cache, and what goes into it, stand beside the input.
    usage: ({ fresh, cached, written, said, thought }, seen) => ({
      input_tokens: fresh,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: said + thought,
      ...(seen.thinks ? { output_tokens_details: { thinking_tokens: thought } } : {}),
      service_tier: "standard",
    }),
    writesCache: true,
    tells: ["cached", "reasoning"],
    // Nothing is said of thoughts where there are none.
    silentOnNone: true,
    writes: writesMessages,
    listing: (models) => ({ data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2025-09-29T00:00:00Z" })), has_more: false, first_id: models[0], last_id: models.at(-1) }),
    says: {
      "no credit": anthropic.bad("Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
      "spend limit": anthropicError(429, "rate_limit_error", "This request would exceed your organization's spend limit."),
      "usage limit": anthropic.bad("You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."),
      "output blocked": anthropic.bad("Output blocked by content filtering policy"),
      "organisation forbids pages": anthropicError(401, "authentication_error", "CORS requests are not allowed for this Organization because of its settings."),
      "too long": anthropic.bad("prompt is too long: 212431 tokens > 200000 maximum"),
      "schema too complex": anthropic.bad("The compiled grammar is too large."),
      overloaded: anthropicError(529, "overloaded_error", "Overloaded"),
      "error with 200": anthropicError(200, "overloaded_error", "Overloaded"),
    },
  },

  gemini: {
    base: "/v1beta",
    asks: (url) => /^\/v1beta\/models\/[^/]+:generateContent$/.test(url.pathname),
    modelOf: (body, path) => decodeURIComponent(/\/models\/([^/]+):generateContent/.exec(path)?.[1] ?? ""),
    key: "AIza-test-0123456789abcdefghij",
    ...keyIn("x-goog-api-key"),
    errors: google,
    models: { "gemini-2.5-flash": { budget: true, thinks: true }, "gemini-3-pro-preview": { level: true, thinks: true } },
    fields: ["contents", "generationConfig", "systemInstruction", "safetySettings"],
    prompt: (body) => body?.contents?.at(-1)?.parts?.map((part) => part.text).join("") ?? "",
    schema: (body) => body?.generationConfig?.responseJsonSchema,
    thinks: (body, model) => model.thinks && body.generationConfig?.thinkingConfig?.thinkingBudget !== 0,
    fault: (body, model) => {
      if (!body.contents?.length || body.contents.some((it) => it.role !== "user" || !it.parts?.every((part) => part.text))) return ["* GenerateContentRequest.contents: contents is not specified", "contents"];
      const config = body.generationConfig ?? {};
      const known = ["temperature", "maxOutputTokens", "seed", "thinkingConfig", "responseMimeType", "responseJsonSchema"];
      const other = Object.keys(config).find((name) => !known.includes(name));
      if (other) return [`Invalid JSON payload received. Unknown name "${other}" at 'generation_config': Cannot find field.`, "generation_config"];
      if (config.temperature !== undefined && !(0 <= config.temperature && config.temperature <= 2)) return ["* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].", "temperature"];
      if (config.maxOutputTokens !== undefined && !isWhole(config.maxOutputTokens, 1)) return ["max_output_tokens must be positive", "max_output_tokens"];
      if (config.seed !== undefined && !isWhole(config.seed, 0, 2 ** 31 - 1)) return ["Invalid value at 'generation_config.seed' (TYPE_INT32)", "generation_config.seed"];
      const { thinkingBudget: budget, thinkingLevel: level } = config.thinkingConfig ?? {};
      if (budget !== undefined && !(model.budget && isWhole(budget, 0, 24576))) return ["Thinking budget is not supported for this model.", "thinking_config"];
      if (level !== undefined && !(model.level && ["LOW", "MEDIUM", "HIGH"].includes(level))) return ["Thinking level is not supported for this model.", "thinking_config"];
      if (config.responseJsonSchema && config.responseMimeType !== "application/json") return ["Response schema requires response_mime_type application/json", "response_mime_type"];
      const fault = config.responseJsonSchema ? schemaFault(config.responseJsonSchema) : null;
      return fault && [fault, "response_json_schema"];
    },
    // Thoughts stand beside what was said.
    usage: ({ fresh, cached, said, thought }) => ({
      promptTokenCount: fresh + cached,
      cachedContentTokenCount: cached,
      candidatesTokenCount: said,
      ...(thought ? { thoughtsTokenCount: thought } : {}),
      totalTokenCount: fresh + cached + said + thought,
    }),
    tells: ["cached", "reasoning"],
    silentOnNone: true,
    writes: writesGenerate,
    listing: (models) => ({ models: models.map((id) => ({ name: `models/${id}`, displayName: id, inputTokenLimit: 1048576, supportedGenerationMethods: ["generateContent", "countTokens"] })) }),
    says: {
      "country not served": googleError(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
      "quota of the minute": quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", 3),
      "quota of the day": quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", 40000),
      overloaded: googleError(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
      "prompt blocked": raw(200, { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 900, totalTokenCount: 900 }, modelVersion: "gemini" }),
      recitation: reply.text("", { finish: "RECITATION" }),
      "all thought, no candidate": raw(200, { usageMetadata: { promptTokenCount: 900, thoughtsTokenCount: 2000, totalTokenCount: 2900 }, modelVersion: "gemini" }),
    },
  },

  openrouter: chat({
    base: "/api/v1",
    models: {
      "openai/gpt-oss-20b": { thinks: true, supports: ["temperature", "max_tokens", "seed", "reasoning", "response_format"] },
      "mistralai/mistral-small-3.2": { supports: ["temperature", "max_tokens", "seed", "response_format"] },
    },
    errors: {
      noKey: () => routerError(401, "No auth credentials found"),
      wrongKey: () => routerError(401, "User not found."),
      // Not a 404.
      noModel: (model) => routerError(400, `${model} is not a valid model ID`),
      bad: (message) => routerError(400, message),
    },
    // What a host cannot take is dropped silently, unless one insists.
    fault: (body, model) => {
      const takes = [...model.supports, "model", "messages", "provider"];
      const other = Object.keys(body).find((name) => !takes.includes(name));
      if (other && body.provider?.require_parameters === true) return routerError(404, "No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing");
      return chatFault(body);
    },
    message: { refusal: null },
    choice: { native_finish_reason: "stop", logprobs: null },
    thoughts: (message, thoughts) => ({ ...message, reasoning: thoughts, reasoning_details: [{ type: "reasoning.text", text: thoughts }] }),
    usage: (it) => ({ ...withBoth(it), cost: 0.000123, is_byok: false, cost_details: { upstream_inference_cost: null } }),
    tells: ["cached", "reasoning"],
    beside: { provider: "Fireworks" },
    says: {
      "no credit": routerError(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits"),
      flagged: routerError(403, "Your chosen model requires moderation and your input was flagged", { reasons: ["violence"], flagged_input: "An answer…", provider_name: "OpenAI" }),
      "limited with 200": reply.errorIn200(429, "Provider returned error"),
      "failed within a choice": reply.errorInChoice(502, "Provider returned error"),
      "quota of the day": routerError(429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"),
      overloaded: routerError(503, "There is no available model provider that meets your routing requirements"),
    },
  }),

  groq: chat({
    base: "/openai/v1",
    fields: openAiFields,
    models: {
      "openai/gpt-oss-20b": { thinks: true, efforts: ["low", "medium", "high"], schema: true },
      "qwen/qwen3-32b": { efforts: ["none", "default"] },
    },
    errors: { wrongKey: () => error(401, "Invalid API Key", { code: "invalid_api_key" }), unknown: (name) => error(400, `property '${name}' is unsupported`) },
    fault: (body, { efforts, schema }) => {
      if (body.reasoning_effort !== undefined && !efforts.includes(body.reasoning_effort)) return [`\`reasoning_effort\` must be one of ${efforts.map((it) => `\`${it}\``).join(" or ")}`, "reasoning_effort"];
      if (body.response_format?.type === "json_schema" && !schema) return ["This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models", "response_format"];
      return chatFault(body);
    },
    thoughts: thoughtsIn("reasoning"),
    usage: (it) => ({ queue_time: 0.01, prompt_time: 0.02, completion_time: 0.03, total_time: 0.05, ...withBoth(it) }),
    tells: ["cached", "reasoning"],
    beside: { system_fingerprint: "fp_1", x_groq: { id: "req_1" }, service_tier: "on_demand" },
    says: {
      "limit of the minute": error(429, "Rate limit reached for model `m` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing", { type: "tokens", code: "rate_limit_exceeded" }),
      "limit of the day": error(429, "Rate limit reached for model `m` in organization `org_1` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.", { type: "tokens", code: "rate_limit_exceeded" }),
      "larger than the minute": error(413, "Request too large for model `m` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 6294, please reduce your message size and try again.", { type: "tokens", code: "rate_limit_exceeded" }),
      "broke the schema": raw(400, { error: { message: "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for more details.", type: "invalid_request_error", code: "json_validate_failed", failed_generation: "Mostly" } }),
      decommissioned: error(400, "The model `llama2-70b-4096` has been decommissioned and is no longer supported.", { code: "model_decommissioned" }),
      "full house": error(498, "Flex tier capacity exceeded", { type: "capacity_exceeded", code: "capacity_exceeded" }),
    },
  }),

  together: chat({
    fields: [...CHAT_FIELDS, "reasoning_effort", "context_length_exceeded_behavior"],
    models: { "openai/gpt-oss-20b": { thinks: true }, "meta-llama/Llama-3.3-70B-Instruct-Turbo": {} },
    errors: {
      wrongKey: () => error(401, "Invalid API key provided. You can find your API key at https://api.together.xyz/settings/api-keys.", { code: "invalid_api_key" }),
      noModel: (model) => error(404, `Unable to access model ${model}. Please visit https://api.together.ai/models to view the list of supported models.`, { code: "model_not_available" }),
      unknown: (name) => error(422, `Input validation error: unexpected field ${name}`),
    },
    fault: (body) => ([undefined, "low", "medium", "high"].includes(body.reasoning_effort) ? chatFault(body) : ["Input validation error: reasoning_effort"]),
    ends: { stop: "eos" },
    choice: { seed: 8646, logprobs: null },
    message: { tool_calls: [] },
    thoughts: thoughtsIn("reasoning"),
    listing: (models) => models.map((id) => ({ id, object: "model", type: "chat", context_length: 131072, pricing: { hourly: 0, input: 0, output: 0, base: 0 } })),
    says: {
      "no credit": error(402, "Credit limit exceeded. Please navigate to https://api.together.xyz/settings/billing to add credit or upgrade your plan.", { type: "credit_limit" }),
      "too long": error(400, "This model's maximum context length is 8193 tokens. Please reduce the length of the messages.", { param: "max_tokens", code: null }),
      overloaded: error(503, "The server is overloaded or not ready yet.", { type: "service_unavailable" }),
    },
  }),

  deepseek: chat({
    base: "",
    models: { "deepseek-chat": {} },
    thinks: (body) => body.thinking?.type === "enabled",
    errors: {
      noKey: () => error(401, "Authentication Fails (auth header format should be Bearer sk-...)", { type: "authentication_error", code: "invalid_request_error" }),
      wrongKey: (key) => error(401, `Authentication Fails, Your api key: ****${key.slice(-4)} is invalid`, { type: "authentication_error", code: "invalid_request_error" }),
      // Not a 404.
      noModel: () => error(400, "Model Not Exist", { code: "invalid_request_error" }),
    },
    fault: (body) => {
      const type = body.response_format?.type;
      if (type === "json_schema") return ["This response_format type is unavailable now", null, "invalid_request_error"];
      if (type === "json_object" && !/json/i.test(JSON.stringify(body.messages))) return ["Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.", null, "invalid_request_error"];
      return chatFault(body);
    },
    // The form is in the prompt, and a good model keeps to it.
    schema: (body) => (body?.response_format?.type === "json_object" ? JSON.parse(/must fit this schema:\n(\{.*\})$/.exec(CHAT.prompt(body))?.[1] ?? "null") : undefined),
    thoughts: thoughtsIn("reasoning_content"),
    // Blank lines keep the line open while one waits in the queue.
    before: "\n\n\n",
    usage: (it) => ({ ...withBoth(it), prompt_cache_hit_tokens: it.cached, prompt_cache_miss_tokens: it.fresh }),
    tells: ["cached", "reasoning"],
    beside: { system_fingerprint: "fp_7e73fd9a08" },
    says: {
      "no credit": error(402, "Insufficient Balance", { type: "unknown_error", code: "invalid_request_error" }),
      "content risk": error(400, "Content Exists Risk", { code: "invalid_request_error" }),
      "no resources": reply.text("Mostly", { finish: "insufficient_system_resource" }),
      "empty JSON": reply.text(""),
      overloaded: error(503, "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.", { type: "service_unavailable_error", code: "service_unavailable" }),
    },
  }),

  mistral: chat({
    grants: ["authorization", "content-type", "accept"],
    fields: ["model", "messages", "temperature", "max_tokens", "random_seed", "response_format"],
    models: { "magistral-small-latest": { thinks: true }, "mistral-small-latest": {} },
    errors: {
      noKey: () => raw(401, { detail: "Unauthorized" }),
      wrongKey: () => raw(401, { detail: "Unauthorized" }),
      // Not a 404.
      noModel: (model) => raw(400, { object: "error", message: `Invalid model: ${model}`, type: "invalid_model", param: null, code: "1500" }),
      unknown: (name) => raw(422, { object: "error", message: { detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: null }] }, type: "invalid_request_error", param: null, code: null }),
      bad: (message) => raw(400, { object: "error", message, type: "invalid_request_error", param: null, code: "3051" }),
    },
    fault: (body) => chatFault(body, { mostTemperature: 1.5 }),
    message: { tool_calls: null },
    thoughts: THINKING_PARTS,
    usage: (it) => ({ ...chatUsage(it), num_cached_tokens: it.cached }),
    tells: ["cached"],
    says: {
      "no capacity": raw(429, { object: "error", message: "Service tier capacity exceeded for this model.", type: "service_tier_capacity_exceeded", param: null, code: "3505" }),
      "refused fields": raw(422, { detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted", input: 7 }] }),
      "cut by the model": reply.text("Mostly\nBar", { finish: "model_length" }),
      "failed on the way": reply.text("", { finish: "error" }),
      overloaded: raw(503, { object: "error", message: "Service unavailable.", type: "unreachable_backend", param: null, code: "1100" }),
    },
  }),

  xai: chat({
    fields: openAiFields,
    models: { "grok-3-mini": { thinks: true, efforts: ["low", "high"] }, "grok-4.20-0309-reasoning": { thinks: true, efforts: [] } },
    errors: {
      noKey: () => raw(401, { code: "Unauthenticated", error: "No API key provided." }),
      // Not a 401.
      wrongKey: (key) => raw(400, { code: "Client specified an invalid argument", error: `Incorrect API key provided: ${key.slice(0, 2)}***${key.slice(-2)}. You can obtain an API key from https://console.x.ai.` }),
      noModel: (model) => raw(404, { code: "Some requested entity was not found", error: `The model ${model} does not exist or your team 00000000-0000-0000-0000-000000000000 does not have access to it. Please ensure you're using the correct API key.` }),
      unknown: (name) => raw(422, { error: `Failed to deserialize the JSON body into the target type: unknown field \`${name}\`` }),
      bad: (message) => raw(400, { code: "Client specified an invalid argument", error: message }),
    },
    fault: (body, { efforts }) => (body.reasoning_effort !== undefined && !efforts.includes(body.reasoning_effort) ? ["Argument not supported on this model: reasoningEffort"] : chatFault(body)),
    message: { refusal: null },
    thoughts: thoughtsIn("reasoning_content"),
    // Thoughts stand beside what was said, and only the total has both.
    usage: ({ fresh, cached, said, thought }) => ({
      prompt_tokens: fresh + cached,
      completion_tokens: said,
      total_tokens: fresh + cached + said + thought,
      prompt_tokens_details: { text_tokens: fresh + cached, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
      num_sources_used: 0,
    }),
    tells: ["cached", "reasoning"],
    beside: { system_fingerprint: "fp_1" },
    says: {
      "no credit": raw(429, { code: "Some resource has been exhausted", error: "Your team 00000000-0000-0000-0000-000000000000 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit." }),
      "no licence": raw(403, { code: "The caller does not have permission to execute the specified operation", error: "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai." }),
      "against the guidelines": raw(403, { code: "The caller does not have permission to execute the specified operation", error: "Content violates usage guidelines. Team: 00000000-0000-0000-0000-000000000000, API key ID: 00000000-0000-0000-0000-000000000000, Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO" }),
      "short error": raw(500, { error: "Internal error" }),
      overloaded: raw(503, { code: "The service is currently unavailable", error: "The model is at capacity." }),
    },
  }),

  hugging_face: chat({
    key: "hf_test0123456789abcdefghijklmnopqrst",
    models: { "openai/gpt-oss-20b:groq": { thinks: true }, "Qwen/Qwen3-32B:novita": {} },
    errors: {
      noKey: () => raw(401, { error: "Invalid username or password." }),
      wrongKey: () => raw(401, { error: "Invalid username or password." }),
      // Not a 404.
      noModel: (model) => error(400, `The requested model '${model}' does not exist`, { param: "model", code: "model_not_found" }),
    },
    thoughts: thoughtsIn("reasoning_content"),
    usage: withCached,
    tells: ["cached"],
    says: {
      "no credit": raw(402, { error: "You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits." }),
      "no provider enabled": error(400, "The requested model 'org/m' is not supported by any provider you have enabled.", { param: "model", code: "model_not_supported" }),
      gone: raw(410, { error: "This model is no longer available." }),
      overloaded: raw(503, { error: "Service Unavailable" }),
    },
  }),

  azure: chat({
    base: "/openai/v1?api-version=preview",
    ...keyIn("api-key"),
    key: "0123456789abcdef0123456789abcdef",
    fields: openAiFields,
    // Deployments, of names that their owner chose.
    models: { "judge-gpt-41": { efforts: [] }, "judge-any": { efforts: ["none", "low", "medium", "high"] } },
    errors: {
      noKey: () => raw(401, { error: { code: "401", message: "Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API." } }),
      wrongKey: () => raw(401, { error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource." } }),
      noModel: () => raw(404, { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again." } }),
    },
    elsewhere: () => raw(404, { error: { code: "404", message: "Resource not found" } }),
    fault: openaiFault,
    message: { refusal: null, annotations: [] },
    choice: { content_filter_results: { hate: { filtered: false, severity: "safe" } } },
    usage: withBoth,
    tells: ["cached", "reasoning"],
    beside: { prompt_filter_results: [] },
    says: {
      "filtered before": azureFilter(),
      // The header is there, and hidden from pages.
      "limit of the minute": raw(429, { error: { code: "429", message: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API have exceeded token rate limit of your current pricing tier. Please retry after 6 seconds." } }, { headers: { "retry-after": "6" } }),
      overloaded: raw(503, { error: { code: "ServiceUnavailable", message: "The service is temporarily unable to process your request. Please try again later." } }),
    },
  }),

  ollama: chat({
    key: null,
    // A fixed list; anything else fails its preflight.
    grants: ["authorization", "content-type", "user-agent", "accept", "x-requested-with", "openai-beta"],
    models: { "qwen3:8b": { thinks: true } },
    errors: { noModel: (model) => error(404, `model "${model}" not found, try pulling it first`, { type: "not_found_error" }) },
    thoughts: thoughtsIn("reasoning"),
    beside: { system_fingerprint: "fp_ollama" },
    says: {
      "server busy": error(503, "server busy, please try again.  maximum pending requests exceeded", { type: "api_error" }),
      // What is longer than the context is cut without a word; only the count tells.
      "input cut": raw(200, { id: "chatcmpl-1", object: "chat.completion", model: "qwen3:8b", system_fingerprint: "fp_ollama", choices: [{ index: 0, message: { role: "assistant", content: "Mostly\nMostly" }, finish_reason: "stop" }], usage: { prompt_tokens: 40, completion_tokens: 4, total_tokens: 44 } }),
      "runner died": error(500, "llama runner process has terminated: exit status 2", { type: "api_error" }),
    },
  }),

  lm_studio: chat({
    key: null,
    models: { "qwen/qwen3-8b": {} },
    errors: { noModel: (model) => error(404, `Model "${model}" not found. Please specify a valid model.`, { param: "model", code: "model_not_found" }) },
    choice: { logprobs: null },
    message: { tool_calls: [] },
    beside: { stats: {}, system_fingerprint: "qwen/qwen3-8b" },
    says: {
      "too long": raw(400, { error: "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input." }),
      // A 500 that no waiting cures.
      "too long, as 500": raw(500, { error: { message: "the request exceeds the available context size", type: "api_error" } }),
      "model unloaded": raw(500, { error: "Model is unloaded." }),
    },
  }),

  vllm: chat({
    models: { "Qwen/Qwen3-8B": { thinks: true } },
    errors: { ...unread, noModel: (model) => error(404, `The model \`${model}\` does not exist.`, { type: "NotFoundError", param: "model", code: 404 }) },
    message: { refusal: null, annotations: null, audio: null, function_call: null, tool_calls: [] },
    choice: { logprobs: null, stop_reason: null, token_ids: null },
    thoughts: thoughtsIn("reasoning_content"),
    // Cached tokens are told with --enable-prompt-tokens-details only.
    usage: (it) => ({ ...chatUsage(it), prompt_tokens_details: null }),
    beside: { service_tier: null, system_fingerprint: null, prompt_logprobs: null, kv_transfer_params: null },
    says: {
      "too long": error(400, "This model's maximum context length is 4096 tokens. However, you requested 6000 tokens in the messages. Please reduce the length of the messages.", { type: "BadRequestError", code: 400 }),
      "longer than the model": error(400, "The decoder prompt (length 21535) is longer than the maximum model length of 16384. Make sure that `max_model_len` is no smaller than the number of text tokens.", { type: "BadRequestError", code: 400 }),
      "flat error": raw(400, { object: "error", message: "temperature must be non-negative", type: "BadRequestError", param: null, code: 400 }),
      "engine died": error(500, "EngineCore encountered an issue.", { type: "InternalServerError", code: 500 }),
    },
  }),

  llama_cpp: chat({
    // One model, whatever it is called.
    models: null,
    errors: { noKey: () => raw(401, { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } }), wrongKey: () => raw(401, { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } }) },
    thinks: () => true,
    thoughts: thoughtsIn("reasoning_content"),
    usage: chatUsage,
    beside: { system_fingerprint: "b6000-1", timings: { cache_n: 64, prompt_n: 900, predicted_n: 34 } },
    says: {
      "model loading": raw(503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }),
      "too long": raw(400, { error: { code: 400, message: "the request exceeds the available context size, try increasing it", type: "exceed_context_size_error", n_prompt_tokens: 9000, n_ctx: 4096 } }),
      "bad grammar": raw(400, { error: { code: 400, message: "Failed to parse grammar", type: "invalid_request_error" } }),
    },
  }),

  custom: chat({
    models: { "olmo-2-7b": {} },
    usage: chatUsage,
    says: {
      "a web page": reply.badGateway(),
      "no choices": reply.noChoices([]),
      overloaded: reply.overloaded(),
    },
  }),
};

// ------------------------------------------------------------------- server

/** What this provider answers to a request that it does not take, or null. */
function refusal(profile, seen, { key }) {
  const { headers, body, listing } = seen;
  const { errors } = profile;
  const url = new URL(seen.path, "http://host");
  const wanted = new URL(profile.base, "http://host").searchParams;
  for (const [name, value] of wanted) if (url.searchParams.get(name) !== value) return profile.elsewhere?.(seen.method, url) ?? openai.bad(`Missing query parameter: ${name}`);
  const odd = [...url.searchParams.keys()].find((name) => !wanted.has(name));
  // Nothing belongs there but a version and the pages of a list, a key least of all.
  if (odd && !listing) return errors.bad(`Unexpected query parameter: ${odd}`);
  const strange = Object.keys(headers).find((name) => !BROWSERS_OWN.includes(name) && !profile.grants.includes(name));
  // A key under another provider's name is no key here.
  if (strange && /^(authorization|x-api-key|api-key|x-goog-api-key)$/.test(strange)) return errors.noKey();
  if (strange) return errors.bad(`Unexpected header: ${strange}`);
  const fault = profile.headerFault?.(headers);
  if (fault) return fault;
  if (key !== null) {
    const given = profile.keyOf(headers);
    if (!given) return errors.noKey();
    if (given !== key) return errors.wrongKey(given);
  }
  if (listing) return null;
  if (headers["content-type"] !== "application/json") return errors.bad(`Unsupported content type: ${headers["content-type"]}`);
  if (body === null || typeof body !== "object") return errors.bad("We could not parse the JSON body of your request.");
  seen.model = profile.modelOf?.(body, url.pathname) ?? body.model;
  const model = profile.models === null ? {} : profile.models[seen.model];
  if (!model) return errors.noModel(seen.model);
  const unknown = profile.fields && Object.keys(body).find((name) => !profile.fields.includes(name));
  if (unknown) return errors.unknown(unknown);
  const bodyFault = profile.fault(body, model);
  if (bodyFault) return Array.isArray(bodyFault) ? errors.bad(...bodyFault) : bodyFault;
  seen.thinks = Boolean(profile.thinks ? profile.thinks(body, model) : model.thinks);
  seen.spent = spent(seen.n, seen.thinks);
  const means = meaning(seen.spent, profile);
  if (profile.silentOnNone && !seen.thinks) delete means.reasoning;
  /** What the counts of this reply mean, for a reply that this profile writes. */
  seen.means = means;
  return null;
}

/**
 * Starts the provider of that profile. `options` are those of `startProvider`; the key is the profile's own.
 * Requests have beside the usual: `model`, `thinks`, and `means`, what the counts in the reply mean.
 */
export async function startProfile(t, name, options = {}) {
  const profile = PROFILES[name];
  const folder = new URL(profile.base, "http://host").pathname.replace(/\/$/, "");
  const key = options.key === undefined ? profile.key : options.key;
  const provider = await startProvider(t, {
    models: Object.keys(profile.models ?? { "local-model": {} }),
    ...options,
    key,
    dialect: {
      base: profile.base,
      grants: profile.grants,
      asks: profile.asks ?? ((url) => url.pathname === folder + profile.path),
      lists: (url) => url.pathname === `${folder}/models`,
      listing: profile.listing,
      elsewhere: profile.elsewhere ?? CHAT.elsewhere,
      prompt: profile.prompt,
      schema: profile.schema,
      refuses: (seen) => refusal(profile, seen, { key }),
      writes: profile.writes(profile),
    },
  });
  return Object.assign(provider, { key, says: profile.says });
}
