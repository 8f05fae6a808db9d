//! The finding in words, with its doubt in the same sentence.

use crate::metrics::{Headline, Place, Standing};
use crate::report::WATERMARK;
use crate::report::number::{self, counted};

/// A piece of a sentence. Names are strong.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    pub text: String,
    pub strong: bool,
}

/// The finding as one plain text.
pub fn text(headline: &Headline) -> String {
    spans(headline).into_iter().map(|span| span.text).collect()
}

/// The finding in pieces, for a page that sets names apart. Unescaped.
pub fn spans(headline: &Headline) -> Vec<Span> {
    let mut line = Line::default();
    if headline.practice {
        line.say(WATERMARK).say(". ");
    }
    let verb = if headline.practice { "scores" } else { "covers" };
    let measure = if headline.practice { "word overlap" } else { "coverage" };
    let basis = if headline.all_asked { "all asked" } else { "answered only" };
    let top = format!("the highest {measure} ({basis})");
    let reason = headline.reason.as_deref().unwrap_or("the run stopped");

    match (headline.standing, &headline.leader, &headline.second) {
        (Standing::Aborted, ..) => {
            line.say("No result under this reading: ").say(reason);
        }
        (Standing::Interim, ..) => {
            line.say(
                "Interim figures: not everything planned has come back, so no system is ranked yet.",
            );
        }
        (Standing::Alone, Some(leader), _) => {
            line.name(&leader.name).say(&format!(
                " {verb} {}% ({}; {basis}) on {}. There is no other system to compare it with.",
                number::percent1(leader.share),
                number::bounds_or_none(leader.low, leader.high, number::interval),
                counted(leader.n, "query", "queries")
            ));
        }
        (Standing::Clear, Some(leader), Some(second)) => {
            line.before(leader, second, &top);
            line.say(&format!(". {} it is clearly higher: {}.", shared(headline), gap(headline)));
        }
        (Standing::Level, Some(leader), Some(second)) => {
            line.both(leader, second).say(&format!(
                " have {top} and cannot be told apart: {}. {} the difference is {}.",
                pair(leader, second),
                shared(headline),
                gap(headline)
            ));
        }
        (Standing::Crossed, Some(leader), Some(second)) => {
            line.before(leader, second, &top);
            line.say(&format!(
                ". {} it is clearly lower: {}. The order rests on the queries they do not share.",
                shared(headline),
                gap(headline)
            ));
        }
        (Standing::Untold, Some(leader), Some(second)) => {
            line.both(leader, second).say(&format!(" have {top}: {}. ", pair(leader, second)));
            match headline.contrast {
                Some(contrast) => line.say(&format!(
                    "Both have a figure on {}, too few to tell them apart.",
                    counted(contrast.n, "query", "queries")
                )),
                None => line.say("They were not compared query by query."),
            };
        }
        _ => {
            line.say("Nothing has been scored yet.");
        }
    }
    if let Some((last, others)) = headline.also_level.split_last() {
        line.say(" Not clearly below ");
        if let Some(leader) = &headline.leader {
            line.name(&leader.name);
        }
        line.say(" either: ");
        for name in others {
            line.name(name).say(", ");
        }
        line.name(last).say(".");
    }
    line.0
}

fn pair(leader: &Place, second: &Place) -> String {
    format!("{}% and {}%", number::percent1(leader.share), number::percent1(second.share))
}

/// Shares may count missing answers as 0 and the difference never does, so it names its own queries.
fn shared(headline: &Headline) -> String {
    let n = headline.contrast.map_or(0, |contrast| contrast.n);
    format!("On the {} both answered", counted(n, "query", "queries"))
}

/// `+2.2 points (−0.8 to +5.2)`.
fn gap(headline: &Headline) -> String {
    let Some(contrast) = headline.contrast else { return number::NONE.to_owned() };
    format!(
        "{} points ({})",
        number::or_none(contrast.mean, number::points),
        number::bounds_or_none(contrast.low, contrast.high, number::points_interval)
    )
}

#[derive(Default)]
struct Line(Vec<Span>);

impl Line {
    fn say(&mut self, text: &str) -> &mut Self {
        self.0.push(Span { text: text.to_owned(), strong: false });
        self
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.0.push(Span { text: name.to_owned(), strong: true });
        self
    }

    fn both(&mut self, leader: &Place, second: &Place) -> &mut Self {
        self.name(&leader.name).say(" and ").name(&second.name)
    }

    fn before(&mut self, leader: &Place, second: &Place, top: &str) {
        self.name(&leader.name)
            .say(&format!(" has {top}, {}%, before ", number::percent1(leader.share)))
            .name(&second.name)
            .say(&format!(", {}%", number::percent1(second.share)));
    }
}
