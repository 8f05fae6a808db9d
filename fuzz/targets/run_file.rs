//! Run files: one that is read gives every table and comes back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::ledger::Ledger;
use viva::protocol::Reading;
use viva::run::file::{RunFile, Tables, read, write};
use viva::run::spend;
use viva::worker::runs::Book;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = read(bytes) else { return };
    let RunFile { mut record, texts, replies, .. } = file;
    let mut ledger = Ledger::default();
    for (key, attempt) in replies {
        ledger.admit(key, attempt);
    }
    // That many times the same is asked is allowed, and slow here.
    if let Some(repeats) = &mut record.settings.repeats {
        repeats.times = repeats.times.min(3);
    }
    for reading in Reading::ALL {
        assert_eq!(Tables::of(&record, &ledger, reading).reading, reading);
        record.repeated(&ledger, reading);
    }
    record.progress(&ledger);
    spend::spent(&record, &ledger);
    let written = write(&record, &ledger, texts.as_ref()).concat();
    let again = read(written.as_bytes()).expect("what was read can be written and read again");
    assert_eq!((&again.record, &again.texts), (&record, &texts));
    let (id, n_cases) = (record.id.clone(), record.frame.cases.len());
    let mut book = Book::default();
    book.reopen("x", ledger.len(), record.clone(), texts.clone());
    book.reopen("x", ledger.len(), record, texts);
    for case in 0..n_cases.min(4) {
        book.inspect(&ledger, &id, case).expect("a question of the run");
    }
    book.batch_plan(&ledger, &id).ok();
});
