//! Time and chance.

use std::time::Duration;

use wasm_bindgen::JsValue;

/// UTC, milliseconds since the epoch.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// `2026-01-31T12:00:00Z`; the present where `at` is no time.
pub fn rfc3339(at: f64) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(at));
    let text = if date.get_time().is_nan() {
        js_sys::Date::new_0().to_iso_string()
    } else {
        date.to_iso_string()
    };
    let text = String::from(text);
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

/// `2026-01-31 12:00`, UTC.
pub fn minute(at: f64) -> String {
    rfc3339(at).chars().take(16).map(|it| if it == 'T' { ' ' } else { it }).collect()
}

pub async fn sleep(duration: Duration) {
    // `setTimeout` takes a signed 32-bit count of milliseconds.
    let ms = u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).min(i32::MAX as u32);
    gloo_timers::future::TimeoutFuture::new(ms).await;
}

/// Anything in `0.0..1.0`. For jitter and storage keys, never for statistics.
pub fn chance() -> f64 {
    js_sys::Math::random()
}
