// A static host as plain as the ones the page is published on: right types, no fallback for unknown paths.
//
//   node scripts/serve.mjs [--root dist] [--port 8080] [--base /]
//
// Takes the next free port where the wanted one is taken, and prints the address.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".jsonl": "application/x-ndjson; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".parquet": "application/vnd.apache.parquet",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** A name that carries its content's hash may be kept for good; everything else is asked for again. */
const cacheControl = (path) =>
  /-[0-9a-f]{12,}(_bg)?\.(js|wasm|css)$/.test(path) ? "public, max-age=31536000, immutable" : "no-cache";

/**
 * Serves `root` under `base`. `intercept(path, request)` may answer instead of a file: it gives
 * `{ status, headers?, body? }`, or nothing for the file.
 */
export async function serve({ root, base = "/", host = "127.0.0.1", port = 0, tries = 1, intercept } = {}) {
  const folder = resolve(root);
  const prefix = base.endsWith("/") ? base : `${base}/`;
  const requests = [];

  const server = createServer(async (request, response) => {
    const end = (status, text, headers = {}) => {
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache", ...headers });
      response.end(request.method === "HEAD" ? undefined : text);
    };
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    } catch {
      return end(400, "Bad address");
    }
    requests.push(path);
    const instead = await intercept?.(path, request);
    if (instead) return end(instead.status, instead.body ?? "", instead.headers);
    if (request.method !== "GET" && request.method !== "HEAD") return end(405, "Only GET and HEAD", { allow: "GET, HEAD" });
    if (path === prefix.slice(0, -1)) return end(308, "", { location: prefix });
    if (!path.startsWith(prefix)) return end(404, `Not found: ${path}`);

    let file = normalize(join(folder, path.slice(prefix.length)));
    if (path.includes("\0") || (file !== folder && !file.startsWith(folder + sep))) return end(404, "Not found");
    let found = await stat(file).catch(() => null);
    if (found?.isDirectory() && path.endsWith("/")) {
      file = join(file, "index.html");
      found = await stat(file).catch(() => null);
    }
    if (!found?.isFile()) return end(404, `Not found: ${path}`);
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-length": found.size,
      "cache-control": cacheControl(file),
      "x-content-type-options": "nosniff",
    });
    if (request.method === "HEAD") return response.end();
    createReadStream(file).on("error", () => response.destroy()).pipe(response);
  });

  for (let attempt = 1; ; attempt += 1) {
    try {
      await new Promise((done, failed) => {
        server.once("error", failed);
        server.listen(port, host, () => {
          server.off("error", failed);
          done();
        });
      });
      break;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || attempt >= tries) throw error;
      port += 1;
    }
  }
  return {
    url: `http://${host}:${server.address().port}${prefix}`,
    /** The paths asked for, in order. */
    requests,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      root: { type: "string", default: fileURLToPath(new URL("../dist", import.meta.url)) },
      port: { type: "string", default: process.env.PORT ?? "8080" },
      base: { type: "string", default: "/" },
    },
  });
  const { url } = await serve({ root: values.root, base: values.base, port: Number(values.port), tries: 50 });
  console.log(`Viva is at ${url}  (Ctrl+C ends it)`);
}
