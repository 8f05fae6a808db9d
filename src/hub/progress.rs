//! How far a download is, how fast it goes, and how long it will take.

use std::collections::VecDeque;

/// Over how long the speed is measured, in milliseconds.
const WINDOW: f64 = 5_000.0;

/// Bytes that arrived, over time.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Milliseconds of some clock, and bytes in all until then.
    marks: VecDeque<(f64, u64)>,
}

impl Meter {
    pub fn mark(&mut self, now: f64, bytes: u64) {
        while let Some((time, before)) = self.marks.front()
            && (WINDOW < now - time || bytes < *before)
        {
            self.marks.pop_front();
        }
        self.marks.push_back((now, bytes));
    }

    /// Bytes a second. `None` until there is something to tell.
    pub fn rate(&self) -> Option<f64> {
        let (start, before) = self.marks.front()?;
        let (now, bytes) = self.marks.back()?;
        let seconds = (now - start) / 1_000.0;
        (0.2 <= seconds).then(|| (bytes - before) as f64 / seconds)
    }

    /// Seconds until so many bytes more have come. `None` where nothing comes.
    pub fn left(&self, bytes: u64) -> Option<f64> {
        let rate = self.rate().filter(|rate| 1.0 <= *rate)?;
        Some(bytes as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_that_of_the_last_seconds() {
        let mut meter = Meter::default();
        assert_eq!((meter.rate(), meter.left(1)), (None, None));
        meter.mark(0.0, 0);
        assert_eq!(meter.rate(), None);
        meter.mark(1_000.0, 2_000_000);
        assert_eq!(meter.rate(), Some(2_000_000.0));
        assert_eq!(meter.left(4_000_000), Some(2.0));
        for second in 2..20 {
            meter.mark(f64::from(second) * 1_000.0, 2_000_000);
        }
        assert_eq!((meter.rate(), meter.left(1)), (Some(0.0), None));
        // A file that begins anew is no negative speed.
        meter.mark(20_000.0, 0);
        assert_eq!(meter.rate(), None);
    }
}
