//! How many requests a host gets at once: one more for each window of replies, half after a refusal.
//!
//! Pure: times come from outside, in milliseconds since the epoch.

use std::time::Duration;

use crate::judge::retry::LONGEST;

/// The pace of one host. The ceiling is the person's "Concurrency"; the host decides what is below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    ceiling: usize,
    limit: usize,
    /// Replies since the limit last changed.
    replies: usize,
    /// When the limit was last halved.
    halved: f64,
    /// No new request before this time.
    held_until: f64,
}

impl Pace {
    /// Starts at the ceiling: most hosts take what a person asks for, and the first refusal halves it.
    pub fn new(ceiling: usize) -> Self {
        let ceiling = ceiling.max(1);
        let never = f64::NEG_INFINITY;
        Self { ceiling, limit: ceiling, replies: 0, halved: never, held_until: never }
    }

    /// Requests at the same time.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How long new requests still wait; nothing where they may leave, or where the clock was set back.
    pub fn hold(&self, now: f64) -> Option<Duration> {
        let left = (self.held_until - now) / 1000.0;
        (0.0 < left && left <= LONGEST.as_secs_f64())
            .then(|| Duration::from_secs_f64(left.max(0.001)))
    }

    /// Until when new requests wait.
    pub fn held_until(&self, now: f64) -> Option<f64> {
        (now < self.held_until).then_some(self.held_until)
    }

    /// A pace at its ceiling rises with it; one that a host has lowered climbs by itself.
    pub fn set_ceiling(&mut self, ceiling: usize) {
        let ceiling = ceiling.max(1);
        if self.limit == self.ceiling || ceiling < self.limit {
            self.limit = ceiling;
            self.replies = 0;
        }
        self.ceiling = ceiling;
    }

    /// A reply came back. A full window of them without a refusal adds one.
    pub fn on_reply(&mut self) {
        self.replies += 1;
        if self.limit <= self.replies {
            self.replies = 0;
            self.limit = (self.limit + 1).min(self.ceiling);
        }
    }

    /// The host found a request that left at `began` to be one too many.
    ///
    /// What left before the last halving tells nothing new: a round trip halves once. A wait the host
    /// names, up to [`LONGEST`], holds every new request.
    pub fn on_rate_limited(&mut self, began: f64, now: f64, retry_after: Option<Duration>) {
        if self.halved <= began {
            self.limit = (self.limit / 2).max(1);
            self.halved = now;
        }
        self.replies = 0;
        if let Some(wait) = retry_after {
            let until = now + wait.min(LONGEST).as_secs_f64() * 1000.0;
            self.held_until = self.held_until.max(until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_halves_once_a_round_trip_and_never_below_one() {
        let mut pace = Pace::new(32);
        for _ in 0..32 {
            pace.on_rate_limited(0.0, 100.0, None);
        }
        assert_eq!(pace.limit(), 16);
        pace.on_rate_limited(100.0, 200.0, None);
        assert_eq!(pace.limit(), 8);
        for round in 2..20 {
            pace.on_rate_limited(f64::from(round) * 100.0, f64::from(round + 1) * 100.0, None);
        }
        assert_eq!(pace.limit(), 1);
    }

    #[test]
    fn each_full_window_of_replies_adds_one_up_to_the_ceiling() {
        let mut pace = Pace::new(4);
        pace.on_rate_limited(0.0, 100.0, None);
        assert_eq!(pace.limit(), 2);
        pace.on_reply();
        assert_eq!(pace.limit(), 2);
        pace.on_reply();
        assert_eq!(pace.limit(), 3);
        for _ in 0..100 {
            pace.on_reply();
        }
        assert_eq!(pace.limit(), 4);
    }

    #[test]
    fn a_named_wait_holds_new_requests_until_then() {
        let mut pace = Pace::new(4);
        pace.on_rate_limited(0.0, 1000.0, Some(Duration::from_secs(7)));
        assert_eq!(pace.hold(1000.0), Some(Duration::from_secs(7)));
        pace.on_rate_limited(0.0, 1500.0, Some(Duration::from_secs(1)));
        assert_eq!(pace.held_until(2000.0), Some(8000.0), "a shorter wait shortens nothing");
        assert_eq!(pace.hold(8000.0), None);
        pace.on_rate_limited(8000.0, 8000.0, Some(Duration::from_secs(86_400)));
        assert_eq!(pace.hold(8000.0), Some(LONGEST));
    }

    #[test]
    fn a_raised_ceiling_lifts_a_pace_that_nobody_lowered() {
        let mut pace = Pace::new(4);
        pace.set_ceiling(8);
        assert_eq!(pace.limit(), 8);
        pace.on_rate_limited(0.0, 100.0, None);
        pace.set_ceiling(16);
        assert_eq!(pace.limit(), 4);
        pace.set_ceiling(2);
        assert_eq!(pace.limit(), 2);
    }
}
