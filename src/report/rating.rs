//! Ratings in words: what a table holds, why there is none, what can be said and what would mend it.

use crate::metrics::Mode;
use crate::metrics::leaderboard::{
    Amounts, Group, Missing, Next, NothingWhy, Rated, Unsettled, Withheld,
};
use crate::rating::{Limit, NoSpread, Verdict};
use crate::report::number::{self, NONE, counted};

/// Names listed in a sentence before the rest is only counted.
const MOST_NAMES: usize = 6;

/// `1177`, or that no number is honest.
pub fn limit(limit: Limit) -> String {
    limit.finite().map_or_else(|| "unbounded".to_owned(), rating)
}

/// A figure that may not be stated at all.
pub fn limit_or_none(value: Option<Limit>) -> String {
    value.map_or_else(|| NONE.to_owned(), limit)
}

/// Elo points, whole.
pub fn rating(points: f64) -> String {
    number::fixed(points, 0)
}

/// A standard error or deviation in Elo points, one decimal.
pub fn spread(spread: Option<Limit>) -> String {
    match spread {
        None => NONE.to_owned(),
        Some(Limit::Unbounded) => "unbounded".to_owned(),
        Some(Limit::At(points)) => number::fixed(points, 1),
    }
}

/// What all pairs together say for sure of the first of two.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Above => "above",
        Verdict::Below => "below",
        Verdict::Open => "not told apart",
    }
}

/// What the figures of a table are. The mode's name comes first.
pub fn caption(rated: &Rated) -> String {
    let what = match rated.mode {
        Mode::Recommended => {
            "Rating by maximum likelihood; Low and High: its 95% interval, clustered by query."
                .to_owned()
        }
        Mode::Paper => format!(
            "Rating: median of {} resamples of battles; Low and High: one standard deviation to either side, \
             no 95% interval.",
            rated.rounds
        ),
        Mode::Released => format!(
            "Rating: mean of {} resamples of doubled rows; Low and High: one standard deviation to either \
             side, no 95% interval. Doubling makes the deviation too small by about √2.",
            rated.rounds
        ),
    };
    let interim = if rated.interim { " Interim: nothing is ranked or compared yet." } else { "" };
    format!("{}. {what}{interim}", rated.mode.as_str())
}

/// How many battles were asked, decided and not: `300 battles, 281 decided, 19 undecided`.
pub fn amounts(amounts: &Amounts) -> String {
    format!(
        "{}, {} decided, {} undecided",
        counted(amounts.asked, "battle", "battles"),
        amounts.decided,
        amounts.undecided
    )
}

/// What a reader of the table must know besides.
pub fn foot(rated: &Rated) -> Vec<String> {
    let mut notes = vec![format!(
        "{}; {} with a battle that counts.",
        amounts(&rated.amounts),
        counted(rated.amounts.queries, "query", "queries")
    )];
    if let Some(why) = rated.no_spread {
        notes.push(no_spread(why).to_owned());
    } else if rated.mode == Mode::Recommended {
        if let Some(reach) = rated.simultaneous {
            notes.push(format!(
                "Rank range: the ranks that 95% intervals for all pairs at once allow; they reach {} standard \
                 errors where those of one pair reach {}.",
                number::fixed(reach.reach, 2),
                number::fixed(reach.single, 2)
            ));
        }
        if rated.amounts.queries < 30 {
            notes.push("From so few queries an interval is a rough guess.".to_owned());
        }
    }
    if let Some((anchor, points)) = rated.anchor {
        let name = rated.rows.iter().find(|row| row.system == anchor).map(|row| row.name.as_str());
        notes.push(format!(
            "{} is held at {}: only labels move. The doubt of all others is that of their difference to it.",
            name.unwrap_or("The anchor"),
            rating(points)
        ));
    }
    if 0 < rated.separated {
        notes.push(format!(
            "In {} of {} resamples some system won or lost everything: those count as infinitely high or low, \
             none is dropped, and where they matter a figure reads “unbounded”.",
            rated.separated, rated.rounds
        ));
    }
    notes
}

/// Why there are no standard errors.
pub fn no_spread(why: NoSpread) -> &'static str {
    match why {
        NoSpread::OneQuery => {
            "All battles are over one query: nothing tells how results differ from query to query, so there \
             are no intervals."
        }
        NoSpread::Singular => "The ratings lie too far apart to compute intervals.",
        NoSpread::Identical => {
            "Some difference came out the same in every query. That is no certainty, so there are no intervals."
        }
    }
}

/// Why there is neither a rating nor anything in its way.
pub fn nothing(why: NothingWhy) -> &'static str {
    match why {
        NothingWhy::OtherDomain => "No battle here is known to be of the domain chosen above.",
        NothingWhy::FewSystems => "A battle needs two systems, and fewer are shown.",
        NothingWhy::NoBattles => "No battle between the systems shown is decided.",
    }
}

/// The heading over what is said instead of ratings.
pub fn gate_title(withheld: &Withheld) -> String {
    let was = |systems: &[Unsettled], what: &str| {
        let names: Vec<&str> = systems.iter().map(|it| it.name.as_str()).collect();
        let was = if names.len() == 1 { "was" } else { "were" };
        format!("No rating here: {} {was} never {what}", names_of(&names))
    };
    if !withheld.never_compared.is_empty() {
        was(&withheld.never_compared, "compared")
    } else if !withheld.islands.is_empty() {
        "No rating here: some systems never met the others".to_owned()
    } else if !withheld.never_beaten.is_empty() {
        was(&withheld.never_beaten, "beaten")
    } else if let [one] = withheld.never_won.as_slice() {
        format!("No rating here: {} never won", one.name)
    } else if !withheld.never_won.is_empty() {
        let names: Vec<&str> = withheld.never_won.iter().map(|it| it.name.as_str()).collect();
        format!("No rating here: {} never won", names_of(&names))
    } else {
        "No rating here: some systems never lost to the others".to_owned()
    }
}

/// Why no number fits, in sentences.
pub fn gate_reasons(withheld: &Withheld) -> Vec<String> {
    let mut reasons = Vec::new();
    for it in withheld.never_beaten.iter().take(MOST_NAMES) {
        reasons.push(format!(
            "{} won {}. Any rating for it, however high, would fit that, so a number would be invented.",
            it.name,
            all_of(it.battles)
        ));
    }
    for it in withheld.never_won.iter().take(MOST_NAMES) {
        reasons.push(format!(
            "{} lost {}. Any rating for it, however low, would fit that.",
            it.name,
            all_of(it.battles)
        ));
    }
    let unsettled = [withheld.never_beaten.len(), withheld.never_won.len()];
    let more: usize = unsettled.iter().map(|n| n.saturating_sub(MOST_NAMES)).sum();
    if 0 < more {
        reasons
            .push(format!("So it is for {}.", counted(more as u64, "more system", "more systems")));
    }
    if !withheld.never_compared.is_empty() {
        let names: Vec<&str> = withheld.never_compared.iter().map(|it| it.name.as_str()).collect();
        reasons.push(format!("No battle with {} is decided here.", names_of(&names)));
    }
    let linked = withheld.islands.iter().filter(|island| 1 < island.len()).count();
    if 1 < linked || reasons.is_empty() && !withheld.islands.is_empty() {
        let islands = withheld.islands.iter().filter(|island| 1 < island.len()).map(|island| {
            let names: Vec<&str> = island.iter().map(String::as_str).collect();
            names_of(&names)
        });
        reasons.push(format!(
            "No battle links these groups, so nothing says how far apart they are: {}.",
            islands.collect::<Vec<_>>().join("; ")
        ));
    }
    if reasons.is_empty() {
        reasons.push(
            "Each system won and lost, yet those of a higher group won every battle against those of a lower \
             one. Any distance between the groups, however large, would fit that."
                .to_owned(),
        );
    }
    reasons
}

/// How a group stands to the next, with what is sure of the distance.
pub fn order(upper: &Group, lower: &Group) -> Option<String> {
    let (one, other) = (members(upper), members(lower));
    let stands = if upper.members.len() == 1 { "stands" } else { "on average stand" };
    Some(match upper.next? {
        Next::Above { at_least: Some(points) } if 0.5 <= points => {
            format!(
                "With 95% confidence {one} {stands} at least {} points above {other}.",
                rating(points)
            )
        }
        // From few battles alone even the winner may be the weaker one.
        Next::Above { at_least: Some(points) } if points <= -0.5 => format!(
            "{one} won every battle against {other}, yet so few that it is only sure, with 95% confidence: \
             {one} {stands} no more than {} points below.",
            rating(-points)
        ),
        Next::Above { at_least: Some(_) } => {
            format!("With 95% confidence {one} {stands} no lower than {other}.")
        }
        Next::Above { at_least: None } => format!("{one} won every battle against {other}."),
        Next::Unordered => format!(
            "{one} and {other} never met, and no chain of wins leads from one to the other: their order is open."
        ),
        Next::Apart => format!("No battle links {one} with {other}: their order is open."),
    })
}

/// Names of a group.
pub fn members(group: &Group) -> String {
    let names: Vec<&str> = group.members.iter().map(|it| it.name.as_str()).collect();
    names_of(&names)
}

/// What would mend it, at what cost.
pub fn repair(withheld: &Withheld) -> String {
    let n = withheld.missing.len() as u64;
    let wins: Vec<String> = withheld
        .missing
        .iter()
        .take(MOST_NAMES)
        .map(|Missing { winner_name, loser_name, .. }| format!("{winner_name} beats {loser_name}"))
        .collect();
    let rest = n - wins.len() as u64;
    let rest = if 0 < rest { format!(", and {rest} more of that kind") } else { String::new() };
    let condition = match n {
        1 => format!("a rating exists as soon as {} once, or ties with it", wins.join("")),
        _ => format!("a rating exists if each ends so, or in a tie: {}{rest}", wins.join("; ")),
    };
    format!(
        "At least {}, {}: {condition}. If one ends otherwise, more are needed. Such battles must be marked as \
         added after seeing results.",
        counted(n, "more battle", "more battles"),
        counted(withheld.calls, "call to a judge", "calls to a judge")
    )
}

fn all_of(battles: u64) -> String {
    match battles {
        1 => "its only battle".to_owned(),
        n => format!("all {n} of its battles"),
    }
}

/// `a`, `a and b`, `a, b and c`, and a count of what is left over.
fn names_of(names: &[&str]) -> String {
    let shown = &names[..names.len().min(MOST_NAMES)];
    let rest = names.len() - shown.len();
    match (shown, rest) {
        ([], _) => NONE.to_owned(),
        ([one], 0) => (*one).to_owned(),
        ([all @ .., last], 0) => format!("{} and {last}", all.join(", ")),
        (all, rest) => format!("{} and {rest} others", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::leaderboard::Member;

    fn group(names: &[&str], next: Option<Next>) -> Group {
        let member = |(system, name): (usize, &&str)| Member {
            system,
            name: (*name).to_owned(),
            rating: None,
        };
        Group { members: names.iter().enumerate().map(member).collect(), next }
    }

    #[track_caller]
    fn check(next: Next, expected: &str) {
        let (upper, lower) = (group(&["a"], Some(next)), group(&["b", "c"], None));
        assert_eq!(order(&upper, &lower).unwrap(), expected);
        assert_eq!(order(&lower, &upper), None);
    }

    #[test]
    fn a_bound_says_no_more_than_it_knows() {
        check(
            Next::Above { at_least: Some(290.4) },
            "With 95% confidence a stands at least 290 points above b and c.",
        );
        check(
            Next::Above { at_least: Some(-180.2) },
            "a won every battle against b and c, yet so few that it is only sure, with 95% confidence: a stands no more than 180 points below.",
        );
        check(Next::Apart, "No battle links a with b and c: their order is open.");
    }

    #[test]
    fn many_names_are_counted() {
        assert_eq!(names_of(&["a", "b", "c"]), "a, b and c");
        assert_eq!(
            names_of(&["a", "b", "c", "d", "e", "f", "g", "h"]),
            "a, b, c, d, e, f and 2 others"
        );
    }

    #[test]
    fn limits_are_never_huge_numbers() {
        assert_eq!(limit(Limit::Unbounded), "unbounded");
        assert_eq!(limit_or_none(None), "–");
        assert_eq!(spread(Some(Limit::At(66.94))), "66.9");
    }
}
