//! Ratings by field, behind a switch: few battles each, so nothing here is ranked.

use leptos::prelude::*;

use crate::metrics::leaderboard::{FieldOutcome, FieldRating, FieldRatings};
use crate::report::number::{counted, fixed};
use crate::ui::part::field::CheckField;
use crate::ui::react::memo;
use crate::ui::session::Session;

/// Only where the fields of the queries are known: for battles of a run.
#[component]
pub fn Fields() -> impl IntoView {
    let session = expect_context::<Session>();
    let known = memo(move || {
        session.ratings.battles.with(|it| it.as_ref().is_some_and(|it| it.about.run.is_some()))
    });
    view! {
        <Show when=move || known.get()>
            <div class="stack">
                <CheckField
                    id="rating-fields"
                    label="Exploratory: ratings by field"
                    checked=session.ratings.wants_fields
                    help=Signal::stored(
                        "Few battles a field, and many fields: some differ by chance alone. The paired coverage by field below is the better guide."
                            .to_owned(),
                    )
                    on_change=Callback::new(move |on| session.rate_fields(on))
                />
                {move || session.ratings.fields.get().map(|it| view! { <Table ratings=it /> })}
            </div>
        </Show>
    }
}

#[component]
fn Table(ratings: FieldRatings) -> impl IntoView {
    let session = expect_context::<Session>();
    let names = session
        .ratings
        .battles
        .with_untracked(|it| it.as_ref().map(|it| it.about.systems.clone()))
        .unwrap_or_default();
    let n = names.len();
    let heads = names.into_iter().map(|name| view! { <th scope="col" class="num">{name}</th> });
    let rows = ratings.fields.iter().map(|field| {
        view! {
            <tr>
                <th scope="row">{field.field.clone()}</th>
                <td class="num">{field.battles}</td>
                {cells(field, n).into_iter().map(|text| view! { <td class="num">{text}</td> }).collect_view()}
            </tr>
        }
    });
    view! {
        <p class="small">{about(&ratings)}</p>
        <div class="wide-table" tabindex="0" role="region" aria-label="Ratings by field">
            <table class="table" aria-label="Exploratory ratings by field">
                <thead>
                    <tr>
                        <th scope="col">"Field"</th>
                        <th scope="col" class="num">"Battles"</th>
                        {heads.collect_view()}
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// A rating with its error for each system, or why there is none.
fn cells(field: &FieldRating, n: usize) -> Vec<String> {
    match &field.outcome {
        FieldOutcome::Withheld { .. } => vec!["withheld".to_owned(); n],
        FieldOutcome::Rated { rows, .. } => (0..n)
            .map(|system| {
                let row = rows.iter().find(|row| row.system == system);
                row.map_or("–".to_owned(), |row| match row.standard_error {
                    Some(error) => format!("{} ± {}", fixed(row.rating, 0), fixed(error, 0)),
                    None => fixed(row.rating, 0),
                })
            })
            .collect(),
    }
}

fn about(ratings: &FieldRatings) -> String {
    let withheld = ratings
        .fields
        .iter()
        .filter(|field| matches!(field.outcome, FieldOutcome::Withheld { .. }))
        .count() as u64;
    let error = ratings.largest_error.map_or_else(
        || "No standard error can be stated.".to_owned(),
        |error| {
            format!("Rating ± standard error; the largest error is {} points.", fixed(error, 0))
        },
    );
    let withheld = if withheld == 0 {
        String::new()
    } else {
        format!(
            " Withheld, as battles do not connect all systems: {}.",
            counted(withheld, "field", "fields")
        )
    };
    format!(
        "{error}{withheld} In the order of the data: no field and no system is best or worst here."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::leaderboard::FieldRow;

    #[test]
    fn a_field_without_a_rating_says_so() {
        let field =
            |outcome| FieldRating { field: "F".to_owned(), battles: 4, queries: 2, outcome };
        let rated = FieldOutcome::Rated {
            rows: vec![FieldRow { system: 1, rating: 1040.4, standard_error: Some(61.2) }],
            no_spread: None,
        };
        assert_eq!(cells(&field(rated.clone()), 2), ["–", "1040 ± 61"]);
        let withheld = FieldOutcome::Withheld { missing: 1 };
        assert_eq!(cells(&field(withheld.clone()), 2), ["withheld", "withheld"]);
        let all =
            FieldRatings { fields: vec![field(rated), field(withheld)], largest_error: Some(61.2) };
        assert!(about(&all).contains("61 points") && about(&all).contains("1 field"));
    }
}
