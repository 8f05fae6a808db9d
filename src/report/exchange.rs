//! One exchange in words: how its reply reads, why it ended, what it took.

use serde::{Deserialize, Serialize};

use crate::judge::{Attempt, ErrorKind, Finish, Outcome, OutputFormat, Usage};
use crate::protocol::Reading;
use crate::protocol::coverage::{Read, read};
use crate::report::number::{counted, fixed};

/// One exchange, told. Composed where replies are read, since a page that only shows them need not know how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// When it began: UTC, milliseconds since the epoch. In words only a browser can tell it.
    pub at: f64,
    /// Names and values of what was asked and what it took.
    pub facts: Vec<(String, String)>,
    /// How the reply reads, where it was to be labels.
    pub read: String,
    /// `, 612 tokens` behind the name of a prompt, where its size is known.
    pub size: String,
    /// Whether merging wrote down here that people disagree.
    pub conflict: bool,
    pub end: End,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum End {
    /// Word for word.
    Reply(String),
    /// With what that means.
    Cancelled(String),
    Failed {
        /// As a clause, with its status.
        what: String,
        cure: String,
        /// The other side's.
        words: String,
        /// What came back, as far as it was kept.
        body: String,
    },
}

impl Exchange {
    /// Of one that put `len` items to the judge; of none where it was about a battle.
    pub fn of(attempt: &Attempt, len: usize, format: OutputFormat) -> Self {
        Self {
            at: attempt.at,
            facts: exchange(attempt),
            read: read_as(&attempt.outcome, len, format),
            size: size(attempt.usage),
            // A model may write what it likes; merging asks none.
            conflict: attempt.model_asked.is_empty() && is_conflict(&attempt.outcome),
            end: match &attempt.outcome {
                Outcome::Reply { text, .. } => End::Reply(text.clone()),
                Outcome::Failure { kind: kind @ ErrorKind::Cancelled, .. } => {
                    End::Cancelled(kind.cure().to_owned())
                }
                Outcome::Failure { kind, status, detail, body } => End::Failed {
                    what: match status {
                        Some(status) => format!("{}, status {status}", kind.what()),
                        None => kind.what().to_owned(),
                    },
                    cure: kind.cure().to_owned(),
                    words: detail.clone(),
                    body: body.clone(),
                },
            },
        }
    }
}

fn exchange(attempt: &Attempt) -> Vec<(String, String)> {
    let asked = if attempt.model_asked.is_empty() { "no model" } else { &attempt.model_asked };
    let answered = attempt.model_answered.as_deref().unwrap_or("not said");
    let facts = [
        ("Model asked", asked.to_owned()),
        ("Model answered", answered.to_owned()),
        ("Sent", listed(&attempt.sent)),
        ("Dropped", listed(&attempt.dropped)),
        ("Tokens in", tokens(attempt.usage.input, attempt.usage.cached, "from a cache")),
        ("Tokens out", tokens(attempt.usage.output, attempt.usage.reasoning, "for reasoning")),
        ("Time", format!("{} s", fixed(attempt.took / 1000.0, 1))),
        ("Finish", finish(&attempt.outcome)),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// Whether this is where merging wrote down that people disagree.
fn is_conflict(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Reply { text, .. } if text.starts_with("Conflict:"))
}

fn listed(parts: &[String]) -> String {
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// `612`, `612, 500 from a cache`. Unknown is unknown, never zero.
fn tokens(count: Option<u64>, part: Option<u64>, of_which: &str) -> String {
    match (count, part) {
        (None, _) => "not said".to_owned(),
        (Some(count), None) => count.to_string(),
        (Some(count), Some(part)) => format!("{count}, {part} {of_which}"),
    }
}

fn finish(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failure { kind: ErrorKind::Cancelled, .. } => "cancelled by you".to_owned(),
        Outcome::Failure { .. } => "no reply".to_owned(),
        Outcome::Reply { finish, .. } => match finish {
            Finish::Stop => "stop".to_owned(),
            Finish::Length => "cut off at the length limit".to_owned(),
            Finish::Refused(words) if words.trim().is_empty() => "declined".to_owned(),
            Finish::Refused(words) => format!("declined: {words}"),
            Finish::Other(word) if word.trim().is_empty() => "not said".to_owned(),
            Finish::Other(word) => word.clone(),
        },
    }
}

fn read_as(outcome: &Outcome, len: usize, format: OutputFormat) -> String {
    if is_conflict(outcome) {
        return "a conflict: people chose different labels".to_owned();
    }
    match outcome {
        Outcome::Failure { .. } => "nothing".to_owned(),
        Outcome::Reply { finish: Finish::Length, .. } => "not read: cut off".to_owned(),
        Outcome::Reply { finish: Finish::Refused(_), .. } => "not read: declined".to_owned(),
        Outcome::Reply { text, .. } => match read(text, len, format, Reading::Recommended) {
            Read::Labels(labels) => {
                format!("{} of {}", labels.iter().flatten().count(), labels_of(len))
            }
            Read::WrongCount(lines) => {
                let lines = counted(lines as u64, "line", "lines");
                let were = if len == 1 { "was" } else { "were" };
                format!("not read: {lines} where {} {were} asked for", labels_of(len))
            }
        },
    }
}

fn labels_of(n: usize) -> String {
    counted(n as u64, "label", "labels")
}

/// `, 612 tokens` behind the name of a prompt, where its size is known.
fn size(usage: Usage) -> String {
    usage.input.map_or_else(String::new, |it| format!(", {it} tokens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str, finish: Finish) -> Outcome {
        Outcome::Reply { text: text.to_owned(), finish, evidence: Vec::new() }
    }

    #[test]
    fn replies_are_read_as_the_tables_read_them() {
        let told = |text: &str, len| read_as(&reply(text, Finish::Stop), len, OutputFormat::Lines);
        assert_eq!(told("Mostly\nSomewhat\nBarely", 3), "2 of 3 labels");
        assert_eq!(told("Mostly", 1), "1 of 1 label");
        assert_eq!(told("Mostly", 3), "not read: 1 line where 3 labels were asked for");
        let cut = reply("Mostly\nMos", Finish::Length);
        assert_eq!(read_as(&cut, 2, OutputFormat::Lines), "not read: cut off");
    }

    #[test]
    fn what_is_not_known_is_not_zero() {
        let outcome = Outcome::failure(ErrorKind::Timeout, "");
        let attempt = Attempt {
            run: String::new(),
            pass: 0,
            at: 0.0,
            took: 2_449.0,
            model_asked: String::new(),
            model_answered: None,
            sent: vec!["temperature=0".to_owned(), "max_tokens=512".to_owned()],
            dropped: Vec::new(),
            usage: Usage { output: Some(118), reasoning: Some(64), ..Usage::default() },
            outcome,
        };
        let told = Exchange::of(&attempt, 7, OutputFormat::Lines);
        assert_eq!((told.read.as_str(), told.size.as_str()), ("nothing", ""));
        let told: Vec<&str> = told.facts.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(
            told,
            [
                "no model",
                "not said",
                "temperature=0, max_tokens=512",
                "none",
                "not said",
                "118, 64 for reasoning",
                "2.4 s",
                "no reply"
            ]
        );
    }
}
