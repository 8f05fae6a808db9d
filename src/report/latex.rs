//! A LaTeX table for a paper: `booktabs`, UTF-8.

use std::fmt::Write as _;

use crate::metrics::CoverageTable;
use crate::report::grid::Grid;
use crate::report::number::counted;
use crate::report::{Provenance, WATERMARK, clean, measure, notes};

/// The coverage table. Its caption says what, by whom, of how many and under which reading; every
/// denominator stands below it in the same float, so that it cannot be set without them.
pub fn table(table: &CoverageTable, provenance: &Provenance) -> String {
    let practice = table.practice || provenance.practice;
    let grid = Grid::coverage(table, practice);
    let mut caption = vec![format!(
        "{} on {}, {}.",
        measure(practice),
        provenance.dataset,
        counted(table.n_queries, "query", "queries")
    )];
    if practice {
        caption.push(format!("{WATERMARK}."));
    }
    caption.push(format!("Judge: {}.", provenance.judge));
    caption.push(format!("Reading: {}.", table.reading.as_str()));

    let mut text = String::from("% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n");
    writeln!(text, "\\caption{{{}}}", joined(&caption)).ok();
    text.push_str("\\label{tab:viva-coverage}\n\\small\n");
    if practice {
        writeln!(text, "\\textbf{{{}}}\\par\\smallskip", escape(WATERMARK)).ok();
    }
    writeln!(text, "\\begin{{tabular}}{{l{}}}", "r".repeat(grid.head.len() - 1)).ok();
    text.push_str("\\toprule\n");
    row(&mut text, &grid.head);
    text.push_str("\\midrule\n");
    for cells in &grid.rows {
        row(&mut text, cells);
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    let notes = joined(&notes::all(table, provenance));
    writeln!(
        text,
        "\\par\\medskip\n\\begin{{minipage}}{{\\linewidth}}\n\\footnotesize\n{notes}\n\\end{{minipage}}"
    )
    .ok();
    text.push_str("\\end{table}\n");
    text
}

fn joined(sentences: &[String]) -> String {
    sentences.iter().map(|it| escape(it)).collect::<Vec<_>>().join(" ")
}

/// Foreign text for one line: no command, no comment, no cell, no formula, no ligature.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    for c in clean::line(text).chars() {
        // `--`, two quotes or ?` would be set as another character.
        let is_ligature = matches!(
            (before, c),
            (Some('-'), '-') | (Some('\''), '\'') | (Some('`' | '?' | '!'), '`') | (Some(','), ',')
        );
        if is_ligature {
            escaped.push_str("{}");
        }
        before = Some(c);
        match c {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // `\textquotedbl` needs a font encoding that many papers do not load.
            '"' => escaped.push_str("\\symbol{34}"),
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // After the `\\` of the row before, `[` would open a length and `*` a starred line break.
            '[' | ']' | '*' => {
                escaped.push('{');
                escaped.push(c);
                escaped.push('}');
            }
            '–' => escaped.push_str("--"),
            '−' => escaped.push_str("$-$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn row(text: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    writeln!(text, "{} \\\\", cells.join(" & ")).ok();
}
