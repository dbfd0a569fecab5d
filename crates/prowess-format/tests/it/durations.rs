//! Durations as people write them.

use std::time::Duration;

use proptest::prelude::*;
use prowess_format::parse_duration;

#[test]
fn number_with_a_unit_is_read() {
    let cases = [
        ("30s", 30_000),
        ("1s", 1_000),
        ("0.5s", 500),
        ("1m", 60_000),
        ("2m", 120_000),
        ("0.5m", 30_000),
        ("500ms", 500),
        ("1.5s", 1_500),
        ("2.5m", 150_000),
        ("500.5ms", 500),
        ("30 s", 30_000),
        (" 1m ", 60_000),
        ("30S", 30_000),
        ("500MS", 500),
        ("0s", 0),
        ("999999999999999999ms", 999_999_999_999_999_999),
    ];
    for (text, milliseconds) in cases {
        assert_eq!(parse_duration(text), Some(Duration::from_millis(milliseconds)), "`{text}`");
    }
}

#[test]
fn anything_else_is_none() {
    let cases = [
        "invalid",
        "30",
        "s30",
        "30h",
        "",
        "s",
        "ms",
        ".5s",
        "5.s",
        "1.2.3s",
        "-1s",
        "+1s",
        "1e3s",
        "1 0s",
        "٣s",
        "9999999999999999999s",
        "999999999999999999m",
    ];
    for text in cases {
        assert_eq!(parse_duration(text), None, "`{text}`");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,40}") {
        let _ = parse_duration(&text);
    }

    #[test]
    fn whole_numbers_are_exact(number in 0..1_000_000_000_000_u64) {
        let second = Duration::from_secs(number);
        prop_assert_eq!(parse_duration(&format!("{number}s")), Some(second));
        prop_assert_eq!(parse_duration(&format!("{number}.000s")), Some(second));
    }
}
