//! What plans are computed from, as far as a run tells it.

use crate::ledger::Ledger;
use crate::metrics::power::{Load, LoadSource, PlanSketch, PowerBase};
use crate::protocol::{Reading, Task};
use crate::report::{self, Block};
use crate::run::money::Prices;
use crate::run::record::Record;
use crate::worker::Notice;
use crate::worker::runs::Book;

/// The base of plans made last, of which run and from how many attempts.
pub(super) type Kept = ((Option<String>, usize), PowerBase);

impl Book {
    /// What a plan takes and can show, with the plan that a sketch starts from. The base is kept for as long
    /// as nothing new was judged: a slider asks many times a second.
    ///
    /// `money`: prices, and the limit of a reply's tokens.
    ///
    /// # Errors
    /// Where the run is not here.
    pub fn outlook(
        &mut self,
        ledger: &Ledger,
        run: Option<String>,
        sketch: Option<PlanSketch>,
        money: (Option<&Prices>, Option<u32>),
    ) -> Result<(PlanSketch, Vec<Block>), Notice> {
        let wanted = (run, ledger.len());
        let kept = self.power.take().filter(|(key, _)| *key == wanted);
        let base = match kept {
            Some((_, base)) => base,
            None => self.power(ledger, wanted.0.as_deref())?,
        };
        let sketch = sketch.unwrap_or(base.start);
        let outlook = sketch.outlook(&base, money.0, money.1);
        let blocks = report::power::blocks(&sketch, &base, &outlook);
        let start = base.start;
        self.power = Some((wanted, base));
        Ok((start, blocks))
    }

    /// The base of plans: from a run, or assumed where none is named.
    ///
    /// # Errors
    /// Where the run is not here.
    pub fn power(&self, ledger: &Ledger, run: Option<&str>) -> Result<PowerBase, Notice> {
        let Some(run) = run else {
            return Ok(PowerBase::assumed());
        };
        let record = self.record(run)?;
        let sheet = record.sheet(ledger, Reading::Recommended);
        let repeated = record.repeated(ledger, Reading::Recommended);
        Ok(PowerBase::of(&sheet, &repeated, load(record, ledger)))
    }
}

/// Tokens of calls by what the provider counted, where it did.
#[derive(Clone, Copy, Default)]
struct Counted {
    calls: u64,
    input: u64,
    output: u64,
    items: u64,
}

impl Counted {
    /// Per call, apart from what its items take.
    fn mean(self, of: u64, per_item: f64) -> f64 {
        ((of as f64 - per_item * self.items as f64) / self.calls as f64).max(0.0)
    }
}

/// From the last exchange of each request whose tokens were told in full: what failed or was cut is
/// made again, and comes on top of every plan.
fn load(record: &Record, ledger: &Ledger) -> Load {
    let (mut coverage, mut duels) = (Counted::default(), Counted::default());
    for task in record.first_tasks() {
        let replies = ledger.attempts(task.key()).iter().filter(|it| it.is_reply());
        let mut told = replies.filter_map(|it| Some((it.usage.input?, it.usage.output?)));
        let Some((input, output)) = told.next_back() else {
            continue;
        };
        let (sum, items) = match &task {
            Task::Coverage(task) => (&mut coverage, u64::from(task.len)),
            Task::Preference(_) => (&mut duels, 0),
        };
        sum.calls += 1;
        sum.input = sum.input.saturating_add(input);
        sum.output = sum.output.saturating_add(output);
        sum.items += items;
    }
    let mut load = Load { batch: record.settings.judge.batch() as u32, ..Load::ASSUMED };
    if 0 < coverage.calls {
        load.input = coverage.mean(coverage.input, load.input_per_item);
        load.output = coverage.mean(coverage.output, load.output_per_item);
    }
    if 0 < duels.calls {
        load.duel_input = duels.mean(duels.input, 0.0);
        load.duel_output = duels.mean(duels.output, 0.0);
    }
    if 0 < coverage.calls + duels.calls {
        load.source = LoadSource::Run { calls: coverage.calls, duels: duels.calls };
    }
    load
}
