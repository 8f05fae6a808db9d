//! Online Elo: ratings that move with every battle, in the order given.
//!
//! A diagnostic, no estimate: what it says depends on the order, and it has no interval (Elo 1978).

use super::battle::{Battle, Winner};
use super::{MEAN, win_probability};

/// Elo points that a rating moves by at most in one battle, as leaderboards of chat models have it.
pub const STEP: f64 = 4.0;

/// Ratings in Elo points after all battles, each system starting from 1000:
/// own + [`STEP`] × (result − expected), a tie being half a win. Their mean stays 1000.
pub fn online<'a>(systems: usize, battles: impl IntoIterator<Item = &'a Battle>) -> Vec<f64> {
    let mut ratings = vec![MEAN; systems];
    for battle in battles {
        let (first, second) = (battle.first as usize, battle.second as usize);
        let result = match battle.winner {
            Winner::First => 1.0,
            Winner::Second => 0.0,
            Winner::Tie => 0.5,
        };
        let surplus = STEP * (result - win_probability(ratings[first], ratings[second]));
        ratings[first] += surplus;
        ratings[second] -= surplus;
    }
    ratings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recomputed independently, in this order of pairs, wins before losses before ties.
    #[test]
    fn four_models() {
        let mut battles = Vec::new();
        for (first, second, results) in [
            (0, 1, [6, 2, 0]),
            (1, 2, [5, 3, 0]),
            (0, 2, [7, 1, 0]),
            (2, 3, [4, 2, 2]),
            (0, 3, [6, 1, 1]),
            (1, 3, [5, 2, 1]),
        ] {
            let winners = [Winner::First, Winner::Second, Winner::Tie];
            for (winner, times) in winners.into_iter().zip(results) {
                let battle = Battle { first, second, winner, query: 0, stratum: 0 };
                battles.extend(std::iter::repeat_n(battle, times));
            }
        }
        let expected = [1026.7146, 1001.5247, 989.5615, 982.1993];
        for (found, expected) in online(4, &battles).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} against {expected}");
        }
    }
}
