// A scripted provider of the OpenAI kind on loopback: it answers as the test says, misbehaves as real ones
// do, and counts everything that it was asked.
//
//   const provider = await startProvider(t, { script: (request) => reply.labels(request.items.map(() => "Mostly")) });
//   … the page asks at provider.url …
//   assert.equal(provider.attempts, 12);
//
// The script sees every POST of a chat completion and gives one of the replies below, or a promise of one.

import { execFileSync } from "node:child_process";
import { setMaxListeners } from "node:events";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd } from "./cleanup.mjs";

// ------------------------------------------------------------------ replies

const tokens = (text) => Math.ceil((text ?? "").length / 4);

/** A chat completion; `message` is what stands in its first choice. */
function completion(message, { finish = "stop", usage, model, ...more } = {}) {
  return { ...more, kind: "completion", message, finish, usage, model };
}

/** An error as providers word it. `cors: false` leaves the CORS headers out, so that a page cannot read it. */
function error(status, message, { type = "invalid_request_error", code = null, param = null, ...more } = {}) {
  return { kind: "raw", status, json: { error: { message, type, param, code } }, ...more };
}

const html = (status, title, more = {}) => ({
  kind: "raw",
  status,
  type: "text/html",
  text: `<html><head><title>${status} ${title}</title></head><body><center><h1>${status} ${title}</h1></center></body></html>`,
  ...more,
});

export const reply = {
  /** The labels as the request wants them: one a line, or in an object of its JSON schema. */
  labels: (labels, more) => ({ kind: "labels", labels, ...more }),
  /** Any text. */
  text: (content, more) => completion({ content }, more),
  /** An object as the text. */
  json: (value, more) => completion({ content: JSON.stringify(value) }, more),
  /** Cut by the token limit. */
  truncated: (content = "", more) => completion({ content }, { finish: "length", ...more }),
  /** Nothing. */
  empty: (more) => completion({ content: "" }, more),
  /** Declined: no content, and the reason in `refusal`. */
  refusal: (refusal = "I can’t help with that.", more) => completion({ content: null, refusal }, more),
  /** Stopped by a content filter. */
  filtered: (more) => completion({ content: null }, { finish: "content_filter", ...more }),
  /** The text in parts, as some providers send it. */
  parts: (content, more) =>
    completion({ content: [{ type: "thinking", thinking: "Let me see." }, { type: "text", text: content }] }, more),
  /** Thoughts in a field of their own, and no answer: the limit went into thinking. */
  thoughtsOnly: (more) => completion({ content: "", reasoning_content: "First, …" }, { finish: "length", ...more }),
  /** The whole prompt first, then the labels. */
  quoting: (labels, more) => ({ kind: "labels", labels, quoting: true, ...more }),
  /** A completion whose body arrives in `pieces`, one every `every` milliseconds. */
  drip: (content, { every = 50, pieces = 10, ...more } = {}) => completion({ content }, { every, pieces, ...more }),

  /** A well-formed answer without a choice: `choices` is [], null or absent (undefined). */
  noChoices: (choices = []) => ({ kind: "raw", status: 200, json: { id: "chatcmpl-0", object: "chat.completion", choices } }),
  /** An error that comes as 200, on top or in the first choice. */
  errorIn200: (code = 429, message = "Rate limit exceeded") => ({ kind: "raw", status: 200, json: { error: { code, message } } }),
  errorInChoice: (code = 502, message = "Upstream failed") => ({
    kind: "raw",
    status: 200,
    json: { choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "error", error: { code, message } }] },
  }),

  error,
  /** `Retry-After` is on the wire, and a page sees it only if `expose` is true. */
  rateLimited: ({ retryAfter = 1, expose = false, ...more } = {}) =>
    error(429, "Rate limit reached for requests", {
      type: "requests",
      code: "rate_limit_exceeded",
      headers: { "retry-after": String(retryAfter), "x-ratelimit-remaining-requests": "0" },
      expose: expose ? ["Retry-After"] : [],
      ...more,
    }),
  /** A 429 that no waiting cures. */
  outOfQuota: (more) =>
    error(429, "You exceeded your current quota, please check your plan and billing details.", { type: "insufficient_quota", code: "insufficient_quota", ...more }),
  badRequest: (message = "Bad request", more) => error(400, message, more),
  /** A parameter that the model does not take. */
  unsupported: (param = "temperature", more) =>
    error(400, `Unsupported parameter: '${param}' is not supported with this model.`, { code: "unsupported_parameter", param, ...more }),
  tooLong: (more) => error(400, "This model's maximum context length is 8192 tokens.", { code: "context_length_exceeded", param: "messages", ...more }),
  /** The key is wrong; with `cors: false` a page cannot tell this from a network failure. */
  unauthorized: (more) => error(401, "Incorrect API key provided: sk-***.", { code: "invalid_api_key", ...more }),
  paymentRequired: (more) => error(402, "Insufficient credits", { code: 402, ...more }),
  forbidden: (more) => error(403, "Country, region, or territory not supported", { code: "unsupported_country_region_territory", ...more }),
  noModel: (more) => error(404, "The model `nope` does not exist or you do not have access to it.", { code: "model_not_found", ...more }),
  /** By the edge in front of the provider: HTML, and no CORS headers. */
  tooLarge: (more) => html(413, "Payload Too Large", { cors: false, ...more }),
  serverError: (more) => error(500, "The server had an error while processing your request.", { type: "server_error", ...more }),
  badGateway: (more) => html(502, "Bad Gateway", more),
  unavailable: (more) => error(503, "The engine is currently overloaded, please try again later.", { type: "server_error", ...more }),
  overloaded: (more) => error(529, "Overloaded", { type: "overloaded_error", ...more }),
  /** Any answer at all. */
  raw: (status, text, { type = "application/json", ...more } = {}) => ({ kind: "raw", status, text, type, ...more }),

  /** Takes the request and never answers. */
  hang: () => ({ kind: "hang" }),
  /**
   * Closes the connection without an answer. Chromium asks once more by itself where the connection had been
   * used before, as after a preflight, so that one call becomes two attempts; `keepAlive: false` prevents it.
   */
  reset: () => ({ kind: "reset" }),
  /** Announces a whole completion, sends half of it, and closes the connection. */
  cutBody: (content = "Completely") => completion({ content }, { cut: "connection" }),
  /** Half of a completion as if it were whole. */
  cutJson: (content = "Completely") => completion({ content }, { cut: "json" }),
};

/** Gives the replies one after the other, and the last one from then on. */
export const inTurn = (...replies) => (request) => {
  const next = replies[Math.min(request.n, replies.length) - 1];
  return typeof next === "function" ? next(request) : next;
};

// ----------------------------------------------------------------- requests

/** The texts of a chat request's messages. */
export const textOf = (content) =>
  typeof content === "string" ? content : Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : "";

/** The numbered lines of a prompt: the items that it wants judged. */
const numbered = (prompt) => [...prompt.matchAll(/^\s*(\d+)[.):]\s+(.+)$/gm)].map(([, , text]) => text.trim());

/** An object of the schema whose choices are taken from `labels`, in order. */
export function fill(schema, labels) {
  const queue = [...labels];
  const walk = (node, position) => {
    if (node.$ref) return walk(node.$ref.split("/").slice(1).reduce((at, key) => at[key], schema), position);
    if (node.anyOf) return walk(node.anyOf[0], position);
    if (node.enum) return queue.length > 0 ? queue.shift() : node.enum[0];
    if (node.const !== undefined) return node.const;
    switch (Array.isArray(node.type) ? node.type[0] : node.type) {
      case "object":
        return Object.fromEntries(Object.entries(node.properties ?? {}).map(([key, child]) => [key, walk(child, position)]));
      case "array": {
        const items = [];
        if (JSON.stringify(node).includes('"enum"')) while (queue.length > 0) items.push(walk(node.items, items.length + 1));
        return items;
      }
      case "integer":
      case "number":
        return position ?? 0;
      case "boolean":
        return false;
      case "null":
        return null;
      default:
        return "";
    }
  };
  return walk(schema);
}

// ------------------------------------------------------------------ dialect

/**
 * How a provider is asked and how it writes. This is Chat Completions as most of its kin have it;
 * `profiles.mjs` has those of each provider.
 */
export const CHAT = {
  /** What a person types behind the host. */
  base: "/v1",
  /** The request headers that a preflight grants. */
  grants: ["authorization", "content-type"],
  asks: (url) => url.pathname === "/v1/chat/completions",
  lists: (url) => url.pathname === "/v1/models",
  listing: (models) => ({
    object: "list",
    data: models.map((model) => (typeof model === "string" ? { id: model, object: "model", created: 1700000000, owned_by: "test" } : model)),
  }),
  /** A reply for a request that is none of those. */
  elsewhere: (method, url) => error(404, `Unknown request URL: ${method} ${url.pathname}`),
  prompt: (body) => textOf(body?.messages?.filter((message) => message.role === "user").at(-1)?.content),
  schema: (body) => body?.response_format?.json_schema?.schema,
  /** A reply in place of the script's, for a list of models too, or null. */
  refuses: ({ headers, body, listing }, { key }) => {
    if (key !== null && headers.authorization !== `Bearer ${key}`) return reply.unauthorized();
    return body === null && !listing ? reply.badRequest("We could not parse the JSON body of your request.") : null;
  },
  /** The body of a completion: text, or what becomes JSON. */
  writes: (answer, seen) => {
    const content = answer.message.content;
    const written = typeof content === "string" ? content : JSON.stringify(content);
    const [prompt, completed] = [tokens(seen.text), tokens(written)];
    return {
      id: `chatcmpl-${seen.n}`,
      object: "chat.completion",
      created: Math.floor(Date.now() / 1000),
      model: answer.model ?? seen.body?.model,
      choices: [{ index: 0, message: { role: "assistant", refusal: null, ...answer.message }, logprobs: null, finish_reason: answer.finish }],
      ...(answer.usage === null
        ? {}
        : { usage: answer.usage ?? { prompt_tokens: prompt, completion_tokens: completed, total_tokens: prompt + completed } }),
    };
  },
};

// ------------------------------------------------------------------- server

/** A certificate for 127.0.0.1 that lives as long as the test. */
export function certificate() {
  const folder = mkdtempSync(join(tmpdir(), "viva-tls-"));
  try {
    const file = (name) => join(folder, name);
    execFileSync("openssl", [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
      "-keyout", file("key.pem"), "-out", file("cert.pem"),
    ], { stdio: "ignore" }); // prettier-ignore
    return { key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Starts a provider that ends with the test (with `t` null: by `close()`).
 *
 * - `script(request)`: the reply to a chat completion; `request` has `n` (which POST this is, from 1), `body`,
 *   `text`, `headers`, `prompt` (the last user message), `items` (its numbered lines), `schema`.
 * - `models`: the ids that GET /models lists, or objects as they are.
 * - `key`: when set, any other key is a 401.
 * - `cors.origin`: "echo", "*", an origin, or null for none; `cors.headers`: the request headers that the
 *   preflight grants; `cors.expose`: the response headers that a page may read; `cors.errors`: false leaves
 *   CORS headers out of every answer of 400 and more.
 * - `dialect`: how it is asked and how it writes, `CHAT` unless told otherwise.
 * - `delay`: milliseconds before an answer, or a function of the request.
 * - `keepAlive`: false closes every connection after one answer.
 * - `http2`: TLS with a throw-away certificate, for more than six calls at a time. The page must accept it
 *   (`newPage(t, { ignoreHTTPSErrors: true })`).
 */
export async function startProvider(t, options = {}) {
  const { models = ["judge-small", "judge-large"], key = null, cors = {}, keepAlive = true, http2 = false, dialect = CHAT } = options;
  const grant = { origin: "echo", headers: dialect.grants, expose: ["X-Request-ID"], errors: true, ...cors };
  const state = {
    script: options.script ?? ((request) => reply.labels(request.items.map(() => "Completely"))),
    delay: options.delay ?? 0,
    /** POSTs of chat completions, in order, each as its script saw it, with `status` and `aborted` once it ended. */
    requests: [],
    /** OPTIONS requests: what was asked for, and whether it was granted. */
    preflights: [],
    /** GETs of the list of models. */
    listings: [],
    /** What was asked at any other place. */
    strays: [],
    inFlight: 0,
    /** The most POSTs that were open at a time. */
    peak: 0,
    get attempts() {
      return state.requests.length;
    },
  };
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  /** Waits, but not beyond the provider's end. */
  const pause = (milliseconds) => sleep(milliseconds, undefined, { signal: closing.signal }).catch(() => {});

  const corsHeaders = (request, { cors: wanted = true, status = 200, expose = [] } = {}) => {
    const origin = request.headers.origin;
    if (!grant.origin || !origin || !wanted || (status >= 400 && !grant.errors)) return {};
    const shown = [...grant.expose, ...expose];
    return {
      "access-control-allow-origin": grant.origin === "echo" ? origin : grant.origin,
      ...(grant.origin === "*" ? {} : { vary: "Origin" }),
      ...(shown.length > 0 ? { "access-control-expose-headers": shown.join(", ") } : {}),
    };
  };

  function preflight(request, response) {
    const asked = (request.headers["access-control-request-headers"] ?? "").split(",").map((name) => name.trim().toLowerCase()).filter(Boolean);
    const granted = grant.headers.includes("*") || asked.every((name) => grant.headers.includes(name));
    state.preflights.push({ path: request.url, asked, granted, origin: request.headers.origin });
    response.writeHead(204, {
      ...corsHeaders(request),
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": grant.headers.join(", "),
      "access-control-max-age": "600",
    });
    response.end();
  }

  const drop = (response) => (response.stream ? response.stream.close(2) : response.socket?.destroy());

  async function send(request, response, seen, answer) {
    const status = answer.status ?? 200;
    let text = answer.text ?? JSON.stringify(answer.json);
    if (answer.kind === "completion") {
      const written = dialect.writes(answer, seen);
      text = typeof written === "string" ? written : JSON.stringify(written);
    }
    const bytes = Buffer.from(text);
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    const whole = answer.cut === "json" ? half : bytes;
    response.writeHead(status, {
      "content-type": answer.type ?? "application/json",
      "content-length": whole.length,
      "x-request-id": `req_${seen.n}`,
      "openai-processing-ms": "12",
      "x-ratelimit-remaining-requests": "4999",
      ...answer.headers,
      ...corsHeaders(request, { ...answer, status }),
    });
    if (answer.cut === "connection") {
      response.write(half);
      await pause(20);
      return drop(response);
    }
    if (answer.pieces) {
      const size = Math.ceil(whole.length / answer.pieces);
      for (let from = 0; from < whole.length && !response.destroyed; from += size) {
        response.write(whole.subarray(from, from + size));
        await pause(answer.every);
      }
      return response.end();
    }
    response.end(whole);
  }

  async function complete(request, response, text) {
    let body = null;
    try {
      body = JSON.parse(text);
    } catch {
      // The script may still answer; most will not look.
    }
    const prompt = dialect.prompt(body);
    const seen = {
      n: state.requests.length + 1,
      at: performance.now(),
      path: request.url,
      method: request.method,
      headers: request.headers,
      text,
      body,
      prompt,
      items: numbered(prompt),
      schema: dialect.schema(body),
    };
    state.requests.push(seen);
    state.inFlight += 1;
    state.peak = Math.max(state.peak, state.inFlight);
    let open = true;
    const ended = () => {
      if (!open) return;
      open = false;
      state.inFlight -= 1;
      seen.ended = performance.now();
      seen.aborted = !response.writableFinished;
    };
    response.on("close", ended);
    response.on("finish", ended);

    const wait = typeof state.delay === "function" ? state.delay(seen) : state.delay;
    if (wait > 0) await pause(wait);
    const refused = dialect.refuses(seen, { key });
    seen.refused = refused !== null;
    let answer = refused ?? (await state.script(seen));
    if (answer.kind === "labels") {
      const { kind, labels, quoting, ...more } = answer;
      const plain = seen.schema ? JSON.stringify(fill(seen.schema, labels)) : labels.join("\n");
      answer = completion({ content: quoting ? `${prompt}\n\n${plain}` : plain }, more);
    }
    if (answer.wait) await pause(answer.wait);
    seen.status = answer.kind === "hang" || answer.kind === "reset" ? null : (answer.status ?? 200);
    if (response.destroyed || answer.kind === "hang") return;
    if (answer.kind === "reset") return drop(response);
    await send(request, response, seen, answer);
  }

  async function handle(request, response) {
    if (request.method === "OPTIONS") return preflight(request, response);
    const url = new URL(request.url, "http://host");
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) text += chunk;
    if (request.method === "POST" && dialect.asks(url)) return complete(request, response, text);
    const other = { n: state.listings.length + 1, text };
    if (request.method === "GET" && dialect.lists(url)) {
      state.listings.push({ headers: request.headers });
      const refused = dialect.refuses({ headers: request.headers, path: request.url, body: null, listing: true }, { key });
      if (refused) return send(request, response, other, refused);
      return send(request, response, other, { kind: "raw", json: dialect.listing(models) });
    }
    state.strays.push(`${request.method} ${request.url}`);
    return send(request, response, other, dialect.elsewhere(request.method, url));
  }

  const listener = (request, response) => {
    if (!keepAlive) response.setHeader("connection", "close");
    handle(request, response).catch((failure) => {
      if (response.destroyed) return;
      // A mistake in a script must not look like a provider's error.
      console.error("provider script failed:", failure);
      state.failure ??= failure;
      drop(response);
    });
  };
  const server = http2 ? createSecureServer({ ...certificate(), allowHTTP1: true }, listener) : createServer(listener);
  const sessions = new Set();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));

  /** The base URL that a person would type. */
  state.url = `${http2 ? "https" : "http"}://127.0.0.1:${server.address().port}${dialect.base}`;
  state.close = () =>
    new Promise((done, failed) => {
      closing.abort();
      server.close(() => (state.failure ? failed(state.failure) : done()));
      for (const session of sessions) session.destroy();
      server.closeAllConnections?.();
    });
  if (t) atEnd(t, state.close);
  return state;
}
