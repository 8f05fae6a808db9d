// How Chromium is started, in one place: by the smoke test, the end-to-end tests and measurements.

import { spawnSync } from "node:child_process";

export const FLAGS = [
  "--no-sandbox", // containers run as root, where the sandbox refuses to start
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** The browser that scripts/env.sh finds, or the one named in CHROME. */
export function browserPath() {
  const script = new URL("./env.sh", import.meta.url).pathname;
  const found =
    process.env.CHROME || spawnSync("bash", ["-c", `. "${script}" && printf %s "$CHROME"`], { encoding: "utf8" }).stdout;
  if (!found) throw new Error("no Chrome or Chromium found: run `bash scripts/setup.sh`, or name it in CHROME");
  return found;
}

export async function launch(options = {}) {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: browserPath(), headless: true, args: FLAGS, ...options });
}

/**
 * Calls `report(text)` for everything that should not happen in a page: errors on the console, uncaught
 * errors, breaches of the content security policy, requests to other machines.
 */
export async function watch(context, report) {
  await context.exposeFunction("__vivaBreach", (text) => report(`policy breach: ${text}`));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      window.__vivaBreach(`${event.violatedDirective} ${event.blockedURI || "inline"} (${event.sourceFile}:${event.lineNumber})`);
    });
  });
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    const { url, lineNumber } = message.location();
    report(`console error: ${message.text()}${url ? ` (${url}:${lineNumber})` : ""}`);
  });
  context.on("weberror", (error) => report(`uncaught: ${error.error()?.stack ?? error.error()}`));
  context.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (!/^https?:$/.test(protocol) || ["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return;
    report(`request to another machine: ${request.method()} ${protocol}//${hostname}`);
  });
}
