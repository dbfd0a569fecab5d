//! Rules that were read are written so that they read back as the same rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{AllowedTools, MAX_ALLOWED_TOOLS_CHARACTERS};

fuzz_target!(|text: &str| {
    assert_reads_back(AllowedTools::parse(text).ok());
    let items: Vec<_> = text.lines().collect();
    assert_reads_back(AllowedTools::parse_all(&items).ok());
});

fn assert_reads_back(tools: Option<AllowedTools>) {
    let Some(tools) = tools else { return };
    let written = tools.to_string();
    // A list needs no quotes and a text does, so the longest lists are too long for a text.
    if written.chars().count() <= MAX_ALLOWED_TOOLS_CHARACTERS {
        assert_eq!(AllowedTools::parse(&written), Ok(tools), "`{written}` reads back");
    }
}
