//! How much is enough: sliders for a plan, and what it could show.

use leptos::prelude::*;

use crate::metrics::PlanSketch;
use crate::ui::command::Command;
use crate::ui::part::blocks::blocks_view;
use crate::ui::react::memo;
use crate::ui::session::Session;

/// Most queries and systems that sliders go to where nothing is loaded.
const QUERIES: u32 = 3750;
const SYSTEMS: u32 = 20;
const BATTLES: u32 = 500;
const REPEATS: u32 = 5;

/// Folded until somebody asks: what stands in it is computed by a worker.
#[component]
pub fn SketchDetails() -> impl IntoView {
    let session = expect_context::<Session>();
    let plan = memo(move || session.sketch.with(|it| it.plan));
    let blocks = move || session.sketch.with(|it| it.blocks.clone());
    let queries = memo(move || {
        let loaded =
            session.workspace.with(|it| Some(it.ready()?.dataset.as_ref()?.summary.queries));
        loaded.map_or(QUERIES, |it| (it as u32).max(10))
    });
    view! {
        <details on:toggle=move |_| session.send(Command::Sketch(None))>
            <summary>"How much is enough?"</summary>
            <div class="stack">
                <p class="help">
                    "Move the sliders: how small a difference between systems could such a plan show, and what would it take? It learns from the run you look at, as far as that goes."
                </p>
                <Show when=move || plan.with(Option::is_some)>
                    <div class="sliders">
                        <Slider
                            name="Queries"
                            range=Signal::derive(move || (2, queries.get()))
                            read=|it| it.queries
                            write=|it, n| it.queries = n
                        />
                        <Slider
                            name="Systems compared"
                            range=Signal::stored((2, SYSTEMS))
                            read=|it| it.systems
                            write=|it, n| it.systems = n
                        />
                        <Slider
                            name="Battles of each pair"
                            range=Signal::derive(move || (0, queries.get().min(BATTLES)))
                            read=|it| it.battles_per_pair
                            write=|it, n| it.battles_per_pair = n
                        />
                        <Slider
                            name="Times judged"
                            range=Signal::stored((1, REPEATS))
                            read=|it| it.repeats
                            write=|it, n| it.repeats = n
                        />
                    </div>
                    <div data-testid="plan-outlook" role="status">
                        {move || blocks_view(blocks())}
                    </div>
                </Show>
            </div>
        </details>
    }
}

/// One number of the plan.
#[component]
fn Slider(
    name: &'static str,
    range: Signal<(u32, u32)>,
    read: fn(&PlanSketch) -> u32,
    write: fn(&mut PlanSketch, u32),
) -> impl IntoView {
    let session = expect_context::<Session>();
    let value = memo(move || session.sketch.with(|it| it.plan.as_ref().map_or(0, read)));
    let moved = move |event| {
        let number: Option<u32> = event_target_value(&event).parse().ok();
        let plan = session.sketch.with_untracked(|it| it.plan);
        if let Some((mut plan, number)) = plan.zip(number) {
            write(&mut plan, number);
            session.send(Command::Sketch(Some(plan)));
        }
    };
    view! {
        <label>
            <span>{name}</span>
            <input
                type="range"
                min=move || range.get().0.to_string()
                max=move || range.get().1.to_string()
                prop:value=move || value.get().to_string()
                on:input=moved
            />
            <output>{move || value.get()}</output>
        </label>
    }
}
