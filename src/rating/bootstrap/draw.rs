//! Multinomial draws, exact and quick: counts of cells when as many things are drawn as there are.
//!
//! Drawing things one by one costs a number each. Instead each cell draws its count at once from
//! Poisson((1 − ε) × its share), and what the sum lacks is drawn one by one. Independent Poisson counts are
//! multinomial given their sum, and so are they with the rest added, whatever the sum was; a sum beyond
//! the total is drawn again (Devroye, "Non-Uniform Random Variate Generation", 1986, ch. XI).

use super::random::{LANES, Random, Single};

/// How many deviations of the sum the first draws aim below the total: two, so that one round in 44 is
/// drawn again.
const BELOW: f64 = 2.0;

/// Below so many things, drawing them one by one costs least.
const FEW: u64 = 48;

/// Cells, with how often each is drawn when `total` things are.
#[derive(Clone, Debug)]
pub(super) struct Multinomial {
    total: u64,
    cells: usize,
    /// Neighbouring cells of one count share a table. Empty where all is drawn one by one.
    runs: Vec<Run>,
    /// Which cell a single thing falls into.
    single: Alias,
}

#[derive(Clone, Debug)]
struct Run {
    cells: usize,
    counts: Alias,
}

impl Multinomial {
    /// Draws as many as the counts sum to. Cells of equal count should be neighbours.
    pub(super) fn new(counts: &[u32]) -> Self {
        let total = counts.iter().map(|count| u64::from(*count)).sum();
        let weights: Vec<f64> = counts.iter().map(|count| f64::from(*count)).collect();
        let single = Alias::new(0, &weights);
        let part = 1.0 - BELOW / (total as f64).sqrt();
        let mut runs: Vec<Run> = Vec::new();
        if FEW <= total {
            for same in counts.chunk_by(|one, other| one == other) {
                let counts = Alias::poisson(part * f64::from(same[0]));
                runs.push(Run { cells: same.len(), counts });
            }
        }
        Self { total, cells: counts.len(), runs, single }
    }

    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Draws for eight rounds. `drawn` has a row for each cell.
    pub(super) fn draw(&self, random: &mut Random, drawn: &mut [[u32; LANES]]) {
        if self.runs.is_empty() {
            drawn.fill([0; LANES]);
        }
        let mut left = &mut *drawn;
        for run in &self.runs {
            let (rows, rest) = left.split_at_mut(run.cells);
            left = rest;
            for row in rows {
                *row = random.all().map(|bits| run.counts.pick(bits));
            }
        }
        let mut sums = [0; LANES];
        for row in &*drawn {
            for lane in 0..LANES {
                sums[lane] += u64::from(row[lane]);
            }
        }
        for (lane, sum) in sums.into_iter().enumerate() {
            // Apart from the others, so that its state stays in registers.
            let mut single = random.single[lane];
            let mut sum = sum;
            while self.total < sum {
                sum = self.draw_again(&mut single, lane, drawn);
            }
            let mut lacking = self.total - sum;
            while 0 < lacking {
                let [one, other] = single.two();
                drawn[self.single.pick(one) as usize][lane] += 1;
                if 1 < lacking {
                    drawn[self.single.pick(other) as usize][lane] += 1;
                }
                lacking = lacking.saturating_sub(2);
            }
            random.single[lane] = single;
        }
    }

    #[cold]
    fn draw_again(&self, single: &mut Single, lane: usize, drawn: &mut [[u32; LANES]]) -> u64 {
        let counts = self.runs.iter().flat_map(|run| std::iter::repeat_n(&run.counts, run.cells));
        let mut sum = 0;
        for (counts, row) in counts.zip(drawn) {
            row[lane] = counts.pick(single.two()[0]);
            sum += u64::from(row[lane]);
        }
        sum
    }
}

/// A distribution over whole numbers from `base`, drawn from in constant time (Walker 1977; Vose 1991).
#[derive(Clone, Debug)]
struct Alias {
    base: u32,
    /// Of which there are a power of two.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Out of 2³², how often the slot stands for its own number.
    own: u32,
    /// What leads from it to the number it stands for otherwise.
    further: u32,
}

impl Alias {
    fn new(base: u32, weights: &[f64]) -> Self {
        let count = weights.len().next_power_of_two();
        let mut slots = vec![Slot::default(); count];
        let sum: f64 = weights.iter().sum();
        let mut height: Vec<f64> = weights.iter().map(|w| w / sum * count as f64).collect();
        height.resize(count, 0.0);
        let (mut low, mut high): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|at| height[*at] < 1.0);
        while let Some(tall) = high.last().copied() {
            let Some(short) = low.pop() else { break };
            let own = (height[short] * 4_294_967_296.0) as u32;
            slots[short] = Slot { own, further: (tall as u32).wrapping_sub(short as u32) };
            height[tall] -= 1.0 - height[short];
            if height[tall] < 1.0 {
                high.pop();
                low.push(tall);
            }
        }
        // What rounding left over stands for itself; so must no cell of weight zero.
        let some = (0..weights.len()).find(|at| 0.0 < weights[*at]).unwrap_or(0);
        for at in low.into_iter().chain(high) {
            let itself = if weights.get(at).is_some_and(|w| 0.0 < *w) { at } else { some };
            slots[at] = Slot { own: 0, further: (itself as u32).wrapping_sub(at as u32) };
        }
        Self { base, slots }
    }

    /// Counts with mean and variance `mean`. What lies beyond 6.5 deviations and ten (less than one in 10⁹
    /// draws) is left out.
    fn poisson(mean: f64) -> Self {
        let reach = 6.5 * mean.sqrt() + 10.0;
        let first = (mean - reach).max(0.0).floor();
        let last = (mean + reach).ceil();
        let mode = mean.floor();
        // From the mode outwards, relative to it: no factorial and no exponential.
        let mut weights = vec![1.0; (last - first) as usize + 1];
        let middle = (mode - first) as usize;
        for at in (0..middle).rev() {
            weights[at] = weights[at + 1] * (first + (at + 1) as f64) / mean;
        }
        for at in middle + 1..weights.len() {
            weights[at] = weights[at - 1] * mean / (first + at as f64);
        }
        Self::new(first as u32, &weights)
    }

    /// The low bits choose a slot, the others decide between its two numbers: each number's chance is off by
    /// 2⁻³² at most a slot. Without a branch, as nobody could foresee it.
    #[inline]
    fn pick(&self, bits: u32) -> u32 {
        let at = bits as usize & (self.slots.len() - 1);
        let slot = self.slots[at];
        let further = std::hint::select_unpredictable(bits < slot.own, 0, slot.further);
        (self.base + at as u32).wrapping_add(further)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means, variances and covariances of the counts against those of a multinomial, as a sum of
    /// squared normal deviates.
    fn check(counts: &[u32]) {
        let sampler = Multinomial::new(counts);
        let total: f64 = counts.iter().map(|count| f64::from(*count)).sum();
        let rounds = 40_000_u32;
        let mut drawn = vec![[0; LANES]; counts.len()];
        let n = counts.len();
        let (mut sums, mut products) = (vec![0.0; n], vec![0.0; n * n]);
        for first in (0..rounds).step_by(LANES) {
            sampler.draw(&mut Random::of_rounds(3, u64::from(first)), &mut drawn);
            for lane in 0..LANES {
                let found: u32 = drawn.iter().map(|row| row[lane]).sum();
                assert!((f64::from(found) - total).abs() < 0.5);
                for a in 0..n {
                    let own = f64::from(drawn[a][lane]) - f64::from(counts[a]);
                    sums[a] += own;
                    for b in 0..=a {
                        products[a * n + b] +=
                            own * (f64::from(drawn[b][lane]) - f64::from(counts[b]));
                    }
                }
            }
        }
        let rounds = f64::from(rounds);
        let share = |at: usize| f64::from(counts[at]) / total;
        // Σ (O − E)² ÷ E over cells, of the summed counts: chi-square with n − 1 degrees of freedom.
        let chi: f64 = (0..n)
            .filter(|at| 0 < counts[*at])
            .map(|at| sums[at] * sums[at] / (rounds * f64::from(counts[at])))
            .sum();
        let freedom = counts.iter().filter(|count| 0 < **count).count() as f64 - 1.0;
        assert!(
            chi < freedom + 4.5 * (2.0 * freedom).sqrt() + 4.0,
            "chi-square {chi} at {freedom}"
        );
        for a in 0..n {
            let variance = total * share(a) * (1.0 - share(a));
            for b in 0..=a {
                let other = total * share(b) * (1.0 - share(b));
                let expected = if a == b { variance } else { -total * share(a) * share(b) };
                let found = products[a * n + b] / rounds;
                // The fourth moment: near normal, plus what a small count adds.
                let spread = (variance * other + expected * expected + variance.min(other)).sqrt();
                let error = (found - expected) / (spread / rounds.sqrt()).max(1e-12);
                assert!(error.abs() < 5.0, "{a}, {b}: {found} against {expected}, {error}");
            }
        }
    }

    #[test]
    fn moments_are_those_of_a_multinomial() {
        check(&[1, 1, 1, 1, 2, 2, 3, 5, 8, 40, 200, 1000]);
        check(&[50; 12]);
        check(&[1; 20]);
        check(&[30, 60]);
        check(&[5000, 1, 0]);
    }

    #[test]
    fn one_thing_is_drawn_once() {
        let sampler = Multinomial::new(&[1]);
        let mut drawn = [[0; LANES]];
        sampler.draw(&mut Random::of_rounds(0, 0), &mut drawn);
        assert_eq!(drawn, [[1; LANES]]);
    }
}
