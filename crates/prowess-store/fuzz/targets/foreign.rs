//! The lock files of other tools give skills or errors, and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_store::ForeignLock;

fuzz_target!(|text: &str| {
    for format in ForeignLock::ALL {
        if let Ok(skills) = format.read(text) {
            assert_eq!(format.read(text), Ok(skills), "a text has one meaning");
        }
    }
});
