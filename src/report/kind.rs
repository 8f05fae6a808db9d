//! Which types of rubric items systems fall short on, as a table.

use crate::metrics::TypeTable;
use crate::report::block::{Block, Table};
use crate::report::number::{self, count, counted};

/// How common each type is, and how often each system does not cover it in full. Nothing where no item has
/// a type, or no system an item.
pub fn blocks(types: &TypeTable) -> Vec<Block> {
    if types.labels == 0 || types.rows.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(
        "By rubric type",
        1,
        &["Type", "Items", "% of items with a type", "% of types assigned"],
    );
    table.head.extend(types.rows.iter().map(|it| format!("{} not in full %", it.name)));
    let kinds = types.frequencies.iter().enumerate().filter(|(_, kind)| 0 < kind.items);
    table.rows = kinds
        .map(|(at, kind)| {
            let mut row = vec![
                kind.item_type.as_str().to_owned(),
                count(kind.items),
                number::or_none(kind.share_of_items, number::percent1),
                number::or_none(kind.share_of_labels, number::percent1),
            ];
            row.extend(types.rows.iter().filter_map(|it| it.cells.get(at)).map(|cell| {
                let few = if cell.few { ", few" } else { "" };
                format!("{} (n = {}{few})", number::or_none(cell.error, number::percent1), cell.n)
            }));
            row
        })
        .collect();
    vec![Block::Table(table), Block::Text(foot(types))]
}

/// What is counted.
fn foot(table: &TypeTable) -> String {
    let untyped = match table.untyped {
        0 => String::new(),
        n => format!(" {} without a type in no share here.", counted(n, "item is", "items are")),
    };
    format!(
        "{} with {}: an item can carry several, so its shares of items can sum to more than 100.{untyped} \
         n: items with a verdict.",
        counted(table.items, "item", "items"),
        counted(table.labels, "type assigned", "types assigned")
    )
}
