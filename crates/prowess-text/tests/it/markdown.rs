use prowess_text::markdown_code;

#[test]
fn a_code_span_ends_where_its_text_ends() {
    let cases = [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("``a", "``` ``a ```"),
        ("", "`  `"),
        ("a\n``` b\u{200b}", "````a ``` b````"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown_code(text), expected, "{text:?}");
    }
}
