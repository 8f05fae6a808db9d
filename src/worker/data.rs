//! The data worker's desk: the benchmark and the answers, and every question about them. Pure.

use std::rc::Rc;

use crate::dataset::explore::{Filter, Needle, explore, pieces};
use crate::dataset::{
    AnswerSet, Benchmark, Blob, Case, CaseRef, Converted, FileKind, Problems, detect, handout,
    join, read_benchmark, responses, sample,
};
use crate::hub::{Source, minus};
use crate::ids::SystemName;
use crate::metrics;
use crate::report::number::counted;
use crate::report::{self, Block};
use crate::run::plan::frame;
use crate::run::{Choice, Frame, Plan, Settings, Texts};
use crate::worker::{
    Brought, DatasetView, Explored, HandOut, ItemView, Notice, QueryRow, QuestionView, SystemView,
    Taken, Workspace,
};

use serde::{Deserialize, Serialize};

/// A file as it was brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    pub name: String,
    pub bytes: Blob,
    /// What is read in place of the bytes, where they are no text. Never stored.
    pub converted: Option<Rc<Converted>>,
}

impl RawFile {
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), converted: None }
    }

    /// What the readers get.
    pub fn readable(&self) -> &Blob {
        self.converted.as_ref().map_or(&self.bytes, |converted| &converted.text)
    }

    /// What there is to say about the file, given what its reader says.
    pub fn told(&self, by_reader: Problems) -> Problems {
        match &self.converted {
            Some(converted) => converted.told(&self.name, by_reader),
            None => by_reader,
        }
    }
}

/// What was changed by hand after reading, in order; done again when the files are read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    Rename { from: String, to: String },
    Remove { name: String },
}

struct AnswerFile {
    raw: RawFile,
    sets: Vec<AnswerSet>,
    problems: Problems,
}

/// Length a handed-out question asks for, in words. The benchmark's own.
const LENGTH_TARGET: u32 = 250;

#[derive(Default)]
pub struct Desk {
    dataset: Vec<RawFile>,
    benchmark: Benchmark,
    dataset_problems: Problems,
    answers: Vec<AnswerFile>,
    edits: Vec<Edit>,
    sets: Vec<AnswerSet>,
    /// Problems of files that are neither.
    stray: Problems,
    brought: Brought,
    is_sample: bool,
    /// Where the dataset files came from, if from a Hub.
    source: Option<Source>,
    notes: Vec<String>,
    view: FoundView,
    /// How often the dataset files were read.
    readings: u64,
}

/// What was found last.
#[derive(Default)]
struct FoundView {
    number: u64,
    places: Vec<u32>,
    needle: Option<Needle>,
}

/// What to know of a plan beside its numbers: that the judge may favour its own kin.
pub fn plan_notes(settings: &Settings, plan: &Plan) -> Vec<Block> {
    let names = plan.names.iter().map(String::as_str);
    let kin = metrics::kin(settings.judge.model(), names);
    report::repeats::kin(&kin).into_iter().collect()
}

impl Desk {
    /// Takes files in and says what became of each.
    ///
    /// New questions replace the old ones, except that a `ResearcherBench` rubric and its questions
    /// come as two files. An answer file of the same name replaces the earlier one, so a mended file
    /// is never counted twice.
    pub fn ingest(&mut self, files: Vec<RawFile>, brought: Brought) -> Vec<Taken> {
        self.stray = Problems::default();
        self.brought = brought;
        let mut taken = Vec::with_capacity(files.len());
        let mut questions = Vec::new();
        let mut half = false;
        for file in told_apart(files) {
            taken.push(match detect(&file.name, file.readable().as_bytes()) {
                FileKind::Benchmark => {
                    questions.push(file);
                    Taken::Questions
                }
                FileKind::ResearcherBenchQuestions => {
                    half = true;
                    questions.push(file);
                    Taken::Questions
                }
                FileKind::Answers => {
                    self.add_answers(file);
                    Taken::Answers
                }
                FileKind::Judgements => Taken::Judgements,
                FileKind::RunFile => Taken::RunFile,
                FileKind::Unknown => self.add_unknown(file),
            });
        }
        if !questions.is_empty() {
            let keeps_half = |file: &RawFile| {
                detect(&file.name, file.readable().as_bytes()) == FileKind::ResearcherBenchQuestions
            };
            let joins = half && questions.len() == 1 || self.dataset.iter().all(keeps_half);
            if !joins {
                self.dataset.clear();
            }
            self.dataset.retain(|old| questions.iter().all(|new| new.name != old.name));
            self.dataset.extend(questions);
            self.is_sample = false;
            self.source = None;
            self.read_dataset();
        }
        self.derive();
        taken
    }

    /// The bundled sample in place of everything.
    pub fn sample(&mut self, files: Vec<RawFile>) {
        let number = self.view.number;
        *self = Self { readings: self.readings, ..Self::default() };
        self.view.number = number;
        self.ingest(files, Brought::Anything);
        self.is_sample = true;
    }

    /// A split of a dataset from a Hub, in place of the questions that were there.
    pub fn load(&mut self, files: Vec<RawFile>, source: Source) {
        self.stray = Problems::default();
        self.dataset = files;
        self.source = Some(source);
        self.is_sample = false;
        self.read_dataset();
        self.derive();
    }

    /// What a last visit left.
    pub fn restore(
        &mut self,
        dataset: Vec<RawFile>,
        source: Option<Source>,
        answers: Vec<RawFile>,
        edits: Vec<Edit>,
        is_sample: bool,
    ) {
        *self = Self { dataset, source, edits, is_sample, ..Self::default() };
        self.read_dataset();
        for file in answers {
            self.answers.push(AnswerFile::read(file));
        }
        self.derive();
    }

    /// A file with nothing recognisable in it: its own reader says best what is wrong.
    fn add_unknown(&mut self, file: RawFile) -> Taken {
        let (sets, problems) = responses::read_answers(&file.name, file.readable().as_bytes());
        if sets.iter().any(|set| !set.answers.is_empty()) {
            self.add_answers(file);
            return Taken::Answers;
        }
        let pair = [(file.name.clone(), file.readable().clone())];
        let (benchmark, about_questions) = read_benchmark(&pair);
        if !benchmark.is_empty() {
            self.dataset = vec![file];
            self.is_sample = false;
            self.source = None;
            self.read_dataset();
            return Taken::Questions;
        }
        let wants_questions = problems.is_empty() || self.brought == Brought::Dataset;
        self.stray.extend(file.told(if wants_questions { about_questions } else { problems }));
        Taken::Nothing
    }

    fn add_answers(&mut self, file: RawFile) {
        let read = AnswerFile::read(file);
        // A system brought again is wanted again.
        self.is_sample = false;
        let mut names: Vec<String> = read.sets.iter().map(|set| set.name.to_string()).collect();
        for edit in &self.edits {
            if let Edit::Rename { from, to } = edit
                && names.contains(from)
            {
                names.push(to.clone());
            }
        }
        self.edits.retain(|edit| !matches!(edit, Edit::Remove { name } if names.contains(name)));
        self.answers.retain(|old| old.raw.name != read.raw.name);
        self.answers.push(read);
    }

    fn read_dataset(&mut self) {
        self.notes.clear();
        self.readings += 1;
        // Places in other questions are no places in these.
        self.view = FoundView { number: self.view.number + 1, ..FoundView::default() };
        let pair = |file: &RawFile| (file.name.clone(), file.readable().clone());
        let mut files: Vec<(String, Blob)> = self.dataset.iter().map(pair).collect();
        let source = self.source.as_ref();
        let full = source.and_then(|it| it.derived_from.first()).map_or(files.len(), |it| *it);
        let others = files.split_off(full.min(files.len()));
        (self.benchmark, self.dataset_problems) = read_benchmark(&files);
        if let Some(source) = source {
            let mut rows = self.benchmark.records;
            if !others.is_empty() {
                let (others, problems) = read_benchmark(&others);
                self.dataset_problems.extend(problems);
                let rest =
                    minus(self.benchmark.cases().map(CaseRef::id), others.cases().map(CaseRef::id));
                self.benchmark.keep(&rest.keep);
                rows = rest.keep.len() as u64;
                if 0 < rest.strange {
                    self.notes.push(format!(
                        "{} of test and valid are not in full, from which they are taken away.",
                        counted(rest.strange, "question", "questions")
                    ));
                }
            }
            if let Some(listed) = source.listed_rows.filter(|listed| *listed != rows) {
                self.notes.push(format!(
                    "The dataset’s card lists {}, and its files have {}.",
                    counted(listed, "row", "rows"),
                    rows
                ));
            }
            if source.is_partial {
                self.notes.push(
                    "The Hub converted only the beginning of this split to Parquet: questions are \
                     missing."
                        .to_owned(),
                );
            }
            // Only known benchmarks have a name of their own; others would be called by a file.
            if !["ResearchQA", "ResearcherBench"].contains(&self.benchmark.name.as_str()) {
                let name = source.repo.rsplit('/').next().unwrap_or_default();
                name.clone_into(&mut self.benchmark.name);
            }
        }
        for file in &self.dataset {
            self.benchmark.is_of(&file.name, &file.bytes);
            self.dataset_problems = file.told(std::mem::take(&mut self.dataset_problems));
        }
    }

    /// Joins the answer files into systems and does the edits again.
    fn derive(&mut self) {
        let mut sets =
            responses::merge_sets(self.answers.iter().flat_map(|file| file.sets.clone()).collect());
        for edit in &self.edits {
            match edit {
                Edit::Rename { from, to } => {
                    for set in sets.iter_mut().filter(|set| set.name.as_str() == from) {
                        set.name = SystemName::new(to);
                    }
                }
                Edit::Remove { name } => sets.retain(|set| set.name.as_str() != name),
            }
        }
        self.sets = sets;
    }

    pub fn rename(&mut self, system: usize, name: &str) -> Result<(), Notice> {
        let name = name.trim();
        let Some(set) = self.sets.get(system) else {
            return Err(Notice::new(
                "There is no such system",
                "The table has changed.",
                "Look again.",
            ));
        };
        if name.is_empty() {
            return Err(Notice::new(
                "A system needs a name",
                "The field was empty.",
                "Type a name; it can be anything.",
            ));
        }
        if self.sets.iter().enumerate().any(|(at, it)| at != system && it.name.as_str() == name) {
            return Err(Notice::new(
                format!("There is another system called {name}"),
                "Two systems of one name could not be told apart.",
                "Choose another name.",
            ));
        }
        self.edits.push(Edit::Rename { from: set.name.to_string(), to: name.to_owned() });
        self.derive();
        Ok(())
    }

    pub fn remove(&mut self, system: usize) {
        let Some(set) = self.sets.get(system) else {
            return;
        };
        self.edits.push(Edit::Remove { name: set.name.to_string() });
        self.derive();
        // Files of which nothing is left need not be kept.
        let gone = |file: &AnswerFile, sets: &[AnswerSet]| {
            sets.iter().all(|set| !set.files.contains(&file.raw.name))
        };
        let sets = std::mem::take(&mut self.sets);
        self.answers.retain(|file| !gone(file, &sets));
        self.sets = sets;
    }

    pub fn remove_dataset(&mut self) {
        self.dataset.clear();
        self.source = None;
        self.read_dataset();
        self.is_sample = false;
    }

    pub fn workspace(&self) -> Workspace {
        let mut dataset_problems = self.dataset_problems.clone();
        let stray_is_dataset = match self.brought {
            Brought::Dataset => true,
            Brought::Answers => false,
            Brought::Anything => self.benchmark.is_empty(),
        };
        if stray_is_dataset {
            dataset_problems.extend(self.stray.clone());
        }
        let mut answer_problems = Problems::default();
        for file in &self.answers {
            answer_problems.extend(file.problems.clone());
        }
        if !stray_is_dataset {
            answer_problems.extend(self.stray.clone());
        }
        Workspace {
            dataset: (!self.benchmark.is_empty()).then(|| DatasetView {
                name: if self.is_sample {
                    "Sample".to_owned()
                } else {
                    self.benchmark.name.clone()
                },
                files: self.dataset.iter().map(|file| file.name.clone()).collect(),
                digest: self.benchmark.digest(),
                summary: self.benchmark.summary(),
                reading: self.readings,
                source: self.source.clone(),
                notes: self.notes.clone(),
            }),
            dataset_problems,
            systems: self
                .sets
                .iter()
                .map(|set| SystemView {
                    name: set.name.to_string(),
                    files: set.files.clone(),
                    join: (!self.benchmark.is_empty()).then(|| join(&self.benchmark, set)),
                    entries: set.answers.len() as u64,
                })
                .collect(),
            answer_problems,
            is_sample: self.is_sample,
            not_kept: None,
        }
    }

    /// Finds what passes the filter, and remembers it to be read in parts.
    pub fn explore(&mut self, filter: &Filter) -> Explored {
        let found = explore(&self.benchmark, filter);
        let number = self.view.number + 1;
        let total = found.places.len() as u64;
        self.view = FoundView { number, places: found.places, needle: Needle::new(&filter.text) };
        Explored {
            view: number,
            total,
            items: found.items,
            domains: found.domains,
            subdomains: found.subdomains,
            fields: found.fields,
            kinds: found.kinds,
        }
    }

    /// Some of what was found. Empty where it was not this view, or the questions have changed.
    pub fn rows(&self, view: u64, start: u64, len: u64) -> Vec<QueryRow> {
        if view != self.view.number {
            return Vec::new();
        }
        let needle = self.view.needle.as_ref();
        let places = self.view.places.iter().skip(start as usize).take(len as usize);
        let places = places.filter(|place| (**place as usize) < self.benchmark.len());
        places.map(|place| row(self.benchmark.case(*place as usize), needle)).collect()
    }

    pub fn question(&self, place: u64, text: &str) -> Option<QuestionView> {
        let at = usize::try_from(place).ok().filter(|at| *at < self.benchmark.len())?;
        let (case, needle) = (self.benchmark.case(at), Needle::new(text));
        Some(QuestionView {
            place,
            id: case.id().to_owned(),
            domain: case.domain().to_owned(),
            subdomain: case.subdomain().to_owned(),
            field: case.field().to_owned(),
            date: case.date(),
            query: pieces(case.query(), needle.as_ref()),
            items: case
                .items()
                .map(|item| ItemView {
                    text: pieces(item.text(), needle.as_ref()),
                    types: item.kinds().iter().collect(),
                    weight: item.weight(),
                    citation: item.citation(),
                })
                .collect(),
        })
    }

    pub fn frame(&self, choice: Choice) -> Result<(Frame, Texts), Notice> {
        if self.benchmark.is_empty() {
            return Err(Notice::new(
                "No questions are loaded",
                "A run needs questions with their checklists.",
                "Open dataset files on the Data page, or try the sample.",
            ));
        }
        let (mut frame, texts) = frame(&self.benchmark, &self.sets, choice);
        if self.is_sample {
            "Sample".clone_into(&mut frame.dataset.name);
        }
        if let Some(source) = &self.source {
            frame.dataset.source =
                format!("{}/datasets/{}: {}", source.base, source.told(), frame.dataset.source);
        }
        Ok((frame, texts))
    }

    pub fn plan(&self, settings: &Settings) -> Result<Plan, Notice> {
        let (frame, texts) =
            self.frame(Choice { per_field: settings.per_field, seed: settings.seed })?;
        Ok(Plan::of(settings, &frame, &texts))
    }

    pub fn hand_out(&self, choice: Choice, format: HandOut) -> String {
        let cases: Vec<Case> = sample::choose(&self.benchmark, choice.per_field, choice.seed)
            .into_iter()
            .map(|at| self.benchmark.case(at).to_case())
            .collect();
        let cases: Vec<&Case> = cases.iter().collect();
        match format {
            HandOut::Jsonl => handout::jsonl(&cases, LENGTH_TARGET),
            HandOut::Csv => handout::csv(&cases, LENGTH_TARGET),
            HandOut::PromptPack => handout::prompt_pack(&cases, LENGTH_TARGET),
        }
    }

    /// Where the dataset files came from, if from a Hub: they are kept as its downloads.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// What must be kept for the next visit.
    pub fn kept(&self) -> (Vec<&RawFile>, Vec<&RawFile>, &[Edit], bool) {
        (
            self.dataset.iter().filter(|_| self.source.is_none()).collect(),
            self.answers.iter().map(|file| &file.raw).collect(),
            &self.edits,
            self.is_sample,
        )
    }
}

/// Files of one name in one go are two files: the second must not pass for a mended first.
fn told_apart(mut files: Vec<RawFile>) -> Vec<RawFile> {
    for at in 1..files.len() {
        let taken = |name: &str| files[..at].iter().any(|it| it.name == name);
        let name = files[at].name.clone();
        if taken(&name) {
            let (stem, end) = name.rsplit_once('.').unwrap_or((&name, "json"));
            let free =
                (2..=files.len() + 1).map(|n| format!("{stem} ({n}).{end}")).find(|it| !taken(it));
            files[at].name = free.unwrap_or(name);
        }
    }
    files
}

impl AnswerFile {
    fn read(raw: RawFile) -> Self {
        let (sets, problems) = responses::read_answers(&raw.name, raw.readable().as_bytes());
        let problems = raw.told(problems);
        Self { raw, sets, problems }
    }
}

fn row(case: CaseRef<'_>, needle: Option<&Needle>) -> QueryRow {
    let hits = needle.map_or(0, |it| case.items().filter(|item| it.is_at(item.text())).count());
    QueryRow {
        place: case.at() as u64,
        domain: case.domain().to_owned(),
        field: case.field().to_owned(),
        date: case.date(),
        query: pieces(case.query(), needle),
        items: case.n_items() as u64,
        hits: hits as u64,
    }
}
