use std::process::Command;

use prowess_testkit::hostile_texts;
use prowess_text::{shell_path, shell_word};

#[test]
fn a_shell_reads_one_word() {
    let texts = hostile_texts();
    // Programs take no argument with a NUL in it.
    let texts: Vec<_> = texts.iter().filter(|text| !text.contains('\0')).collect();
    for text in texts {
        let script = format!("printf '%s' {}", shell_word(text));
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash runs");
        assert_eq!(output.stdout, text.as_bytes(), "{script:?}");
    }
}

#[test]
fn a_word_is_quoted_where_it_must_be() {
    let cases = [
        ("a/b-c_d.e,f:g@h+1", "a/b-c_d.e,f:g@h+1"),
        ("", "''"),
        ("~/x", "'~/x'"),
        ("a b", "'a b'"),
        ("x';touch pwn;'.so", r"'x'\'';touch pwn;'\''.so'"),
        ("ä", "'ä'"),
        ("a\nb'\\", r"$'a\012b\'\\'"),
    ];
    for (text, expected) in cases {
        assert_eq!(shell_word(text), expected, "{text:?}");
        assert_eq!(shell_path(text), expected, "{text:?}");
    }
    for (path, expected) in [("-x", "./-x"), ("--a b", "'./--a b'"), ("a/-x", "a/-x")] {
        assert_eq!(shell_path(path), expected, "no command reads it as an option");
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf8_is_named_exactly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    assert_eq!(shell_word(OsStr::from_bytes(b"/x/\xff\xfe1")), r"$'/x/\377\3761'");
}
