//! Header, running head, notices and footer around the page one is on.

use leptos::prelude::*;

use crate::ui::page;
use crate::ui::route::Route;
use crate::ui::session::Session;

#[component]
pub fn App() -> impl IntoView {
    let session = Session::start();
    provide_context(session);
    view! {
        <main id="main" class="wrap" tabindex="-1">
            <Page />
        </main>
    }
}

#[component]
fn Page() -> impl IntoView {
    let session = expect_context::<Session>();
    // Inspect pages share one view: its number changes, the page stays.
    let kind = Memo::new(move |_| match session.route.get() {
        Route::Inspect(_) => Route::Inspect(0),
        route => route,
    });
    move || match kind.get() {
        Route::Start => view! { <page::start::StartPage /> }.into_any(),
        Route::Data => view! { <page::data::DataPage /> }.into_any(),
        Route::Systems => view! { <page::systems::SystemsPage /> }.into_any(),
        Route::Judge => view! { <page::judge::JudgePage /> }.into_any(),
        Route::Results => view! { <page::results::ResultsPage /> }.into_any(),
        Route::Inspect(_) => view! { <page::inspect::InspectPage /> }.into_any(),
        Route::Report => view! { <page::report::ReportPage /> }.into_any(),
        Route::Settings => view! { <page::settings::SettingsPage /> }.into_any(),
        Route::About => view! { <page::about::AboutPage /> }.into_any(),
    }
}
