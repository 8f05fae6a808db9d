//! Which types of rubric items systems fall short on.

use leptos::prelude::*;

use crate::ui::part::blocks::blocks_view;
use crate::ui::react::memo;
use crate::ui::session::Session;

/// How common each type is, and how often each system does not cover it in full.
#[component]
pub fn TypeSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let any =
        memo(move || session.tables.with(|it| it.ready().is_some_and(|it| !it.types.is_empty())));
    view! {
        <Show when=move || any.get()>
            <section class="section section--noted" aria-labelledby="results-types">
                <h2 id="results-types">"By rubric type"</h2>
                <div class="with-margin">
                    <div>
                        {move || {
                            session.tables.with(|it| it.ready().map(|it| blocks_view(it.types.clone())))
                        }}
                    </div>
                    <div class="note" role="note">
                        <p>
                            <b>"Not in full"</b>
                            ": of the items of a type with a verdict, the share not rated “Completely”. Lower is better."
                        </p>
                        <p>
                            "A rubric type chosen above is set aside here, for it would leave one row."
                        </p>
                    </div>
                </div>
            </section>
        </Show>
    }
}
