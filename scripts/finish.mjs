// Last step of a build, run by Trunk on its staging folder: file names that tell their content apart, and
// the content security policy.
//
// Trunk 0.21 names a page's JavaScript after its wasm, and wasm-bindgen's JavaScript can differ for the
// same wasm: the same name with other bytes, so that a returning visitor's cached copy fails its integrity
// check and the page stays blank. Workers get no hash at all. So here the page's files are renamed after
// their own bytes, and the worker's get theirs as a query.
//
// `<meta name="build">` names the whole build; the page starts its workers as `worker_loader.js?v=BUILD`.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";

const short = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** The policy of the page. A policy in a meta tag does not bind workers, which are loaded with their own. */
export function policy(inlineScripts) {
  const hashes = inlineScripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...hashes].join(" "),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // Any provider the user names, and local ones.
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
  ].join("; ");
}

/** The texts of the scripts that stand in the page itself. */
export function inlineScripts(html) {
  return [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
    .filter(([, attributes]) => !/\bsrc\s*=/i.test(attributes))
    .map(([, , text]) => text);
}

/** The page with its policy and its build's name, both before anything that loads or runs. */
export function withPolicy(html, build) {
  const charset = /<meta charset="utf-8"\s*\/?>/i;
  if (!charset.test(html)) throw new Error("index.html: no <meta charset=\"utf-8\"> to put the policy behind");
  if (/http-equiv="Content-Security-Policy"/i.test(html)) throw new Error("index.html: it has a policy already");
  const tags = `<meta http-equiv="Content-Security-Policy" content="${policy(inlineScripts(html))}" />
    <meta name="build" content="${build}" />`;
  return html.replace(charset, (found) => `${found}\n    ${tags}`);
}

/**
 * Shortens the scripts and style sheets that a visitor waits for, and keeps the page's integrity true to them.
 * The wasm's glue and the styles are written for people; two in five of their bytes are.
 */
function shorten(folder, html) {
  const integrity = (bytes) => `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  for (const name of readdirSync(folder).filter((file) => /\.(js|css)$/.test(file))) {
    const path = join(folder, name);
    const before = readFileSync(path);
    const { code } = transformSync(before.toString("utf8"), {
      loader: name.endsWith(".css") ? "css" : "js",
      minify: true,
      // What the page's browsers read, so that nothing is rewritten for older ones.
      target: "esnext",
      legalComments: "none",
    });
    writeFileSync(path, code);
    html = html.replaceAll(integrity(before), integrity(Buffer.from(code)));
  }
  // What stands in the page itself is for browsers that are too old for the rest, and stays in their syntax.
  const plain = (text) => transformSync(text, { minify: true, target: "es5", legalComments: "none" }).code.trim();
  return html
    .replace(/<script>([\s\S]*?)<\/script>/g, (_, text) => `<script>${plain(text)}</script>`)
    .replace(/^\s*<!--(?!\[)[\s\S]*?-->\n/gm, "");
}

/** Renames the page's own JavaScript and wasm after their bytes; gives the page with the new names. */
function renameByContent(folder, html) {
  for (const name of readdirSync(folder)) {
    const parts = /^(.+)-[0-9a-f]{12,}(\.js|\.css|_bg\.wasm)$/.exec(name);
    if (!parts) continue;
    const renamed = `${parts[1]}-${short(readFileSync(join(folder, name)))}${parts[2]}`;
    if (!html.includes(name)) throw new Error(`index.html does not mention ${name}`);
    html = html.replaceAll(name, renamed);
    renameSync(join(folder, name), join(folder, renamed));
  }
  return html;
}

/**
 * Takes the integrity off the wasm's preload: its name tells its bytes already, Chromium warns that it ignores
 * it, and elsewhere the fetch that follows, which has none, would not match it and load the file again.
 */
const plainPreloads = (html) =>
  html.replace(/<link\b[^>]*\bas="fetch"[^>]*>/g, (link) => link.replace(/\s+integrity="[^"]*"/, ""));

/** Makes each worker's loader ask for exactly the files it was built with. */
function pinWorkers(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith("_loader.js"))) {
    const bin = name.slice(0, -"_loader.js".length);
    const version = (file) => `${file}?v=${short(readFileSync(join(folder, file)))}`;
    const wasm = `${bin}_bg.wasm`;
    writeFileSync(
      join(folder, name),
      `import init from "./${version(`${bin}.js`)}";\n` +
        `const wasm = new URL("./${version(wasm)}", import.meta.url);\n` +
        // A rejected promise stays in the worker; an error that is thrown is heard by who started it.
        `init({ module_or_path: wasm }).catch((error) => setTimeout(() => { throw error; }));\n`,
    );
  }
}

export function finish(folder) {
  const page = join(folder, "index.html");
  if (!existsSync(page)) throw new Error(`${page} is missing`);
  let html = plainPreloads(renameByContent(folder, shorten(folder, readFileSync(page, "utf8"))));
  pinWorkers(folder);
  const program = readdirSync(folder).filter((name) => /\.(js|wasm|css)$/.test(name)).sort();
  const build = short(program.map((name) => `${name} ${short(readFileSync(join(folder, name)))}`).join("\n"));
  html = withPolicy(html, build);
  writeFileSync(page, html);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  finish(process.env.TRUNK_STAGING_DIR ?? process.argv[2]);
}
