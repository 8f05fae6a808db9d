//! The Results page.

use leptos::prelude::*;

#[component]
pub fn ResultsPage() -> impl IntoView {
    view! { <h1>"Results"</h1> }
}
