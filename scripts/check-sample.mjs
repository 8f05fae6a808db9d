// Checks the bundled sample in public/sample.
// Run with `node scripts/check-sample.mjs` (Node 20 or later, no dependencies); exits 1 on any failure.
// `--scores` also prints every system's label counts and sum per query.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "public", "sample");
const failures = [];
const fail = (text) => failures.push(text);
const expect = (ok, text) => { if (!ok) fail(text); };
const raw = (name) => readFileSync(join(root, name), "utf8");
const json = (name) => JSON.parse(raw(name));

const TYPES = ["Citation", "Limitation", "Comparison", "Example", "Impact", "Other"];
const DOMAINS = [
  "Health Sciences & Medicine", "Life & Earth Sciences", "Engineering & Computer Science",
  "Physical & Theoretical Sciences", "Social Sciences", "Humanities", "Economics & Business",
];
// What each system is allowed to be: words per answer, and how many ids it may lack.
const SYSTEMS = {
  "alder-research": { min: 170, max: 260, missing: 0, empty: 0, refusals: 0 },
  "birch": { min: 110, max: 170, missing: 0, empty: 0, refusals: 0 },
  "cedar-brief": { min: 25, max: 60, missing: 0, empty: 0, refusals: 0 },
  "dogwood-long": { min: 280, max: 420, missing: 0, empty: 0, refusals: 0 },
  "elm-search": { min: 120, max: 200, missing: 2, empty: 1, refusals: 1 },
};
const KINDS = ["wrong-year", "wrong-author", "wrong-finding", "wrong-doi", "non-existent"];
const REFUSAL = /^(I'm sorry|I am sorry|I can't|I cannot|I am not able)/i;
const DOI = /10\.\d{4,9}\/[^\s"<>,;]+/g;

const dois = (text) => (text.match(DOI) ?? []).map((found) => {
  let doi = found.replace(/[.:]+$/, "");
  // A closing bracket belongs to the sentence unless the DOI itself opened one.
  while (doi.endsWith(")") && doi.split("(").length < doi.split(")").length) {
    doi = doi.slice(0, -1).replace(/[.:]+$/, "");
  }
  return doi.toLowerCase();
});
const wordCount = (text) => (text.trim() ? text.trim().split(/\s+/).length : 0);

// ---------------------------------------------------------------- questions
const questions = json("questions.json");
const works = json("works.json");
const key = json("answer-key.json");
const byId = new Map(questions.map((q) => [q.id, q]));
const fields = new Map();
const perDomain = new Map();
const typeCounts = Object.fromEntries(TYPES.map((t) => [t, 0]));
let items = 0, multi = 0, cited = 0;

expect(questions.length === 21, `21 queries expected, ${questions.length} found`);
expect(byId.size === questions.length, "query ids are not unique");
for (const q of questions) {
  expect(/^\d{18}-s\d+$/.test(q.id), `${q.id}: odd id`);
  expect(DOMAINS.includes(q.general_domain), `${q.id}: unknown domain ${q.general_domain}`);
  expect(q.subdomain && q.field && q.query, `${q.id}: empty subdomain, field or query`);
  expect(/^20(1[89]|2[0-5])-\d\d-\d\d$/.test(q.date) && !Number.isNaN(Date.parse(q.date)), `${q.id}: bad date ${q.date}`);
  expect(q.rubric.length >= 6 && q.rubric.length <= 8, `${q.id}: ${q.rubric.length} items`);
  perDomain.set(q.general_domain, (perDomain.get(q.general_domain) ?? 0) + 1);
  const fieldKey = `${q.general_domain} / ${q.field}`;
  fields.set(fieldKey, (fields.get(fieldKey) ?? 0) + 1);
  for (const item of q.rubric) {
    items += 1;
    expect(/^Does the response .+\?$/.test(item.rubric_item), `${q.id}: item does not read "Does the response …?": ${item.rubric_item}`);
    expect(item.type.length > 0 && new Set(item.type).size === item.type.length, `${q.id}: bad type list`);
    for (const t of item.type) {
      expect(TYPES.includes(t), `${q.id}: unknown type ${t}`);
      typeCounts[t] = (typeCounts[t] ?? 0) + 1;
    }
    if (item.type.length > 1) multi += 1;
    const meta = item.citation_metadata;
    if (meta !== null) {
      cited += item.type.includes("Citation") ? 1 : 0;
      expect(item.type.includes("Citation"), `${q.id}: citation_metadata on an item that is not a Citation`);
      expect(meta.first_author && meta.title && Number.isInteger(meta.year), `${q.id}: incomplete citation_metadata`);
      expect(/^https:\/\/doi\.org\/10\./.test(meta.url), `${q.id}: url ${meta.url}`);
      expect(meta.year <= Number(q.date.slice(0, 4)), `${q.id}: cites ${meta.first_author} ${meta.year} after its date`);
      const work = works.find((w) => `https://doi.org/${w.doi}` === meta.url);
      expect(work && work.first_author === meta.first_author && work.title === meta.title && work.year === meta.year,
        `${q.id}: citation_metadata of ${meta.first_author} differs from works.json`);
    }
  }
}
for (const domain of DOMAINS) expect(perDomain.get(domain) === 3, `${domain}: ${perDomain.get(domain) ?? 0} queries, 3 expected`);
expect(fields.size === 14, `14 fields expected, ${fields.size} found`);
for (const domain of DOMAINS) {
  expect([...fields.keys()].filter((f) => f.startsWith(`${domain} /`)).length === 2, `${domain}: not 2 fields`);
}
for (const t of TYPES) expect(typeCounts[t] > 0, `type ${t} never occurs`);
expect(multi >= items / 5, `only ${multi} of ${items} items carry several types`);
expect(cited >= 12, `only ${cited} Citation items with citation_metadata`);
console.log(`questions: ${questions.length} queries, ${perDomain.size} domains, ${fields.size} fields, ${items} items (${multi} with several types, ${cited} with citation_metadata)`);
console.log(`types: ${TYPES.map((t) => `${t} ${typeCounts[t]}`).join(", ")}`);

// ------------------------------------------------------------------ answers
const answers = {};
expect(readdirSync(join(root, "answers")).sort().join() === Object.keys(SYSTEMS).map((s) => `${s}.json`).sort().join(), "answers/ does not hold exactly the five systems");
for (const [system, rule] of Object.entries(SYSTEMS)) {
  const file = json(`answers/${system}.json`);
  answers[system] = file;
  const missing = questions.filter((q) => !(q.id in file)).length;
  let empty = 0, refusals = 0;
  const counts = [];
  let withDoi = 0;
  for (const [id, entry] of Object.entries(file)) {
    expect(byId.has(id), `${system}: id ${id} joins no query`);
    const text = entry.answer;
    expect(typeof text === "string", `${system} ${id}: no answer text`);
    if (text === "") { empty += 1; continue; }
    if (REFUSAL.test(text)) { refusals += 1; continue; }
    expect(!/<[a-z/!]/i.test(text), `${system} ${id}: HTML`);
    const n = wordCount(text);
    counts.push(n);
    if (dois(text).length) withDoi += 1;
    expect(n >= rule.min && n <= rule.max, `${system} ${id}: ${n} words, ${rule.min}–${rule.max} expected`);
  }
  expect(missing === rule.missing, `${system}: ${missing} ids missing, ${rule.missing} expected`);
  expect(empty === rule.empty, `${system}: ${empty} empty answers, ${rule.empty} expected`);
  expect(refusals === rule.refusals, `${system}: ${refusals} refusals, ${rule.refusals} expected`);
  if (system === "alder-research") expect(withDoi === counts.length, `${system}: ${withDoi} of ${counts.length} answers give a DOI`);
  if (system === "birch" || system === "cedar-brief") expect(withDoi === 0, `${system}: gives DOIs`);
  const mean = counts.reduce((a, b) => a + b, 0) / counts.length;
  console.log(`${system}: ${counts.length} answers, ${missing} missing, ${empty} empty, ${refusals} refused; words ${Math.min(...counts)}–${Math.max(...counts)}, mean ${mean.toFixed(0)}; ${withDoi} with a DOI`);
}

// ------------------------------------------------- sentences no two may share
const seen = new Map();
for (const [system, file] of Object.entries(answers)) {
  for (const [id, { answer }] of Object.entries(file)) {
    for (const sentence of answer.split(/(?<=[.!?])\s+/)) {
      const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      if (words.length <= 12) continue;
      const text = words.join(" ");
      if (seen.has(text)) fail(`${system} ${id} and ${seen.get(text)} share a sentence: ${sentence}`);
      seen.set(text, `${system} ${id}`);
    }
  }
}
const itemTexts = questions.flatMap((q) => q.rubric.map((r) => r.rubric_item));
expect(new Set(itemTexts).size === itemTexts.length, "two items have the same text");

// --------------------------------------------------- works and the answer key
const known = new Set(works.map((w) => w.doi.toLowerCase()));
expect(known.size === works.length, "works.json lists a DOI twice");
for (const w of works) {
  expect(w.first_author && w.title && Number.isInteger(w.year) && /^10\.\d{4,9}\/\S+$/.test(w.doi), `works.json: incomplete entry ${JSON.stringify(w)}`);
  expect(Array.isArray(w.cited_in) && w.cited_in.length > 0, `works.json: ${w.doi} is cited nowhere`);
  for (const place of w.cited_in) {
    const [source, id] = place.split(":");
    expect(byId.has(id) && (source === "questions" || answers[source]?.[id]), `works.json: ${w.doi} cited in unknown place ${place}`);
  }
}
const keyed = new Set(key.flatMap((k) => dois(k.quote)));
const used = [...dois(raw("questions.json")), ...Object.values(answers).flatMap((f) => Object.values(f).flatMap((e) => dois(e.answer)))];
for (const doi of new Set(used)) expect(known.has(doi) || keyed.has(doi), `DOI ${doi} is neither in works.json nor in the answer key`);
expect(key.length >= 6 && key.length <= 10, `${key.length} planted errors, 6–10 expected`);
for (const k of key) {
  expect(KINDS.includes(k.kind), `answer key: unknown kind ${k.kind}`);
  expect(k.what_is_wrong && k.correct, `answer key: ${k.system} ${k.id} does not say what is wrong`);
  const text = answers[k.system]?.[k.id]?.answer ?? "";
  expect(k.quote && text.split(k.quote).length === 2, `answer key: quote occurs not exactly once in ${k.system} ${k.id}: ${k.quote}`);
}
console.log(`citations: ${used.length} DOI mentions, ${new Set(used).size} distinct, ${works.length} works; ${key.length} planted errors (${Object.keys(SYSTEMS).map((s) => `${s} ${key.filter((k) => k.system === s).length}`).join(", ")})`);

// ------------------------------------------------------------ size and TODOs
let bytes = 0;
const walk = (dir) => {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) { walk(path); continue; }
    bytes += statSync(path).size;
    expect(!/TODO|FIXME|XXX|\{\{/.test(readFileSync(path, "utf8")), `${entry.name}: unfinished text`);
  }
};
walk(root);
expect(bytes < 250_000, `${bytes} bytes, under 250000 expected`);
console.log(`size: ${bytes} bytes`);

// ------------------------------------------- an approximate practice judge
const LABELS = ["Not at all", "Barely", "Moderately", "Mostly", "Completely"];
const CUTS = [0.15, 0.35, 0.55, 0.8];
const WINDOW = 60;
const STOP = new Set((
  "a an the and or but nor so yet if then than that this these those it its they them their there he she his her we our you your i " +
  "is are was were be been being am do does did done has have had having can could may might must shall should will would " +
  "of in on at to from by for with without within into onto upon about over under between among through during before after above below " +
  "up down out off as not no also only just even very more most less least much many some any each both either neither other another such same " +
  "what which who whom whose when where why how all own too while because since although though however whether rather per via eg ie et al"
).split(" "));
const FRAME = new Set((
  "response answer discuss mention explain describe state cite report note give compare identify name acknowledge say says point " +
  "address provide include present outline contrast distinguish refer set warn example instance"
).split(" "));
const stem = (token) => {
  if (/\d/.test(token)) return token;
  let s = token;
  for (const end of ["ing", "ion", "es", "ed", "ly", "s"]) {
    if (s.endsWith(end) && s.length - end.length >= 3) { s = s.slice(0, -end.length); break; }
  }
  return s.length > 4 && s.endsWith("e") ? s.slice(0, -1) : s;
};
const tokens = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const content = (t) => t.length > 1 && !STOP.has(t) && !FRAME.has(t);

const bestShare = (item, answerTokens) => {
  const wanted = new Set(tokens(item).filter(content).map(stem));
  let best = 0;
  for (let start = 0; start === 0 || start + WINDOW <= answerTokens.length + WINDOW / 2; start += 5) {
    const window = new Set(answerTokens.slice(start, start + WINDOW));
    let hit = 0;
    for (const w of wanted) if (window.has(w)) hit += 1;
    best = Math.max(best, hit / wanted.size);
    if (start + WINDOW >= answerTokens.length) break;
  }
  return best;
};
for (const text of itemTexts) {
  const n = new Set(tokens(text).filter(content).map(stem)).size;
  expect(n >= 5 && n <= 14, `item has ${n} content words, 5–14 expected: ${text}`);
}

const names = Object.keys(SYSTEMS);
const labelCounts = Object.fromEntries(names.map((s) => [s, [0, 0, 0, 0, 0]]));
const wins = Object.fromEntries(names.map((s) => [s, Object.fromEntries(names.map((t) => [t, 0]))]));
const strongest = Object.fromEntries(names.map((s) => [s, 0]));
const weakest = Object.fromEntries(names.map((s) => [s, 0]));
let cedarAhead = 0, alderBehind = 0;
const table = [];
for (const q of questions) {
  const sums = {};
  const marks = {};
  for (const s of names) {
    if (!(q.id in answers[s])) continue;
    const text = tokens(answers[s][q.id].answer).map(stem);
    marks[s] = q.rubric.map((item) => CUTS.filter((cut) => bestShare(item.rubric_item, text) >= cut).length);
    for (const m of marks[s]) labelCounts[s][m] += 1;
    sums[s] = marks[s].reduce((a, b) => a + b, 0);
  }
  for (const a of names) for (const b of names) if (sums[a] > sums[b]) wins[a][b] += 1;
  const present = Object.entries(sums).filter(([s]) => answers[s][q.id].answer !== "");
  const top = Math.max(...present.map(([, v]) => v)), low = Math.min(...present.map(([, v]) => v));
  for (const [s, v] of present) { if (v === top) strongest[s] += 1; if (v === low) weakest[s] += 1; }
  if (sums["cedar-brief"] > Math.min(sums["birch"], sums["elm-search"] ?? Infinity)) cedarAhead += 1;
  if (sums["alder-research"] < Math.max(sums["birch"], sums["dogwood-long"], sums["elm-search"] ?? 0)) alderBehind += 1;
  table.push([q.id, sums, marks]);
}
if (process.argv.includes("--scores")) {
  for (const [id, sums, marks] of table) {
    console.log(`  ${id.padEnd(23)} ${names.map((s) => `${s.split("-")[0]} ${String(sums[s] ?? "–").padStart(2)} [${(marks[s] ?? []).join("")}]`).join("  ")}`);
  }
}
console.log(`practice judge, labels (${LABELS.join(" / ")}):`);
for (const s of names) console.log(`  ${s.padEnd(15)} ${labelCounts[s].join(" / ")}`);
console.log("practice judge, wins of row over column:");
console.log(`  ${"".padEnd(15)} ${names.map((s) => s.padStart(15)).join("")}`);
for (const a of names) console.log(`  ${a.padEnd(15)} ${names.map((b) => String(a === b ? "·" : wins[a][b]).padStart(15)).join("")}`);
for (const s of names) {
  const won = names.reduce((n, t) => n + wins[s][t], 0), lost = names.reduce((n, t) => n + wins[t][s], 0);
  console.log(`  ${s}: ${won} wins, ${lost} losses; strongest on ${strongest[s]}, weakest on ${weakest[s]}`);
  expect(won >= 5 && lost >= 5, `${s}: ${won} wins and ${lost} losses, at least 5 of each expected`);
  expect(strongest[s] > 0, `${s} is strongest on no query`);
  expect(weakest[s] > 0, `${s} is weakest on no query`);
}
for (const [i, label] of LABELS.entries()) expect(names.some((s) => labelCounts[s][i] > 0), `label "${label}" is never given`);
expect(cedarAhead >= 4, `cedar-brief is ahead of birch or elm-search on only ${cedarAhead} queries`);
expect(alderBehind >= 4, `alder-research is behind birch, dogwood-long or elm-search on only ${alderBehind} queries`);

if (failures.length) {
  for (const f of failures) console.error(`FAIL ${f}`);
  process.exit(1);
}
console.log("sample: all checks passed");
