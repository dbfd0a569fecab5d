//! The real `bash` runs exactly the commands that were read.
#![no_main]

#[path = "../../tests/it/oracle/bash.rs"]
mod bash;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    bash::check(text);
});
