//! What a run costs: prices as data, what is spent and reserved, and whether the next call still fits.
//!
//! Unknown is unknown, never zero. Amounts are US dollars; tokens are added up as whole numbers and
//! priced last, so that nothing drifts.

use serde::{Deserialize, Serialize};

use crate::judge::{Attempt, Outcome};

/// What a provider asks for tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// US dollars per million tokens of input.
    pub input: f64,
    /// US dollars per million tokens of output.
    pub output: f64,
    pub source: PriceSource,
    /// The day they were read or typed, as `2026-11-30`; empty where it is not known.
    pub as_of: String,
}

/// Who says what a token costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceSource {
    /// The person typed them.
    User,
    /// A provider's list, read by the page.
    List,
}

/// Why a price or a budget cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("a price is a number of dollars from 0 up")]
    Price,
    #[error("a budget is a number of dollars above 0")]
    Budget,
    #[error("a budget needs both prices: without them nobody knows what a call costs")]
    NoPrices,
    #[error(
        "a budget needs “Reply tokens”: without a limit nobody knows what a reply costs at most"
    )]
    NoCap,
}

/// The most tokens that a call can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// At least as many as any tokenizer makes of the request: one a byte of what is sent.
    pub input: u64,
    /// The reply's limit; `None` where none is sent.
    pub output: Option<u64>,
}

impl Prices {
    /// US dollars.
    pub fn of(&self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }

    /// Whether both are numbers from 0 up.
    pub fn is_sound(&self) -> bool {
        [self.input, self.output].iter().all(|it| it.is_finite() && 0.0 <= *it)
    }
}

/// Whether a budget can be kept with what is known.
///
/// # Errors
/// In words, when it cannot: a run with such a budget is not to be started.
pub fn check(
    budget: Option<f64>,
    prices: Option<&Prices>,
    max_tokens: Option<u32>,
) -> Result<(), MoneyError> {
    if prices.is_some_and(|it| !it.is_sound()) {
        return Err(MoneyError::Price);
    }
    let Some(budget) = budget else {
        return Ok(());
    };
    if !budget.is_finite() || budget <= 0.0 {
        return Err(MoneyError::Budget);
    }
    if prices.is_none() {
        return Err(MoneyError::NoPrices);
    }
    if max_tokens.is_none() {
        return Err(MoneyError::NoCap);
    }
    Ok(())
}

/// Tokens of either side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pile {
    input: u64,
    output: u64,
}

impl Pile {
    fn put(&mut self, input: u64, output: u64) {
        self.input = self.input.saturating_add(input);
        self.output = self.output.saturating_add(output);
    }

    fn take(&mut self, input: u64, output: u64) {
        self.input = self.input.saturating_sub(input);
        self.output = self.output.saturating_sub(output);
    }

    fn cost(self, prices: &Prices) -> f64 {
        prices.of(self.input, self.output)
    }
}

/// What a run has spent and what its calls in flight may still cost.
///
/// The budget holds under one assumption: the provider charges no call for more tokens than
/// [`Tokens`] allows, which is what a byte-wise tokenizer and the reply's limit guarantee. A provider
/// that reports more is believed, and the next call is not sent.
///
/// Calls made in batches cost by prices of their own. Where those are not known, what such calls cost is
/// not known: they are counted as calls that nobody priced, and live prices never stand in for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Purse {
    /// `None`: not known.
    prices: Option<Prices>,
    batch_prices: Option<Prices>,
    budget: Option<f64>,
    live: Spending,
    batch: Spending,
    reserved: Pile,
    /// For batches that are out, in US dollars.
    set_aside: f64,
    in_flight: u64,
    /// Attempts of which nobody knows what they cost.
    uncounted: u64,
}

/// Tokens of calls that cost alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spending {
    /// As the provider counted.
    counted: Pile,
    /// By our own count, where the provider gave none.
    guessed: Pile,
    /// How much more than guessed these calls may have taken.
    doubt: Pile,
}

/// Whether a call may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Fits,
    /// Not while what is in flight might cost as much as it may.
    Later,
    /// Not within this budget.
    Never,
}

/// A snapshot for people, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Money {
    pub spent: f64,
    /// The part of `spent` that is our own count.
    pub estimated: f64,
    /// What calls whose cost was not told may have cost beyond `spent`, at most.
    pub doubt: f64,
    /// What calls in flight and batches that are out may cost, at most.
    pub reserved: f64,
    /// At the end of the plan, if the rest goes as before.
    pub projected: Option<f64>,
    /// Attempts that may have cost something and of which nobody knows what: uncounted, or without prices.
    pub uncounted: u64,
    pub budget: Option<f64>,
}

impl Purse {
    pub fn new(prices: Option<Prices>, batch_prices: Option<Prices>, budget: Option<f64>) -> Self {
        Self {
            prices,
            batch_prices,
            budget,
            live: Spending::default(),
            batch: Spending::default(),
            reserved: Pile::default(),
            set_aside: 0.0,
            in_flight: 0,
            uncounted: 0,
        }
    }

    /// Keeps back what batches that are out may cost.
    #[must_use]
    pub fn setting_aside(self, dollars: f64) -> Self {
        Self { set_aside: dollars, ..self }
    }

    /// What a part of both spendings costs. Without prices nothing was put there.
    fn cost(&self, part: impl Fn(&Spending) -> Pile) -> f64 {
        let of = |spending: &Spending, prices: &Option<Prices>| {
            prices.as_ref().map_or(0.0, |it| part(spending).cost(it))
        };
        of(&self.live, &self.prices) + of(&self.batch, &self.batch_prices)
    }

    /// What live calls in flight and batches that are out may cost.
    fn reserved(&self) -> f64 {
        self.prices.as_ref().map_or(0.0, |it| self.reserved.cost(it)) + self.set_aside
    }

    /// The most that has been spent or may still be charged, in US dollars.
    pub fn at_most(&self) -> f64 {
        self.cost(|it| it.counted)
            + self.cost(|it| it.guessed)
            + self.cost(|it| it.doubt)
            + self.reserved()
    }

    /// A call is not sent if what is spent and reserved and its own upper bound pass the budget.
    pub fn admits(&self, bound: Tokens) -> Admission {
        let Some(budget) = self.budget else {
            return Admission::Fits;
        };
        let (Some(output), Some(prices)) = (bound.output, &self.prices) else {
            return Admission::Never;
        };
        // A sum of floating-point numbers may be off in the last digit: never in favour of spending.
        let needed = (self.at_most() + prices.of(bound.input, output)) * (1.0 + 1e-12);
        if needed <= budget {
            Admission::Fits
        } else if 0 < self.in_flight {
            Admission::Later
        } else {
            Admission::Never
        }
    }

    pub fn reserve(&mut self, bound: Tokens) {
        self.in_flight += 1;
        self.reserved.put(bound.input, bound.output.unwrap_or(0));
    }

    /// The call that `bound` was reserved for has ended.
    pub fn settle(&mut self, bound: Tokens, attempt: &Attempt) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.reserved.take(bound.input, bound.output.unwrap_or(0));
        self.charge(Some(bound), attempt);
    }

    /// Adds an attempt that was made. Where its tokens were not told, `bound` says how many they can be.
    pub fn charge(&mut self, bound: Option<Tokens>, attempt: &Attempt) {
        let usage = attempt.usage;
        let (spending, prices) = if attempt.is_batch() {
            (&mut self.batch, &self.batch_prices)
        } else {
            (&mut self.live, &self.prices)
        };
        let is_free = usage.is_unknown() && attempt.failure().is_some_and(|it| !it.may_cost());
        if prices.is_none() {
            self.uncounted += u64::from(!is_free);
            return;
        }
        if let (Some(input), Some(output)) = (usage.input, usage.output) {
            spending.counted.put(input, output);
            return;
        }
        if is_free {
            return;
        }
        let reply = match &attempt.outcome {
            Outcome::Reply { text, .. } => Some(text),
            Outcome::Failure { .. } => None,
        };
        spending.counted.put(usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        let Some(bound) = bound else {
            self.uncounted += 1;
            return;
        };
        // Four bytes of English make about one token.
        let own = |told: Option<u64>, most: u64, guess: u64| match (told, reply) {
            (Some(_), _) => (0, 0),
            (None, Some(_)) => (guess, most.saturating_sub(guess)),
            (None, None) => (0, most),
        };
        let words = reply.map_or(0, |text| (text.chars().count() as u64).div_ceil(4));
        let input = own(usage.input, bound.input, bound.input.div_ceil(4));
        let output = own(usage.output, bound.output.unwrap_or(words), words);
        spending.guessed.put(input.0, output.0);
        spending.doubt.put(input.1, output.1);
    }

    /// A snapshot, with what the plan will have cost if the rest goes as the calls done.
    pub fn money(&self, calls_done: u64, calls: u64) -> Money {
        let estimated = self.cost(|it| it.guessed);
        let spent = self.cost(|it| it.counted) + estimated;
        Money {
            spent,
            estimated,
            doubt: self.cost(|it| it.doubt),
            reserved: self.reserved(),
            projected: (0 < calls_done && self.uncounted == 0)
                .then(|| spent * calls as f64 / calls_done as f64),
            uncounted: self.uncounted,
            budget: self.budget,
        }
    }
}

/// What a plan costs, between the least and the most, in US dollars.
///
/// From our own count, off by a third either way; the most takes every reply to its limit where there
/// is one. Calls that fail and are made again come on top.
pub fn range(
    prices: &Prices,
    tokens: (u64, u64),
    calls: u64,
    max_tokens: Option<u32>,
) -> (f64, f64) {
    let (input, output) = tokens;
    let cost = prices.of(input, output);
    let most = max_tokens.map_or(output, |it| calls.saturating_mul(u64::from(it)).max(output));
    (cost * 2.0 / 3.0, prices.of(input, 0) * 4.0 / 3.0 + prices.of(0, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{ErrorKind, Finish, Usage};

    fn prices() -> Prices {
        Prices { input: 1.0, output: 4.0, source: PriceSource::User, as_of: String::new() }
    }

    fn live(budget: Option<f64>) -> Purse {
        Purse::new(Some(prices()), None, budget)
    }

    fn attempt(outcome: Outcome, input: Option<u64>, output: Option<u64>) -> Attempt {
        Attempt {
            run: String::new(),
            pass: 0,
            at: 0.0,
            took: 0.0,
            model_asked: String::new(),
            model_answered: None,
            sent: Vec::new(),
            dropped: Vec::new(),
            usage: Usage { input, output, ..Usage::default() },
            outcome,
        }
    }

    fn reply(text: &str) -> Outcome {
        Outcome::Reply { text: text.to_owned(), finish: Finish::Stop, evidence: Vec::new() }
    }

    const BOUND: Tokens = Tokens { input: 1_000_000, output: Some(500_000) };

    #[test]
    fn a_call_leaves_only_if_all_that_may_be_charged_fits() {
        // One call costs three dollars at most.
        let mut purse = live(Some(6.5));
        assert_eq!(purse.admits(BOUND), Admission::Fits);
        purse.reserve(BOUND);
        assert_eq!(purse.admits(BOUND), Admission::Fits);
        purse.reserve(BOUND);
        assert_eq!(purse.admits(BOUND), Admission::Later);
        purse.settle(BOUND, &attempt(reply("x"), Some(1_000_000), Some(100_000)));
        purse.settle(BOUND, &attempt(reply("x"), Some(1_000_000), Some(500_000)));
        assert!((purse.money(2, 4).spent - 4.4).abs() < 1e-9);
        assert_eq!(purse.admits(BOUND), Admission::Never);
        assert_eq!(purse.money(2, 4).projected, Some(8.8));
    }

    #[test]
    fn what_is_not_told_is_estimated_and_held_at_its_bound() {
        let mut purse = live(Some(100.0));
        purse.charge(Some(BOUND), &attempt(reply("12345678"), None, None));
        let money = purse.money(1, 1);
        assert!((money.spent - (0.25 + 8e-6)).abs() < 1e-12);
        assert!((money.spent - money.estimated).abs() < 1e-12);
        assert!((money.spent + money.doubt - 3.0).abs() < 1e-12);
        let timeout = Outcome::failure(ErrorKind::Timeout, "");
        purse.charge(Some(BOUND), &attempt(timeout, None, None));
        assert!((purse.at_most() - 6.0).abs() < 1e-12);
        let limited = Outcome::failure(ErrorKind::RateLimited, "");
        purse.charge(Some(BOUND), &attempt(limited, None, None));
        assert!((purse.at_most() - 6.0).abs() < 1e-12, "a refusal at the door is free");
    }

    #[test]
    fn what_nobody_counted_is_said_and_never_zero() {
        let mut purse = live(None);
        purse.charge(None, &attempt(reply("x"), None, None));
        assert_eq!((purse.money(1, 2).uncounted, purse.money(1, 2).projected), (1, None));
    }

    #[test]
    fn a_batch_costs_by_its_own_prices_or_nobody_knows_what() {
        let mut batched = attempt(reply("x"), Some(1_000_000), Some(500_000));
        batched.sent.push("batch=openai".to_owned());
        let ended = Outcome::failure(ErrorKind::BatchEnded, "");
        let mut ended = attempt(ended, None, None);
        ended.sent.push("batch=openai".to_owned());
        let lived = attempt(reply("x"), Some(1_000_000), Some(0));
        let half = Prices { input: 0.5, output: 2.0, ..prices() };
        for (prices, batch, spent, uncounted) in [
            (Some(prices()), Some(half.clone()), 2.5, 0),
            (Some(prices()), None, 1.0, 1),
            (None, Some(half), 1.5, 1),
        ] {
            let mut purse = Purse::new(prices, batch, None);
            for attempt in [&batched, &ended, &lived] {
                purse.charge(Some(BOUND), attempt);
            }
            let money = purse.money(1, 1);
            assert!((money.spent - spent).abs() < 1e-12, "{money:?}");
            assert_eq!((money.uncounted, money.projected.is_some()), (uncounted, uncounted == 0));
        }
    }

    #[test]
    fn what_is_set_aside_for_batches_is_not_spent_live() {
        let bound = Tokens { input: 1_000_000, output: Some(0) };
        let cost = prices().of(1_000_000, 0);
        let purse = live(Some(2.0 * cost));
        assert_eq!(purse.admits(bound), Admission::Fits);
        let purse = purse.setting_aside(1.5 * cost);
        assert_eq!(purse.admits(bound), Admission::Never, "no call in flight will free it");
        assert!((purse.money(0, 1).reserved - 1.5 * cost).abs() < 1e-9);
    }

    #[test]
    fn a_budget_needs_prices_and_a_limit() {
        assert_eq!(check(None, None, None), Ok(()));
        assert_eq!(check(Some(1.0), None, Some(9)), Err(MoneyError::NoPrices));
        assert_eq!(check(Some(1.0), Some(&prices()), None), Err(MoneyError::NoCap));
        assert_eq!(check(Some(0.0), Some(&prices()), Some(9)), Err(MoneyError::Budget));
        assert_eq!(check(Some(f64::NAN), Some(&prices()), Some(9)), Err(MoneyError::Budget));
        let odd = Prices { input: -1.0, ..prices() };
        assert_eq!(check(None, Some(&odd), None), Err(MoneyError::Price));
        assert_eq!(check(Some(1.0), Some(&prices()), Some(9)), Ok(()));
    }

    #[test]
    fn without_a_limit_there_is_no_bound() {
        let purse = live(Some(1e9));
        assert_eq!(purse.admits(Tokens { input: 1, output: None }), Admission::Never);
    }

    #[test]
    fn a_plan_costs_between_and() {
        let (low, high) = range(&prices(), (3_000_000, 30_000), 100, Some(1000));
        assert!((low - 2.08).abs() < 1e-9 && (high - 4.4).abs() < 1e-9, "{low} {high}");
    }
}
