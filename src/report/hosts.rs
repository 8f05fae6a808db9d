//! Which host got how many calls, as a table.

use crate::report::block::{Block, Table};
use crate::report::number::{count, counted};
use crate::run::hosts::{HostCalls, Hosts};

/// `beside` are calls that no run made: examinations and lists of models. `date` writes a moment.
pub fn blocks(hosts: &Hosts, beside: &[HostCalls], date: impl Fn(f64) -> String) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut add = |label: &str, lines: &[HostCalls]| {
        if lines.is_empty() {
            return;
        }
        let mut table =
            Table::new(label, 1, &["Host", "Calls", "With a reply", "First (UTC)", "Last (UTC)"]);
        table.rows = lines
            .iter()
            .map(|it| {
                vec![
                    it.host.clone(),
                    count(it.calls),
                    count(it.replies),
                    date(it.first),
                    date(it.last),
                ]
            })
            .collect();
        blocks.push(Block::Heading(label.to_owned()));
        blocks.push(Block::Table(table));
    };
    add("Judging", &hosts.hosts);
    add("Tests and lists of models, since this page was opened", beside);
    if blocks.is_empty() {
        blocks.push(Block::Text("No call to a judge is on record.".to_owned()));
    }
    let left_out = [
        (hosts.unknown, "of runs that were deleted: where they went is not known any more"),
        (hosts.of_files, "of run files, which may have been made on other devices"),
    ];
    for (n, what) in left_out.into_iter().filter(|(n, _)| 0 < *n) {
        let calls = counted(n, "call is", "calls are");
        blocks.push(Block::Text(format!("{calls} on record {what}.")));
    }
    blocks.push(Block::Text(
        "Counted from the replies and failures stored here. Loading a benchmark asks its Hub, which is not in this table."
            .to_owned(),
    ));
    blocks
}
