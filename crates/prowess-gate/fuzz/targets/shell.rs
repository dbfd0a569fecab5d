//! The real `bash` runs exactly the commands that were read.
#![no_main]

#[path = "../../tests/it/oracle/shells.rs"]
mod shells;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    shells::check(&shells::BASH, text);
});
