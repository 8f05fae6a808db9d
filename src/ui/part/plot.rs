//! Dot and interval: inline SVG with x in per cent, so that the mark keeps its shape at any width.

use leptos::prelude::*;

/// Per cent of the width left free at each side.
const EDGE: f64 = 4.0;

/// Narrower than this, the axis is widened.
const LEAST: f64 = 0.3;

/// A linear scale with round ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    pub ticks: Vec<f64>,
}

impl Scale {
    /// Covers `values`, in per cent or points, with at most four ticks on a step of 1, 2 or 5 times a
    /// power of ten.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Self {
        Self::within(f64::NEG_INFINITY, f64::INFINITY, values)
    }

    /// For per cent of a whole: an interval may pass 0 or 100, the axis does not.
    pub fn of_whole(values: impl IntoIterator<Item = f64>) -> Self {
        Self::within(0.0, 100.0, values)
    }

    fn within(floor: f64, ceiling: f64, values: impl IntoIterator<Item = f64>) -> Self {
        let finite =
            values.into_iter().filter(|it| it.is_finite()).map(|it| it.clamp(floor, ceiling));
        let (mut low, mut high) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                (low.min(it), high.max(it))
            });
        if high < low {
            (low, high) = (0.0, 1.0);
        }
        // Ticks are printed with one decimal: on a narrower axis several would read alike.
        if high - low < LEAST {
            low = (f64::midpoint(low, high) - 0.5).clamp(floor, ceiling - 1.0);
            high = low + 1.0;
        }
        let rough = (high - low) / 3.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|it| it * power)
            .find(|step| rough <= *step)
            .unwrap_or(power);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        Self { low, high, ticks: (first..=last).map(|it| it as f64 * step).collect() }
    }

    /// Where `value` stands, as an SVG length.
    pub fn x(&self, value: f64) -> String {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        format!("{:.2}%", EDGE + share * (100.0 - 2.0 * EDGE))
    }
}

/// How a mark is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    Ink,
    /// A difference above zero whose interval leaves zero out.
    Above,
    Below,
}

impl Shade {
    fn class(self) -> &'static str {
        match self {
            Self::Ink => "",
            Self::Above => " above",
            Self::Below => " below",
        }
    }
}

/// One row's mark. `label` says its numbers in words.
#[component]
pub fn Plot(
    scale: Scale,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// The second reading, drawn as a ring where it differs.
    #[prop(default = None)]
    ring: Option<f64>,
    /// A line at zero, for differences.
    #[prop(default = false)]
    zero: bool,
    #[prop(default = Shade::Ink)] shade: Shade,
    label: String,
) -> impl IntoView {
    let grid = scale
        .ticks
        .iter()
        .map(|tick| {
            let x = scale.x(*tick);
            let class = if zero && tick.abs() < 1e-12 { "zero" } else { "grid" };
            view! { <line class=class x1=x.clone() x2=x y1="0" y2="100%" /> }
        })
        .collect_view();
    let bar = low.zip(high).map(|(low, high)| {
        let class = format!("bar{}", shade.class());
        view! { <line class=class x1=scale.x(low) x2=scale.x(high) y1="50%" y2="50%" /> }
    });
    let ring = ring.map(|it| view! { <circle class="ring" cx=scale.x(it) cy="50%" r="4" /> });
    let dot = value.map(|it| {
        let class = format!("dot{}", shade.class());
        view! { <circle class=class cx=scale.x(it) cy="50%" r="5" /> }
    });
    view! {
        <svg class="plot" role="img" aria-label=label>
            {grid}
            {bar}
            {ring}
            {dot}
        </svg>
    }
}

/// The numbers below the grid lines. The table is the data, so screen readers skip it.
#[component]
pub fn Axis(
    scale: Scale,
    /// How a tick reads.
    label: fn(f64) -> String,
    #[prop(default = "axis")] class: &'static str,
) -> impl IntoView {
    let texts = scale
        .ticks
        .iter()
        .map(|tick| {
            view! {
                <text x=scale.x(*tick) y="14" text-anchor="middle">
                    {label(*tick)}
                </text>
            }
        })
        .collect_view();
    view! {
        <svg class=class aria-hidden="true">
            {texts}
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let scale = Scale::over([42.0, 66.8]);
        assert!((2..=4).contains(&scale.ticks.len()), "{:?}", scale.ticks);
        for tick in &scale.ticks {
            assert!((tick / 5.0 - (tick / 5.0).round()).abs() < 1e-9, "{tick}");
        }
        assert_eq!(Scale::over([]).x(0.5), "50.00%");
        assert_eq!(Scale::over([0.3, 0.3]).x(0.3), "50.00%");
    }

    #[test]
    fn equal_values_get_ticks_that_read_apart() {
        for value in [0.0, 62.5, 62.53, 100.0] {
            let scale = Scale::of_whole([value, value]);
            let mut read: Vec<String> = scale.ticks.iter().map(|it| format!("{it:.1}")).collect();
            read.dedup();
            assert_eq!(read.len(), scale.ticks.len(), "{:?}", scale.ticks);
            assert!(scale.ticks.iter().all(|it| (0.0..=100.0).contains(it)), "{:?}", scale.ticks);
        }
    }

    #[test]
    fn shares_of_a_whole_stay_on_the_axis() {
        let scale = Scale::of_whole([-35.0, 50.0, 135.0]);
        assert_eq!((scale.ticks.first(), scale.ticks.last()), (Some(&0.0), Some(&100.0)));
        assert_eq!(scale.x(-35.0), scale.x(0.0));
        assert_eq!(scale.x(135.0), scale.x(100.0));
    }
}
