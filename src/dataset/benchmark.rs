//! Files of questions with rubrics: ResearchQA, ResearcherBench, and whatever is close to them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, btree_map};

use crate::ids::CaseId;
use crate::rubric::Item;

use super::blob::Blob;
use super::detect::{FileKind, sniff};
use super::items::Flaw;
use super::json::{self, Entry, Expect, Json};
use super::problem::{Place, Problem, Problems};
use super::scan::{self, Marks};
use super::text::{self, excerpt};
use super::{Benchmark, Case, date, items, names, shape};

pub(crate) const ID: [&str; 4] = ["id", "corpusid_sectionid", "session_id", "query_id"];
pub(crate) const QUERY: [&str; 2] = ["query", "question"];
pub(crate) const RUBRIC: [&str; 5] = ["rubric", "rubrics", "criteria", "rubric_items", "checklist"];
pub(crate) const DOMAIN: [&str; 3] = ["general_domain", "domain", "category"];
pub(crate) const SUBDOMAIN: [&str; 1] = ["subdomain"];
pub(crate) const FIELD: [&str; 2] = ["field", "subject"];
pub(crate) const DATE: [&str; 1] = ["date"];
pub(crate) const WRAPPERS: [&str; 4] = ["data", "rows", "records", "questions"];

const EXPECT: Expect = Expect { record: looks_like_record, wrappers: &WRAPPERS };

fn looks_like_record(keys: &[String]) -> bool {
    let has = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    // Most of the fields are enough: the one that is missing is reported.
    let found = [&ID[..], &QUERY, &RUBRIC].into_iter().filter(|names| has(names)).count();
    2 <= found
}

/// Reads the files together, as parts of one benchmark.
///
/// Questions come in the order of the files. Of equal ids the first is kept. A ResearcherBench
/// `questions.json` adds to the questions of a `rubric.json`, whichever comes first.
pub fn read_benchmark<B: Clone + Into<Blob>>(files: &[(String, B)]) -> (Benchmark, Problems) {
    let files: Vec<(String, Blob)> =
        files.iter().map(|(name, bytes)| (name.clone(), bytes.clone().into())).collect();
    if let Some((mut benchmark, marks)) = scan::read(&files) {
        benchmark.name = name(&benchmark, marks);
        return (benchmark, Problems::default());
    }
    read_tolerantly(&files)
}

/// The same by the tolerant reader alone, which names what is amiss. Slower by far.
pub(super) fn read_tolerantly(files: &[(String, Blob)]) -> (Benchmark, Problems) {
    let mut reading = Reading::default();
    for (index, (name, bytes)) in files.iter().enumerate() {
        reading.file(index, name, bytes, files);
    }
    reading.finish(files)
}

/// A question whose text may still be in another file.
struct Draft {
    file: usize,
    place: Place,
    case: Case,
}

/// What `questions.json` says about a question.
struct Info {
    file: usize,
    place: Place,
    query: Option<String>,
    domain: String,
    field: String,
    used: bool,
}

#[derive(Default)]
struct Reading {
    drafts: Vec<Draft>,
    by_id: HashMap<CaseId, usize>,
    infos: BTreeMap<CaseId, Info>,
    problems: Problems,
    /// Files with questions in them.
    used: Vec<usize>,
    records: u64,
    /// Questions that came before in another file, by (earlier, later) file: all, and those that
    /// differ.
    repeated: BTreeMap<(usize, usize), (u64, u64)>,
    marks: Marks,
}

impl Reading {
    fn file(&mut self, index: usize, name: &str, bytes: &Blob, files: &[(String, Blob)]) {
        let decoded = match text::open(name, bytes.as_bytes()) {
            Ok(decoded) => decoded,
            Err(problem) => return self.problems.push(problem),
        };
        let mut problems = Problems::default();
        if let Some(cut) = decoded.cut {
            problems.push(cut);
        }
        let before = (self.drafts.len(), self.infos.len(), self.repeated.len());
        let mut records = 0_u64;
        let is_json =
            json::walk(name, &decoded.text, &EXPECT, &mut problems, &mut |entry, problems| {
                records += 1;
                self.record(index, name, entry, problems);
            });
        let after = (self.drafts.len(), self.infos.len(), self.repeated.len());
        if before != after {
            self.used.push(index);
            self.records += records;
        } else if let Some(problem) = other_kind(name, &decoded.text) {
            // A problem for each record would hide that it is the wrong file.
            problems = Problems::default();
            problems.push(problem);
        } else if !is_json {
            problems.report(
                name,
                Place::File,
                "This is not JSON, so no questions could be read.",
                "Bring a JSON array or JSONL with `id`, `query` and `rubric`.",
            );
        } else if records == 0 && problems.is_empty() {
            problems.report(
                name,
                Place::File,
                "The file holds no questions.",
                "Check whether it was exported in full.",
            );
        }
        self.problems.extend(problems);
        for ((earlier, later), (count, differ)) in std::mem::take(&mut self.repeated) {
            let differ = match differ {
                0 => "They are the same.".to_owned(),
                n => format!("{n} of them differ."),
            };
            let earlier = files.get(earlier).map_or("", |(name, _)| name);
            let later = files.get(later).map_or("", |(name, _)| name);
            self.problems.report(
                later,
                Place::File,
                format!("{count} questions were already read from {earlier} and kept from there. {differ}"),
                "Bring each question in one file only.",
            );
        }
    }

    fn record(&mut self, file: usize, name: &str, entry: Entry, problems: &mut Problems) {
        let Entry { place, key, mut value } = entry;
        if let (Json::Null, Json::Object(_)) = (value.get(&ID).unwrap_or(&Json::Null), &value) {
            // The rows of the Hub's viewer each hold the record one level down.
            let inner = value.take(&["row"]);
            if let Json::Object(_) = inner {
                value = inner;
            }
        }
        let Json::Object(_) = value else {
            problems.report(
                name,
                place,
                format!("This record is {}, not an object. It was left out.", value.kind()),
                "A record is an object with `id`, `query` and `rubric`.",
            );
            return;
        };
        let id = match identify(&value, key) {
            Ok(id) => id,
            Err((what, cure)) => return problems.report(name, place, what, cure),
        };
        let who = format!("Question {}", excerpt(id.as_str()));
        let query = match value.get(&QUERY) {
            None => None,
            Some(Json::Text(text)) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            Some(other) => {
                let what = format!("{who} has {} as its query. It was left out.", other.kind());
                problems.report(name, place, what, "Write the query in quotes.");
                return;
            }
        };
        let mut label = |names: &[&str]| match value.get(names) {
            None => String::new(),
            Some(Json::Text(text)) => text.trim().to_owned(),
            Some(other) => {
                let what = format!(
                    "{who} has {} in `{}`, which was left empty. The question counts.",
                    other.kind(),
                    names[0]
                );
                problems.report(name, place, what, "Write the name in quotes.");
                String::new()
            }
        };
        let (domain, subdomain, field) = (label(&DOMAIN), label(&SUBDOMAIN), label(&FIELD));
        if !value.has(&RUBRIC) && value.has(&["category", "subject"]) {
            let info = Info { file, place, query, domain, field, used: false };
            return self.keep_info(id, info, &who, name, problems);
        }
        let rubric = match rubric(&value) {
            Ok(rubric) => rubric,
            Err((what, cure)) => {
                return problems.report(name, place, format!("{who} {what}"), cure);
            }
        };
        self.marks.points |= rubric.iter().any(|item| item.has(&["point"]));
        self.marks.official |=
            value.has(&["general_domain"]) && rubric.iter().any(|item| item.has(&["rubric_item"]));
        let items = read_items(&rubric, &who, name, place, problems);
        if items.is_empty() {
            let what = format!("{who} has no rubric item that can be used. It was left out.");
            problems.report(name, place, what, "Give it at least one item with text.");
            return;
        }
        let date = date::read(value.get(&DATE)).unwrap_or_else(|()| {
            let what =
                format!("{who} has a date that cannot be read. The question counts, without it.");
            problems.report(name, place, what, "Write it as YYYY-MM-DD.");
            None
        });
        let query = query.unwrap_or_default();
        let case = Case { id, domain, subdomain, field, query, date, items };
        self.keep(Draft { file, place, case }, &who, name, problems);
    }

    fn keep_info(
        &mut self,
        id: CaseId,
        info: Info,
        who: &str,
        name: &str,
        problems: &mut Problems,
    ) {
        if let btree_map::Entry::Vacant(entry) = self.infos.entry(id) {
            entry.insert(info);
        } else {
            let what = format!("{who} is here twice. The first was kept.");
            problems.report(name, info.place, what, "Take one of them out.");
        }
    }

    fn keep(&mut self, draft: Draft, who: &str, name: &str, problems: &mut Problems) {
        let Some(&first) = self.by_id.get(&draft.case.id) else {
            self.by_id.insert(draft.case.id.clone(), self.drafts.len());
            self.drafts.push(draft);
            return;
        };
        let first = &self.drafts[first];
        let differs = first.case != draft.case;
        if first.file != draft.file {
            let (count, differ) = self.repeated.entry((first.file, draft.file)).or_default();
            *count += 1;
            *differ += u64::from(differs);
            return;
        }
        let and = if differs { "They differ." } else { "They are the same." };
        let what =
            format!("{who} is here twice, first at {}. The first was kept. {and}", first.place);
        problems.report(name, draft.place, what, "Take one of them out, or give it another id.");
    }

    fn finish(mut self, files: &[(String, Blob)]) -> (Benchmark, Problems) {
        let name_of = |file: usize| files.get(file).map_or("", |(name, _)| name.as_str());
        let mut benchmark = Benchmark::default();
        benchmark.records = self.records;
        for Draft { file, place, mut case } in self.drafts {
            if let Some(info) = self.infos.get_mut(&case.id) {
                info.used = true;
                if case.query.is_empty() {
                    case.query = info.query.clone().unwrap_or_default();
                }
                for (own, other) in
                    [(&mut case.domain, &info.domain), (&mut case.field, &info.field)]
                {
                    if own.is_empty() {
                        own.clone_from(other);
                    }
                }
            }
            if case.query.trim().is_empty() {
                let what = format!(
                    "Question {} has no query. It was left out.",
                    excerpt(case.id.as_str())
                );
                self.problems.report(
                    name_of(file),
                    place,
                    what,
                    "Give it a `query`: the question as it is asked.",
                );
                continue;
            }
            benchmark.push(&case);
        }
        report_unused(&self.infos, name_of, &mut self.problems);
        for (name, bytes) in self.used.into_iter().filter_map(|file| files.get(file)) {
            benchmark.add_file(name, bytes);
        }
        let ids = benchmark.cases().filter(|case| is_researchqa_id(case.id().as_bytes()));
        self.marks.ids = ids.count();
        benchmark.name = name(&benchmark, self.marks);
        (benchmark, self.problems)
    }
}

fn report_unused<'a>(
    infos: &BTreeMap<CaseId, Info>,
    name_of: impl Fn(usize) -> &'a str,
    problems: &mut Problems,
) {
    const CURE: &str = "Bring `rubric.json` and `questions.json` together.";
    let used = infos.values().any(|info| info.used);
    let mut unused: Vec<_> = infos.iter().filter(|(_, info)| !info.used).collect();
    if !used && let Some((_, first)) = unused.first() {
        let what =
            format!("The file holds {} questions and no rubric for any of them.", unused.len());
        problems.report(name_of(first.file), Place::File, what, CURE);
        return;
    }
    unused.sort_by_key(|(_, info)| (info.file, number(info.place)));
    for (id, info) in unused {
        let what = format!("Question {} has no rubric. It was left out.", excerpt(id.as_str()));
        problems.report(name_of(info.file), info.place, what, CURE);
    }
}

fn number(place: Place) -> u64 {
    match place {
        Place::File => 0,
        Place::Line(n) | Place::Row(n) | Place::Record(n) => n,
    }
}

fn read_items(
    rubric: &[Json],
    who: &str,
    name: &str,
    place: Place,
    problems: &mut Problems,
) -> Vec<Item> {
    let mut flaws = Vec::new();
    let mut read = Vec::with_capacity(rubric.len());
    for (index, item) in rubric.iter().enumerate() {
        read.extend(items::read(item, index + 1, &mut flaws));
    }
    for (what, cure) in flaws {
        problems.report(name, place, format!("{who}: {what}"), cure);
    }
    read
}

/// The id of a record. In a map it may stand only in front of the record.
fn identify(value: &Json, key: Option<String>) -> Result<CaseId, Flaw> {
    match (id(value), key) {
        (Ok(Some(id)), _) => Ok(id),
        (Ok(None), Some(key)) if !key.trim().is_empty() => Ok(CaseId::new(key)),
        (Ok(None), _) => Err((
            "This record has no id. It was left out.".to_owned(),
            "Give it an `id` that no other record has.",
        )),
        (Err((what, cure)), _) => Err((format!("{what} It was left out."), cure)),
    }
}

fn rubric(value: &Json) -> Result<Cow<'_, [Json]>, Flaw> {
    const CURE: &str = "Give it a `rubric`: a list of items.";
    let Some(rubric) = value.get(&RUBRIC) else {
        return Err(("has no rubric. It was left out.".to_owned(), CURE));
    };
    let items = shape::items(rubric)?;
    if items.is_empty() {
        return Err(("has an empty rubric. It was left out.".to_owned(), CURE));
    }
    Ok(items)
}

/// `Ok(None)` where there is no id. The flaw does not say yet what becomes of the record.
pub(crate) fn id(value: &Json) -> Result<Option<CaseId>, Flaw> {
    let found = match value.get(&ID) {
        None => return Ok(None),
        Some(Json::Text(text)) if text.trim().is_empty() => return Ok(None),
        Some(found) => found,
    };
    if let Some(name) = found.name() {
        return Ok(Some(CaseId::new(name)));
    }
    let what = match found {
        Json::Float(_) => "an id that is no whole number or too long to be exact".to_owned(),
        other => format!("{} as its id", other.kind()),
    };
    Err((
        format!("This record has {what}."),
        "Write the id as text in quotes, exactly as the other files write it.",
    ))
}

/// A file of another kind, brought to the wrong place.
fn other_kind(name: &str, text: &str) -> Option<Problem> {
    let (what, cure) = match sniff(name, text) {
        FileKind::Answers => {
            ("These are answers, not questions with rubrics.", "Bring them as answer files.")
        }
        FileKind::Judgements => (
            "These are judgements, not questions with rubrics.",
            "Bring them as judgements of a system.",
        ),
        FileKind::RunFile => ("This is a run file, not a benchmark.", "Reopen it as a run file."),
        FileKind::Benchmark | FileKind::ResearcherBenchQuestions | FileKind::Unknown => {
            return None;
        }
    };
    Some(Problem {
        file: name.to_owned(),
        place: Place::File,
        what: what.to_owned(),
        cure: cure.to_owned(),
    })
}

/// The name of a known benchmark only where keys and ids look like it: own questions in the same
/// layout are named by their file.
fn name(benchmark: &Benchmark, marks: Marks) -> String {
    if marks.official && benchmark.len() < marks.ids * 2 {
        return "ResearchQA".to_owned();
    }
    if marks.points {
        return "ResearcherBench".to_owned();
    }
    benchmark.file_names().next().map(names::stem).unwrap_or_default()
}

/// `<digits>-s<digits>`. Only for the guess: an id is opaque.
pub(super) fn is_researchqa_id(id: &[u8]) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let at = id.windows(2).position(|pair| pair == b"-s");
    at.is_some_and(|at| is_number(&id[..at]) && is_number(&id[at + 2..]))
}
