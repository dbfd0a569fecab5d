//! An archive of several packages: each one is read for itself.

use prowess_archive::RefusalKind::{Absolute, Clash, Contradiction, Duplicate, Escape, Link};
use prowess_archive::{Limits, Refusal, RefusalKind, read_packages};

use crate::tar_file::{Record, directory, file, gzip, link, long_name, pax, record, tar, tar_gz};
use crate::zip_file::{stored, zip};

fn packages(bytes: &[u8], limits: &Limits) -> Result<Vec<String>, Refusal> {
    let packages = read_packages(bytes, limits, &["SKILL.md"], &|text| text != b"index")?;
    let packages = packages.into_iter().map(|package| {
        let files = package.archive.map(|archive| {
            let file = |file: &prowess_archive::File| {
                let text = String::from_utf8_lossy(&file.content);
                format!(" {}{}", file.path, if text == "text" { "" } else { "=?" })
            };
            archive.files().iter().map(file).collect::<String>()
        });
        let left_out: String = package.left_out.iter().map(|it| format!(" [{it}]")).collect();
        format!("{}:{}{left_out}", package.directory, files.unwrap_or_else(|it| format!(" {it}")))
    });
    Ok(packages.collect())
}

/// Checks the packages of an archive of `a`, `b` and some records.
fn check(what: &str, records: &[Record], expected: [&str; 2]) {
    let skills = [file("a/SKILL.md"), file("b/SKILL.md")];
    let all = [&skills[..], records].concat();
    for bytes in [tar(&all), tar_gz(&all)] {
        assert_eq!(packages(&bytes, &Limits::default()).unwrap(), expected, "{what}");
    }
}

#[test]
fn entry_costs_its_own_package() {
    let [a, b] = ["a: SKILL.md", "b: SKILL.md"];
    let long = [record("l", b'K', b"../b/x\0"), link("a/y", b'2', "cut"), file("b/x")];
    let of_pax = [pax(b'x', &[("linkpath", "../b/x")]), link("a/y", b'2', "cut"), file("b/x")];
    for records in [&long, &of_pax, &[link("a/y", b'1', "b/x"), directory("d/"), file("b/x")]] {
        check("a link to another package", records, ["a: SKILL.md y", "b: SKILL.md x"]);
    }
    let own = link("a/x", b'2', "SKILL.md");
    check("a link inside", &[own, link("AGENTS.md", b'2', "gone")], ["a: SKILL.md x", b]);
    let elsewhere = " [`a/x` is a link that leads out of the source]";
    for (kind, target) in [(b'2', "/etc/passwd"), (b'1', "/etc/passwd"), (b'2', "../../x")] {
        check(target, &[link("a/x", kind, target)], [&format!("{a}{elsewhere}"), b]);
    }
    let name = "is not a name that every file system can store";
    for (path, expected) in [("a/x?", format!("a: `a/x?` {name}")), ("docs/x?", a.to_owned())] {
        check(path, &[file(path)], [&expected, b]);
    }
    check("a long name", &[long_name("a/x:y"), file("z")], [&format!("a: `a/x:y` {name}"), b]);
    let windows = format!("a: `a/x` {name}");
    check("another separator", &[file("a\\x")], [&windows, b]);
    check("a FIFO", &[record("./b//p", b'6', b"")], [a, &format!("b: `b/p` {name}")]);
    check("a FIFO", &[record("./b/p", b'6', b"")], [a, "b: `b/p` is a device, a FIFO or a socket"]);
    let mode = "b: `b/x` has permissions that a package must not have";
    check("a mode", &[Record { mode: 0o4755, ..file("b/x") }], [a, mode]);
    check("a shared directory", &[Record { mode: 0o2775, ..directory("b") }], [a, b]);
    let clash = "a: `x` is the same file as another entry on some file systems";
    check("two cases", &[file("a/X"), file("a/x"), file("README"), file("readme")], [clash, b]);
    check("files of git", &[file(".git/HEAD"), file("a/.git")], [a, b]);
    check("a linked directory", &[link("a/d", b'2', "../b")], ["a: SKILL.md d/SKILL.md", b]);
    check(
        "itself",
        &[link("b/d", b'2', ".")],
        [a, "b: SKILL.md [`b/d` leads to a directory around it]"],
    );
}

#[test]
fn link_of_a_zip_file_is_a_copy() {
    let linked = stored("a/x", b"../y").with_mode(0o120_777);
    let bytes = zip(&[stored("a/SKILL.md", b"text"), linked, stored("y", b"text")]);
    assert_eq!(packages(&bytes, &Limits::default()).unwrap(), ["a: SKILL.md x"]);
}

#[test]
fn file_that_is_no_package_hides_none() {
    let files = ["SKILL.md", "x/SKILL.md", "x/a/SKILL.md", "x/a/b/SKILL.md"];
    let text = |path: &str| if path.contains('a') { "text" } else { "index" }.as_bytes();
    let zipped = zip(&files.map(|path| stored(path, text(path))));
    for bytes in [tar(&files.map(|path| record(path, b'0', text(path)))), zipped] {
        let expected = [": SKILL.md=?", "x: SKILL.md=?", "x/a: SKILL.md b/SKILL.md"];
        assert_eq!(packages(&bytes, &Limits::default()).unwrap()[..3], expected);
    }
}

#[test]
fn what_is_no_package_is_named() {
    let files = ["a/SKILL.md", "a/c/SKILL.md", "a/docs/Skill.md", "b/Skill.md", "b/skill.MD"];
    let part = |outer: &str, inner: &str| {
        format!(
            "{inner}: it is a part of the skill in {outer}; to install it alone, name the \
             directory `{inner}` of the source"
        )
    };
    let bytes = tar(&files.map(file));
    let renamed = |name| format!("b: `b/{name}` is read by no client: rename it to `SKILL.md`");
    let a = "a: SKILL.md c/SKILL.md docs/Skill.md".to_owned();
    let expected = [a, part("`a`", "a/c"), renamed("Skill.md"), renamed("skill.MD")];
    assert_eq!(packages(&bytes, &Limits::default()).unwrap(), expected);
    let whole = packages(&tar(&["SKILL.md", "a/SKILL.md"].map(file)), &Limits::default());
    let expected = [": SKILL.md a/SKILL.md".to_owned(), part("the whole source", "a")];
    assert_eq!(whole.unwrap(), expected);
}

#[test]
fn readers_must_not_differ() {
    let skill = file("a/SKILL.md");
    let refused: [(&[Record], RefusalKind); 8] = [
        (&[file("../x")], Escape),
        (&[file("/x")], Absolute),
        (&[file("a/x"), file("a/x")], Duplicate),
        (&[link("a/x", b'2', "y"), file("a/x")], Duplicate),
        (&[file("a/X"), file("a/x"), file("a/x")], Duplicate),
        (&[link("a/d", b'2', "/etc"), file("a/d/passwd")], Clash),
        (&[pax(b'x', &[("linkpath", "y")]), file("a/x")], Link),
        (&[Record { content: b"text".to_vec(), ..link("a/x", b'2', "y") }], Contradiction),
    ];
    for (records, kind) in refused {
        let bytes = gzip(&tar(&[std::slice::from_ref(&skill), records].concat()));
        let refusal = packages(&bytes, &Limits::default()).unwrap_err();
        assert_eq!(refusal.kind, kind, "{refusal}");
    }
}

#[test]
fn names_are_the_reason_without_packages() {
    let refused = packages(&tar(&[file("a\\SKILL.md")]), &Limits::default());
    assert_eq!(refused.unwrap_err().kind, RefusalKind::InvalidName);
    assert_eq!(packages(&tar(&[file("README.md")]), &Limits::default()), Ok(Vec::new()));
}

#[test]
fn copies_end() {
    let links = (0..60).map(|number| link(&format!("a/{number}"), b'2', "x"));
    let large = record("a/x", b'0', &[b'x'; 100_000]);
    let records: Vec<_> = [file("a/SKILL.md"), large].into_iter().chain(links).collect();
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    let expected = ["a: has too many copies behind links"];
    assert_eq!(packages(&tar(&records), &limits).unwrap(), expected);
}
