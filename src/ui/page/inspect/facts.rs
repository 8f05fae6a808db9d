//! One exchange in words: how its reply reads, why it ended, what it took. Pure.

use crate::judge::{Attempt, ErrorKind, Finish, Outcome, OutputFormat, Usage};
use crate::protocol::Reading;
use crate::protocol::coverage::{Read, read};
use crate::report::number::fixed;
use crate::ui::format::counted;

/// Names and values for a list of facts, save for the time, which only a browser can tell.
pub(super) fn facts(
    attempt: &Attempt,
    len: usize,
    format: OutputFormat,
) -> Vec<(&'static str, String)> {
    let mut facts = exchange(attempt);
    facts.push(("Read as", read_as(&attempt.outcome, len, format)));
    facts
}

/// What is known of an exchange, whatever it was about.
pub(super) fn exchange(attempt: &Attempt) -> Vec<(&'static str, String)> {
    let asked = if attempt.model_asked.is_empty() { "no model" } else { &attempt.model_asked };
    let answered = attempt.model_answered.as_deref().unwrap_or("not said");
    vec![
        ("Model asked", asked.to_owned()),
        ("Model answered", answered.to_owned()),
        ("Sent", listed(&attempt.sent)),
        ("Dropped", listed(&attempt.dropped)),
        ("Tokens in", tokens(attempt.usage.input, attempt.usage.cached, "from a cache")),
        ("Tokens out", tokens(attempt.usage.output, attempt.usage.reasoning, "for reasoning")),
        ("Time", format!("{} s", fixed(attempt.took / 1000.0, 1))),
        ("Finish", finish(&attempt.outcome)),
    ]
}

/// Whether this is where merging wrote down that people disagree.
pub(super) fn is_conflict(outcome: &Outcome) -> bool {
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

pub(super) fn read_as(outcome: &Outcome, len: usize, format: OutputFormat) -> String {
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

/// `item 3`, `items 1 to 7`.
pub(super) fn items(first: u32, len: u32) -> String {
    if len == 1 {
        format!("item {}", first + 1)
    } else {
        format!("items {} to {}", first + 1, first + len)
    }
}

/// `, 612 tokens` behind the name of a prompt, where its size is known.
pub(super) fn size(usage: Usage) -> String {
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
        let facts = facts(&attempt, 7, OutputFormat::Lines);
        let told: Vec<&str> = facts.iter().map(|(_, value)| value.as_str()).collect();
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
                "no reply",
                "nothing"
            ]
        );
    }

    #[test]
    fn items_are_counted_from_one() {
        assert_eq!(items(8, 1), "item 9");
        assert_eq!(items(0, 8), "items 1 to 8");
    }
}
