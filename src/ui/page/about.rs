//! The About page.

use leptos::prelude::*;

#[component]
pub fn AboutPage() -> impl IntoView {
    view! { <h1>"About"</h1> }
}
