//! Our reading of the reference tool: any bytes give its verdict, and what is valid has properties.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_lint::reference::{read_properties, validate};

fuzz_target!(|file: &[u8]| {
    let messages = validate(file, "pdf");
    let properties = read_properties(file);
    if messages.is_ok_and(|messages| messages.is_empty()) {
        let properties = properties.expect("a valid skill has properties");
        assert!(properties.to_json().contains("\"name\""), "they hold its name");
    }
});
