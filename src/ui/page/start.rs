//! The Start page.

use leptos::prelude::*;

#[component]
pub fn StartPage() -> impl IntoView {
    view! { <h1>"Start"</h1> }
}
