//! The practice judge: word overlap between an item, or the question, and the best window of the answer.
//!
//! It judges nothing. It exists so that every page works without a key, for courses and for tests,
//! and it says so wherever its figures stand. Deterministic: the same texts give the same labels on
//! every machine.
//!
//! Asked the same again on purpose it wavers, by chance that comes from the request's key: a word count
//! would agree with itself always, and there would be nothing to see. What it says the first time stays.

use std::collections::{BTreeMap, BTreeSet};

use rust_stemmers::{Algorithm, Stemmer};

use crate::ids::Digest;
use crate::judge::preference::Bias;
use crate::rating::Winner;
use crate::rubric::Label;

/// Raised with every change that could change a label.
pub const VERSION: &str = "1";

/// Raised with every change that could change a preference.
pub const DUEL_VERSION: &str = "1";

/// Tokens of the answer looked at together: about three sentences.
const WINDOW: usize = 60;
/// Least share of an item's weight for `Barely`, `Moderately`, `Mostly`, `Completely`.
const STEPS: [f64; 4] = [0.15, 0.35, 0.55, 0.80];
/// Numbers and names say more than other words.
const SALIENT: f64 = 1.5;
const PLAIN: f64 = 1.0;
/// Two content words that stand together in both texts.
const BIGRAM: f64 = 0.5;

/// A label for each item, and where in the answer its words stand together, as a range of Unicode
/// scalar values.
pub fn mark(answer: &str, items: &[&str]) -> (Vec<Label>, Vec<Option<(u32, u32)>>) {
    let stemmer = Stemmer::create(Algorithm::English);
    let tokens = tokens(&stemmer, answer);
    items.iter().map(|item| mark_one(&stemmer, &tokens, item)).unzip()
}

/// How far a share moves at most when the same is asked again, either way. Chosen so that some labels
/// flip and most do not; it stands for no model.
const WAVER: f64 = 0.06;

/// As [`mark`], when the same is asked again under `key`: each item's share of words moves by up to 0.06
/// before it becomes a label, by chance from the key.
pub fn mark_again(
    answer: &str,
    items: &[&str],
    key: Digest,
) -> (Vec<Label>, Vec<Option<(u32, u32)>>) {
    let stemmer = Stemmer::create(Algorithm::English);
    let tokens = tokens(&stemmer, answer);
    let items = items.iter().enumerate();
    items.map(|(at, item)| label_of(overlap(&stemmer, &tokens, item), waver(key, at))).unzip()
}

/// As [`prefer`], when the same is asked again under `key`: what one seat is ahead moves by up to 0.06,
/// by chance from the key.
pub fn prefer_again(
    query: &str,
    seats: [Seat<'_>; 2],
    bias: &Bias,
    key: Digest,
) -> (Winner, String) {
    compare(query, seats, bias, waver(key, 0))
}

/// Evenly between −[`WAVER`] and [`WAVER`].
fn waver(key: Digest, at: usize) -> f64 {
    let drawn = Digest::of([b"waver/1".as_slice(), key.as_bytes(), &(at as u64).to_le_bytes()]);
    let share = (drawn.seed() >> 11) as f64 / (1u64 << 53) as f64;
    WAVER * (2.0 * share - 1.0)
}

struct Token {
    stem: String,
    /// Range in Unicode scalar values.
    start: u32,
    end: u32,
    salient: bool,
    content: bool,
}

/// An answer as the practice judge compares it.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    /// Only looked at where a bias for a family is planted.
    pub system: &'a str,
    pub answer: &'a str,
}

/// Which seat shares more words with the question, and the words of a reply. Neither the rubric nor the
/// order of the seats counts, unless a bias is planted.
pub fn prefer(query: &str, seats: [Seat<'_>; 2], bias: &Bias) -> (Winner, String) {
    compare(query, seats, bias, 0.0)
}

/// `lead`: what the first seat is ahead by chance.
fn compare(query: &str, seats: [Seat<'_>; 2], bias: &Bias, lead: f64) -> (Winner, String) {
    /// What is planted: enough to decide most near battles, too little to decide all.
    const LEAN: f64 = 0.12;
    /// Shares nearer than this are called a tie.
    const TIE: f64 = 0.02;
    let stemmer = Stemmer::create(Algorithm::English);
    let texts = seats.map(|seat| tokens(&stemmer, seat.answer));
    let mut scores = [0, 1].map(|at| overlap(&stemmer, &texts[at], query).0);
    if bias.seat {
        scores[0] += LEAN;
    }
    if bias.length {
        let all = (texts[0].len() + texts[1].len()).max(1) as f64;
        for (score, text) in scores.iter_mut().zip(&texts) {
            *score += 2.0 * LEAN * text.len() as f64 / all;
        }
    }
    if let Some(family) = &bias.family {
        for (score, seat) in scores.iter_mut().zip(seats) {
            *score += if seat.system.starts_with(family.as_str()) { LEAN } else { 0.0 };
        }
    }
    let ahead = scores[0] - scores[1] + lead;
    let winner = if ahead.abs() < TIE {
        Winner::Tie
    } else if 0.0 < ahead {
        Winner::First
    } else {
        Winner::Second
    };
    let word = match winner {
        Winner::First => "Response 1",
        Winner::Second => "Response 2",
        Winner::Tie => "Tie",
    };
    let text = format!(
        "**output: {{\"judgement\": \"{word}\"}}**\nJustification: words shared with the question, {:.2} against {:.2}; nothing was judged.",
        scores[0], scores[1]
    );
    (winner, text)
}

fn mark_one(stemmer: &Stemmer, answer: &[Token], item: &str) -> (Label, Option<(u32, u32)>) {
    label_of(overlap(stemmer, answer, item), 0.0)
}

/// A share of words with the place where they stand together, as a label. `lead` is added to the share.
fn label_of((share, span): (f64, Option<(u32, u32)>), lead: f64) -> (Label, Option<(u32, u32)>) {
    let share = share + lead;
    let label = Label::ALL[STEPS.iter().filter(|step| **step <= share).count()];
    (label, span.filter(|_| label != Label::NotAtAll))
}

/// Which share of the wanted words' weight stands together in the best window, and where that is.
fn overlap(stemmer: &Stemmer, answer: &[Token], item: &str) -> (f64, Option<(u32, u32)>) {
    let wanted = tokens(stemmer, item);
    let wanted: Vec<&Token> = wanted.iter().filter(|token| token.content).collect();
    let mut words: BTreeMap<&str, f64> = BTreeMap::new();
    for token in &wanted {
        words.insert(&token.stem, if token.salient { SALIENT } else { PLAIN });
    }
    let pairs: BTreeSet<(&str, &str)> =
        wanted.windows(2).map(|pair| (pair[0].stem.as_str(), pair[1].stem.as_str())).collect();
    let total: f64 = words.values().sum::<f64>() + BIGRAM * pairs.len() as f64;
    if total == 0.0 {
        return (0.0, None);
    }

    let hits: Vec<usize> =
        (0..answer.len()).filter(|&at| words.contains_key(answer[at].stem.as_str())).collect();
    let mut best = 0.0;
    let mut span = None;
    for (first, &start) in hits.iter().enumerate() {
        let inside: Vec<usize> =
            hits[first..].iter().copied().take_while(|&at| at < start + WINDOW).collect();
        let found: BTreeSet<&str> = inside.iter().map(|&at| answer[at].stem.as_str()).collect();
        let together: BTreeSet<(&str, &str)> = inside
            .windows(2)
            .map(|pair| (answer[pair[0]].stem.as_str(), answer[pair[1]].stem.as_str()))
            .filter(|pair| pairs.contains(pair))
            .collect();
        let weight =
            found.iter().map(|stem| words[stem]).sum::<f64>() + BIGRAM * together.len() as f64;
        if best < weight {
            best = weight;
            let last = inside.last().copied().unwrap_or(start);
            span = Some((answer[start].start, answer[last].end));
        }
    }
    (best / total, span)
}

fn tokens(stemmer: &Stemmer, text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut start = 0;
    for (position, c) in text.chars().chain(std::iter::once(' ')).enumerate() {
        let position = position as u32;
        // A decimal point or an apostrophe inside a word belongs to it.
        if c.is_alphanumeric() || (!word.is_empty() && matches!(c, '\'' | '’')) {
            if word.is_empty() {
                start = position;
            }
            word.push(c);
        } else if !word.is_empty() {
            let is_number = word.chars().any(|c| c.is_ascii_digit());
            let is_name = word.chars().next().is_some_and(char::is_uppercase);
            let lower = word.to_lowercase();
            let plain = lower.split(['\'', '’']).next().unwrap_or(&lower);
            let content = !is_function_word(plain) && (is_number || 2 < plain.chars().count());
            out.push(Token {
                stem: stemmer.stem(plain).into_owned(),
                start,
                end: position,
                salient: content && (is_number || is_name),
                content,
            });
            word.clear();
        }
    }
    out
}

/// Words that carry no content, and the frame in which rubric items are worded.
const FUNCTION_WORDS: &str = "\
    a about above address addresses after all also although an and any are as at be because been \
    being between both but by can cite cites could describe describes discuss discusses did do \
    does each explain explains for from give gives had has have how if in include includes into is \
    it its may mention mentions might more most name names no nor not note notes of on one only or \
    other over provide provides response same should so some state states such than that the their \
    them then there these they this those through to too under up us use used very was were what \
    when where whether which while who why will with within would answer identify identifies";

fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.split(' ').any(|it| it == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: &str = "Does the response cite the VITAL trial of 2022 on total fractures?";

    #[track_caller]
    fn check(answer: &str, item: &str, expected: Label) {
        assert_eq!(mark(answer, &[item]).0, [expected], "{answer}");
    }

    #[test]
    fn labels_follow_the_share_of_words_found() {
        check(
            "The VITAL trial (2022) found no difference in total fractures.",
            ITEM,
            Label::Completely,
        );
        check("Bananas are yellow.", ITEM, Label::NotAtAll);
        check("", ITEM, Label::NotAtAll);
        check("Fractures were counted in a trial.", ITEM, Label::Barely);
    }

    #[test]
    fn words_far_apart_do_not_add_up() {
        let filler = "and so on with much else besides ".repeat(20);
        let near = "The VITAL trial of 2022 counted total fractures.";
        let far = format!("VITAL trial. {filler} In 2022. {filler} Total fractures.");
        assert!(mark(&far, &[ITEM]).0[0] < mark(near, &[ITEM]).0[0]);
    }

    #[test]
    fn evidence_is_a_range_of_scalar_values() {
        let answer =
            "Ünrelated päragraph. The VITAL trial reported total fractures in 2022. The end.";
        let (_, spans) = mark(answer, &[ITEM]);
        let (start, end) = spans[0].unwrap();
        let quote: String =
            answer.chars().skip(start as usize).take((end - start) as usize).collect();
        assert_eq!(quote, "VITAL trial reported total fractures in 2022");
    }

    #[test]
    fn an_item_without_content_words_is_not_covered() {
        check("Anything at all.", "Does the response?", Label::NotAtAll);
    }

    #[test]
    fn inflection_does_not_matter() {
        let item = "Does the response compare randomised trials with cohort studies?";
        let one = mark("Comparing a randomised trial with a cohort study.", &[item]).0[0];
        assert_eq!(one, Label::Completely);
    }

    #[test]
    fn preferences_do_not_depend_on_the_seat_unless_planted() {
        let query = "How did the VITAL trial of 2022 count total fractures?";
        let near =
            Seat { system: "a-1", answer: "The VITAL trial of 2022 counted total fractures." };
        let far = Seat { system: "b-1", answer: "A trial counted other things, at great length." };
        let none = Bias::default();
        assert_eq!(prefer(query, [near, far], &none).0, Winner::First);
        assert_eq!(prefer(query, [far, near], &none).0, Winner::Second);
        assert_eq!(prefer(query, [near, near], &none).0, Winner::Tie);
        let planted = |bias: Bias| prefer(query, [near, Seat { system: "b", ..near }], &bias).0;
        assert_eq!(planted(Bias { seat: true, ..Bias::default() }), Winner::First);
        assert_eq!(
            planted(Bias { family: Some("b".to_owned()), ..Bias::default() }),
            Winner::Second
        );
        let longer = format!("{} {}", near.answer, "And so on. ".repeat(40));
        let long = Seat { system: "c", answer: &longer };
        let bias = Bias { length: true, ..Bias::default() };
        assert_eq!(prefer(query, [near, long], &bias).0, Winner::Second);
    }
}
