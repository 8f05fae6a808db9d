//! The Parquet worker, a binary of its own: who opens no Parquet file never loads it.

fn main() {
    console_error_panic_hook::set_once();
    viva::edge::serve_parquet::serve();
}
