// What the tests of the run worker share: its storage read past the product, words put before its code,
// handles to end it, and chance that can be repeated.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DIST, serveDist } from "./static.mjs";

/** Numbers in 0..1, the same ones for the same seed (mulberry32). */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 15), word | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same number in 0..2^32 for the same text. */
export function hashed(text) {
  let word = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) word = Math.imul(word ^ text.charCodeAt(at), 0x01000193);
  return word >>> 0;
}

/**
 * The built page whose workers run `code` before their own first line. A test can change a clock or take
 * an API away there and nowhere else: a page's init scripts do not reach into its workers. The page's policy
 * does not see a difference.
 */
export function serveWith(t, code, options = {}) {
  const loader = readFileSync(join(DIST, "worker_loader.js"), "utf8");
  // Imports run first wherever they stand, and those of the loader only define things.
  const text = `${code}\n${loader}`;
  return serveDist(t, {
    ...options,
    intercept: (path) =>
      path.endsWith("/worker_loader.js")
        ? { status: 200, body: text, headers: { "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" } }
        : undefined,
  });
}

/** Words for `serveWith`: in the run worker time passes `factor` times as fast, for clocks and timers alike. */
export const hurried = (factor) => `if (self.name === "run") {
  const [timeout, now] = [self.setTimeout, Date.now];
  const since = now();
  self.setTimeout = (work, wait, ...rest) => timeout(work, (wait ?? 0) / ${factor}, ...rest);
  Date.now = () => since + (now() - since) * ${factor};
}`;

/** The page's worker of this role, as Playwright holds it. */
export async function workerOf(page, name) {
  for (const worker of page.workers()) if ((await worker.evaluate(() => self.name)) === name) return worker;
  throw new Error(`the page has no worker of the name ${name}`);
}

/** Keeps the page's workers at hand as `window.heldWorkers[name]`, so that `terminate()` can be called on one. */
export const holdWorkers = (context) =>
  context.addInitScript(() => {
    const held = (window.heldWorkers = {});
    window.Worker = class extends window.Worker {
      constructor(url, options) {
        super(url, options);
        held[options?.name ?? ""] = this;
      }
    };
  });

/** What stands in IndexedDB: attempts by storage key, and runs. Read by hand, without any code of the product. */
export const stored = (page) =>
  page.evaluate(async () => {
    const wait = (request) =>
      new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    // Opening what is not there would make an empty one, which the product takes for its own.
    if (!(await indexedDB.databases()).some(({ name }) => name === "viva")) return { replies: [], runs: [] };
    const database = await wait(indexedDB.open("viva"));
    try {
      const of = async (name) => {
        const store = database.transaction(name).objectStore(name);
        const [keys, values] = await Promise.all([wait(store.getAllKeys()), wait(store.getAll())]);
        return keys.map((key, at) => [String(key), values[at]]);
      };
      return { replies: await of("replies"), runs: await of("runs") };
    } finally {
      database.close();
    }
  });
