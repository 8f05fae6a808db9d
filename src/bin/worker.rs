//! The worker: started as data, run and statistics worker.

fn main() {
    console_error_panic_hook::set_once();
    viva::edge::serve::serve();
}
