// Opens what was built, as a visitor would: the first page appears, and every worker says that it is ready.
//
// The page lists the workers that have said Ready in `<html data-workers="data run stats">`.
// SMOKE_WORKERS names other ones to wait for; empty waits for none.

import { fileURLToPath } from "node:url";
import { launch, watch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const SECONDS = 20;
const workers = (process.env.SMOKE_WORKERS ?? "data run stats").split(/\s+/).filter(Boolean);

const problems = [];
// In a folder of the host: what works there works at its root too, and not the other way round.
const site = await serve({ root: fileURLToPath(new URL("../dist", import.meta.url)), base: "/some/folder/" });
const browser = await launch();
const start = performance.now();
try {
  const context = await browser.newContext();
  await watch(context, (text) => problems.push(text));
  const page = await context.newPage();
  await page.goto(site.url);
  const title = page.locator("h1:not(#boot h1)").first();
  await title.waitFor({ timeout: SECONDS * 1000 }).catch(async () => {
    problems.push(`no first page within ${SECONDS} s; the page says: ${(await page.locator("body").innerText()).trim()}`);
  });
  const said = () => page.evaluate(() => document.documentElement.dataset.workers ?? "");
  let heard = [];
  while (problems.length === 0) {
    heard = (await said()).split(/\s+/).filter(Boolean);
    if (workers.every((name) => heard.includes(name))) break;
    if (performance.now() - start > SECONDS * 1000) {
      problems.push(`workers not ready within ${SECONDS} s: ${workers.filter((name) => !heard.includes(name)).join(", ")}`);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  if (problems.length === 0) {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`smoke: "${await title.innerText()}"; workers ready: ${heard.join(", ") || "none"} (${seconds} s)`);
  }
} finally {
  await browser.close();
  await site.close();
}
for (const problem of problems) console.error(`smoke: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
