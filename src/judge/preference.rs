//! How the direct judge is asked: its prompt, what it may answer, and the practice judge's stand-in.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ids::Digest;
use crate::judge::template::fence;
use crate::judge::{JudgeSpec, OutputFormat, practice};

/// Raised with every change of the text.
pub const VIVA_VERSION: &str = "1";

const VIVA: &str = include_str!("duel.prompt");

/// Raised with every change of what is done to answers before they are sent.
const PREPARED: &str = "links/1";

/// Everything that makes a direct judge beside model and parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duel {
    pub prompt: DuelPrompt,
    /// Whether a tie may be called. The released prompt does not allow it.
    pub allow_tie: bool,
    /// Of the practice judge alone.
    #[serde(default)]
    pub bias: Bias,
}

/// With `{{query}}`, `{{response_1}}`, `{{response_2}}` and, optionally, `{{output}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelPrompt {
    pub text: String,
}

/// Faults that a person plants in the practice judge, to see what diagnostics make of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bias {
    /// Leans to the first seat.
    pub seat: bool,
    /// Leans to the longer answer.
    pub length: bool,
    /// Leans to systems whose name begins like this.
    pub family: Option<String>,
}

impl Bias {
    pub fn is_planted(&self) -> bool {
        *self != Self::default()
    }

    fn identity(&self) -> String {
        format!("{} {} {}", self.seat, self.length, self.family.as_deref().unwrap_or_default())
    }

    /// As a clause.
    pub fn words(&self) -> String {
        let mut list = Vec::new();
        if self.seat {
            list.push("the first seat".to_owned());
        }
        if self.length {
            list.push("length".to_owned());
        }
        if let Some(family) = &self.family {
            list.push(format!("names that begin with “{family}”"));
        }
        if list.is_empty() {
            "no bias planted".to_owned()
        } else {
            format!("planted bias for {}", list.join(", "))
        }
    }
}

/// Why a prompt cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt has no place for the {what}; write {slot} where it goes")]
pub struct DuelPromptError {
    pub what: &'static str,
    pub slot: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Query,
    First,
    Second,
    Output,
}

/// Spellings of the slots; the later ones are those of the authors' code.
const SLOTS: [(&str, Slot); 7] = [
    ("{{query}}", Slot::Query),
    ("{{response_1}}", Slot::First),
    ("{{response_2}}", Slot::Second),
    ("{{output}}", Slot::Output),
    ("[QUERY]", Slot::Query),
    ("[RESPONSE_1]", Slot::First),
    ("[RESPONSE_2]", Slot::Second),
];

impl DuelPrompt {
    pub fn viva() -> Self {
        Self { text: VIVA.to_owned() }
    }

    /// Over the exact text.
    pub fn fingerprint(&self) -> Digest {
        Digest::of_texts([self.text.as_str()])
    }

    /// Name and fingerprint, for tables and reports.
    pub fn describe(&self) -> String {
        let name = if self.text == VIVA {
            format!("Viva preference prompt v{VIVA_VERSION}")
        } else {
            "edited preference prompt".to_owned()
        };
        format!("{name} ({})", self.fingerprint().short())
    }

    pub fn check(&self) -> Result<(), DuelPromptError> {
        let needed = [
            (Slot::Query, "question", "{{query}}"),
            (Slot::First, "first response", "{{response_1}}"),
            (Slot::Second, "second response", "{{response_2}}"),
        ];
        for (slot, what, mark) in needed {
            if !SLOTS.iter().any(|(text, it)| *it == slot && self.text.contains(text)) {
                return Err(DuelPromptError { what, slot: mark });
            }
        }
        Ok(())
    }

    /// The text as sent. Slots are filled in one pass over the template, so that a slot's name inside an
    /// answer stays text; what is filled in stands between fences that do not occur in it.
    pub fn fill(&self, query: &str, responses: [&str; 2], form: (OutputFormat, bool)) -> String {
        let responses = responses.map(without_links);
        let mut out = String::with_capacity(
            self.text.len() + query.len() + responses[0].len() + responses[1].len() + 512,
        );
        let mut rest = self.text.as_str();
        while let Some((at, mark, slot)) = next_slot(rest) {
            out.push_str(&rest[..at]);
            match slot {
                Slot::Query => out.push_str(&fence("QUESTION", query)),
                Slot::First => out.push_str(&fence("RESPONSE 1", &responses[0])),
                Slot::Second => out.push_str(&fence("RESPONSE 2", &responses[1])),
                Slot::Output => out.push_str(&instruction(form)),
            }
            rest = &rest[at + mark.len()..];
        }
        out.push_str(rest);
        if !self.text.contains("{{output}}") && form.0 == OutputFormat::JsonSchema {
            out.push_str("\n\n");
            out.push_str(&instruction(form));
        }
        out
    }
}

fn next_slot(text: &str) -> Option<(usize, &'static str, Slot)> {
    SLOTS
        .iter()
        .filter_map(|&(mark, slot)| text.find(mark).map(|at| (at, mark, slot)))
        .min_by_key(|(at, _, _)| *at)
}

fn instruction((format, allow_tie): (OutputFormat, bool)) -> String {
    let choice = if allow_tie {
        "`Response 1`, `Response 2` or `Tie`"
    } else {
        "`Response 1` or `Response 2`: there is no tie"
    };
    match format {
        OutputFormat::Lines => format!(
            "Write the verdict first, as a dictionary between double asterisks whose one key is `judgement`, in this form:\n**output: {{\"judgement\": \"…\"}}**\nwhere … is {choice}. Then, on a new line, write `Justification:` and one or two sentences."
        ),
        OutputFormat::JsonSchema => format!(
            "Reply with one JSON object: under `judgement` the verdict, {choice}; under `justification` one or two sentences."
        ),
    }
}

/// The schema a reply is held to: the verdict stands before its reason.
pub fn schema(allow_tie: bool) -> Value {
    let mut verdicts = vec!["Response 1", "Response 2"];
    if allow_tie {
        verdicts.push("Tie");
    }
    json!({
        "type": "object",
        "properties": {
            "judgement": { "type": "string", "enum": verdicts },
            "justification": { "type": "string" },
        },
        "required": ["judgement", "justification"],
        "additionalProperties": false,
    })
}

/// The text without markdown links that are named `link`: they say which system wrote it, and nothing
/// else. Other links stay.
pub fn without_links(text: &str) -> String {
    const START: &str = "[link](";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(START) {
        let inside = &rest[at + START.len()..];
        match inside.find(')') {
            Some(end) if 0 < end => {
                out.push_str(&rest[..at]);
                rest = &inside[end + 1..];
            }
            _ => {
                out.push_str(&rest[..at + START.len()]);
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    out
}

impl Duel {
    /// A fingerprint of all that could change a verdict: model, host, parameters, format, prompt text,
    /// whether a tie may be called. The prompt for rubric items is no part of it.
    pub fn identity(&self, judge: &JudgeSpec) -> Digest {
        let tie = if self.allow_tie { "tie" } else { "binary" };
        match judge {
            JudgeSpec::Endpoint(endpoint) => {
                let mut asked = endpoint.clone();
                asked.prompt.text.clone_from(&self.prompt.text);
                let asked = JudgeSpec::Endpoint(asked).identity().to_string();
                Digest::of_texts(["duel", PREPARED, tie, &asked])
            }
            JudgeSpec::Practice => Digest::of_texts([
                "practice duel",
                practice::DUEL_VERSION,
                tie,
                &self.bias.identity(),
            ]),
            other => Digest::of_texts(["duel", tie, &other.identity().to_string()]),
        }
    }

    /// How it was asked, for tables and reports.
    pub fn how(&self, judge: &JudgeSpec) -> String {
        let tie = if self.allow_tie { "ties allowed" } else { "no ties" };
        if judge.is_practice() {
            format!("word overlap with the question; {tie}; {}", self.bias.words())
        } else {
            format!("{}; both seat orders; {tie}", self.prompt.describe())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Endpoint, Prompt, ProviderId};

    #[test]
    fn slots_inside_answers_stay_text() {
        let prompt = DuelPrompt { text: "Q [QUERY] A [RESPONSE_1] B {{response_2}}".to_owned() };
        assert_eq!(prompt.check(), Ok(()));
        let filled = prompt.fill(
            "why [RESPONSE_2]?",
            ["see [RESPONSE_2]", "x"],
            (OutputFormat::Lines, false),
        );
        assert!(filled.contains("why [RESPONSE_2]?") && filled.contains("see [RESPONSE_2]"));
        assert_eq!(filled.matches("\nx\n").count(), 1);
    }

    #[test]
    fn a_missing_slot_is_named() {
        let check = |text: &str| DuelPrompt { text: text.to_owned() }.check();
        assert_eq!(check("{{query}} {{response_1}}").unwrap_err().slot, "{{response_2}}");
        assert_eq!(check("{{response_1}} {{response_2}}").unwrap_err().what, "question");
        assert_eq!(DuelPrompt::viva().check(), Ok(()));
    }

    /// `\[link\]\([^)]+\)` is taken out, as in the released code.
    #[test]
    fn only_links_of_that_name_are_taken_out() {
        for (text, expected) in [
            ("a [link](https://x.y/z) b", "a  b"),
            ("[link](u)[link](v)", ""),
            ("[Link](u) [links](v) [paper](w)", "[Link](u) [links](v) [paper](w)"),
            ("[link]() and [link](open", "[link]() and [link](open"),
            ("[link](a(b)c)", "c)"),
        ] {
            assert_eq!(without_links(text), expected);
        }
    }

    #[test]
    fn the_verdict_is_asked_for_before_its_reason() {
        for tie in [false, true] {
            let lines = instruction((OutputFormat::Lines, tie));
            assert!(lines.find("judgement") < lines.find("Justification"));
            assert_eq!(lines.contains("`Tie`"), tie);
            let schema = schema(tie);
            assert_eq!(schema["required"][0], "judgement");
            assert_eq!(
                schema["properties"]["judgement"]["enum"].as_array().unwrap().len(),
                2 + usize::from(tie)
            );
        }
    }

    #[test]
    fn what_changes_a_verdict_changes_the_identity() {
        let judge = JudgeSpec::Endpoint(Endpoint {
            provider: ProviderId::Custom,
            capabilities: None,
            base_url: "https://api.example.org/v1".to_owned(),
            model: "m".to_owned(),
            temperature: Some(0.0),
            max_tokens: None,
            seed: None,
            effort: None,
            format: OutputFormat::Lines,
            prompt: Prompt::viva(),
        });
        let duel = Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() };
        let base = duel.identity(&judge);
        assert_ne!(Duel { allow_tie: true, ..duel.clone() }.identity(&judge), base);
        let prompt = DuelPrompt { text: duel.prompt.text.clone() + " " };
        assert_ne!(Duel { prompt, ..duel.clone() }.identity(&judge), base);
        // The other protocol's prompt changes nothing; a planted bias is the practice judge's.
        let JudgeSpec::Endpoint(mut other) = judge.clone() else { unreachable!() };
        other.prompt.text.push('x');
        assert_eq!(duel.identity(&JudgeSpec::Endpoint(other)), base);
        let biased = Duel { bias: Bias { seat: true, ..Bias::default() }, ..duel.clone() };
        assert_eq!(biased.identity(&judge), base);
        assert_ne!(biased.identity(&JudgeSpec::Practice), duel.identity(&JudgeSpec::Practice));
    }
}
