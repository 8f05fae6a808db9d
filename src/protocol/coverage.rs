//! Rubric coverage: how far does an answer address each item, on five labels.
//!
//! A batch of items and the answer are put to the judge; the query is not shown.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::ids::Digest;
use crate::judge::retry::RetryPolicy;
use crate::judge::template::item_key;
use crate::judge::{Again, Attempt, Finish, JudgeSpec, Outcome, OutputFormat};
use crate::ledger::Pass;
use crate::observation::{Mark, Unscored};
use crate::protocol::{Pending, Reading, Request, Task};
use crate::rubric::Label;
use crate::run::frame::{AnswerState, Frame};
use crate::run::repeats;

/// Replies with a wrong number of labels that are asked again, the first included. As released.
pub const TRIES: u32 = 3;

/// Replies that end at the length limit before they are left as they are, the first included.
pub const CUT_TRIES: u32 = 2;

/// One batch of items of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoverageTask {
    pub key: Digest,
    pub system: u32,
    pub case: u32,
    pub first: u32,
    pub len: u32,
    /// 0 the first time; from 1 on where the same is asked again on purpose.
    pub repeat: u32,
}

impl CoverageTask {
    /// The same for another time, of which the key is told apart. `self` is of the first time.
    #[must_use]
    pub fn repeated(self, repeat: u32) -> Self {
        Self { key: repeats::key(self.key, repeat), repeat, ..self }
    }
}

/// All batches of a frame, question by question so that an unfinished run is a fair sample of systems.
/// Missing and empty answers have none: they are never put to a judge.
pub fn tasks(judge: &JudgeSpec, frame: &Frame) -> Vec<CoverageTask> {
    let identity = judge.identity();
    let batch = judge.batch();
    let mut out = Vec::new();
    for (case_index, case) in frame.cases.iter().enumerate() {
        for (system_index, system) in frame.systems.iter().enumerate() {
            let Some(AnswerState::Answered { digest, .. }) = system.answers.get(case_index) else {
                continue;
            };
            for (chunk_index, items) in case.items.chunks(batch).enumerate() {
                let parts: Vec<&[u8]> =
                    [b"coverage/1".as_slice(), identity.as_bytes(), digest.as_bytes()]
                        .into_iter()
                        .chain(items.iter().map(|item| item.digest.as_bytes().as_slice()))
                        .collect();
                out.push(CoverageTask {
                    key: Digest::of(parts),
                    system: system_index as u32,
                    case: case_index as u32,
                    first: (chunk_index * batch) as u32,
                    len: items.len() as u32,
                    repeat: 0,
                });
            }
        }
    }
    out
}

/// How a reply reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// As many labels as items; `None` where a line is no label.
    Labels(Vec<Option<Label>>),
    /// The reply does not have one label an item: nothing of it can be trusted.
    WrongCount(usize),
}

/// Evaluates one batch as far as the ledger allows.
pub fn evaluate(
    task: &CoverageTask,
    format: OutputFormat,
    reading: Reading,
    pass: &Pass<'_>,
    policy: &RetryPolicy,
) -> Result<Vec<Mark>, Pending> {
    let (best, complete) = best_marks(task, format, reading, pass);
    if complete {
        return Ok(best.unwrap_or_default());
    }
    let mut tries = 0;
    let mut cut = 0;
    let mut with = Again::Plain;
    let mut last = None;
    for attempt in pass.own(task.key) {
        tries += u32::from(attempt.is_reply());
        match state(attempt, task.len as usize, format, reading) {
            State::Failed(kind) => with = policy.again(kind, with),
            State::WrongCount => with = Again::RepairNote,
            State::Truncated => {
                cut += 1;
                with = Again::RaisedCap;
            }
            State::Labels(_) | State::Refused => {}
        }
        last = Some(attempt);
    }
    let again = |again| Pending(vec![Request { task: Task::Coverage(*task), again, with }]);
    let Some(last) = last else {
        // A first pass takes a partly readable reply as it is; only "Retry failed" asks for a better one.
        return match best {
            Some(marks) if pass.number == 0 => Ok(marks),
            _ => Err(again(0)),
        };
    };
    let open = match state(last, task.len as usize, format, reading) {
        State::Failed(kind) => policy.allows(kind, pass.failures(task.key).0),
        State::WrongCount => tries < TRIES,
        State::Truncated => cut < CUT_TRIES && tries < TRIES,
        State::Labels(_) | State::Refused => false,
    };
    if open {
        return Err(again(tries));
    }
    Ok(best.unwrap_or_else(|| {
        vec![Mark::Unscored(why(last, task, format, reading)); task.len as usize]
    }))
}

/// The marks of a batch as they stand, whatever is still to be asked.
pub fn settle(
    task: &CoverageTask,
    format: OutputFormat,
    reading: Reading,
    pass: &Pass<'_>,
) -> Vec<Mark> {
    if let (Some(marks), _) = best_marks(task, format, reading, pass) {
        return marks;
    }
    // Another run's unusable reply is not this run's: this one has still to ask.
    let own = pass.ledger.attempts(task.key).iter().rfind(|attempt| attempt.run == pass.run);
    let unscored = own.map_or(Unscored::NotAsked, |it| why(it, task, format, reading));
    vec![Mark::Unscored(unscored); task.len as usize]
}

/// The last reply with a label for every item; else the last with the right count. The flag says
/// whether every item has its label.
fn best_marks(
    task: &CoverageTask,
    format: OutputFormat,
    reading: Reading,
    pass: &Pass<'_>,
) -> (Option<Vec<Mark>>, bool) {
    let mut partial = None;
    for attempt in pass.ledger.attempts(task.key).iter().rev() {
        let State::Labels(labels) = state(attempt, task.len as usize, format, reading) else {
            continue;
        };
        let complete = labels.iter().all(Option::is_some);
        let marks = labels
            .into_iter()
            .map(|label| label.map_or(Mark::Unscored(Unscored::Unparsed), Mark::Scored))
            .collect();
        if complete {
            return (Some(marks), true);
        }
        partial = partial.or(Some(marks));
    }
    (partial, false)
}

enum State {
    Labels(Vec<Option<Label>>),
    WrongCount,
    Truncated,
    Refused,
    Failed(crate::judge::ErrorKind),
}

fn state(attempt: &Attempt, n_items: usize, format: OutputFormat, reading: Reading) -> State {
    match &attempt.outcome {
        Outcome::Failure { kind, .. } => State::Failed(*kind),
        Outcome::Reply { finish: Finish::Length, .. } => State::Truncated,
        Outcome::Reply { finish: Finish::Refused(_), .. } => State::Refused,
        Outcome::Reply { text, .. } => match read(text, n_items, format, reading) {
            Read::Labels(labels) => State::Labels(labels),
            Read::WrongCount(_) => State::WrongCount,
        },
    }
}

fn why(attempt: &Attempt, task: &CoverageTask, format: OutputFormat, reading: Reading) -> Unscored {
    match state(attempt, task.len as usize, format, reading) {
        State::Labels(_) | State::WrongCount => Unscored::Unparsed,
        State::Truncated | State::Failed(crate::judge::ErrorKind::InputCut) => Unscored::Truncated,
        State::Refused | State::Failed(crate::judge::ErrorKind::Filtered) => Unscored::Refused,
        State::Failed(_) => Unscored::Failed,
    }
}

/// Reads a reply. The count of lines is taken alike in every reading, so that reading a ledger in
/// another way never asks again.
pub fn read(text: &str, n_items: usize, format: OutputFormat, reading: Reading) -> Read {
    let lines: Vec<String> = match format {
        OutputFormat::Lines => {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
        OutputFormat::JsonSchema => json_labels(text, n_items),
    };
    if lines.len() != n_items {
        return Read::WrongCount(lines.len());
    }
    Read::Labels(
        lines
            .iter()
            .map(|line| match reading {
                Reading::Recommended => tolerant(line),
                Reading::Paper | Reading::Released => Label::exact(line),
            })
            .collect(),
    )
}

/// The labels of the object `{"item_1": …}`, by number, also inside a code fence. With a key missing,
/// twice or too many, the count is wrong on purpose.
fn json_labels(text: &str, n_items: usize) -> Vec<String> {
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return Vec::new();
    };
    let pairs = text.get(start..=end).and_then(|it| serde_json::from_str::<Pairs>(it).ok());
    let Some(Pairs(pairs)) = pairs.filter(|it| it.0.len() == n_items) else {
        return Vec::new();
    };
    (1..=n_items)
        .filter_map(|number| {
            let key = item_key(number);
            pairs.iter().find(|(it, _)| *it == key).map(|(_, label)| label.clone())
        })
        .collect()
}

/// An object's entries as they stand: a map would hide a key that comes twice.
struct Pairs(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of labels")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

/// A label with list markers, numbers, emphasis, quotes, other case or a final period around it.
/// Never a label inside a sentence: a reply that quotes the prompt must not score.
fn tolerant(line: &str) -> Option<Label> {
    let mut rest = line.trim();
    rest = rest.trim_start_matches(['-', '*', '•', '–', '—', '"', '“', '\'', '`', ' ', '\t']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if 0 < digits && digits <= 2 {
        let after = &rest[digits..];
        if let Some(after) = after.strip_prefix(['.', ')', ':']) {
            rest = after;
        }
    }
    let core = rest
        .trim_start_matches(['-', '*', '"', '“', '\'', '`', ' ', '\t', '['])
        .trim_end_matches(['.', '*', '"', '”', '\'', '`', ' ', '\t', ',', ';', ']']);
    Label::ALL.into_iter().find(|label| label.as_str().eq_ignore_ascii_case(core))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Label::{Barely, Completely, Moderately, Mostly, NotAtAll};

    #[track_caller]
    fn labels(text: &str, reading: Reading, expected: &[Option<Label>]) {
        let actual = read(text, expected.len(), OutputFormat::Lines, reading);
        assert_eq!(actual, Read::Labels(expected.to_vec()), "{text:?}");
    }

    /// The released parser: strip, split on `\n`, trim, drop empty lines, count, exact match.
    #[test]
    fn released_reads_exactly() {
        for reading in [Reading::Released, Reading::Paper] {
            labels(
                "\n Barely \n\nCompletely\r\nMostly\n",
                reading,
                &[Some(Barely), Some(Completely), Some(Mostly)],
            );
            labels("barely\nMostly.\n1. Mostly", reading, &[None, None, None]);
            assert_eq!(read("Mostly", 2, OutputFormat::Lines, reading), Read::WrongCount(1));
        }
    }

    #[test]
    fn recommended_accepts_markers_case_and_periods() {
        labels(
            "1. not at all.\n2) **Barely**\n- MODERATELY\n• Mostly;\n\"Completely\"",
            Reading::Recommended,
            &[Some(NotAtAll), Some(Barely), Some(Moderately), Some(Mostly), Some(Completely)],
        );
    }

    #[test]
    fn an_unknown_label_loses_only_its_item() {
        labels(
            "Mostly\nPartially\nBarely",
            Reading::Recommended,
            &[Some(Mostly), None, Some(Barely)],
        );
    }

    #[test]
    fn a_sentence_around_a_label_is_no_label() {
        labels("I would say Mostly\nMostly or Barely", Reading::Recommended, &[None, None]);
        let quoted = "Give exactly one of these labels:\nNot at all: the point is absent";
        labels(quoted, Reading::Recommended, &[None, None]);
    }

    #[test]
    fn a_wrong_count_voids_the_batch() {
        let reply = "Here are the labels:\nMostly\nBarely";
        assert_eq!(read(reply, 2, OutputFormat::Lines, Reading::Recommended), Read::WrongCount(3));
        assert_eq!(read("", 2, OutputFormat::Lines, Reading::Recommended), Read::WrongCount(0));
    }

    #[test]
    fn schema_replies_are_read_by_number_also_in_fences() {
        let text = "```json\n{\"item_2\": \"barely\", \"item_1\": \"Mostly\"}\n```";
        assert_eq!(
            read(text, 2, OutputFormat::JsonSchema, Reading::Recommended),
            Read::Labels(vec![Some(Mostly), Some(Barely)])
        );
        for wrong in [
            "{\"item_1\": \"Mos",
            "}{",
            "{\"item_1\": \"Mostly\"}",
            "{\"item_1\": \"Mostly\", \"item_1\": \"Barely\"}",
            "{\"item_1\": \"Mostly\", \"item_2\": \"Barely\", \"item_3\": \"Barely\"}",
            "{\"item_1\": 4, \"item_2\": \"Barely\"}",
        ] {
            let read = read(wrong, 2, OutputFormat::JsonSchema, Reading::Recommended);
            assert!(matches!(read, Read::WrongCount(_)), "{wrong}");
        }
    }

    fn label() -> impl Strategy<Value = Label> {
        prop::sample::select(Label::ALL.to_vec())
    }

    /// A line that has much of a label, or is one.
    fn line() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            label().prop_map(|it| it.as_str().to_owned()),
            label().prop_map(|it| it.as_str().to_lowercase()),
            prop::sample::select(vec![
                "1.", "12) ", "- ", "**", "\"", ".", ",", " ", "•", "not ", "at all", "very ", "[",
                "]", ":", "\u{a0}",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,4}",
        ];
        prop::collection::vec(part, 1..5).prop_map(|it| it.concat())
    }

    fn letters(text: &str) -> String {
        text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
    }

    proptest! {
        /// As many lines, as many labels; a line is read as a label only where its letters are that
        /// label's and no more; who reads exactly reads nothing that the tolerant do not.
        #[test]
        fn no_label_is_read_out_of_a_line(lines in prop::collection::vec(line(), 0..6), n_items in 0..7_usize) {
            let text = lines.join("\n");
            let said: Vec<&str> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
            let read_as = |reading| read(&text, n_items, OutputFormat::Lines, reading);
            let (kind, strict) = (read_as(Reading::Recommended), read_as(Reading::Paper));
            prop_assert_eq!(&strict, &read_as(Reading::Released));
            let (Read::Labels(kind), Read::Labels(strict)) = (kind, strict) else {
                prop_assert_eq!(read_as(Reading::Recommended), Read::WrongCount(said.len()));
                prop_assert_ne!(said.len(), n_items);
                return Ok(());
            };
            prop_assert_eq!(kind.len(), n_items);
            for ((line, kind), strict) in said.iter().zip(kind).zip(strict) {
                prop_assert!(strict.is_none() || strict == kind);
                prop_assert_eq!(strict.map(Label::as_str), strict.map(|_| *line));
                if let Some(label) = kind {
                    prop_assert_eq!(letters(line), letters(label.as_str()));
                }
            }
        }

        /// What a judge says in either form comes through, however it is dressed and in whatever order.
        #[test]
        fn labels_come_through(
            said in prop::collection::vec(label(), 1..9),
            turn: prop::sample::Index,
            (before, after) in ("[^{}]{0,12}", "[^{}]{0,12}"),
            marker in prop::sample::select(vec!["#. ", "#) ", "- ", "• ", ""]),
            dress in prop::sample::select(vec![("", ""), ("", "."), ("**", "**"), ("\"", "\","), ("", ";")]),
        ) {
            let whole = Read::Labels(said.iter().copied().map(Some).collect());
            let numbered = said
                .iter()
                .enumerate()
                .map(|(at, it)| {
                    let marker = marker.replace('#', &(at + 1).to_string());
                    format!("{marker}{}{}{}\n\n", dress.0, it.as_str(), dress.1)
                });
            let text: String = numbered.collect();
            prop_assert_eq!(&read(&text, said.len(), OutputFormat::Lines, Reading::Recommended), &whole);
            let mut pairs: Vec<String> = said
                .iter()
                .enumerate()
                .map(|(at, it)| format!("\"item_{}\": \"{}\"", at + 1, it.as_str()))
                .collect();
            pairs.rotate_left(turn.index(said.len()));
            let object = format!("{before}{{{}}}{after}", pairs.join(","));
            for reading in Reading::ALL {
                prop_assert_eq!(&read(&object, said.len(), OutputFormat::JsonSchema, reading), &whole);
            }
            let lost = format!("{{{}}}", pairs[1..].join(","));
            let read = read(&lost, said.len(), OutputFormat::JsonSchema, Reading::Recommended);
            prop_assert!(matches!(read, Read::WrongCount(_)));
        }

        #[test]
        fn no_object_gives_more_labels_than_items(text in "[{}\":,a-z_12 \\[\\]]{0,40}", n_items in 0..4_usize) {
            match read(&text, n_items, OutputFormat::JsonSchema, Reading::Recommended) {
                Read::Labels(labels) => prop_assert_eq!(labels.len(), n_items),
                Read::WrongCount(n) => prop_assert_ne!(n, n_items),
            }
        }
    }
}
