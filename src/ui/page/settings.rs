//! The Settings page.

use leptos::prelude::*;

#[component]
pub fn SettingsPage() -> impl IntoView {
    view! { <h1>"Settings"</h1> }
}
