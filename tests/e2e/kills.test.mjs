// Two hundred sudden ends at random moments of running runs: nothing stored is missing, nothing was counted
// that is not stored, and no more calls are repeated than were in flight.
//
// Ends are of the kinds that a browser knows: the run worker is terminated, the page's process crashes, the
// page is reloaded, the tab is closed, and the whole browser is killed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newContext, openProfile, profile, workersReady } from "./support/browser.mjs";
import { chance, holdWorkers, stored } from "./support/engine.mjs";
import { reply, startProvider } from "./support/provider.mjs";
import { serveDist } from "./support/static.mjs";
import { answers, bring, button, calls, endpoint, go, ledger, open, questions, runState } from "./support/viva.mjs";

const SEED = Number(process.env.VIVA_SEED ?? 20_261_130);
/** Profiles side by side, each with a provider of its own, and ends of each. */
const LANES = [{ ends: 64 }, { ends: 64 }, { ends: 64 }, { ends: 8, wholeBrowser: true }];
const QUESTIONS = 240;
const ITEMS = 2;
/** Calls at the same time: what one end can make the page ask again. */
const AT_ONCE = 4;
const LABELS = ["Completely", "Mostly", "Not at all"];

/** Tells the test what the page shows as scored, as soon as it shows it: a crashed page cannot be asked. */
const reportShown = () =>
  addEventListener("DOMContentLoaded", () => {
    let last = "";
    new MutationObserver(() => {
      const text = document.querySelector("[data-testid=run-ledger]")?.innerText ?? "";
      const state = document.querySelector("[data-testid=run-state]")?.innerText ?? "";
      const told = `${state} ${/scored\s+(\d+)/.exec(text)?.[1] ?? ""}`;
      if (told === last) return;
      last = told;
      window.shown(told);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });

class Lane {
  constructor(t, number, { ends, wholeBrowser = false }, site) {
    Object.assign(this, { t, number, ends, wholeBrowser, site });
    this.draw = chance(SEED + number);
    this.name = `lane ${number}`;
    /** Every attempt ever found in storage: key to record. */
    this.kept = new Map();
    /** Requests that the server has had and storage has not, so far. */
    this.lost = 0;
    this.runs = 0;
    /** The most verdicts that the page has shown as scored since it was last asked to go on. */
    this.shown = 0;
    this.report = { ends: {}, busy: 0, moved: 0, lost: 0, most: 0, early: 0, refused: 0 };
  }

  async start() {
    const draw = chance(SEED + 1000 + this.number);
    this.provider = await startProvider(this.t, {
      delay: () => 20 + 60 * draw(),
      script: (request) => reply.labels(request.items.map((_, at) => LABELS[(request.prompt.length + at) % LABELS.length])),
    });
    if (this.wholeBrowser) this.folder = await profile(this.t);
    await this.openContext();
    this.page = await this.context.newPage();
    const set = questions(QUESTIONS, ITEMS);
    await open(this.t, { page: this.page, site: this.site, hash: "#/data" });
    await bring(this.page, set, { one: answers(set, this.name) });
  }

  async openContext() {
    this.context = this.wholeBrowser ? await openProfile(this.t, this.folder) : await newContext(this.t);
    await holdWorkers(this.context);
    await this.context.exposeBinding("shown", (_, told) => {
      const [, state, scored] = /^(.*) (\d*)$/.exec(told);
      if (scored && state === "running") this.shown = Math.max(this.shown, Number(scored));
    });
    await this.context.addInitScript(reportShown);
  }

  /** A run that no one has asked for before: another model is another run. */
  async newRun(number = this.runs + 1) {
    this.runs = number;
    await endpoint(this.page, { url: this.provider.url, model: `model-${this.runs}`, concurrency: AT_ONCE });
    await runState(this.page, "idle");
    await this.page.getByTestId("run-plan").filter({ hasText: new RegExp(`\\b${QUESTIONS} calls`) }).waitFor();
  }

  /** Of what is stored, the attempts of the run that is going on. */
  own({ replies }) {
    return replies.filter(([, record]) => JSON.parse(record).model_asked === `model-${this.runs}`);
  }

  /** Checks what it knows against storage and the server. */
  async check(what, shown) {
    const said = `${this.name}, end ${what}`;
    const { replies, runs } = await stored(this.page);
    const { unborn } = this;
    assert.equal(runs.length, unborn ? this.runs - 1 : this.runs, `${said}: runs stored`);
    const now = new Map(replies);
    for (const [key, record] of this.kept) assert.equal(now.get(key), record, `${said}: a stored attempt is missing or changed`);
    this.kept = now;

    const own = this.own({ replies });
    if (unborn) {
      assert.deepEqual([own.length, shown], [0, 0], `${said}: a run that is not stored has asked nothing`);
      return { replies, own: 0 };
    }
    const counts = await ledger(this.page);
    assert.ok(shown <= ITEMS * own.length, `${said}: the page had counted ${shown} verdicts, ${ITEMS * own.length} are stored`);
    assert.equal(counts.scored, ITEMS * own.length, `${said}: what is stored is what counts`);
    assert.equal(counts.asked, counts.scored, `${said}: a good provider's replies are all scored: ${JSON.stringify(counts)}`);
    assert.deepEqual(await calls(this.page), { calls: own.length, attempts: own.length }, said);
    return { replies, own: own.length };
  }

  /** Requests that came and are not in storage: after an end, those that were in flight then. */
  settleLost(what, { replies }, inFlight) {
    const lost = this.provider.attempts - replies.length;
    const fresh = lost - this.lost;
    assert.ok(0 <= fresh && fresh <= inFlight, `${this.name}, end ${what}: ${fresh} calls lost, ${inFlight} were in flight at most`);
    this.lost = lost;
    this.report.lost += fresh;
    this.report.most = Math.max(this.report.most, fresh);
  }

  async kill(kind) {
    const { page, context } = this;
    switch (kind) {
      case "worker":
        await page.evaluate(() => window.heldWorkers.run.terminate());
        break;
      case "crash": {
        const session = await context.newCDPSession(page);
        const crashed = page.waitForEvent("crash");
        session.send("Page.crash").catch(() => {});
        await crashed;
        break;
      }
      case "close":
        await page.close({ runBeforeUnload: false });
        break;
      case "browser": {
        const closed = new Promise((done) => context.once("close", done));
        const session = await context.newCDPSession(page);
        session.send("Browser.crash").catch(() => {});
        await closed;
        break;
      }
      default:
        assert.equal(kind, "reload");
    }
  }

  /** Opens the page again where an end left it. */
  async reopen(kind, { ready = true } = {}) {
    if (kind === "browser") await this.openContext();
    if (kind !== "worker" && kind !== "reload") {
      // A crashed page closes in its own time.
      if (kind === "crash") this.page.close().catch(() => {});
      this.page = await this.context.newPage();
    }
    if (ready) await this.settled();
    await this.page.goto(`${this.site.url}#/judge`, { waitUntil: "commit" });
    if (ready) await this.standing();
  }

  /**
   * A write that had left a page which is gone may still arrive. What a fresh page knows is compared with
   * storage, so it is opened when that stands still; until then an empty page of the same origin stands in its place.
   */
  async settled() {
    await this.page.goto(`${this.site.url}empty.html`);
    const refusals = [];
    // On a busy machine such a write can be later than one look at storage.
    for (let before = "", same = 0; same < 4; await this.page.waitForTimeout(20)) {
      let now;
      try {
        const { replies, runs } = await stored(this.page);
        now = `${replies.length} ${runs.length} ${this.provider.inFlight}`;
      } catch (error) {
        // So soon after an end a browser can refuse its storage for a moment. Not for long.
        refusals.push(error);
        if (refusals.length > 100) throw new AggregateError(refusals.slice(0, 3), `${this.name}: storage cannot be read: ${error}`);
      }
      same = now !== undefined && now === before && this.provider.inFlight === 0 ? same + 1 : 0;
      before = now;
    }
    this.report.refused += refusals.length;
  }

  /** Until the page shows the run that an end stopped. An end before the run itself was stored leaves none. */
  async standing() {
    await this.page.locator("main#main h1").first().waitFor();
    await workersReady(this.page);
    const found = await stored(this.page);
    this.unborn = found.runs.length < this.runs;
    if (this.unborn) return this.newRun(this.runs);
    // A run that has asked nothing is idle.
    const wanted = this.own(found).length > 0 ? /^(stopped|done)$/ : /^idle$/;
    const state = this.page.getByTestId("run-state");
    await state.filter({ hasText: wanted }).waitFor({ timeout: 60_000 }).catch(async () => {
      throw new Error(`${this.name}: the page came back as: ${await this.page.locator("body").innerText()}`);
    });
  }

  kindOfEnd() {
    if (this.wholeBrowser) return "browser";
    const at = this.draw();
    return at < 0.4 ? "worker" : at < 0.8 ? "crash" : at < 0.9 ? "reload" : "close";
  }

  async drive() {
    await this.start();
    await this.newRun();
    let done = 0;
    while (done < this.ends) {
      const what = `${done + 1} of ${this.ends}`;
      // A run that came to its end is replaced by a fresh one: an end of nothing proves nothing.
      if (/^done/.test(await this.page.getByTestId("run-state").innerText())) {
        await this.whole();
        await this.newRun();
      }
      this.shown = 0;
      const before = this.provider.attempts;
      await button(this.page, "Start run").click();
      // One end in eight falls on a page that has just begun, the others anywhere in the next second.
      await this.page.waitForTimeout(this.draw() < 0.125 ? 60 * this.draw() : 1000 * this.draw());
      const kind = this.kindOfEnd();
      const state = `${kind}, ${what}`;
      const busy = this.provider.inFlight;
      await this.kill(kind);
      done += 1;
      this.report.ends[kind] = (this.report.ends[kind] ?? 0) + 1;
      this.report.busy += Number(busy > 0);
      this.report.moved += Number(this.provider.attempts > before && this.shown > 0);

      // Now and then the page that comes back is ended as well, while it reads what is stored.
      if (done < this.ends && this.draw() < 0.1) {
        await this.reopen(kind, { ready: false });
        await this.page.waitForTimeout(300 * this.draw());
        const second = this.wholeBrowser ? "browser" : this.draw() < 0.5 ? "crash" : "close";
        await this.kill(second);
        done += 1;
        this.report.ends[second] = (this.report.ends[second] ?? 0) + 1;
        this.report.early += 1;
        await this.reopen(second);
      } else await this.reopen(kind);
      this.settleLost(state, await this.check(state, this.shown), AT_ONCE);
    }
    this.provider.delay = 0;
    if (!/^done/.test(await this.page.getByTestId("run-state").innerText())) {
      await button(this.page, "Start run").click();
      await runState(this.page, "done");
    }
    await this.whole();
    return this.report;
  }

  /** A run that is done: every verdict is there, and every call was made once but for those that were lost. */
  async whole() {
    await this.check("(a whole run)", 0);
    const counts = await ledger(this.page);
    assert.equal(counts.scored, QUESTIONS * ITEMS, `${this.name}: ${JSON.stringify(counts)}`);
    assert.equal(this.kept.size, QUESTIONS * this.runs, `${this.name}: one stored attempt a call`);
    const asked = new Map();
    for (const { text } of this.provider.requests) asked.set(text, (asked.get(text) ?? 0) + 1);
    assert.equal(asked.size, QUESTIONS * this.runs, `${this.name}: every question was asked`);
    assert.equal(this.provider.attempts - asked.size, this.lost, `${this.name}: what was in flight is asked again, and nothing else`);
  }
}

test("200 ends at random moments lose nothing that was counted and repeat only what was in flight", { timeout: 900_000 }, async (t) => {
  // Its icon is named, or Chromium asks for one that is not there.
  const empty = { status: 200, body: '<!doctype html><title>Empty</title><link rel="icon" href="data:,">', headers: { "content-type": "text/html" } };
  const site = await serveDist(t, { intercept: (path) => (path === "/empty.html" ? empty : undefined) });
  const lanes = LANES.map((lane, number) => new Lane(t, number, lane, site));
  const reports = await Promise.all(lanes.map((lane) => lane.drive()));
  const sum = (of) => reports.reduce((total, report) => total + of(report), 0);
  const ends = sum((it) => Object.values(it.ends).reduce((a, b) => a + b, 0));
  const early = sum((it) => it.early);
  t.diagnostic(
    `${ends} ends (${reports.map((it) => Object.entries(it.ends).map(([kind, n]) => `${n} ${kind}`).join(", ")).join("; ")}), seed ${SEED}: ` +
      `${sum((it) => it.busy)} with calls in flight at the server, ${sum((it) => it.moved)} after verdicts were shown, ${early} while a page came back, ${sum((it) => it.refused)} looks at storage refused; ` +
      `${lanes.reduce((total, lane) => total + lane.runs, 0)} runs, ${lanes.reduce((total, lane) => total + lane.provider.attempts, 0)} requests; ` +
      `${sum((it) => it.lost)} repeated of ${AT_ONCE * ends} that could have been, at most ${Math.max(...reports.map((it) => it.most))} after one end`,
  );
  assert.equal(ends, LANES.reduce((total, lane) => total + lane.ends, 0));
  // Ends of a page that does nothing would prove nothing.
  assert.ok(sum((it) => it.busy) >= 0.5 * (ends - early), "too few ends hit calls in flight");
  assert.ok(sum((it) => it.moved) >= 0.5 * (ends - early), "too few ends came after verdicts were shown");
  assert.ok(sum((it) => it.lost) >= 0.5 * (ends - early), "few ends cost a call: they cannot have been sudden");
});
