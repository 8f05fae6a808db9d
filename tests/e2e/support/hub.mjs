// A Hub on loopback that answers as the real one does: its API in pages, small files behind a relative
// redirect, large ones behind a signed address on another origin, and the headers that a page may read.
//
//   const hub = await startHub(t);
//   hub.add("org/name", { files: { "test.json": bytes }, rows: { test: 3 } });
//   hub.fault({ at: "copy", path: "test.json", cutAfter: 1000, times: 1 });
//   … the page asks at hub.url …
//   hub.asked("copy")      every request there: method, path, range, authorization, referer, status
//
// `hub` is the Hub itself, `copy` the network of copies on an origin of its own.

import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { atEnd } from "./cleanup.mjs";

const EXPOSED =
  "X-Repo-Commit, X-Request-Id, X-Error-Code, X-Error-Message, X-Total-Count, ETag, Link, Accept-Ranges, Content-Range, X-Linked-Size, X-Linked-ETag, X-Xet-Hash";
const hash = (kind, bytes) => createHash(kind).update(bytes).digest("hex");
const CONVERTED = "refs/convert/parquet";

/** The whole of what a listening server needs to be told to stop. */
const listen = (server, port = 0) =>
  new Promise((done) => server.listen(port, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}`)));

export async function startHub(t, { largeFrom = 50_000, pageSize = 1000, token = "hf_loopbackloopbackloopback" } = {}) {
  const datasets = new Map();
  const signed = new Map();
  const faults = [];
  const log = [];
  const sockets = new Set();
  let isDown = false;

  const own = { token, ranges: true };

  /** The first fault that fits, used up once more. */
  function faultFor(at, path, range) {
    // A body of one byte has nothing to cut.
    const fits = (it) => range !== "bytes=0-0" || (it.cutAfter ?? it.stallAfter ?? it.bytesPerSecond) === undefined;
    const found = faults.find((it) => it.at === at && it.times > 0 && path.includes(it.path) && fits(it));
    if (found) found.times -= 1;
    return found ?? {};
  }

  function write(request, response, status, headers, body = "") {
    const entry = log.find((it) => it.request === request);
    if (entry) entry.status = status;
    response.writeHead(status, headers);
    response.end(request.method === "HEAD" ? undefined : body);
  }

  async function pour(request, response, body, { cutAfter, stallAfter, bytesPerSecond }) {
    const entry = log.find((it) => it.request === request);
    const end = cutAfter ?? stallAfter ?? body.length;
    const step = bytesPerSecond ? Math.max(1, Math.ceil(bytesPerSecond / 20)) : 64 << 10;
    for (let at = 0; at < end && !response.destroyed; at += step) {
      const part = body.subarray(at, Math.min(end, at + step));
      if (entry) entry.bytes += part.length;
      if (!response.write(part)) {
        await new Promise((done) => {
          const on = () => {
            response.off("drain", on);
            request.socket.off("close", on);
            done();
          };
          response.on("drain", on);
          request.socket.on("close", on);
        });
      }
      if (bytesPerSecond) await new Promise((done) => setTimeout(done, 50));
    }
    if (stallAfter !== undefined) return;
    // Not before what was written is on its way.
    if (cutAfter !== undefined) setTimeout(() => response.destroy(), 100);
    else response.end();
  }

  /** A file's bytes, or the part that was asked for. */
  async function file(request, response, bytes, headers, fault, { gzip = false } = {}) {
    const wanted = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const entry = log.find((it) => it.request === request);
    if (fault.damaged) {
      bytes = Buffer.from(bytes);
      bytes[bytes.length >> 1] ^= 1;
    }
    const etag = fault.changed ? `"${randomBytes(8).toString("hex")}"` : headers.etag;
    if (wanted && own.ranges && !fault.noRange) {
      const from = Number(wanted[1]);
      const to = Math.min(wanted[2] === "" ? bytes.length - 1 : Number(wanted[2]), bytes.length - 1);
      if (from >= bytes.length || to < from) {
        return write(request, response, 416, { ...headers, "content-range": `bytes */${bytes.length}` });
      }
      const part = bytes.subarray(from, to + 1);
      if (entry) entry.status = 206;
      response.writeHead(206, {
        ...headers, etag, "content-range": `bytes ${from}-${to}/${bytes.length}`, "content-length": part.length,
      });
      return pour(request, response, part, fault);
    }
    if (entry) entry.status = 200;
    // Text is packed on its way, and then its length is not told.
    if (gzip && /gzip/.test(request.headers["accept-encoding"] ?? "")) {
      response.writeHead(200, { ...headers, etag, "content-encoding": "gzip" });
      return pour(request, response, gzipSync(bytes), fault);
    }
    response.writeHead(200, { ...headers, etag, "content-length": bytes.length });
    return pour(request, response, bytes, fault);
  }

  function refuse(request, response, status, code, message, cors) {
    write(request, response, status, { ...cors, "content-type": "text/plain; charset=utf-8", "x-error-code": code, "x-error-message": message }, message);
  }

  /** Whether the asker may see it; answers otherwise. */
  function allowed(request, response, dataset, cors) {
    const given = request.headers.authorization;
    if (given !== undefined && given !== `Bearer ${own.token}`) {
      refuse(request, response, 401, dataset?.gated ? "GatedRepo" : "RepoNotFound", "Invalid credentials in Authorization header", cors);
      return false;
    }
    if (!dataset || (dataset.private && !given)) {
      refuse(request, response, 401, "RepoNotFound", "Repository not found", cors);
      return false;
    }
    if (dataset.gated && !given) {
      refuse(request, response, 401, "GatedRepo", "Access to this dataset is restricted", cors);
      return false;
    }
    return true;
  }

  const plainFault = (request, response, fault, cors) => {
    if (fault.status) {
      write(request, response, fault.status, {
        ...cors, "content-type": "application/json", "retry-after": "1", "ratelimit": '"api";r=0;t=1',
      }, JSON.stringify({ error: "We are having problems" }));
      return true;
    }
    if (fault.html) {
      write(request, response, 200, { ...cors, "content-type": "text/html; charset=utf-8" }, "<!doctype html><title>Sign in</title><h1>Sign in</h1>");
      return true;
    }
    return false;
  };

  function record(at, request) {
    log.push({
      at, request, method: request.method, path: decodeURI(request.url), range: request.headers.range,
      origin: request.headers.origin, referer: request.headers.referer,
      authorization: request.headers.authorization !== undefined, status: 0, bytes: 0,
    });
  }

  const hubServer = createServer(async (request, response) => {
    if (isDown) return request.socket.destroy();
    record("hub", request);
    const origin = request.headers.origin ?? own.url;
    const cors = { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, "access-control-max-age": "86400", vary: "Origin" };
    if (request.method === "OPTIONS") {
      return write(request, response, 204, { ...cors, "access-control-allow-methods": "GET,HEAD", "access-control-allow-headers": "authorization,range" });
    }
    const url = new URL(request.url, own.url);
    const path = url.pathname;
    const fault = faultFor("hub", decodeURIComponent(path));
    if (plainFault(request, response, fault, cors)) return;

    const api = /^\/api\/datasets\/(.+?)\/(revision|tree)\/([^/]+)$/.exec(path);
    if (api) {
      const [, id, kind, encoded] = api;
      const dataset = datasets.get(id);
      if (!allowed(request, response, dataset, cors)) return;
      const commit = dataset.resolve(decodeURIComponent(encoded));
      if (!commit) return refuse(request, response, 404, "RevisionNotFound", "Invalid rev id", cors);
      const json = { ...cors, "content-type": "application/json; charset=utf-8", "x-repo-commit": commit.sha };
      if (kind === "revision") {
        const body = {
          _id: "0", id, sha: commit.sha, lastModified: "2025-10-01T00:00:00.000Z", private: dataset.private, gated: dataset.gated ? "auto" : false,
          siblings: Object.keys(commit.files).map((rfilename) => ({ rfilename })), cardData: commit.card,
        };
        return write(request, response, 200, json, JSON.stringify(body));
      }
      const entries = Object.entries(commit.files).map(([name, bytes]) => ({
        type: "file", oid: hash("sha1", bytes), size: bytes.length, path: name,
        ...(bytes.length >= largeFrom ? { lfs: { oid: hash("sha256", bytes), size: bytes.length, pointerSize: 133 }, xetHash: hash("md5", bytes) } : {}),
      }));
      entries.unshift({ type: "directory", oid: "0", size: 0, path: "data" });
      const start = Number(url.searchParams.get("cursor") ?? 0);
      if (start + pageSize < entries.length) {
        url.searchParams.set("cursor", start + pageSize);
        json.link = `<${url.href}>; rel="next"`;
      }
      return write(request, response, 200, json, JSON.stringify(entries.slice(start, start + pageSize)));
    }

    const resolve = /^\/datasets\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(path) ?? /^\/api\/resolve-cache\/datasets\/(.+?)\/([0-9a-f]{40})\/(.+)$/.exec(path);
    if (resolve) {
      const [, id, encoded, name] = resolve;
      const dataset = datasets.get(id);
      if (!allowed(request, response, dataset, cors)) return;
      const commit = dataset.resolve(decodeURIComponent(encoded));
      if (!commit) return refuse(request, response, 404, "RevisionNotFound", "Invalid rev id", cors);
      const bytes = commit.files[decodeURIComponent(name)];
      if (!bytes) return refuse(request, response, 404, "EntryNotFound", "Entry not found", cors);
      const large = bytes.length >= largeFrom;
      const headers = {
        ...cors, "x-repo-commit": commit.sha, "accept-ranges": "bytes", "content-type": "application/octet-stream",
        etag: `"${hash("sha1", bytes)}"`, ...(large ? { "x-linked-size": bytes.length, "x-linked-etag": `"${hash("sha256", bytes)}"` } : {}),
      };
      if (path.startsWith("/api/resolve-cache/")) return file(request, response, bytes, headers, fault, { gzip: /\.(json|jsonl|csv)$/.test(name) });
      if (large) {
        const key = randomBytes(12).toString("hex");
        signed.set(key, { bytes, name: decodeURIComponent(name), until: fault.expired ? 0 : Date.now() + 3_600_000 });
        return write(request, response, 302, { ...headers, location: `${own.copyUrl}/xet-bridge-us/${key}?X-Amz-Expires=3600` });
      }
      return write(request, response, 307, { ...headers, location: `/api/resolve-cache/datasets/${id}/${commit.sha}/${name}?etag=1` });
    }
    refuse(request, response, 404, "EntryNotFound", "Not found", cors);
  });

  const copyServer = createServer(async (request, response) => {
    if (isDown) return request.socket.destroy();
    record("copy", request);
    const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };
    // The copies do not answer what a browser asks beforehand.
    if (request.method === "OPTIONS") return write(request, response, 403, {});
    const key = /^\/xet-bridge-us\/([0-9a-f]+)/.exec(request.url)?.[1];
    const found = signed.get(key);
    const fault = faultFor("copy", found?.name ?? request.url, request.headers.range);
    if (!found || found.until < Date.now()) return write(request, response, 403, { ...cors, "content-type": "application/xml" }, "<Error><Code>AccessDenied</Code></Error>");
    if (request.headers.authorization !== undefined) return write(request, response, 400, { ...cors, "content-type": "application/xml" }, "<Error><Code>InvalidArgument</Code><Message>Only one auth mechanism allowed</Message></Error>");
    if (plainFault(request, response, fault, cors)) return;
    return file(request, response, found.bytes, { ...cors, etag: `"${hash("md5", found.bytes)}"`, "accept-ranges": "bytes", "content-type": "application/octet-stream" }, fault);
  });

  for (const server of [hubServer, copyServer]) {
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
  }
  own.url = await listen(hubServer);
  own.copyUrl = await listen(copyServer);

  const bytesOf = (files) =>
    Object.fromEntries(Object.entries(files).map(([name, it]) => [name, Buffer.isBuffer(it) ? it : Buffer.from(typeof it === "string" ? it : JSON.stringify(it))]));
  const newCommit = (files, rows) => ({
    sha: randomBytes(20).toString("hex"),
    files: { "README.md": Buffer.from("# A dataset\n"), ".gitattributes": Buffer.from("*.parquet filter=lfs\n"), ...bytesOf(files) },
    card: rows && { license: "mit", dataset_info: { features: [], splits: Object.entries(rows).map(([name, count]) => ({ name, num_bytes: 1, num_examples: count })) } },
  });

  /** A dataset with its first commit. `converted` are the files of the Hub's own Parquet branch. */
  own.add = (id, { files, rows, gated = false, private: hidden = false, converted } = {}) => {
    const first = newCommit(files, rows);
    const commits = new Map([[first.sha, first]]);
    const branches = { main: first.sha };
    if (converted) {
      const branch = newCommit(converted);
      commits.set(branch.sha, branch);
      branches[CONVERTED] = branch.sha;
    }
    datasets.set(id, { gated, private: hidden, commits, branches, resolve: (revision) => commits.get(branches[revision] ?? revision) });
    return first.sha;
  };
  /** A newer commit on `main`. The older ones stay. */
  own.push = (id, files, rows) => {
    const dataset = datasets.get(id);
    const next = newCommit(files, rows);
    dataset.commits.set(next.sha, next);
    dataset.branches.main = next.sha;
    return next.sha;
  };
  /** Misbehaves so many times: status, html, cutAfter, stallAfter, bytesPerSecond, noRange, changed, damaged, expired. */
  own.fault = ({ at = "hub", path = "", times = 1, ...what }) => faults.push({ at, path, times, ...what });
  own.clearFaults = () => faults.splice(0);
  own.asked = (at) => log.filter((it) => at === undefined || it.at === at);
  own.forget = () => log.splice(0);
  own.down = () => {
    isDown = true;
    for (const socket of sockets) socket.destroy();
  };
  own.up = () => { isDown = false; };
  own.close = () => Promise.all([hubServer, copyServer].map((server) => new Promise((done) => {
    for (const socket of sockets) socket.destroy();
    server.close(done);
  })));
  if (t) atEnd(t, () => own.close());
  return own;
}
