use prowess_text::{clipped, enumerated, head_and_tail, marked_lines, quoted};

#[test]
fn a_quoted_name_stays_in_its_quotes() {
    assert_eq!(quoted("pdf-forms"), "`pdf-forms`");
    assert_eq!(quoted("a`b\u{1b}[2J\n"), "`a\\u{60}b\\u{1b}[2J\\u{a}`");
    assert_eq!(quoted("é <x> </skill>"), "`é <x> \\u{3c}/skill>`");
    assert_eq!(quoted("\u{ff1c}/skill>\u{202e}"), "`\\u{ff1c}/skill>\\u{202e}`");
}

#[test]
fn a_long_name_is_cut() {
    assert_eq!(quoted(&"x".repeat(1_000_000)).chars().count(), 123);
    assert_eq!(quoted(&"é".repeat(120)).chars().count(), 122);
    assert!(quoted(&"é".repeat(121)).ends_with("é…`"));
}

#[test]
fn a_sentence_keeps_its_backticks() {
    assert_eq!(clipped("use `a`\tnot\nb", 400), "use `a`\\u{9}not\\u{a}b");
    assert_eq!(clipped("use `a` now", 400), "use `a` now", "only a quoted text escapes backticks");
    assert_eq!(clipped("abc", 2), "ab…");
    assert_eq!(clipped("äöü", 2), "äö…", "characters are counted, not bytes");
    assert_eq!(clipped("äöü", 3), "äöü");
    assert_eq!(clipped("abc", 3), "abc");
}

#[test]
fn a_list_has_its_word_before_the_last() {
    assert_eq!(enumerated([], "and"), "");
    assert_eq!(enumerated(["a"], "and"), "`a`");
    assert_eq!(enumerated(["a", "b", "c"], "or"), "`a`, `b` or `c`");
}

#[test]
fn long_text_shows_its_end_and_its_length() {
    assert_eq!(head_and_tail("short\n", 7), "short\\u{a}");
    for (text, shown) in [
        ("a b", "a b"),
        ("a  b", "a[2 × U+0020]b"),
        ("a\u{a0}b", "a[1 × U+00A0]b"),
        ("a\u{2028}\u{2028} b", "a[2 × U+2028] b"),
        ("a\u{2800}", "a[1 × U+2800]"),
        ("\u{e000}\u{e000}\u{378}", "[2 × U+E000][1 × U+0378]"),
        ("a\u{301}\u{302}\u{301}\u{302}b", "a\u{301}\u{302}\u{301}\u{302}b"),
        (
            "a\u{301}\u{302}\u{303}\u{304}\u{301}\u{301}",
            "a\u{301}\u{302}\u{303}\u{304}[2 × U+0301]",
        ),
        ("👩\u{200d}🔬 नी", "👩\u{200d}🔬 नी"),
        ("a[2 × U+0020]b […9 of 10…]", "a[2 \\u{d7} U+0020]b [\\u{2026}9 of 10…]"),
    ] {
        assert_eq!(head_and_tail(text, 99), shown);
    }
    for (lines, shown) in [
        ("+    if x:\n-\ty\n z\n\n", "+    if x:\n-\ty\n z\n\n"),
        ("+    x  ; y\r\n  ", "+    x[2 × U+0020]; y\\u{d}\n[2 × U+0020]\n"),
        (
            &*format!("{:41}x\n-\t\t\t\t\t x\u{3000}", ""),
            "[41 × U+0020]x\n-\\u{9}\\u{9}\\u{9}\\u{9}\\u{9} x[1 × U+3000]\n",
        ),
    ] {
        assert_eq!(marked_lines(lines), shown);
    }
    let text = format!("{}é rm -rf", "a".repeat(100));
    let shown = head_and_tail(&text, 20);
    assert_eq!(shown, "aaaaaaaaaa […88 of 108 characters…] aaé rm -rf");
    assert_eq!(head_and_tail(&"x\u{202e}".repeat(99), 4).matches("\\u{202e}").count(), 2);
}
