//! The Data page.

use leptos::prelude::*;

#[component]
pub fn DataPage() -> impl IntoView {
    view! { <h1>"Data"</h1> }
}
