//! Two runs side by side, and how a judge agrees with itself.

use crate::judge::{JudgeSpec, OutputFormat};
use crate::ledger::Ledger;
use crate::metrics;
use crate::metrics::repeats::{self, RepeatReport};
use crate::protocol::Reading;
use crate::report::compare::{ComparedRun, ComparedRuns, SettingLine};
use crate::run::record::{Record, Settings};
use crate::worker::Notice;
use crate::worker::runs::Book;

impl Book {
    /// Runs `a` and `b`, on what both judged.
    ///
    /// # Errors
    /// In words, where they cannot be compared: one run, two benchmarks, or a reading that one of the
    /// judges has none of.
    pub fn compare(
        &self,
        ledger: &Ledger,
        a: &str,
        b: &str,
        reading: Reading,
    ) -> Result<ComparedRuns, Notice> {
        let (run_a, run_b) = (self.record(a)?, self.record(b)?);
        let refused =
            |why: String, next: &str| Err(Notice::new("These runs cannot be compared", why, next));
        if a == b {
            return refused("They are one and the same.".to_owned(), "Choose two runs.");
        }
        let (of_a, of_b) = (&run_a.frame.dataset, &run_b.frame.dataset);
        if of_a.digest != of_b.digest {
            return refused(
                format!("One is on {}, the other on {}.", named(run_a), named(run_b)),
                "Choose two runs on the same benchmark.",
            );
        }
        let is_allowed = |run: &Record| {
            reading == Reading::Recommended || run.settings.judge.allows_all_readings()
        };
        if !is_allowed(run_a) || !is_allowed(run_b) {
            return refused(
                "The reading of one of them does not know JSON replies.".to_owned(),
                "Choose the recommended reading.",
            );
        }
        let comparison =
            metrics::compare(&run_a.sheet(ledger, reading), &run_b.sheet(ledger, reading));
        Ok(ComparedRuns {
            a: side(run_a),
            b: side(run_b),
            settings: differing(run_a, run_b),
            comparison,
        })
    }

    /// How far the judge of a run agrees with itself, from its repeats, and which systems are its kin.
    ///
    /// # Errors
    /// Where the run is not here.
    pub fn repeats(&self, ledger: &Ledger, run: &str) -> Result<RepeatReport, Notice> {
        let record = self.record(run)?;
        let repeated = record.repeated(ledger, Reading::Recommended);
        let systems = record.frame.systems.iter().map(|system| system.name.as_str());
        let kin = metrics::kin(record.settings.judge.model(), systems);
        let judge = record.settings.judge.stamp();
        Ok(repeats::report(&record.frame, &repeated, judge, kin))
    }
}

fn named(run: &Record) -> String {
    let dataset = &run.frame.dataset;
    format!("{} ({})", dataset.name, dataset.digest.short())
}

fn side(run: &Record) -> ComparedRun {
    ComparedRun {
        id: run.id.clone(),
        name: run.name.clone(),
        created: run.created,
        bridge: run.bridge.clone(),
    }
}

/// Everything that could make two runs differ, of which what is the same is left out.
fn differing(a: &Record, b: &Record) -> Vec<SettingLine> {
    let lines = words(&a.settings).into_iter().zip(words(&b.settings));
    lines
        .filter(|((_, a), (_, b))| a != b)
        .map(|((what, a), (_, b))| SettingLine { what: what.to_owned(), a, b })
        .collect()
}

/// One line a setting, the same lines for all.
fn words(settings: &Settings) -> Vec<(&'static str, String)> {
    const NONE: &str = "not applicable";
    let endpoint = match &settings.judge {
        JudgeSpec::Endpoint(endpoint) => Some(endpoint),
        _ => None,
    };
    let of = |words: Option<String>| words.unwrap_or_else(|| NONE.to_owned());
    vec![
        ("Judge", settings.judge.stamp().name),
        ("Host", of(endpoint.map(|it| it.base_url.clone()))),
        (
            "Temperature",
            of(endpoint.map(|it| {
                it.temperature.map_or("the provider’s".to_owned(), |it| it.to_string())
            })),
        ),
        (
            "Reply tokens",
            of(endpoint.map(|it| {
                it.max_tokens.map_or("the provider’s".to_owned(), |it| it.to_string())
            })),
        ),
        (
            "Output format",
            of(endpoint.map(|it| match it.format {
                OutputFormat::Lines => "label lines".to_owned(),
                OutputFormat::JsonSchema => "JSON schema".to_owned(),
            })),
        ),
        (
            "Prompt",
            match &settings.judge {
                JudgeSpec::Endpoint(it) => it.prompt.describe(),
                JudgeSpec::Imported { prompt, .. } => prompt.clone(),
                _ => NONE.to_owned(),
            },
        ),
        ("Items a call", settings.judge.batch().to_string()),
        ("Seed", settings.seed.to_string()),
        (
            "Queries a field",
            settings.per_field.map_or("all".to_owned(), |it| format!("{it} at most")),
        ),
        ("Rubric items", if settings.coverage { "judged" } else { "not judged" }.to_owned()),
        (
            "Battles",
            settings.preference.as_ref().map_or("none".to_owned(), |it| {
                format!("{} a pair, {}", it.per_pair, it.duel.prompt.describe())
            }),
        ),
        (
            "Repeats",
            settings.repeats.map_or("none".to_owned(), |it| {
                format!("{} queries, judged {} times", it.sample, it.times)
            }),
        ),
    ]
}
