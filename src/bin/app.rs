//! The page.

fn main() {
    console_error_panic_hook::set_once();
    viva::edge::page::remove("boot");
    leptos::mount::mount_to_body(viva::ui::App);
}
