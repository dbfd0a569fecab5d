//! One value of a configuration file changes, and nothing else.

use prowess::Configuration;

#[test]
fn value_changes_and_everything_else_stays() {
    let file =
        "# mine\nprompt:\n  max_tokens: 5  # why\n  # next\n\naudit: { log: keep }\nx: &a [1]\n";
    let check = |text: &str, key: &str, value: &str, from: &str, to: &str| {
        let edited = Configuration::set_in(text, key, value).unwrap();
        assert_eq!(edited, text.replacen(from, to, 1), "{key}={value} in {text:?}");
    };
    check(file, "prompt.max_tokens", "7", "5  #", "7  #");
    check(file, "prompt.header", "'a # b'", "  # next", "  header: 'a # b'\n  # next");
    check(file, "audit.log", "off", "keep", "off");
    check(file, "audit.a.b", "[1, 2]", "keep }", "keep, a: { b: [1, 2] } }");
    check(file, "b.c", "{d: {e: 1}}", "[1]\n", "[1]\nb:\n  c:\n    d:\n      e: 1\n");
    check("a: 1", "b", "x", "1", "1\nb: x\n");
    check("a:\r\n  b: 1\r\n", "a.c", "2", "1\r\n", "1\r\n  c: 2\r\n");
    check("a:\n- 1\n- 2\nb: 3\n", "a", "[4]", ":\n- 1\n- 2", ": [4]");
    check("a: {}\n", "a.b", "1", "{}", "{ b: 1 }");
    check("a: null\n", "a.b", "1", " null", "\n  b: 1");
    check("a:\n", "a.b", "1", "a:\n", "a:\n  b: 1\n");
    check("\"a\": 1 #x\n", "a", "'#'", "1 #x", "'#'  #x");
    check("a: |\n  # text\n  b: 1\nc: 2\n", "c", "3", "2", "3");
    assert_eq!(Configuration::set_in("", "a.b", "1").unwrap(), "a:\n  b: 1\n");
    for (text, key) in [("a: *x\n", "a.b"), ("x: &x {b: 1}\na: *x\n", "x.b"), ("a: 1\n", "a.b")] {
        assert!(Configuration::set_in(text, key, "2").is_err(), "{text:?}");
    }
}

#[test]
fn key_is_removed_with_empty_mappings() {
    let check = |text: &str, key: &str, expected: Option<&str>| {
        assert_eq!(
            Configuration::unset_in(text, key).unwrap().as_deref(),
            expected,
            "{key} in {text:?}"
        );
    };
    check("# c\na:\n  b: 1\nd: 2\n", "a.b", Some("# c\nd: 2\n"));
    check("a:\n  # kept\n  b: 1\n  c: 2\n", "a.b", Some("a:\n  # kept\n  c: 2\n"));
    check("a: { b: 1, c: 2 }\n", "a.b", Some("a: { c: 2 }\n"));
    check("a: { b: 1, c: 2 }\n", "a.c", Some("a: { b: 1 }\n"));
    check("a: { b: 1 }\n", "a.b", Some(""));
    check("a: 1\n", "b", None);
}
