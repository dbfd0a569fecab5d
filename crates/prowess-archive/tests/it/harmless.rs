//! Archives that are read, by our own writer and by git.

use std::fs;
use std::path::Path;
use std::process::Command;

use prowess_archive::{Archive, File, Limits, read_packages};
use tempfile::TempDir;

use crate::read_default;
use crate::tar_file::{directory, file, gzip, long_name, pax, tar, tar_gz};
use crate::zip_file::{deflated, stored, zip, zip_with};

fn paths(bytes: &[u8]) -> Vec<String> {
    let archive = read_default(bytes).unwrap();
    archive.files().iter().map(|file| file.path.clone()).collect()
}

#[test]
fn usual_tar_files_are_read() {
    let long = format!("{}/SKILL.md", "n".repeat(200));
    assert_eq!(paths(&tar(&[file("SKILL.md")])), ["SKILL.md"]);
    let with_root = [directory("./"), file("./SKILL.md"), directory("./a/"), file("./a/b.md")];
    assert_eq!(paths(&tar_gz(&with_root)), ["SKILL.md", "a/b.md"]);
    assert_eq!(paths(&tar_gz(&[file("a/b.md"), directory("a")])), ["a/b.md"]);
    assert_eq!(paths(&tar_gz(&[long_name(&long), file("cut")])), [long.as_str()]);
    assert_eq!(paths(&tar_gz(&[pax(b'x', &[("path", &long)]), file("cut")])), [long.as_str()]);
    let comment = [("comment", "c310f18f0c0f1e2d")];
    assert_eq!(paths(&tar_gz(&[pax(b'g', &comment), file("SKILL.md")])), ["SKILL.md"]);
    let times = [("mtime", "1.5"), ("SCHILY.xattr.user.a", "b")];
    assert_eq!(
        paths(&tar_gz(&[pax(b'x', &times), file("r\u{e9}sum\u{e9}.md")])),
        ["r\u{e9}sum\u{e9}.md"]
    );
}

/// As programs write them that compress with several processors.
#[test]
fn gzip_of_several_members_is_read() {
    let whole = tar(&[file("SKILL.md"), file("a/b.md")]);
    for at in [0, 1, 512, 700, whole.len()] {
        let (start, end) = whole.split_at(at);
        assert_eq!(paths(&[gzip(start), gzip(end)].concat()), ["SKILL.md", "a/b.md"], "{at}");
    }
}

#[test]
fn usual_zip_files_are_read() {
    let text = b"text ".repeat(20);
    let skill = deflated("pdf/SKILL.md", &text);
    let folder = stored("pdf/", b"").with_mode(0o040_755);
    assert_eq!(paths(&zip(&[folder, skill.clone()])), ["pdf/SKILL.md"]);
    assert_eq!(paths(&zip(&[skill.clone().with_mode(0)])), ["pdf/SKILL.md"]);
    assert_eq!(paths(&zip_with(b"", std::slice::from_ref(&skill), b"a comment")), ["pdf/SKILL.md"]);
    assert_eq!(
        paths(&zip(&[skill.clone().with_descriptor(), stored("x", b"")])),
        ["pdf/SKILL.md", "x"]
    );
    let mut unsigned = skill.with_descriptor();
    unsigned.after.drain(..4);
    assert_eq!(paths(&zip(&[unsigned])), ["pdf/SKILL.md"]);
    let script = stored("run.sh", b"#!/bin/sh\n").with_mode(0o100_755);
    assert!(read_default(&zip(&[script])).unwrap().files()[0].is_executable);
}

/// Runs a program, and returns what it prints.
pub(crate) fn run(directory: &Path, program: &str, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(program);
    command.current_dir(directory).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Creates a repository with a package.
pub(crate) fn repository() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = place.path();
    fs::create_dir_all(at.join("pdf/scripts")).unwrap();
    fs::write(at.join("pdf/SKILL.md"), "---\nname: pdf\n---\n").unwrap();
    fs::write(at.join(format!("pdf/scripts/{}.py", "n".repeat(120))), "print()\n").unwrap();
    run(at, "git", &["init", "-q"]);
    run(at, "git", &["add", "."]);
    run(at, "git", &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]);
    place
}

/// Checks that a program packs the package of [`repository`] so that it can be read.
pub(crate) fn check_program(place: &TempDir, program: &str, arguments: &[&str]) {
    let bytes = run(place.path(), program, arguments);
    read_default(&bytes).unwrap_or_else(|error| panic!("{program} {arguments:?}: {error}"));
    let packages = read_packages(&bytes, &Limits::default(), &["SKILL.md"], &|_| true).unwrap();
    assert_eq!(packages[0].directory, "pdf");
    let package = packages[0].archive.as_ref().unwrap();
    let found: Vec<_> = package.files().iter().map(|file| file.path.as_str()).collect();
    let script = format!("scripts/{}.py", "n".repeat(120));
    assert_eq!(found, ["SKILL.md", &script], "{program} {arguments:?}");
}

#[test]
fn archives_of_git_are_read() {
    let place = repository();
    for format in ["--format=tar", "--format=tar.gz", "--format=zip"] {
        check_program(&place, "git", &["archive", format, "HEAD"]);
    }
}

#[test]
fn equal_files_are_packed_to_equal_bytes() {
    let script = File::new("b.sh", "#!/bin/sh\n").executable();
    let one = Archive::new(vec![File::new("a.md", "a"), script.clone()]).unwrap();
    let other = Archive::new(vec![script, File::new("a.md", "a")]).unwrap();
    assert_eq!(one.to_tar_gz(), other.to_tar_gz());
}
