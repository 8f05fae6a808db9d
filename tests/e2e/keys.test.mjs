// Keys: where one lies and where not, what locks it, who hears of it, and what is taken out of files.

import assert from "node:assert/strict";
import { createServer as createSecureServer } from "node:https";
import { get } from "node:http";
import test from "node:test";
import { FLAGS, launch } from "../../scripts/chromium.mjs";
import { download, HTTP_ERRORS, newContext, newPage, workersReady } from "./support/browser.mjs";
import { atEnd } from "./support/cleanup.mjs";
import { hurried, serveWith } from "./support/engine.mjs";
import { certificate, reply, startProvider } from "./support/provider.mjs";
import { holds, listen, messagesWith, places, placesWith, recordMessages } from "./support/secrets.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, endpoint, go, open, questions, runState, table } from "./support/viva.mjs";

const KEY = "sk-test-0123456789abcdefghij";
const PASSPHRASE = "correct horse battery staple";

const good = (request) => reply.labels(request.items.map(() => "Mostly"));
const field = (page, name) => page.getByLabel(name, { exact: true });
const keep = (page, how) => field(page, "Keep the key").selectOption({ label: how });
const notice = (page) => page.locator(".flash");
const state = (page, words) => page.getByTestId("vault-state").filter({ hasText: words }).waitFor();
const inMemory = (page) => page.getByText("is in memory").first();

/** Types a key and waits until a worker has it. */
async function setKey(page, key = KEY) {
  await field(page, "API key").fill(key);
  await field(page, "API key").blur();
  await inMemory(page).waitFor();
}

async function start(t, { context, site, ...options } = {}) {
  const provider = await startProvider(t, { script: good });
  context ??= await newContext(t, options);
  const said = listen(context);
  const opened = await open(t, { page: await context.newPage(), site, hash: "#/judge" });
  return { ...opened, context, provider, said };
}

/** The same page once more, with the host in its fields. */
async function again(page, provider) {
  await page.reload();
  await page.locator("h1:not(#boot h1)").first().waitFor();
  await workersReady(page);
  await go(page, "#/judge");
  await endpoint(page, { url: provider.url });
}

/** What the host was sent as the key when it was asked for its models. */
async function sent(page, provider) {
  const before = provider.listings.length;
  await button(page, "List this host’s models").click();
  while (provider.listings.length === before) await page.waitForTimeout(20);
  return provider.listings.at(-1).headers.authorization;
}

// ------------------------------------------------------------------ where it lies

test("in memory: it lies nowhere, and a reload has none", async (t) => {
  const { page, provider, said } = await start(t);
  await endpoint(page, { url: provider.url });
  await setKey(page);
  assert.equal(await field(page, "Keep the key").inputValue(), "In memory");
  assert.equal(await sent(page, provider), `Bearer ${KEY}`);
  for (const route of ["#/judge", "#/settings"]) {
    await go(page, route);
    assert.deepEqual(await placesWith(page, KEY, said), []);
  }
  await again(page, provider);
  assert.equal(await inMemory(page).count(), 0);
  assert.equal(await sent(page, provider), undefined);
  assert.deepEqual(await placesWith(page, KEY, said), []);
});

test("in this tab: it survives a reload, lies in the tab's storage alone, and goes at a word", async (t) => {
  const { page, site, context, provider, said } = await start(t);
  await endpoint(page, { url: provider.url });
  await setKey(page);
  await keep(page, "In this tab");
  assert.deepEqual(await placesWith(page, KEY, said), [], "what was typed before the choice is in no signal");
  await page.getByText("Enter the key once more if it was entered before this.").waitFor();
  await setKey(page);
  await again(page, provider);
  await inMemory(page).waitFor();
  assert.equal(await field(page, "Keep the key").inputValue(), "In this tab");
  assert.equal(await sent(page, provider), `Bearer ${KEY}`);
  assert.deepEqual(await placesWith(page, KEY, said), ["sessionStorage"]);

  const { page: second } = await open(t, { page: await context.newPage(), site, hash: "#/judge" });
  await endpoint(second, { url: provider.url });
  assert.equal(await sent(second, provider), undefined);
  assert.deepEqual(await placesWith(second, KEY, said), []);
  await second.close();

  await keep(page, "In memory");
  assert.deepEqual(await placesWith(page, KEY, said), []);
  assert.equal(await sent(page, provider), `Bearer ${KEY}`, "until the next reload");
  await again(page, provider);
  assert.equal(await sent(page, provider), undefined);

  for (const forget of ["Forget the key", "Forget all keys"]) {
    await keep(page, "In this tab");
    await setKey(page);
    assert.deepEqual(await placesWith(page, KEY, said), ["sessionStorage"]);
    await go(page, "#/settings");
    await button(page, forget).click();
    await page.getByText("No key is in memory.").waitFor();
    assert.deepEqual(await placesWith(page, KEY, said), []);
    await go(page, "#/judge");
    assert.equal(await sent(page, provider), undefined);
  }
});

// ------------------------------------------------------------------------ the vault

/** What is sealed, as it stands in storage; `change` gives what is to stand there instead. */
const sealedIn = (page, change) =>
  page.evaluate(
    async ([write, text]) => {
      const wait = (request) => new Promise((done) => { request.onsuccess = () => done(request.result); });
      const database = await wait(indexedDB.open("viva"));
      const store = database.transaction("meta", write ? "readwrite" : "readonly").objectStore("meta");
      if (write) await wait(store.put(text, "vault"));
      const found = await wait(store.get("vault"));
      database.close();
      return JSON.parse(found ?? "[]");
    },
    [change !== undefined, JSON.stringify(change)],
  );

async function withPassphrase(page, name, passphrase = PASSPHRASE) {
  await field(page, "Passphrase").fill(passphrase);
  await button(page, name).click();
}

async function seal(page) {
  await keep(page, "In a vault");
  await state(page, /Choose a passphrase/);
  await withPassphrase(page, "Seal the key");
  await state(page, /The vault is open\. It locks itself after 15 minutes/);
}

/** Presses for a run that must not begin. */
async function refused(page, provider) {
  const before = provider.attempts + provider.preflights.length;
  await button(page, "Start run").click();
  await notice(page).filter({ hasText: "The key for this host is locked" }).waitFor();
  await page.waitForTimeout(200);
  assert.equal(provider.attempts + provider.preflights.length, before, "nobody was asked");
}

test("a vault: sealed under a passphrase, asked for after a reload, locked and deleted", async (t) => {
  const { page, provider, said } = await start(t);
  const set = questions(2);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url });
  await keep(page, "In a vault");
  await state(page, /Enter the key first/);
  await setKey(page);
  await withPassphrase(page, "Seal the key", "too short");
  await notice(page).filter({ hasText: /The key was not sealed/ }).filter({ hasText: /it has 9 of at least 12 characters/ }).waitFor();
  assert.deepEqual(await sealedIn(page), []);

  await seal(page);
  assert.equal(await field(page, "Passphrase").inputValue(), "");
  const [entry, ...more] = await sealedIn(page);
  assert.deepEqual(more, []);
  assert.deepEqual([entry.kdf, entry.origin], ["pbkdf2-sha256", new URL(provider.url).origin]);
  assert.ok(600_000 <= entry.iterations);
  assert.match(entry.salt, /^[0-9a-f]{32}$/);
  // As long as the key and its tag, and nothing else.
  assert.equal(entry.ciphertext.length, 2 * (KEY.length + 16));
  const nowhere = async () => assert.deepEqual([await placesWith(page, KEY, said), await placesWith(page, PASSPHRASE, said)], [[], []]);
  await nowhere();
  assert.match((await places(page)).indexedDB, /pbkdf2-sha256/, "what is stored is read as it is");

  await again(page, provider);
  assert.equal(await field(page, "Keep the key").inputValue(), "In a vault");
  assert.equal(await inMemory(page).count(), 0);
  await state(page, /A key for this host is sealed here/);
  await refused(page, provider);
  await withPassphrase(page, "Open the vault", `${PASSPHRASE}s`);
  await notice(page).filter({ hasText: /The vault was not opened.*passphrase is another one/s }).waitFor();
  assert.equal(await inMemory(page).count(), 0);
  await refused(page, provider);
  await withPassphrase(page, "Open the vault");
  await state(page, /The vault is open/);
  await button(page, "Start run").click();
  await runState(page, "done");
  assert.ok(provider.requests.length === 2 && provider.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`));
  await nowhere();

  await button(page, "Lock now").click();
  await state(page, /sealed here/);
  await field(page, "Model").fill("another-model");
  await refused(page, provider);
  const asked = () => provider.listings.length + provider.attempts;
  const before = asked();
  await button(page, "Try this judge").click();
  await page.getByTestId("judge-diagnosis").getByText("The key for this host is locked").waitFor();
  assert.equal(asked(), before);
  await t.test("nor is a host asked for its models", async () => {
    await button(page, "List this host’s models").click();
    await notice(page).filter({ hasText: "The key for this host is locked" }).waitFor({ timeout: 2000 });
    assert.equal(asked(), before);
  });

  await button(page, "Delete the sealed key").click();
  await state(page, /Enter the key first/);
  assert.deepEqual(await sealedIn(page), []);
  await go(page, "#/settings");
  await page.getByText("None is sealed on this device.").waitFor();
});

test("what was tampered with in the vault does not open", async (t) => {
  const { page, provider } = await start(t);
  const other = await startProvider(t, { script: good });
  await endpoint(page, { url: provider.url });
  await setKey(page);
  await seal(page);
  await button(page, "Lock now").click();
  const [entry] = await sealedIn(page);
  const origin = new URL(other.url).origin;
  const flipped = entry.ciphertext.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  const tampered = [
    ["easier to guess", { iterations: 1000 }, /No key is sealed for this host/],
    ["another number of rounds", { iterations: 700_000 }, /passphrase is another one, or what was stored is damaged/],
    ["another text", { ciphertext: flipped }, /passphrase is another one, or what was stored is damaged/],
    ["for another host", { origin }, /passphrase is another one, or what was stored is damaged/],
  ];
  for (const [name, change, words] of tampered) {
    await t.test(name, async () => {
      await sealedIn(page, [{ ...entry, ...change }]);
      if (change.origin) await again(page, other);
      await withPassphrase(page, "Open the vault");
      await notice(page).filter({ hasText: words }).waitFor();
      assert.equal(await inMemory(page).count(), 0);
      await button(page, "Dismiss").click();
    });
  }
  assert.equal(other.listings.length + other.preflights.length, 0);
  await sealedIn(page, [entry]);
  await again(page, provider);
  await withPassphrase(page, "Open the vault");
  await state(page, /The vault is open/);
});

test("a vault that nobody uses locks itself, and not while a run goes on", async (t) => {
  // A quarter of an hour in less than five seconds.
  const FASTER = 200;
  const { page, provider } = await start(t, { site: await serveWith(t, hurried(FASTER)) });
  const set = questions(24);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, concurrency: 1 });
  await setKey(page);
  await seal(page);
  provider.delay = 250;
  await button(page, "Start run").click();
  await runState(page, "done");
  const [first, last] = [provider.requests[0], provider.requests.at(-1)];
  assert.ok((15 * 60_000) / FASTER < last.ended - first.at, "the run took longer than the vault stays open");
  assert.equal(provider.requests.length, 24);
  assert.ok(provider.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`));
  await state(page, /The vault is open/);
  const since = performance.now();
  await state(page, /sealed here/);
  assert.ok(3000 < performance.now() - since, "it stays open for as long as it says");
  assert.equal(await inMemory(page).count(), 0);
  await field(page, "Model").fill("another-model");
  await refused(page, provider);
  await t.test("the page says that it is locked", async () => {
    assert.match(await page.getByTestId("vault-state").innerText(), /locked/);
  });
});

// ------------------------------------------------------------- addresses of many

test("a page that shares its origin with others says so", async (t) => {
  const { page } = await start(t);
  const endpointAt = (page) => endpoint(page, { url: "http://127.0.0.1:1/v1" });
  await endpointAt(page);
  assert.equal(await page.getByTestId("shared-origin").count(), 0, "on this machine");

  const site = await serveDist(t);
  const front = createSecureServer(certificate(), (request, response) => {
    get(new URL(request.url, site.url), (inner) => {
      response.writeHead(inner.statusCode, inner.headers);
      inner.pipe(response);
    });
  });
  await new Promise((done) => front.listen(0, "127.0.0.1", done));
  atEnd(t, () => new Promise((done) => { front.close(done); front.closeAllConnections(); }));
  const { port } = front.address();
  const browser = await launch({ args: [...FLAGS, "--host-resolver-rules=MAP * 127.0.0.1"] });
  atEnd(t, () => browser.close());
  for (const [host, isShared] of [["someone.github.io", true], ["viva.pages.dev", false]]) {
    const page = await newPage(t, { browser, ignoreHTTPSErrors: true, allow: [new RegExp(`another machine: GET https://${host}`)] });
    await open(t, { page, site: { url: `https://${host}:${port}/` }, hash: "#/judge" });
    await endpointAt(page);
    await field(page, "Keep the key").waitFor();
    const told = page.getByTestId("shared-origin");
    assert.equal(await told.count(), isShared ? 1 : 0, host);
    if (!isShared) continue;
    assert.match(await told.innerText(), /This address is shared\. Every page at someone\.github\.io shares this page’s storage/);
    assert.doesNotMatch(await told.getAttribute("class"), /warn/);
    for (const how of ["In this tab", "In a vault"]) {
      await keep(page, how);
      assert.match(await told.getAttribute("class"), /notice--warn/, how);
    }
  }
});

// ------------------------------------------------------------------------ as typed

test("a key that no header can carry is refused, and not repeated", async (t) => {
  const { page, provider, said } = await start(t);
  await endpoint(page, { url: provider.url });
  const rest = KEY.slice(10);
  for (const wrong of [`sk-test-ü${rest}`, `sk-test-😀${rest}`, `sk-test- ${rest}`, `sk-test-\t${rest}`, `sk-test-\n${rest}`]) {
    await field(page, "API key").fill(wrong);
    await field(page, "API key").blur();
    const words = page.locator("#judge-key-error");
    await words.filter({ hasText: "holds a character that cannot be sent in a header" }).waitFor();
    const { fields, ...seen } = await places(page, said);
    for (const [name, text] of Object.entries(seen)) assert.ok(!text.includes(rest), name);
    assert.equal(await sent(page, provider), undefined);
  }
  // What makes keys from documents fail, and nobody sees.
  for (const mended of [`\u200b${KEY.slice(0, 8)}\u200b\u2060${KEY.slice(8)}\ufeff`, `  ${KEY}\u00a0`]) {
    await setKey(page, mended);
    assert.equal(await page.locator("#judge-key-error").isHidden(), true);
    assert.equal(await sent(page, provider), `Bearer ${KEY}`);
    await button(page, "Forget the key").click();
    await inMemory(page).waitFor({ state: "detached" });
  }
  await t.test("a refused key takes the place of the one before", async () => {
    await setKey(page);
    await field(page, "API key").fill("sk-ü");
    await field(page, "API key").blur();
    await inMemory(page).waitFor({ state: "detached" });
    assert.equal(await sent(page, provider), undefined, "the page says that there is none");
  });
});

// ----------------------------------------------------------------------- messages

const exportButtons = (page) => page.locator(".exports button");

/** Presses every button that saves a file and gives the files, each with what the page says then. */
async function exported(page, names) {
  const files = [];
  for (const name of names ?? (await exportButtons(page).allInnerTexts())) {
    if (await button(page, name).isDisabled()) continue;
    const file = await download(page, () => button(page, name).click());
    // What is said of it comes right after it.
    await page.waitForTimeout(100);
    files.push({ button: name, ...file, told: (await notice(page).allInnerTexts()).join(" ") });
  }
  return files;
}

test("a key crosses to one worker once, a passphrase only in words about the vault; and who was asked is told", async (t) => {
  const context = await newContext(t, { allow: [HTTP_ERRORS] });
  await recordMessages(context);
  const { page, provider, said } = await start(t, { context });
  // A host that repeats the key, which then goes from worker to page if nobody takes it out.
  provider.script = (request) => (request.n % 3 === 2 ? reply.badRequest(`Bad request with ${KEY}`) : good(request));
  const set = questions(4);
  await bring(page, set, { one: answers(set) });
  await endpoint(page, { url: provider.url, model: "judge-small", concurrency: 1 });
  await setKey(page);
  await button(page, "List this host’s models").click();
  await page.getByText("2 models to choose from").waitFor();
  await button(page, "Try this judge").click();
  await page.getByTestId("judge-diagnosis").locator("strong").waitFor();
  const tried = provider.attempts;
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  const { attempts } = provider;
  await seal(page);
  await button(page, "Lock now").click();
  await state(page, /sealed here/);
  await withPassphrase(page, "Open the vault");
  await state(page, /The vault is open/);
  await go(page, "#/results");
  await table(page, "Rubric coverage");
  // The first answer got an error.
  await go(page, "#/inspect/2");
  await page.getByRole("region", { name: "Raw reply" }).first().waitFor();
  await go(page, "#/report");
  assert.ok(5 < (await exported(page)).length);

  const withKey = await messagesWith(page, KEY);
  assert.deepEqual(withKey.map(({ way }) => way), ["to run"]);
  assert.deepEqual(withKey[0].text.split("\n").sort(), [`base=${new URL(provider.url).origin}`, "id=0", `key=${KEY}`]);
  const withPhrase = await messagesWith(page, PASSPHRASE);
  assert.deepEqual(withPhrase.map(({ way, text }) => [way, /vault=(\w+)/.exec(text)[1]]), [["to run", "seal"], ["to run", "open"]]);
  for (const { text } of withPhrase) assert.match(text, /^passphrase=correct horse battery staple$/m);
  const all = await page.evaluate(() => window.crossed.map(({ way, text }) => way.split(" ")[0] + (text.includes("test-model") || text.includes("judge-small"))));
  for (const way of ["totrue", "fromtrue"]) assert.ok(all.includes(way), "messages are read as they are");

  await go(page, "#/settings");
  const host = new URL(provider.url).host;
  const counts = (rows) => rows.slice(1).map((row) => row.slice(0, 3));
  const failed = provider.requests.slice(tried).filter(({ status }) => status === 400).length;
  assert.deepEqual(counts(await table(page, "Judging")), [[host, String(attempts - tried), String(attempts - tried - failed)]]);
  const beside = await table(page, "Tests and lists of models, since this page was opened");
  assert.deepEqual(counts(beside), [[host, String(tried + 1), String(tried + 1)]]);
  assert.match(beside[1][3], /^\d{4}-\d\d-\d\d/);
  assert.deepEqual(await placesWith(page, KEY, said), []);
});

// -------------------------------------------------------------------------- files

/** Of no shape that is known, so that only the very key can be looked for. */
const OWN = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
/** Made up, in the shapes of real ones. */
const SHAPES = {
  answer: "sk-ant-api03-Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A-AA",
  query: "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
  item: "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
  reply: "gsk_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6oP9rS2uV5xY8",
  system: "hf_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3l",
};
const SECRETS = [OWN, ...Object.values(SHAPES)];

/** A run over texts that people should not have put keys into, and a host that repeats them. */
async function leaking(t, systems) {
  const context = await newContext(t);
  const { page, provider } = await start(t, { context });
  provider.script = (request) => {
    const which = Number(/topic (\d+)/.exec(request.prompt)[1]);
    return which === 3 ? reply.text(`I was given ${OWN} and ${SHAPES.reply}.`) : good(request);
  };
  const set = questions(4);
  set[0].query = `Why does ${SHAPES.query} matter, or ${OWN}?`;
  set[1].rubric[0].rubric_item = `Does the response mention ${SHAPES.item} of topic 1?`;
  const map = answers(set);
  map[set[0].id].answer = `Set "${SHAPES.answer}", then key=${OWN}&x. See topic 0.`;
  await bring(page, set, Object.fromEntries(systems.map((name) => [name, map])));
  await endpoint(page, { url: provider.url, concurrency: 2 });
  await setKey(page, OWN);
  return { page, provider };
}

/** None of the secrets in a file or its name; where something stood, the page says so. */
function clean({ button, name, text, told }) {
  for (const secret of SECRETS) {
    // Underlines are written in another way in some of the formats.
    assert.ok(!text.replaceAll("\\_", "_").includes(secret), `${button} holds ${secret}`);
    assert.ok(!name.includes(secret.slice(3)), `the name of ${button} holds ${secret}`);
  }
  if (text.replace(/\\([[\]])/g, "$1").includes("[key]")) assert.match(told, /replaced by \[key\]/, `nothing is said of ${button}`);
}

test("no file holds a key, neither the very one nor what looks like one", async (t) => {
  const { page } = await leaking(t, ["one", "two"]);
  await page.getByText("In batches", { exact: true }).click();
  const batch = await exported(page, ["Download batch files"]);
  await page.getByTestId("batch-notes").filter({ hasText: /texts that look like keys were replaced by \[key\]/ }).waitFor();
  assert.match(batch[0].text, /\[key\]/);
  clean({ ...batch[0], told: await page.getByTestId("batch-notes").innerText() });
  await button(page, "Start run").click();
  await runState(page, "done with failures");

  await go(page, "#/report");
  await field(page, "Include questions and answers").check();
  const files = await exported(page);
  assert.ok(6 <= files.length, files.map(({ button }) => button).join());
  await go(page, "#/data");
  files.push(...(await exported(page, ["Queries (JSONL)", "Queries (CSV)", "Prompt pack (text)"])));
  const taken = files.filter(({ text }) => text.includes("[key]")).map(({ button }) => button);
  for (const name of ["Run file (JSON)", "Coverage (JSON)", "Queries (JSONL)", "Queries (CSV)", "Prompt pack (text)"]) assert.ok(taken.includes(name), name);
  for (const file of files) {
    await t.test(file.button, () => clean(file));
  }
  for (const { text } of files.filter(({ name }) => name.endsWith(".json"))) JSON.parse(text);
});

test("nor where the name of a system looks like one", async (t) => {
  const { page } = await leaking(t, [SHAPES.system]);
  await button(page, "Start run").click();
  await runState(page, "done with failures");
  await go(page, "#/report");
  for (const file of await exported(page)) await t.test(file.button, () => clean(file));
});

test("a file is clean of the key in a vault that is open, and nothing is taken from ordinary texts", async (t) => {
  const { page, provider } = await start(t);
  const set = questions(1);
  await bring(page, set, { one: { [set[0].id]: { answer: "See https://doi.org/10.1038/s41586-021-03819-2 and sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=." } } });
  await endpoint(page, { url: provider.url });
  await setKey(page);
  await seal(page);
  await button(page, "Start run").click();
  await runState(page, "done");
  await go(page, "#/report");
  await field(page, "Include questions and answers").check();
  const [file] = await exported(page, ["Run file (JSON)"]);
  assert.match(file.text, /10\.1038\/s41586-021-03819-2/);
  assert.ok(!file.text.includes("[key]") && !holds(file.text, KEY) && !holds(file.text, PASSPHRASE));
  assert.equal(file.told, "");
});
