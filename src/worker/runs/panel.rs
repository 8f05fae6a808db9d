//! Several runs as one panel of judges.

use std::collections::BTreeSet;

use crate::ledger::Ledger;
use crate::metrics;
use crate::protocol::Reading;
use crate::report::panel::{PanelRun, PanelRuns};
use crate::run::record::Record;
use crate::run::{Sheet, spend};
use crate::worker::Notice;
use crate::worker::runs::Book;

impl Book {
    /// Runs of one benchmark, one a judge, on what all of them judged.
    ///
    /// # Errors
    /// In words, where they are no panel: too few, two by one judge, two benchmarks, no rubric items
    /// judged, or a reading that one of the judges has none of.
    pub fn panel(
        &self,
        ledger: &Ledger,
        runs: &[String],
        reading: Reading,
    ) -> Result<PanelRuns, Notice> {
        let records: Vec<&Record> =
            runs.iter().map(|run| self.record(run)).collect::<Result<_, _>>()?;
        let refused = |why: String, next: &str| {
            Err(Notice::new("These runs are no panel of judges", why, next))
        };
        let [first, others @ ..] = &records[..] else {
            return refused("None is chosen.".to_owned(), "Choose two runs or more.");
        };
        if others.is_empty() {
            return refused("One judge is no panel.".to_owned(), "Choose two runs or more.");
        }
        let mut judges = BTreeSet::new();
        for run in &records {
            if run.frame.dataset.digest != first.frame.dataset.digest {
                let (one, other) = (&first.frame.dataset.name, &run.frame.dataset.name);
                return refused(
                    format!(
                        "“{}” is on {one}, and “{}” is on {other} or another version of it.",
                        first.name, run.name
                    ),
                    "Choose runs on the same benchmark.",
                );
            }
            if !judges.insert(run.settings.judge.identity()) {
                return refused(
                    format!("“{}” is by the same judge as another of them.", run.name),
                    "Choose one run a judge: its voice would count twice.",
                );
            }
            if !run.settings.coverage {
                return refused(
                    format!("No checklist points were judged in “{}”.", run.name),
                    "Choose runs that judge them.",
                );
            }
            if reading != Reading::Recommended && !run.settings.judge.allows_all_readings() {
                return refused(
                    format!("The reading does not know the JSON replies of “{}”.", run.name),
                    "Choose the recommended reading.",
                );
            }
        }
        let sheets: Vec<Sheet> = records.iter().map(|run| run.sheet(ledger, reading)).collect();
        if let Some((run, why)) = records
            .iter()
            .zip(&sheets)
            .find_map(|(run, sheet)| Some((run, sheet.aborted.as_ref()?)))
        {
            return refused(format!("“{}”: {why}", run.name), "Choose another reading.");
        }
        let panel = metrics::panel(&sheets.iter().collect::<Vec<_>>());
        let runs = records
            .iter()
            .map(|run| PanelRun {
                id: run.id.clone(),
                name: run.name.clone(),
                spent: spend::spent(run, ledger),
            })
            .collect();
        Ok(PanelRuns { runs, panel })
    }
}
