//! The worker: started as data, run and statistics worker.

fn main() {}
