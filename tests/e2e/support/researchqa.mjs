// Data of ResearchQA's shape, made from a seed: 21,414 questions and about 160,670 rubric items in 53 MB.
// Words are invented; lengths, counts and the share of other characters are the benchmark's.

/** SplitMix32: small, and the same everywhere. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
  };
}

export const DOMAINS = [
  "Health Sciences & Medicine", "Life & Earth Sciences", "Physical & Theoretical Sciences", "Engineering & Computer Science",
  "Social Sciences", "Humanities, Literature & Arts", "Economics & Business",
];
export const TYPES = ["Citation", "Limitation", "Comparison", "Example", "Impact", "Other"];
const FIELDS = 75;

function words(chance) {
  const letters = "etaoinshrdlucmfwypvbgkjqxz";
  const word = () => {
    let text = "";
    for (let length = 2 + Math.floor(chance() * 10); length > 0; length -= 1) text += letters[Math.floor(chance() ** 1.7 * 26)];
    return text;
  };
  const list = Array.from({ length: 4000 }, word);
  list.push("naïve", "Erdős", "β-lactam", "café", "Müller", "10 µm", "≥ 5", "“so-called”");
  return list;
}

/** The records as objects. */
export function records({ queries = 21_414, seed = 1, escaped = false } = {}) {
  const chance = random(seed);
  const list = words(chance);
  const rare = list.length - 8;
  const pick = (from) => from[Math.floor(chance() * from.length)];
  const odd = ['"quoted"', "back\\slash", "two\nlines", "tab\there", "a/b", "é", "😀", "𝒙"];
  const text = (length) => {
    let out = "";
    while (out.length < length) {
      // About one character in a thousand is not ASCII.
      const word = chance() < 0.011 ? list[rare + Math.floor(chance() * 8)] : list[Math.floor(chance() * rare)];
      out += (out === "" ? "" : " ") + (escaped && chance() < 0.15 ? `${word} ${pick(odd)}` : word);
    }
    return out;
  };
  const around = (mean) => mean * (0.6 + 0.8 * chance());
  return Array.from({ length: queries }, (_, n) => {
    const field = Math.floor((n * FIELDS) / queries);
    const items = 6 + Math.floor(chance() * 4);
    return {
      id: `1745394${String(300000000 + n * 7).padStart(11, "0")}-s${1 + (n % 40)}`,
      general_domain: DOMAINS[field % 7],
      subdomain: `Subdomain ${Math.floor(field / 3) + 1}`,
      field: `Field ${String(field + 1).padStart(2, "0")}`,
      query: `How does ${text(around(95))}?`,
      date: `20${10 + (n % 15)}-${String(1 + (n % 12)).padStart(2, "0")}-${String(1 + (n % 28)).padStart(2, "0")}`,
      rubric: Array.from({ length: items }, () => ({
        rubric_item: `Does the response ${text(around(128))}?`,
        type: TYPES.filter(() => chance() < 0.25).concat("Other").slice(0, 1 + Math.floor(chance() * 2)),
        citation_metadata: chance() < 0.6 ? null : {
          first_author: chance() < 0.1 ? null : text(9),
          title: text(around(70)),
          url: chance() < 0.5 ? null : `https://example.org/paper/${Math.floor(chance() * 1e9)}`,
          year: chance() < 0.1 ? null : 1990 + Math.floor(chance() * 35),
        },
      })),
    };
  });
}

/** As Python writes it: a space behind commas and colons. With `ascii`, everything else is escaped. */
export function pythonJson(list, { ascii = false } = {}) {
  const parts = list.map((record) => {
    let text = JSON.stringify(record, null, 1).replace(/\n */g, " ").replace(/([[{]) /g, "$1").replace(/ ([\]}])/g, "$1");
    if (ascii) text = text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return text;
  });
  return `[${parts.join(", ")}]`;
}

/** Full, test, valid, and train, which is what full has beyond them. */
export function splits(options) {
  const full = records(options);
  const perField = Math.max(2, Math.floor(full.length / FIELDS / 6));
  const seen = new Map();
  const part = { full, test: [], valid: [], train: [] };
  for (const record of full) {
    const n = seen.get(record.field) ?? 0;
    seen.set(record.field, n + 1);
    part[n < perField ? "test" : n < perField + 1 ? "valid" : "train"].push(record);
  }
  return part;
}
