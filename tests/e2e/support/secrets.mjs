// Where a secret could be: every place that outlives a sight of the page, and every message to a worker and
// back. Read by hand, without any code of the product.

/** Collects whatever a context's pages and workers write to the console, of any kind. */
export function listen(context) {
  const said = [];
  context.on("console", (message) => said.push(message.text()));
  return said;
}

/** From the next page on, every message between a page and its workers is kept as text, bytes as latin1. */
export const recordMessages = (context) =>
  context.addInitScript(() => {
    const latin1 = new TextDecoder("latin1");
    const words = (value) => {
      if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return latin1.decode(value);
      if (value instanceof Blob) throw new Error("a message holds a blob, which this cannot read");
      if (value === null || typeof value !== "object") return String(value);
      return Object.entries(value)
        .map(([name, part]) => `${name}=${words(part)}`)
        .join("\n");
    };
    const crossed = (window.crossed = []);
    window.Worker = class extends window.Worker {
      #name;
      constructor(url, options) {
        super(url, options);
        this.#name = options?.name ?? "";
        // Before the page's own handler: buffers may be handed on by that.
        this.addEventListener("message", ({ data }) => crossed.push({ way: `from ${this.#name}`, text: words(data) }));
      }
      postMessage(message, ...rest) {
        crossed.push({ way: `to ${this.#name}`, text: words(message) });
        super.postMessage(message, ...rest);
      }
    };
  });

/** The secret as it is, without its beginning, and as text in other guises. */
const guises = (secret) => [
  secret,
  secret.slice(3),
  [...secret].reverse().join(""),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
];

/** Whether a text holds the secret. */
export const holds = (text, secret) => guises(secret).some((it) => text.includes(it));

/** The messages that hold the secret, by way. */
export const messagesWith = async (page, secret) =>
  (await page.evaluate(() => window.crossed)).filter(({ text }) => holds(text, secret));

/** Everything that a page could have left a word in, by name. `said` is what `listen` collects. */
export async function places(page, said = []) {
  const inside = await page.evaluate(async () => {
    const wait = (request) =>
      new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    const latin1 = new TextDecoder("latin1");
    const words = (value) =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value)
        ? latin1.decode(value)
        : value !== null && typeof value === "object"
          ? Object.entries(value).flatMap(([name, part]) => [name, words(part)]).join("\n")
          : String(value);
    const found = {
      sessionStorage: words({ ...sessionStorage }),
      localStorage: words({ ...localStorage }),
      cookies: document.cookie,
      address: location.href,
      "state of the history": words(history.state),
      "name of the window": window.name,
      "addresses asked for": performance.getEntries().map(({ name }) => name).join("\n"),
      page: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll("input, textarea, select")].map((it) => it.value).join("\n"),
      indexedDB: "",
      caches: "",
      files: "",
    };
    for (const { name } of await indexedDB.databases()) {
      const database = await wait(indexedDB.open(name));
      for (const each of database.objectStoreNames) {
        const store = database.transaction(each).objectStore(each);
        const [keys, values] = await Promise.all([wait(store.getAllKeys()), wait(store.getAll())]);
        found.indexedDB += words([keys, values]);
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) found.caches += request.url + (await (await cache.match(request)).text());
    }
    const folders = [await navigator.storage.getDirectory()];
    for (const folder of folders) {
      for await (const [name, handle] of folder.entries()) {
        found.files += name;
        if (handle.kind === "directory") folders.push(handle);
        else found.files += await (await handle.getFile()).text();
      }
    }
    return found;
  });
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  await session.detach();
  return {
    ...inside,
    history: entries.map(({ url, title }) => `${url}\n${title}`).join("\n"),
    "cookies of any kind": JSON.stringify(await page.context().cookies()),
    console: said.join("\n"),
  };
}

/** The names of the places that hold the secret. */
export const placesWith = async (page, secret, said) =>
  Object.entries(await places(page, said))
    .filter(([, text]) => holds(text, secret))
    .map(([name]) => name);
