//! The Parquet worker: loaded for the first Parquet file, ended after the last.

use js_sys::Uint8Array;

use crate::edge::message;
use crate::edge::serve::{notice, on_message, post_dense, say_ready};
use crate::parquet::to_json_lines;
use crate::worker::parquet::{ParquetJob, ParquetReply};

/// Answers one file after the other.
pub fn serve() {
    on_message(|data| {
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        // Not in a task of its own: what stops here shall be an error of the worker, which its owner hears.
        let (reply, bytes) = match message::read_dense::<ParquetJob>(&envelope.body) {
            Ok(job) => read(&job, envelope.bytes.first()),
            Err(error) => (ParquetReply::Failed(notice(&error)), Vec::new()),
        };
        post_dense(envelope.id, &reply, &bytes);
    });
    say_ready();
}

fn read(job: &ParquetJob, file: Option<&Uint8Array>) -> (ParquetReply, Vec<Uint8Array>) {
    let file = file.map(Uint8Array::to_vec).unwrap_or_default();
    match to_json_lines(&job.name, file) {
        Ok(lines) => (ParquetReply::Read(lines.problems), vec![message::buffer(&lines.text)]),
        Err(problem) => (ParquetReply::Refused(problem), Vec::new()),
    }
}
