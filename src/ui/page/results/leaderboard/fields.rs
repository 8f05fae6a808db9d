//! Ratings by field, behind a switch: few battles each, so nothing here is ranked.

use leptos::prelude::*;

use crate::ui::part::blocks::blocks_view;
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
                {move || session.ratings.fields.get().map(blocks_view)}
            </div>
        </Show>
    }
}
