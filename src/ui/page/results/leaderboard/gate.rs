//! What stands in the place of ratings where none exists.

use leptos::prelude::*;

use crate::report::Block;
use crate::ui::part::blocks::blocks_view;
use crate::ui::session::Session;
use crate::worker::BoardView;

/// Reason, what can be said, the grid, the remedy.
#[component]
pub fn Gate() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(BoardView::Withheld { title, blocks, .. }) => Some(draw(title, blocks)),
            _ => None,
        })
    }} }
}

fn draw(title: &str, blocks: &[Block]) -> AnyView {
    view! {
        <div
            class="notice notice--gate"
            data-testid="rating-gate"
            role="region"
            aria-labelledby="rating-gate-title"
        >
            <h3 id="rating-gate-title">{title.to_owned()}</h3>
            {blocks_view(blocks.to_vec())}
        </div>
    }
    .into_any()
}
