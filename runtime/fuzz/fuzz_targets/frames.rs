#![no_main]

#[path = "../client.rs"]
mod client;

libfuzzer_sys::fuzz_target!(|data: &[u8]| client::frames(data));
