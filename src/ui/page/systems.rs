//! The Systems page.

use leptos::prelude::*;

#[component]
pub fn SystemsPage() -> impl IntoView {
    view! { <h1>"Systems"</h1> }
}
