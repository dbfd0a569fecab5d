//! What the real `bash` runs of a command is what was read of it, if it can be read.
#![no_main]

#[path = "../../tests/it/oracle/bash.rs"]
mod bash;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    bash::check(text);
});
