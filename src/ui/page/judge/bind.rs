//! Between the fields of the draft and the fields on the page.

use leptos::prelude::*;

use crate::ui::draft::{Draft, Field};
use crate::ui::session::Session;

pub fn text(session: Session, read: fn(&Draft) -> &String) -> Signal<String> {
    Signal::derive(move || session.draft.with(|it| read(it).clone()))
}

pub fn write(session: Session, place: fn(&mut Draft) -> &mut String) -> Callback<String> {
    Callback::new(move |text| session.draft.update(|it| *place(it) = text))
}

pub fn fault(session: Session, field: Field) -> Signal<Option<String>> {
    Signal::derive(move || session.field_error(field))
}
