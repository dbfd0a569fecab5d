//! Names that are refused in every format.

use prowess_archive::RefusalKind::{
    self, Absolute, Clash, Duplicate, Escape, InvalidName, TooDeep,
};
use prowess_archive::{Archive, File};

use crate::tar_file::{self, tar_gz};
use crate::zip_file::{stored, zip};
use crate::{check_refused, read_default};

#[test]
fn unsafe_names_refuse_every_format() {
    let deep = "d/".repeat(32) + "f";
    let long = "n".repeat(256);
    let cases: &[(&[u8], RefusalKind)] = &[
        (b"../x", Escape),
        (b"a/../../x", Escape),
        (b"a/..", Escape),
        (b"a/../b", Escape),
        (b"/etc/passwd", Absolute),
        (b"//server/share", Absolute),
        (b"C:/x", Absolute),
        (b"c:x", Absolute),
        (b"..\\..\\x", InvalidName),
        (b"\\\\server\\share", InvalidName),
        (b"a\\b", InvalidName),
        (b"a//b", InvalidName),
        (b"a/./b", InvalidName),
        (b"././x", InvalidName),
        (b"a\nb", InvalidName),
        (b"a\x1b[2Jb", InvalidName),
        (b"a\x7fb", InvalidName),
        (b"a\xffb", InvalidName),
        ("a\u{202e}b".as_bytes(), InvalidName),
        ("SKILL\u{200b}.md".as_bytes(), InvalidName),
        (b"CON", InvalidName),
        (b"a/nul.txt", InvalidName),
        (b"com1", InvalidName),
        (b"LPT9.md", InvalidName),
        (b"a./b", InvalidName),
        (b"a /b", InvalidName),
        (b"ab:stream", InvalidName),
        (b"what?", InvalidName),
        (b".git/hooks/post-checkout", InvalidName),
        (b"a/.GIT/config", InvalidName),
        (b"GIT~1/config", InvalidName),
        (deep.as_bytes(), TooDeep),
        (long.as_bytes(), InvalidName),
    ];
    for &(name, kind) in cases {
        let shown = String::from_utf8_lossy(name).into_owned();
        // Longer than a header's field, so that it needs an extension.
        if name.len() <= 100 {
            check_refused([(
                &shown,
                tar_gz(&[tar_file::file("SKILL.md"), tar_file::file(name)]),
                kind,
            )]);
        }
        check_refused([(&shown, zip(&[stored("SKILL.md", b""), stored(name, b"x")]), kind)]);
        if let Ok(name) = str::from_utf8(name) {
            let packed = Archive::new(vec![File::new(name, "x")]);
            assert_eq!(packed.unwrap_err().kind, kind, "{shown} is not packed either");
        }
    }
    for name in ["\u{646}\u{645}\u{200c}\u{647}.md", "👩\u{200d}💻.md"] {
        let packed = Archive::new(vec![File::new(name, "x")]);
        assert!(packed.is_ok(), "a joiner is text in {name}");
    }
}

#[test]
fn clashing_names_refuse_every_format() {
    let cases = [
        ("SKILL.md", "SKILL.md", Duplicate),
        ("SKILL.md", "./SKILL.md", Duplicate),
        ("SKILL.md", "Skill.md", Clash),
        ("a/x", "A/y", Clash),
        ("caf\u{e9}", "cafe\u{301}", Clash),
        ("stra\u{df}e", "STRASSE", Clash),
        ("\u{17f}kill", "skill", Clash),
        ("\u{212a}elvin", "kelvin", Clash),
        ("a", "a/b", Clash),
        ("a/b", "a", Clash),
        ("a/b/c", "a/b", Clash),
    ];
    for (one, other, kind) in cases {
        let what = format!("{one} and {other}");
        check_refused([
            (&what, tar_gz(&[tar_file::file(one), tar_file::file(other)]), kind),
            (&what, zip(&[stored(one, b"1"), stored(other, b"2")]), kind),
        ]);
    }
}

#[test]
fn refusals_name_the_entry() {
    let refusal =
        read_default(&tar_gz(&[tar_file::file("a"), tar_file::file("b\u{1b}/x")])).unwrap_err();
    assert_eq!(refusal.entry.as_deref(), Some("b\u{1b}/x"));
    let shown = refusal.to_string();
    assert!(shown.contains("u{1b}") && !shown.contains('\u{1b}'), "the name is encoded: {shown}");
}
