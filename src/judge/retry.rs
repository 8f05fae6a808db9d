//! When to ask again, as data.

use std::time::Duration;

use crate::judge::ErrorKind;

/// How often and after what wait a failed exchange is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// Exchanges for one request in one pass, the first included.
    pub tries: u32,
    /// Upper bound of the first wait; it doubles each time.
    pub base: Duration,
    pub cap: Duration,
    /// Failures of one wall in a row (see [`ErrorKind::is_wall`]), with no reply between, that stop the run.
    pub wall: u32,
}

impl RetryPolicy {
    pub const STANDARD: Self =
        Self { tries: 4, base: Duration::from_secs(1), cap: Duration::from_secs(30), wall: 5 };

    /// Whether another exchange may follow after `failures` of this kind of request in this pass.
    pub fn allows(&self, kind: ErrorKind, failures: u32) -> bool {
        kind.is_retryable() && failures < self.tries
    }

    /// Full jitter: anything from nothing to the bound, so that clients do not come back together.
    ///
    /// `jitter` lies in `0.0..1.0`. A wait the server asked for is kept, and jitter goes on top.
    pub fn wait(&self, failures: u32, jitter: f64, asked: Option<Duration>) -> Duration {
        let bound = self.base.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(self.cap);
        let wait = bound.mul_f64(jitter.clamp(0.0, 1.0));
        asked.map_or(wait, |asked| asked.min(Duration::from_secs(300)) + wait.min(self.base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_obey_the_server() {
        let policy = RetryPolicy::STANDARD;
        assert_eq!(policy.wait(1, 1.0, None), Duration::from_secs(1));
        assert_eq!(policy.wait(3, 1.0, None), Duration::from_secs(4));
        assert_eq!(policy.wait(30, 1.0, None), policy.cap);
        assert_eq!(policy.wait(1, 0.0, None), Duration::ZERO);
        assert!(Duration::from_secs(7) <= policy.wait(1, 0.5, Some(Duration::from_secs(7))));
    }

    #[test]
    fn walls_are_not_asked_again() {
        let policy = RetryPolicy::STANDARD;
        assert!(!policy.allows(ErrorKind::KeyRefused, 0));
        assert!(policy.allows(ErrorKind::Overloaded, 3));
        assert!(!policy.allows(ErrorKind::Overloaded, 4));
    }
}
