//! Differences from a baseline, query by query.

use leptos::prelude::*;

use crate::metrics::{Difference, Finding};
use crate::report::number;
use crate::ui::part::field::SelectField;
use crate::ui::part::number::Count;
use crate::ui::part::plot::{Axis, Plot, Scale, Shade};
use crate::ui::react::memo;
use crate::ui::session::Session;

/// The table and the choice of its baseline. Absent with one system.
#[component]
pub fn DifferenceSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || {
        session.tables.with(|it| it.ready().is_some_and(|it| !it.differences.is_empty()))
    });
    view! {
        <Show when=move || any.get()>
            <section class="section section--noted" aria-labelledby="results-differences">
                <header>
                    <h2 id="results-differences">"Differences from a baseline"</h2>
                    <BaselineField />
                </header>
                <div class="with-margin">
                    <div>
                        {move || {
                            session.tables.with(|it| it.ready().map(|it| draw(&it.differences)))
                        }}
                    </div>
                    <div class="note" role="note">
                        <p>
                            "Both systems are compared "
                            <b>"query by query"</b>
                            ", on the queries both answered. That is sharper than comparing two means."
                        </p>
                    </div>
                </div>
            </section>
        </Show>
    }
}

/// Which system the others are compared with.
#[component]
fn BaselineField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options = memo(move || {
        let names =
            session.tables.with(|it| it.ready().map(|it| it.systems.clone()).unwrap_or_default());
        let hidden = session.view.with(|it| it.hidden.clone());
        names
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !hidden.contains(at))
            .map(|(at, name)| (at.to_string(), name))
            .collect::<Vec<_>>()
    });
    let value = memo(move || {
        let used = session.tables.with(|it| it.ready().and_then(|it| it.baseline));
        used.map_or_else(String::new, |at| at.to_string())
    });
    let choose = Callback::new(move |at: String| {
        session.view.update(|it| it.baseline = at.parse().ok());
    });
    view! {
        <SelectField
            id="results-baseline"
            label="Baseline"
            inline=true
            options=options
            value=value
            on_change=choose
        />
    }
}

/// What a row shows, as text.
struct Row {
    name: String,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    said: String,
    points: String,
    interval: String,
    n: u64,
    reading: String,
    shade: Shade,
}

impl Row {
    fn of(gap: &Difference) -> Self {
        let percent = |share: Option<f64>| share.map(|it| it * 100.0);
        let points = number::or_none(gap.mean, number::points);
        let interval = number::bounds_or_none(gap.low, gap.high, number::points_interval);
        Self {
            name: gap.name.clone(),
            value: percent(gap.mean),
            low: percent(gap.low),
            high: percent(gap.high),
            said: format!("{points} points, interval {interval}"),
            points,
            interval,
            n: gap.n,
            reading: finding(gap),
            shade: match gap.finding {
                Finding::Higher => Shade::Above,
                Finding::Lower => Shade::Below,
                Finding::NoClearDifference | Finding::TooFew | Finding::Interim => Shade::Ink,
            },
        }
    }
}

/// The finding in words, so that no colour says it alone.
fn finding(gap: &Difference) -> String {
    match gap.finding {
        Finding::Higher => format!("higher than {}", gap.baseline_name),
        Finding::Lower => format!("lower than {}", gap.baseline_name),
        Finding::NoClearDifference => "no clear difference".to_owned(),
        Finding::TooFew => "too few queries".to_owned(),
        Finding::Interim => "interim".to_owned(),
    }
}

fn draw(gaps: &[Difference]) -> impl IntoView + use<> {
    let rows: Vec<Row> = gaps.iter().map(Row::of).collect();
    let ends = rows.iter().flat_map(|it| [it.value, it.low, it.high]).flatten();
    let scale = Scale::over(ends.chain([0.0]));
    let body =
        rows.into_iter().map(|row| view! { <Line row=row scale=scale.clone() /> }).collect_view();
    view! {
        <Axis scale=scale.clone() label=tick class="axis axis--phone" />
        <table class="table table--fold" role="table" aria-label="Differences from a baseline">
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"System"</th>
                    <th role="columnheader" scope="col" class="plot-cell">
                        <span class="sr-only">"Dot and interval"</span>
                        <Axis scale=scale label=tick />
                    </th>
                    <th role="columnheader" scope="col" class="r">"Points"</th>
                    <th role="columnheader" scope="col" class="r">"95% interval"</th>
                    <th role="columnheader" scope="col" class="r">"Queries"</th>
                    <th role="columnheader" scope="col">"Reading"</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{body}</tbody>
        </table>
    }
}

/// Signed, with a decimal only where it has one.
fn tick(value: f64) -> String {
    number::signed(value, usize::from(1e-6 < (value - value.round()).abs()))
}

/// One system against the baseline.
#[component]
fn Line(row: Row, scale: Scale) -> impl IntoView {
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{row.name}</th>
            <td role="cell" class="plot-cell">
                <Plot
                    scale=scale
                    value=row.value
                    low=row.low
                    high=row.high
                    zero=true
                    shade=row.shade
                    label=row.said
                />
            </td>
            <td role="cell" class="r key">{row.points}</td>
            <td role="cell" class="r second" data-label="Interval">{row.interval}</td>
            <td role="cell" class="r" data-label="Queries"><Count n=row.n /></td>
            <td role="cell" class="full" data-label="Reading">{row.reading}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_is_coloured_and_named() {
        let gap = Difference {
            system: 1,
            name: "dogwood".to_owned(),
            baseline: 0,
            baseline_name: "birch".to_owned(),
            mean: Some(-0.041),
            se: Some(0.015),
            low: Some(-0.071),
            high: Some(-0.012),
            n: 147,
            finding: Finding::Lower,
        };
        let row = Row::of(&gap);
        assert_eq!(row.said, "−4.1 points, interval −7.1 to −1.2");
        assert_eq!((row.reading.as_str(), row.shade), ("lower than birch", Shade::Below));
    }
}
