//! A list of any length of which only what is on the screen is there.

use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::edge::page;
use crate::ui::react::{effect, memo};

/// Height of a row, as the stylesheet has it.
const ROW_REM: f64 = 5.5;
/// Rows beyond the screen, so that a flick finds something.
const SPARE: u64 = 8;

/// Rows by their number, from 0. Arrow keys move, Enter opens. `on_show` hears which rows are needed.
#[component]
pub fn WindowList(
    label: &'static str,
    #[prop(into)] total: Signal<u64>,
    /// Raised when another list takes the place of this one.
    #[prop(into)]
    version: Signal<u64>,
    row: Callback<u64, AnyView>,
    on_show: Callback<(u64, u64)>,
    on_open: Callback<u64>,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let top = RwSignal::new(0.0);
    let height = RwSignal::new(0.0);
    let active = RwSignal::new(0_u64);
    let waiting = StoredValue::new(false);
    let measure = move || {
        if let Some(list) = list.get_untracked() {
            top.set(f64::from(list.scroll_top()));
            height.set(f64::from(list.client_height()));
        }
    };
    // Once a frame, however often the browser says that it scrolled.
    let scrolled = move |_| {
        if !waiting.get_value() {
            waiting.set_value(true);
            request_animation_frame(move || {
                waiting.set_value(false);
                measure();
            });
        }
    };
    effect(move || {
        version.track();
        total.track();
        if let Some(list) = list.get() {
            list.set_scroll_top(0);
        }
        active.set(0);
        measure();
    });
    let resize = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resize.remove());
    let shown = memo(move || {
        let (total, row_px) = (total.get(), row_px());
        let first = (top.get() / row_px) as u64;
        let last = first + (height.get() / row_px) as u64 + 1;
        (first.saturating_sub(SPARE).min(total), (last + SPARE + 1).min(total))
    });
    effect(move || {
        version.track();
        let (first, last) = shown.get();
        if first < last {
            on_show.run((first, last - 1));
        }
    });
    let step = move |event: KeyboardEvent| {
        let (total, row_px) = (total.get_untracked(), row_px());
        let page = ((height.get_untracked() / row_px) as u64).max(1);
        let at = active.get_untracked();
        let to = match event.key().as_str() {
            "Enter" | " " if 0 < total => {
                event.prevent_default();
                on_open.run(at);
                return;
            }
            key => step_to(key, at, page, total),
        };
        let Some(to) = to else { return };
        event.prevent_default();
        active.set(to);
        if let Some(list) = list.get_untracked() {
            bring_into_view(&list, to as f64 * row_px, row_px);
        }
    };
    let choose = Callback::new(move |at| {
        active.set(at);
        on_open.run(at);
    });
    view! {
        <div
            node_ref=list
            class="window"
            role="listbox"
            tabindex="0"
            aria-label=label
            aria-activedescendant=move || {
                (0 < total.get()).then(|| format!("window-row-{}", active.get()))
            }
            on:scroll=scrolled
            on:keydown=step
        >
            <Rows total=total version=version shown=shown active=active row=row choose=choose />
        </div>
    }
}

/// What is on the screen, at its place in the height of all.
#[component]
fn Rows(
    total: Signal<u64>,
    version: Signal<u64>,
    shown: Memo<(u64, u64)>,
    active: RwSignal<u64>,
    row: Callback<u64, AnyView>,
    choose: Callback<u64>,
) -> impl IntoView {
    view! {
        <div
            class="window__all"
            role="presentation"
            style:height=move || format!("{}px", total.get() as f64 * row_px())
        >
            <div
                class="window__part"
                role="presentation"
                style:transform=move || format!("translateY({}px)", shown.get().0 as f64 * row_px())
            >
                <For
                    each=move || {
                        let (first, last) = shown.get();
                        let version = version.get();
                        (first..last).map(move |at| (version, at))
                    }
                    key=|it| *it
                    let((_, at))
                >
                    <div
                        class="window__row"
                        role="option"
                        id=format!("window-row-{at}")
                        aria-selected=move || (active.get() == at).to_string()
                        aria-setsize=move || total.get().to_string()
                        aria-posinset=(at + 1).to_string()
                        on:click=move |_| choose.run(at)
                    >
                        {row.run(at)}
                    </div>
                </For>
            </div>
        </div>
    }
}

/// Height of a row in pixels; the size of letters is the reader's choice.
fn row_px() -> f64 {
    ROW_REM * page::root_font_size()
}

/// Where a key leads from a row. `None` for keys that lead nowhere.
fn step_to(key: &str, at: u64, page: u64, total: u64) -> Option<u64> {
    let last = total.checked_sub(1)?;
    let to = match key {
        "ArrowDown" => at + 1,
        "ArrowUp" => at.saturating_sub(1),
        "PageDown" => at + page,
        "PageUp" => at.saturating_sub(page),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    Some(to.min(last))
}

fn bring_into_view(list: &web_sys::HtmlDivElement, start: f64, height: f64) {
    let (top, all) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
    if start < top {
        list.set_scroll_top(start as i32);
    } else if top + all < start + height {
        list.set_scroll_top((start + height - all).ceil() as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::step_to;

    #[test]
    fn keys_lead_inside_the_list() {
        assert_eq!(step_to("ArrowDown", 9, 5, 10), Some(9));
        assert_eq!(step_to("ArrowUp", 0, 5, 10), Some(0));
        assert_eq!(step_to("PageDown", 2, 5, 10), Some(7));
        assert_eq!(step_to("End", 2, 5, 10), Some(9));
        assert_eq!(step_to("End", 0, 5, 0), None);
        assert_eq!(step_to("a", 0, 5, 10), None);
    }
}
