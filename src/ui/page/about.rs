//! The About page: how each number is computed, for someone who will be asked about it.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::part::blocks::AsideView;
use crate::ui::session::{Aside, Session};

/// A worker has the text: most visitors never read it.
#[component]
pub fn AboutPage() -> impl IntoView {
    let session = expect_context::<Session>();
    session.send(Command::Ask(Aside::About));
    view! {
        <div class="page-head">
            <h1>"How each number is computed"</h1>
        </div>
        <AsideView aside=Signal::stored(Some(Aside::About)) />
    }
    .into_any()
}
