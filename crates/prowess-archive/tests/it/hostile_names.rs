//! Names that are refused in every format.

use prowess_archive::{Archive, File, RefusalKind};

use crate::tar_file::{self, tar_gz};
use crate::zip_file::{stored, zip};
use crate::{check_refused, read_default};

#[test]
fn unsafe_names_refuse_every_format() {
    let deep = "d/".repeat(32) + "f";
    let long = "n".repeat(256);
    let cases: &[(&[u8], RefusalKind)] = &[
        (b"../x", RefusalKind::Escape),
        (b"a/../../x", RefusalKind::Escape),
        (b"a/..", RefusalKind::Escape),
        (b"a/../b", RefusalKind::Escape),
        (b"/etc/passwd", RefusalKind::Absolute),
        (b"//server/share", RefusalKind::Absolute),
        (b"C:/x", RefusalKind::Absolute),
        (b"c:x", RefusalKind::Absolute),
        (b"..\\..\\x", RefusalKind::InvalidName),
        (b"\\\\server\\share", RefusalKind::InvalidName),
        (b"a\\b", RefusalKind::InvalidName),
        (b"a//b", RefusalKind::InvalidName),
        (b"a/./b", RefusalKind::InvalidName),
        (b"././x", RefusalKind::InvalidName),
        (b"a\nb", RefusalKind::InvalidName),
        (b"a\x1b[2Jb", RefusalKind::InvalidName),
        (b"a\x7fb", RefusalKind::InvalidName),
        (b"a\xffb", RefusalKind::InvalidName),
        ("a\u{202e}b".as_bytes(), RefusalKind::InvalidName),
        ("SKILL\u{200b}.md".as_bytes(), RefusalKind::InvalidName),
        (b"CON", RefusalKind::InvalidName),
        (b"a/nul.txt", RefusalKind::InvalidName),
        (b"com1", RefusalKind::InvalidName),
        (b"LPT9.md", RefusalKind::InvalidName),
        (b"a./b", RefusalKind::InvalidName),
        (b"a /b", RefusalKind::InvalidName),
        (b"ab:stream", RefusalKind::InvalidName),
        (b"what?", RefusalKind::InvalidName),
        (b".git/hooks/post-checkout", RefusalKind::InvalidName),
        (b"a/.GIT/config", RefusalKind::InvalidName),
        (b"GIT~1/config", RefusalKind::InvalidName),
        (deep.as_bytes(), RefusalKind::TooDeep),
        (long.as_bytes(), RefusalKind::InvalidName),
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
}

#[test]
fn clashing_names_refuse_every_format() {
    let cases = [
        ("SKILL.md", "SKILL.md", RefusalKind::Duplicate),
        ("SKILL.md", "./SKILL.md", RefusalKind::Duplicate),
        ("SKILL.md", "Skill.md", RefusalKind::Clash),
        ("a/x", "A/y", RefusalKind::Clash),
        ("caf\u{e9}", "cafe\u{301}", RefusalKind::Clash),
        ("stra\u{df}e", "STRASSE", RefusalKind::Clash),
        ("\u{17f}kill", "skill", RefusalKind::Clash),
        ("\u{212a}elvin", "kelvin", RefusalKind::Clash),
        ("a", "a/b", RefusalKind::Clash),
        ("a/b", "a", RefusalKind::Clash),
        ("a/b/c", "a/b", RefusalKind::Clash),
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
