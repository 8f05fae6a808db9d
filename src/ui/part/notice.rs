//! What happened, why, what next.

use leptos::prelude::*;

use crate::ui::session::Tone;
use crate::worker::Notice;

/// A block that says so. Failures are announced at once.
#[component]
pub fn NoticeView(
    tone: Tone,
    notice: Notice,
    /// Buttons below the words.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let (class, role) = match tone {
        Tone::Plain => ("notice", "status"),
        Tone::Warn => ("notice notice--warn", "status"),
        Tone::Bad => ("notice notice--bad", "alert"),
    };
    view! {
        <div class=class role=role>
            <h2>{notice.what}</h2>
            <p>{notice.why} " " {notice.next}</p>
            {children.map(|children| view! { <div class="actions">{children()}</div> })}
        </div>
    }
}
