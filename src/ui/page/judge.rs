//! The Judge page.

use leptos::prelude::*;

#[component]
pub fn JudgePage() -> impl IntoView {
    view! { <h1>"Judge"</h1> }
}
