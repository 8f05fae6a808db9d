//! Messages between page, workers and tabs: garbage is an error, and a message says the same once it has
//! crossed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use viva::run::{Frame, Texts};
use viva::worker::tabs::TabWord;
use viva::worker::{
    DataEvent, DataJob, DataReply, RunEvent, RunJob, RunReply, StatsJob, StatsReply,
};

fn crosses<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    let Ok(message) = postcard::from_bytes::<T>(bytes) else { return };
    let once = postcard::to_allocvec(&message).expect("a message");
    let again: T = postcard::from_bytes(&once).expect("what was written");
    assert_eq!(postcard::to_allocvec(&again).expect("a message"), once);
}

fuzz_target!(|bytes: &[u8]| {
    crosses::<RunJob>(bytes);
    crosses::<RunReply>(bytes);
    crosses::<RunEvent>(bytes);
    crosses::<DataJob>(bytes);
    crosses::<DataReply>(bytes);
    crosses::<DataEvent>(bytes);
    crosses::<StatsJob>(bytes);
    crosses::<StatsReply>(bytes);
    crosses::<TabWord>(bytes);
    crosses::<(Frame, Texts)>(bytes);
});
