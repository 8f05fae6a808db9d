//! The direct judge: which of two answers to a question is better, asked in both seat orders.
//!
//! The question and the two answers are put to the judge; the rubric is not shown. The verdict comes
//! first, the reason after it.

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::judge::preference::Duel;
use crate::judge::retry::RetryPolicy;
use crate::judge::{Again, Attempt, ErrorKind, Finish, JudgeSpec, Outcome, OutputFormat};
use crate::ledger::Pass;
use crate::observation::{Mark, Unscored};
use crate::protocol::coverage::{CUT_TRIES, TRIES};
use crate::protocol::{Form, Pending, Reading, Request, Task};
use crate::rating::Winner;
use crate::run::frame::{AnswerState, Frame};
use crate::run::repeats;

/// Who sits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    Given,
    Swapped,
}

impl Order {
    pub const BOTH: [Self; 2] = [Self::Given, Self::Swapped];

    /// A verdict on seats as one on the battle's two systems, or the other way round.
    #[must_use]
    pub fn turn(self, winner: Winner) -> Winner {
        match self {
            Self::Given => winner,
            Self::Swapped => winner.swapped(),
        }
    }
}

/// Two systems over one question, by their places in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Battling {
    pub case: u32,
    pub first: u32,
    pub second: u32,
}

/// One call of the direct judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PreferenceTask {
    pub key: Digest,
    pub battle: Battling,
    pub order: Order,
    /// 0 the first time; from 1 on where the same is asked again on purpose.
    pub repeat: u32,
}

impl PreferenceTask {
    /// The same for another time, of which the key is told apart. `self` is of the first time.
    #[must_use]
    pub fn repeated(self, repeat: u32) -> Self {
        Self { key: repeats::key(self.key, repeat), repeat, ..self }
    }

    /// The systems by seat.
    pub fn seats(&self) -> (u32, u32) {
        match self.order {
            Order::Given => (self.battle.first, self.battle.second),
            Order::Swapped => (self.battle.second, self.battle.first),
        }
    }
}

/// Both seat orders of each battle, question by question. A battle that a missing or empty answer
/// decides, or leaves out, has none: it is never put to a judge.
pub fn tasks(
    judge: &JudgeSpec,
    duel: &Duel,
    frame: &Frame,
    battles: &[Battling],
) -> Vec<PreferenceTask> {
    let identity = duel.identity(judge);
    let mut out = Vec::with_capacity(battles.len() * 2);
    for battle in battles {
        let case = &frame.cases[battle.case as usize];
        let answer = |system: u32| frame.systems[system as usize].answers[battle.case as usize];
        let (
            AnswerState::Answered { digest: first, .. },
            AnswerState::Answered { digest: second, .. },
        ) = (answer(battle.first), answer(battle.second))
        else {
            continue;
        };
        // Without the query's own fingerprint, as in run files of before, its id stands for it.
        let query = case.query.unwrap_or_else(|| Digest::of_texts(["id", case.id.as_str()]));
        for order in Order::BOTH {
            let seats = if order == Order::Given { [first, second] } else { [second, first] };
            let key = Digest::of([
                b"preference/1".as_slice(),
                identity.as_bytes(),
                query.as_bytes(),
                seats[0].as_bytes(),
                seats[1].as_bytes(),
            ]);
            out.push(PreferenceTask { key, battle: *battle, order, repeat: 0 });
        }
    }
    out
}

/// Evaluates one call as far as the ledger allows. The verdict is on the battle's systems, not on seats.
pub fn evaluate(
    task: &PreferenceTask,
    form: Form,
    reading: Reading,
    pass: &Pass<'_>,
    policy: &RetryPolicy,
) -> Result<Mark<Winner>, Pending> {
    if let Some(winner) = verdict(task, form, reading, pass) {
        return Ok(Mark::Scored(winner));
    }
    let mut replies = 0;
    let mut cut = 0;
    let mut with = Again::Plain;
    let mut last = None;
    for attempt in pass.own(task.key) {
        replies += u32::from(attempt.is_reply());
        match state(attempt, form, reading) {
            State::Failed(kind) => with = policy.again(kind, with),
            State::Unreadable => with = Again::RepairNote,
            State::Truncated => {
                cut += 1;
                with = Again::RaisedCap;
            }
            State::Verdict(_) | State::Refused => {}
        }
        last = Some(attempt);
    }
    let again = |again| Err(Pending(vec![Request { task: Task::Preference(*task), again, with }]));
    let Some(last) = last else { return again(0) };
    let open = match state(last, form, reading) {
        State::Failed(kind) => policy.allows(kind, pass.failures(task.key).0),
        // A battle counts only with both orders: an unreadable verdict is asked for again.
        State::Unreadable => replies < TRIES,
        State::Truncated => cut < CUT_TRIES && replies < TRIES,
        State::Verdict(_) | State::Refused => false,
    };
    if open { again(replies) } else { Ok(Mark::Unscored(why(last, form, reading))) }
}

/// The verdict as it stands, whatever is still to be asked.
pub fn settle(
    task: &PreferenceTask,
    form: Form,
    reading: Reading,
    pass: &Pass<'_>,
) -> Mark<Winner> {
    if let Some(winner) = verdict(task, form, reading, pass) {
        return Mark::Scored(winner);
    }
    // Another run's unusable reply is not this run's: this one has still to ask.
    let own = pass.ledger.attempts(task.key).iter().rfind(|attempt| attempt.run == pass.run);
    Mark::Unscored(own.map_or(Unscored::NotAsked, |it| why(it, form, reading)))
}

/// What the last readable reply says.
fn verdict(task: &PreferenceTask, form: Form, reading: Reading, pass: &Pass<'_>) -> Option<Winner> {
    pass.ledger.attempts(task.key).iter().rev().find_map(|attempt| {
        match state(attempt, form, reading) {
            State::Verdict(winner) => Some(task.order.turn(winner)),
            _ => None,
        }
    })
}

enum State {
    /// On seats.
    Verdict(Winner),
    Unreadable,
    Truncated,
    Refused,
    Failed(ErrorKind),
}

fn state(attempt: &Attempt, form: Form, reading: Reading) -> State {
    match &attempt.outcome {
        Outcome::Failure { kind, .. } => State::Failed(*kind),
        Outcome::Reply { finish: Finish::Refused(_), .. } => State::Refused,
        // The verdict stands before the reason: a reply cut in its reason has one.
        Outcome::Reply { text, finish, .. } => match read(text, form, reading) {
            Some(winner) => State::Verdict(winner),
            None if *finish == Finish::Length => State::Truncated,
            None => State::Unreadable,
        },
    }
}

fn why(attempt: &Attempt, form: Form, reading: Reading) -> Unscored {
    match state(attempt, form, reading) {
        State::Verdict(_) | State::Unreadable => Unscored::Unparsed,
        State::Truncated | State::Failed(ErrorKind::InputCut) => Unscored::Truncated,
        State::Refused | State::Failed(ErrorKind::Filtered) => Unscored::Refused,
        State::Failed(_) => Unscored::Failed,
    }
}

/// Which seat a reply prefers. `None` where it does not say so, or says both.
pub fn read(text: &str, form: Form, reading: Reading) -> Option<Winner> {
    let winner = match (form.format, reading) {
        (OutputFormat::Lines, Reading::Paper | Reading::Released) => released(text),
        _ => tolerant(text),
    }?;
    (winner != Winner::Tie || form.allow_tie).then_some(winner)
}

/// As the authors' code: the first dictionary between double asterisks, and a reason after its word.
fn released(text: &str) -> Option<Winner> {
    let reason = text.split_once("Justification:")?.1.trim_start();
    let mut rest = text;
    let verdict = loop {
        let (_, after) = rest.split_once("**output:")?;
        rest = after;
        let quoted = after
            .trim_start()
            .strip_prefix("{\"judgement\":")
            .and_then(|it| it.trim_start().strip_prefix('"'))
            .and_then(|it| it.split_once('"'));
        if let Some((verdict, end)) = quoted
            && !verdict.is_empty()
            && end.trim_start().strip_prefix('}').is_some_and(|it| it.starts_with("**"))
        {
            break verdict;
        }
    };
    if reason.is_empty() {
        return None;
    }
    match verdict {
        "Response 1" | "Response A" => Some(Winner::First),
        "Response 2" | "Response B" => Some(Winner::Second),
        "Tie" => Some(Winner::Tie),
        _ => None,
    }
}

/// Any dictionary with the word `judgement`, however it is dressed. Several that agree are one; a reply
/// that repeats the choice it was given says both, and nothing.
fn tolerant(text: &str) -> Option<Winner> {
    let mut found = None;
    let mut rest = text;
    while let Some(at) = rest.find("judgement").or_else(|| rest.find("judgment")) {
        rest = &rest[at + "judgment".len()..];
        let value = rest
            .trim_start_matches(|c: char| c == 't' || c.is_whitespace() || "\"'`”“*".contains(c))
            .strip_prefix([':', '='])
            .map(|it| {
                it.trim_start_matches(|c: char| c.is_whitespace() || "\"'`”“*[(".contains(c))
            });
        let Some(winner) = value.and_then(seat) else { continue };
        if found.is_some_and(|it| it != winner) {
            return None;
        }
        found = Some(winner);
    }
    found
}

/// `Response 1`, `response_2`, `1`, `Tie`, and nothing else up to the end of the value: a sentence that
/// goes on behind a number is no verdict.
fn seat(text: &str) -> Option<Winner> {
    let value = text.split(|c: char| "\"'`”“}])\n,;".contains(c)).next()?;
    let value = value.trim().trim_end_matches(['.', '*']).trim_end().to_lowercase();
    let number = ["response", "answer"].iter().find_map(|word| value.strip_prefix(word));
    match number.map_or(value.as_str(), |rest| rest.trim_start_matches([' ', '_', '-'])) {
        "1" => Some(Winner::First),
        "2" => Some(Winner::Second),
        "tie" if number.is_none() => Some(Winner::Tie),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: Form = Form { format: OutputFormat::Lines, allow_tie: false };
    const TIES: Form = Form { format: OutputFormat::Lines, allow_tie: true };

    #[track_caller]
    fn check(text: &str, recommended: Option<Winner>, released: Option<Winner>) {
        assert_eq!(read(text, LINES, Reading::Recommended), recommended, "{text}");
        assert_eq!(read(text, LINES, Reading::Released), released, "{text}");
        assert_eq!(read(text, LINES, Reading::Paper), released, "{text}");
    }

    #[test]
    fn verdicts_are_read_as_released_and_more_kindly() {
        let (first, second) = (Some(Winner::First), Some(Winner::Second));
        check("**output: {\"judgement\": \"Response 1\"}**\nJustification: it is.", first, first);
        check("**output:  {\"judgement\":\"Response 2\" }**\n\nJustification: x", second, second);
        // Both parts are asked for.
        check("**output: {\"judgement\": \"Response 1\"}**", first, None);
        check("**output: {\"judgement\": \"Response 1\"}**\nJustification: \n", first, None);
        check("{\"judgement\": \"Response 2\"}\nJustification: no stars", second, None);
        check("```json\n{\"judgement\": \"response 1\"}\n```", first, None);
        check("**output: {'judgement': 'Response 2'}** because", second, None);
        check("Judgement: I prefer Response 1", None, None);
        check("judgment: 2", second, None);
        check("", None, None);
        check("Response 1 is better.", None, None);
        check("{\"judgement\": \"Response 12\"}", None, None);
        check("{\"judgement\": \"response_2\"}", second, None);
        check("In my judgement: 2 studies were missed.", None, None);
        check("{\"judgement\": \"Response 1\", \"why\": \"a judgement: 2 flaws\"}", first, None);
    }

    #[test]
    fn a_reply_that_repeats_the_choice_has_no_verdict() {
        let text = "You said {\"judgement\": \"Response 1\"} or {\"judgement\": \"Response 2\"}.";
        check(text, None, None);
        let text = "{\"judgement\": \"Response 1\"} … so: {\"judgement\": \"Response 1\"}";
        check(text, Some(Winner::First), None);
    }

    #[test]
    fn a_tie_counts_only_where_it_may_be_called() {
        let text = "**output: {\"judgement\": \"Tie\"}**\nJustification: alike.";
        check(text, None, None);
        for reading in Reading::ALL {
            assert_eq!(read(text, TIES, reading), Some(Winner::Tie));
        }
    }

    #[test]
    fn turning_twice_changes_nothing() {
        for order in Order::BOTH {
            for winner in [Winner::First, Winner::Second, Winner::Tie] {
                assert_eq!(order.turn(order.turn(winner)), winner);
            }
        }
        assert_eq!(Order::Swapped.turn(Winner::First), Winner::Second);
    }

    /// Text around verdicts, true and false ones.
    fn reply() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            prop::sample::select(vec![
                "**output: {\"judgement\": \"Response 1\"}**",
                "**output: {\"judgement\":\"Response 2\" }**",
                "**output: {\"judgement\": \"Tie\"}**",
                "\nJustification: it is.",
                "judgement",
                "judgment",
                "Response 1",
                "answer_2",
                "\": \"",
                "{",
                "}",
                "**",
                ":",
                "1",
                "2",
                " ",
                "\n",
                ".",
                "tie",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,3}",
        ];
        prop::collection::vec(part, 0..7).prop_map(|it| it.concat())
    }

    proptest! {
        /// The reader leans to no seat: with the numbers exchanged, the verdict is the other one. A tie
        /// is read only where one may be called, and hides no other verdict where it may not.
        #[test]
        fn the_reader_leans_to_no_seat(text in reply()) {
            let turned: String = text
                .chars()
                .map(|c| match c {
                    '1' => '2',
                    '2' => '1',
                    other => other,
                })
                .collect();
            for reading in Reading::ALL {
                for format in [OutputFormat::Lines, OutputFormat::JsonSchema] {
                    let [with, without] = [true, false].map(|allow_tie| {
                        let form = Form { format, allow_tie };
                        (read(&text, form, reading), read(&turned, form, reading))
                    });
                    prop_assert_eq!(with.0, with.1.map(Winner::swapped));
                    prop_assert_eq!(without.0, with.0.filter(|it| *it != Winner::Tie));
                    prop_assert_eq!(without.0, without.1.map(Winner::swapped));
                    let is_named = without.0.is_none_or(|it| {
                        text.contains(if it == Winner::First { '1' } else { '2' })
                    });
                    prop_assert!(is_named);
                }
            }
        }
    }
}
