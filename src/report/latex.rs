//! A LaTeX table for a paper: `booktabs`, UTF-8.

use std::fmt::Write as _;

use crate::metrics::CoverageTable;
use crate::report::grid::Grid;
use crate::report::{Provenance, WATERMARK, clean, measure, notes};

/// The coverage table. Its caption states every denominator, so that it cannot be quoted without them.
pub fn table(table: &CoverageTable, provenance: &Provenance) -> String {
    let practice = table.practice || provenance.practice;
    let grid = Grid::coverage(table, practice);
    let mut sentences = vec![format!("{}.", measure(practice))];
    if practice {
        sentences.push(format!("{WATERMARK}."));
    }
    sentences.extend(notes::all(table, provenance));
    let caption: Vec<String> = sentences.iter().map(|sentence| escape(sentence)).collect();

    let mut text = String::from("% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n");
    writeln!(text, "\\caption{{{}}}", caption.join(" ")).ok();
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
    text.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    text
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
