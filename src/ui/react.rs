//! Memos and effects whose closures are boxed: what stands around a closure is compiled once for each type of
//! value, not once for each closure. That took some 10 kB (brotli) off the page.

use leptos::prelude::*;

/// As [`Memo::new`], without the value of before.
pub fn memo<T: PartialEq + Send + Sync + 'static>(
    value: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T> {
    boxed(Box::new(value))
}

fn boxed<T: PartialEq + Send + Sync + 'static>(value: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| value())
}

/// As [`Effect::new`], without a value.
pub fn effect(run: impl FnMut() + 'static) {
    let mut run: Box<dyn FnMut()> = Box::new(run);
    Effect::new(move |_| run());
}
