//! The Report page.

use leptos::prelude::*;

#[component]
pub fn ReportPage() -> impl IntoView {
    view! { <h1>"Report"</h1> }
}
