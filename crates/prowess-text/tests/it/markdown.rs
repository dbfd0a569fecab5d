use prowess_text::{markdown_code, markdown_text};

#[test]
fn no_character_is_markup() {
    let cases = [
        ("plain words, 3 of them", "plain words, 3 of them"),
        ("# a\n* b", r"\# a \* b"),
        ("[x](y) | <b> &amp;", r"\[x\]\(y\) \| &lt;b&gt; &amp;amp;"),
        ("a\u{202e}_b_\\", r"a\_b\_\\"),
        ("https://x.example 1. @you", r"https\://x\.example 1\. \@you"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown_text(text), expected, "{text:?}");
    }
}

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
