//! The statistics worker.

use std::cell::RefCell;

use crate::edge::message;
use crate::edge::serve::{on_message, post};
use crate::run::Sheet;
use crate::worker::stats::{export, tables};
use crate::worker::{Notice, StatsJob, StatsReply};

pub(super) fn serve() {
    let sheet: RefCell<Option<Sheet>> = RefCell::new(None);
    on_message(move |data| {
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        let bytes = envelope.bytes.first().map(js_sys::Uint8Array::to_vec);
        let reply = match message::read(envelope.body) {
            Ok(job) => handle(job, bytes, &sheet),
            Err(error) => StatsReply::Failed(super::serve::notice(&error)),
        };
        post(envelope.id, &reply, &[]);
    });
}

fn handle(job: StatsJob, bytes: Option<Vec<u8>>, sheet: &RefCell<Option<Sheet>>) -> StatsReply {
    let none = || {
        StatsReply::Failed(Notice::new(
            "There is nothing to show yet",
            "No run has been chosen.",
            "Try the sample, or start a run on the Judge page.",
        ))
    };
    match job {
        StatsJob::Load => {
            let read = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
            let Some(read) = read else {
                return none();
            };
            sheet.replace(Some(read));
            StatsReply::Loaded
        }
        StatsJob::Tables { view } => match &*sheet.borrow() {
            Some(sheet) => StatsReply::Tables(Box::new(tables(sheet, &view))),
            None => none(),
        },
        StatsJob::Export { view, format, provenance } => match &*sheet.borrow() {
            Some(sheet) => StatsReply::Text(export(sheet, &view, format, &provenance)),
            None => none(),
        },
    }
}
