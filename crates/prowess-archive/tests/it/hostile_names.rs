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
    let cases: [(RefusalKind, &[&[u8]]); 4] = [
        (Escape, &[b"../x", b"a/../../x", b"a/..", b"a/../b"]),
        (Absolute, &[b"/etc/passwd", b"//server/share", b"C:/x", b"c:x"]),
        (TooDeep, &[deep.as_bytes()]),
        (InvalidName, &[long.as_bytes(), b"a\nb", b"a\x1b[2Jb", b"a\x7fb", b"a\xffb", b"a /b"]),
    ];
    let texts = "..\\..\\x \\\\server\\share a\\b a//b a/./b ././x a\u{202e}b SKILL\u{200b}.md CON \
                 a/nul.txt com1 LPT9.md a./b ab:stream what? .git/hooks/post-checkout \
                 a/.GIT/config GIT~1/config";
    let texts = texts.split(' ').map(|name| (name.as_bytes(), InvalidName));
    let cases = cases.iter().flat_map(|(kind, names)| names.iter().map(|name| (*name, *kind)));
    for (name, kind) in cases.chain(texts) {
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
