//! When to ask again, as data: one rule for each kind of failure.

use std::time::Duration;

use crate::judge::ErrorKind;

/// What is done about one kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The same request would fail the same way.
    Never,
    Again(Backoff),
}

/// How often, after what wait and in which way a failed exchange is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Exchanges for one request in one pass, the first included.
    pub tries: u32,
    /// Upper bound of the first wait; it doubles each time.
    pub base: Duration,
    pub cap: Duration,
    pub hint: Hint,
    pub with: Again,
}

/// Whether a wait that the server names (`Retry-After`, or a hint in the JSON) counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    Kept,
    Ignored,
}

/// In which way a request is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Again {
    /// As it was.
    #[default]
    Plain,
    /// With twice the reply tokens: the reply before was cut off at its limit.
    RaisedCap,
    /// With a note behind the prompt that says what was wrong with the reply before.
    RepairNote,
}

impl Again {
    /// As an attempt keeps it among what was sent; nothing for a plain one.
    pub fn sent(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::RaisedCap => Some("again=raised_cap"),
            Self::RepairNote => Some("again=repair_note"),
        }
    }

    /// The way in which an attempt was made, from what it sent.
    pub fn of_sent(sent: &[String]) -> Self {
        [Self::RaisedCap, Self::RepairNote]
            .into_iter()
            .find(|it| sent.iter().any(|line| it.sent() == Some(line)))
            .unwrap_or_default()
    }

    /// Tokens a reply may take, of those that the settings allow.
    pub fn cap(self, max_tokens: u32) -> u32 {
        match self {
            Self::Plain | Self::RepairNote => max_tokens,
            Self::RaisedCap => max_tokens.saturating_mul(2),
        }
    }
}

/// The longest wait that is kept when a server asks for one.
pub const LONGEST: Duration = Duration::from_secs(300);

const OUTAGE: Backoff = Backoff {
    tries: 4,
    base: Duration::from_secs(1),
    cap: Duration::from_secs(30),
    hint: Hint::Kept,
    with: Again::Plain,
};

/// Limits are often by the minute, and a page can seldom read how long they last.
const LIMIT: Backoff = Backoff { tries: 6, cap: Duration::from_secs(60), ..OUTAGE };

/// Nothing was heard from the server, so it cannot have named a wait.
const SILENCE: Backoff = Backoff { hint: Hint::Ignored, ..OUTAGE };

/// A second one is rarely better. The judge's own words never came, so no note can mend them.
const MALFORMED: Backoff = Backoff { tries: 2, hint: Hint::Ignored, ..OUTAGE };

/// The tokens may all have gone into reasoning.
const EMPTY: Backoff = Backoff { hint: Hint::Ignored, with: Again::RaisedCap, ..OUTAGE };

/// Nobody was asked and nobody refused, so there is nothing to wait for.
const UNASKED: Backoff = Backoff { base: Duration::ZERO, hint: Hint::Ignored, ..OUTAGE };

/// The rules, and what no request can get past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Failures of one wall in a row (see [`ErrorKind::is_wall`]), with no reply between, that stop the run.
    pub wall: u32,
}

impl RetryPolicy {
    pub const STANDARD: Self = Self { wall: 5 };

    /// No wildcard: each kind is a decision.
    pub fn rule(&self, kind: ErrorKind) -> Rule {
        match kind {
            ErrorKind::Unreachable | ErrorKind::Timeout => Rule::Again(SILENCE),
            ErrorKind::RateLimited => Rule::Again(LIMIT),
            ErrorKind::ServerError | ErrorKind::Overloaded => Rule::Again(OUTAGE),
            ErrorKind::Malformed => Rule::Again(MALFORMED),
            ErrorKind::EmptyReply => Rule::Again(EMPTY),
            ErrorKind::BatchEnded => Rule::Again(UNASKED),
            ErrorKind::Cancelled
            | ErrorKind::KeyUnusable
            | ErrorKind::KeyRefused
            | ErrorKind::Forbidden
            | ErrorKind::NoCredit
            | ErrorKind::NotFound
            | ErrorKind::TooLarge
            | ErrorKind::BadRequest
            | ErrorKind::Filtered
            | ErrorKind::DailyQuota
            | ErrorKind::InputCut
            | ErrorKind::NoLabels => Rule::Never,
        }
    }

    /// How many requests in a row that meet this wall stop the run. A quota that is renewed tomorrow
    /// needs no second witness; a single refusal may be about one request.
    pub fn wall(&self, kind: ErrorKind) -> Option<u32> {
        let enough = if kind == ErrorKind::DailyQuota { 1 } else { self.wall };
        kind.is_wall().then_some(enough)
    }

    /// Whether another exchange may follow after `failures` of request in this pass, the last of this kind.
    pub fn allows(&self, kind: ErrorKind, failures: u32) -> bool {
        match self.rule(kind) {
            Rule::Never => false,
            Rule::Again(backoff) => failures < backoff.tries,
        }
    }

    /// How a request is asked again after a failure of this kind, having been asked in the way `before`.
    pub fn again(&self, kind: ErrorKind, before: Again) -> Again {
        match self.rule(kind) {
            Rule::Never | Rule::Again(Backoff { with: Again::Plain, .. }) => before,
            Rule::Again(backoff) => backoff.with,
        }
    }

    /// Full jitter: anything from nothing to the bound, so that clients do not come back together.
    ///
    /// `jitter` lies in `0.0..1.0`. A wait the server asked for is kept, and jitter goes on top.
    pub fn wait(
        &self,
        kind: ErrorKind,
        failures: u32,
        jitter: f64,
        asked: Option<Duration>,
    ) -> Duration {
        let Rule::Again(backoff) = self.rule(kind) else {
            return Duration::ZERO;
        };
        let doubled = backoff.base.saturating_mul(1 << failures.saturating_sub(1).min(16));
        let wait = doubled.min(backoff.cap).mul_f64(jitter.clamp(0.0, 1.0));
        match (asked, backoff.hint) {
            (Some(asked), Hint::Kept) => asked.min(LONGEST) + wait.min(backoff.base),
            (Some(_), Hint::Ignored) | (None, _) => wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy::STANDARD;

    #[test]
    fn waits_grow_to_the_cap_and_obey_the_server() {
        let wait =
            |failures, jitter, asked| POLICY.wait(ErrorKind::Overloaded, failures, jitter, asked);
        assert_eq!(wait(1, 1.0, None), Duration::from_secs(1));
        assert_eq!(wait(3, 1.0, None), Duration::from_secs(4));
        assert_eq!(wait(30, 1.0, None), Duration::from_secs(30));
        assert_eq!(wait(1, 0.0, None), Duration::ZERO);
        assert!(Duration::from_secs(7) <= wait(1, 0.5, Some(Duration::from_secs(7))));
        assert!(wait(1, 0.5, Some(Duration::from_secs(86_400))) <= LONGEST + OUTAGE.base);
        let unheard = POLICY.wait(ErrorKind::Timeout, 1, 1.0, Some(Duration::from_secs(7)));
        assert_eq!(unheard, Duration::from_secs(1));
    }

    #[test]
    fn what_would_fail_again_is_not_asked_again() {
        assert!(!POLICY.allows(ErrorKind::KeyRefused, 0));
        assert!(POLICY.allows(ErrorKind::Overloaded, 3));
        assert!(!POLICY.allows(ErrorKind::Overloaded, 4));
        assert!(POLICY.allows(ErrorKind::Malformed, 1));
        assert!(!POLICY.allows(ErrorKind::Malformed, 2));
        assert!(POLICY.allows(ErrorKind::RateLimited, 5));
    }

    /// However often a batch ended early: such a failure uses up no try, see [`crate::ledger::Pass`].
    #[test]
    fn what_a_batch_did_not_come_to_is_asked_at_once() {
        assert!(POLICY.allows(ErrorKind::BatchEnded, 0));
        assert_eq!(POLICY.wait(ErrorKind::BatchEnded, 1, 1.0, None), Duration::ZERO);
        assert_eq!(POLICY.again(ErrorKind::BatchEnded, Again::Plain), Again::Plain);
        assert_eq!(POLICY.wall(ErrorKind::BatchEnded), None);
        assert!(!ErrorKind::BatchEnded.may_cost() && !ErrorKind::BatchEnded.slows());
    }

    #[test]
    fn a_daily_quota_stops_at_once_and_other_walls_after_some() {
        assert_eq!(POLICY.wall(ErrorKind::DailyQuota), Some(1));
        assert_eq!(POLICY.wall(ErrorKind::KeyRefused), Some(5));
        assert_eq!(POLICY.wall(ErrorKind::Timeout), None);
    }

    #[test]
    fn a_failure_of_the_line_keeps_the_way_of_asking() {
        assert_eq!(POLICY.again(ErrorKind::Overloaded, Again::RepairNote), Again::RepairNote);
        assert_eq!(POLICY.again(ErrorKind::EmptyReply, Again::Plain), Again::RaisedCap);
        assert_eq!(Again::RaisedCap.cap(300), 600);
        assert_eq!(Again::RaisedCap.cap(u32::MAX), u32::MAX);
    }
}
