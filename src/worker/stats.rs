//! The statistics worker's work: tables and texts from one sheet. Pure.

pub mod ratings;

use crate::metrics::{self, View};
use crate::report::{self, Provenance, Summary};
use crate::run::Sheet;
use crate::worker::{ExportFormat, Tables};

/// Everything the results page shows of a sheet. Without a chosen baseline the leader is one.
pub fn tables(sheet: &Sheet, view: &View) -> Tables {
    let coverage = metrics::coverage(sheet, view);
    let baseline = view.baseline.or_else(|| metrics::leader(&coverage));
    let differences = baseline.map(|it| metrics::differences(sheet, view, it)).unwrap_or_default();
    let against_leader = match metrics::leader(&coverage) {
        Some(leader) if Some(leader) != baseline => metrics::differences(sheet, view, leader),
        _ => differences.clone(),
    };
    let headline = metrics::headline(&coverage, &against_leader);
    let mut domains: Vec<String> = Vec::new();
    let mut fields: Vec<(String, String)> = Vec::new();
    for case in &sheet.frame.cases {
        if !case.domain.is_empty() && !domains.contains(&case.domain) {
            domains.push(case.domain.clone());
        }
        let field = (case.field.clone(), case.domain.clone());
        if !case.field.is_empty() && !fields.contains(&field) {
            fields.push(field);
        }
    }
    Tables {
        by_domain: metrics::by_domain(sheet, view),
        by_field: metrics::by_field(sheet, view),
        types: report::kind::blocks(&metrics::by_type(sheet, view)),
        baseline,
        differences,
        headline,
        domains,
        fields,
        systems: sheet.frame.systems.iter().map(|it| it.name.to_string()).collect(),
        tally: sheet.tally(),
        coverage,
    }
}

/// One of the tables as text to hand out.
pub fn export(sheet: &Sheet, view: &View, format: ExportFormat, provenance: &Provenance) -> String {
    let tables = tables(sheet, view);
    match format {
        ExportFormat::Csv => {
            report::csv::coverage(&tables.coverage, provenance, report::csv::Bom::With)
        }
        ExportFormat::Markdown => report::markdown::table(&tables.coverage, provenance),
        ExportFormat::Latex => report::latex::table(&tables.coverage, provenance),
        ExportFormat::Summary => report::summary(&Summary {
            provenance,
            headline: &tables.headline,
            coverage: &tables.coverage,
            differences: &tables.differences,
            domains: &tables.by_domain,
            fields: &tables.by_field,
            types: &metrics::by_type(sheet, view),
        }),
    }
}
