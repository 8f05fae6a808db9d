// A provider that takes batches as OpenAI does: a file is uploaded, a batch is made over it, and its results
// are files again. On loopback, with the provider's own shapes and errors; requests are answered by `answer`.
//
//   const host = await startBatches(t, { answer: (body, key) => reply });
//
// `answer` gives `{ content, finish }`, `{ error: { status, message, code } }` or `"expired"`.

import { createServer } from "node:http";
import { atEnd } from "./cleanup.mjs";
import { PROFILES } from "./profiles.mjs";

/** The response body of a chat completion, as a line of results holds it. */
export function completion(body, { content, finish = "stop" }) {
  const prompt = Math.ceil(JSON.stringify(body.messages).length / 4);
  return {
    id: "chatcmpl-batch",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: body.model,
    choices: [{ index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: finish }],
    usage: { prompt_tokens: prompt, completion_tokens: 12, total_tokens: prompt + 12 },
  };
}

/** Lines of results for lines of requests: those that were answered, and those that were not. */
export function resultsOf(text, answer) {
  const [done, failed] = [[], []];
  for (const [n, line] of text.trim().split("\n").entries()) {
    const { custom_id, body } = JSON.parse(line);
    const given = answer(body, custom_id, n);
    const head = { id: `batch_req_${n}`, custom_id };
    if (given === "expired") {
      failed.push({ ...head, response: null, error: { code: "batch_expired", message: "This request could not be executed before the completion window expired." } });
    } else if (given.error) {
      const { status, message, code = null } = given.error;
      failed.push({ ...head, response: { status_code: status, request_id: `req_${n}`, body: { error: { message, type: "invalid_request_error", param: null, code } } }, error: null });
    } else {
      done.push({ ...head, response: { status_code: 200, request_id: `req_${n}`, body: completion(body, given) }, error: null });
    }
  }
  return { done, failed };
}

export const jsonl = (list) => list.map((it) => JSON.stringify(it)).join("\n") + "\n";

export async function startBatches(t, { answer, key = "sk-batch-0123456789abcdef0123" } = {}) {
  const state = {
    key,
    files: new Map(),
    batches: new Map(),
    /** How many polls say that it is under way. */
    polls: 1,
    /** Set to "begin", "gateway" or "upload": that step is done, and its own answer never sent. */
    swallow: null,
    begun: 0,
    requests: [],
  };
  const cors = (request) => ({ "access-control-allow-origin": request.headers.origin ?? "*", vary: "Origin" });
  const server = createServer(async (request, response) => {
    // On a connection that was used before, Chromium asks once more by itself when it breaks.
    response.setHeader("connection", "close");
    const send = (status, body, type = "application/json") => {
      response.writeHead(status, { "content-type": type, ...cors(request) });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    if (request.method === "OPTIONS") {
      const asked = (request.headers["access-control-request-headers"] ?? "").split(",").map((it) => it.trim()).filter(Boolean);
      const granted = asked.every((it) => ["authorization", "content-type"].includes(it));
      response.writeHead(granted ? 204 : 403, { ...cors(request), "access-control-allow-headers": "authorization, content-type", "access-control-allow-methods": "GET, POST" });
      return response.end();
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const path = new URL(request.url, "http://host").pathname;
    state.requests.push({ method: request.method, path, headers: request.headers });
    if (request.headers.authorization !== `Bearer ${key}`) return send(401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } });
    const said = (name) => new RegExp(`name="${name}"(?:; filename="([^"]*)")?[^\\r\\n]*\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([\\s\\S]*?)\\r\\n--`).exec(body);
    if (request.method === "POST" && path === "/v1/files") {
      const [purpose, file] = [said("purpose")?.[2], said("file")];
      if (purpose !== "batch" || !file) return send(400, { error: { message: "'purpose' and 'file' are required", param: "purpose" } });
      const id = `file-${state.files.size}`;
      state.files.set(id, file[2]);
      if (state.swallow === "upload") return request.socket.destroy();
      return send(200, { id, object: "file", purpose, filename: file[1], bytes: file[2].length, status: "processed" });
    }
    if (request.method === "POST" && path === "/v1/batches") {
      const wanted = JSON.parse(body);
      if (wanted.completion_window !== "24h" || !["/v1/chat/completions", "/v1/responses"].includes(wanted.endpoint) || !state.files.has(wanted.input_file_id))
        return send(400, { error: { message: "Invalid batch", param: "input_file_id" } });
      const id = `batch_${state.batches.size}`;
      state.begun += 1;
      state.batches.set(id, { input: wanted.input_file_id, left: state.polls });
      if (state.swallow === "begin") return request.socket.destroy();
      // The batch is there, and who stands between gave up waiting for the answer.
      if (state.swallow === "gateway") return send(504, "<html><title>504 Gateway Time-out</title></html>", "text/html");
      return send(200, { id, object: "batch", status: "validating", input_file_id: wanted.input_file_id });
    }
    const batch = /^\/v1\/batches\/(\w+)$/.exec(path);
    if (batch && state.batches.has(batch[1])) {
      const it = state.batches.get(batch[1]);
      const total = state.files.get(it.input).trim().split("\n").length;
      const shared = { id: batch[1], object: "batch", input_file_id: it.input, completion_window: "24h" };
      if (it.left > 0) {
        it.left -= 1;
        return send(200, { ...shared, status: "in_progress", request_counts: { total, completed: 0, failed: 0 }, output_file_id: null, error_file_id: null });
      }
      if (!it.output) {
        const { done, failed } = resultsOf(state.files.get(it.input), answer);
        it.counts = { total, completed: done.length, failed: failed.length };
        it.output = `file-out-${batch[1]}`;
        state.files.set(it.output, jsonl(done.reverse()));
        if (failed.length > 0) state.files.set((it.errors = `file-err-${batch[1]}`), jsonl(failed));
      }
      return send(200, { ...shared, status: "completed", request_counts: it.counts, output_file_id: it.output, error_file_id: it.errors ?? null });
    }
    const file = /^\/v1\/files\/([\w-]+)\/content$/.exec(path);
    if (file && state.files.has(file[1])) return send(200, state.files.get(file[1]), "application/octet-stream");
    return send(404, { error: { message: `No such path: ${path}` } });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${server.address().port}/v1`;
  atEnd(t, () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  }));
  return state;
}

/**
 * Gemini's batches: all requests in one body, each held to the rules of a live one, and the replies inside the
 * answer to the last poll. Counts are texts there, and a request that failed stands among those that did not.
 * `answer(prompt, n)` gives `{ content }` or `{ error }`; live calls are answered as well, and have no `n`.
 */
export async function startGeminiBatches(t, { answer } = {}) {
  const { key, fault, usage, errors, models } = PROFILES.gemini;
  const state = { key, polls: 1, batches: new Map(), requests: [], spent: { fresh: 900, cached: 45, said: 12, thought: 30 } };
  const server = createServer(async (request, response) => {
    response.setHeader("connection", "close");
    const cors = { "access-control-allow-origin": request.headers.origin ?? "*", vary: "Origin" };
    const send = (status, body) => {
      response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...cors });
      response.end(JSON.stringify(body));
    };
    const say = ({ status, json }) => send(status, json);
    if (request.method === "OPTIONS") {
      const asked = (request.headers["access-control-request-headers"] ?? "").split(",").map((it) => it.trim()).filter(Boolean);
      const granted = asked.every((it) => ["x-goog-api-key", "content-type"].includes(it));
      response.writeHead(granted ? 200 : 403, { ...cors, "access-control-allow-headers": "x-goog-api-key, content-type", "access-control-allow-methods": "GET, POST" });
      return response.end();
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url, "http://host");
    state.requests.push({ method: request.method, path: url.pathname, headers: request.headers });
    if (url.search) return say(errors.unknown(url.search));
    if (request.headers["x-goog-api-key"] !== key) return say(errors.wrongKey());
    const [, model, way] = /^\/v1beta\/models\/([\w.-]+):(generateContent|batchGenerateContent)$/.exec(url.pathname) ?? [];
    const reply = (asked, model, n) => {
      const given = answer(asked.contents.at(-1).parts.map((it) => it.text).join(""), n);
      if (given.error) return given;
      const parts = [{ text: "Let me see.", thought: true }, { text: given.content }];
      return { response: { candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }], modelVersion: model, usageMetadata: usage(state.spent) } };
    };
    if (request.method === "POST" && model) {
      if (!models[model]) return say(errors.noModel(model));
      const body = JSON.parse(Buffer.concat(chunks));
      if (way === "generateContent") {
        const wrong = fault(body, models[model]);
        return wrong ? say(errors.bad(...wrong)) : send(200, reply(body, model).response);
      }
      const { batch, ...other } = body;
      const list = batch?.inputConfig?.requests?.requests;
      const odd = Object.keys({ ...other, ...batch }).find((name) => !["displayName", "inputConfig"].includes(name));
      if (odd || !batch?.displayName || !list?.length) return say(errors.bad(`Invalid batch: ${odd ?? "nothing is in it"}`, "batch"));
      for (const it of list) {
        const wrong = Object.keys(it).join() === "request,metadata" ? fault(it.request, models[model]) : ["Invalid request in a batch", "batch"];
        if (wrong) return say(errors.bad(...wrong));
      }
      const name = `batches/b${state.batches.size}`;
      state.batches.set(name, { list, model, left: state.polls });
      return send(200, { name, metadata: { "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch", model: `models/${model}`, displayName: batch.displayName, state: "BATCH_STATE_PENDING", name, batchStats: { requestCount: String(list.length), pendingRequestCount: String(list.length) } } });
    }
    const name = url.pathname.slice("/v1beta/".length);
    const batch = state.batches.get(name);
    if (request.method !== "GET" || !batch) return say(errors.bad(`No such path: ${url.pathname}`));
    const all = String(batch.list.length);
    if (batch.left > 0) {
      batch.left -= 1;
      return send(200, { name, metadata: { name, state: "BATCH_STATE_RUNNING", batchStats: { requestCount: all, pendingRequestCount: all } } });
    }
    const inlined = batch.list.map(({ request: asked, metadata }, n) => ({ ...reply(asked, batch.model, n), metadata }));
    const failed = inlined.filter((it) => it.error).length;
    send(200, {
      name,
      metadata: { name, state: "BATCH_STATE_SUCCEEDED", batchStats: { requestCount: all, successfulRequestCount: String(inlined.length - failed), ...(failed ? { failedRequestCount: String(failed) } : {}) } },
      done: true,
      response: { "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatchOutput", inlinedResponses: { inlinedResponses: inlined } },
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${server.address().port}/v1beta`;
  atEnd(t, () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  }));
  return state;
}
