//! The Inspect page.

use leptos::prelude::*;

#[component]
pub fn InspectPage() -> impl IntoView {
    view! { <h1>"Inspect"</h1> }
}
