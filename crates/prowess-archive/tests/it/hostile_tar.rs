//! Tar files that are refused for what only a tar file can have.

use prowess_archive::RefusalKind::{
    Contradiction, Damaged, Duplicate, Empty, Escape, HiddenData, Link, Mode, SpecialFile,
    UnknownFormat, Unsupported,
};

use crate::check_refused;
use crate::tar_file::{
    Record, directory, file, gzip, link, long_name, open_tar, pax, record, tar, tar_gz,
};

/// A size that no 32-bit number holds, in a file of a kilobyte.
const HUGE: u64 = 0o77_777_777_777;

#[test]
fn other_kinds_of_files_are_refused() {
    check_refused([
        ("a symbolic link", tar_gz(&[link("d", b'2', "/c"), file("d/pwn")]), Link),
        ("a link inside", tar_gz(&[file("SKILL.md"), link("b", b'2', "SKILL.md")]), Link),
        ("a hard link", tar_gz(&[link("x", b'1', "/etc/shadow")]), Link),
        ("a long link", tar_gz(&[record("l", b'K', b"/etc/shadow\0"), file("x")]), Link),
        ("a link of pax", tar_gz(&[pax(b'x', &[("linkpath", "/c")]), file("x")]), Link),
        ("a character device", tar_gz(&[record("tty", b'3', b"")]), SpecialFile),
        ("a block device", tar_gz(&[record("disk", b'4', b"")]), SpecialFile),
        ("a FIFO", tar_gz(&[record("pipe", b'6', b"")]), SpecialFile),
        ("a contiguous file", tar_gz(&[record("x", b'7', b"text")]), Unsupported),
        ("a sparse file", tar_gz(&[record("x", b'S', b"text")]), Unsupported),
        ("a volume", tar_gz(&[record("x", b'V', b"")]), Unsupported),
        ("a continued file", tar_gz(&[record("x", b'M', b"text")]), Unsupported),
        ("a listed directory", tar_gz(&[record("x", b'D', b"")]), Unsupported),
        ("an unknown type", tar_gz(&[record("x", b'Z', b"text")]), Unsupported),
    ]);
}

#[test]
fn unsafe_permissions_are_refused() {
    for mode in [0o4755, 0o2755, 0o1755, 0o6644, 0o000, 0o044] {
        let what = format!("{mode:o}");
        check_refused([(&what, tar_gz(&[Record { mode, ..file("x") }]), Mode)]);
    }
    for mode in [0o000, 0o600, 0o4755, 0o1777] {
        let what = format!("a directory with {mode:o}");
        let records = [Record { mode, ..directory("d/") }, file("d/x")];
        check_refused([(&what, tar_gz(&records), Mode)]);
    }
}

#[test]
fn extensions_cannot_hide_a_name() {
    let escape = [("path", "../x")];
    let two = [("path", "a"), ("path", "b")];
    let sparse = [("GNU.sparse.major", "1"), ("GNU.sparse.name", "../x")];
    check_refused([
        ("a long name", tar_gz(&[long_name("../x"), file("x")]), Escape),
        ("a path of pax", tar_gz(&[pax(b'x', &escape), file("x")]), Escape),
        ("a path for all", tar_gz(&[pax(b'g', &escape), file("x")]), Unsupported),
        ("two paths", tar_gz(&[pax(b'x', &two), file("x")]), Contradiction),
        (
            "two headers of pax",
            tar_gz(&[pax(b'x', &[("path", "a")]), pax(b'x', &[("path", "b")]), file("x")]),
            Contradiction,
        ),
        ("two long names", tar_gz(&[long_name("a"), long_name("b"), file("x")]), Contradiction),
        (
            "a long name and another path",
            tar_gz(&[long_name("a"), pax(b'x', &[("path", "b")]), file("x")]),
            Contradiction,
        ),
        (
            "another size",
            tar_gz(&[pax(b'x', &[("size", "600")]), file("x"), file("y")]),
            Contradiction,
        ),
        ("a sparse file of pax", tar_gz(&[pax(b'x', &sparse), file("x")]), Unsupported),
        (
            "an unknown key",
            tar_gz(&[pax(b'x', &[("hdrcharset", "BINARY")]), file("x")]),
            Unsupported,
        ),
        (
            "a header of pax without records",
            tar_gz(&[record("p", b'x', b"99 path=a\n"), file("x")]),
            Damaged,
        ),
        ("a header without its file", tar_gz(&[file("x"), long_name("y")]), Damaged),
    ]);
}

#[test]
fn data_that_no_entry_has_is_refused() {
    let mut after_end = tar(&[file("SKILL.md")]);
    after_end.extend(tar(&[file("hidden")]));
    let mut two_members = tar_gz(&[file("SKILL.md")]);
    two_members.extend(tar_gz(&[file("hidden")]));
    let mut after_gzip = tar_gz(&[file("SKILL.md")]);
    after_gzip.push(0);
    check_refused([
        ("an entry after the end", gzip(&after_end), HiddenData),
        ("a second member", two_members, HiddenData),
        ("a byte after the gzip file", after_gzip, HiddenData),
        (
            "a directory with content",
            tar_gz(&[Record { content: b"text".to_vec(), ..directory("d/") }]),
            Contradiction,
        ),
        ("two directories", tar_gz(&[directory("d/"), directory("d/")]), Duplicate),
    ]);
}

#[test]
fn damaged_files_are_refused() {
    let whole = tar_gz(&[file("SKILL.md")]);
    let mut wrong_checksum = tar(&[file("SKILL.md")]);
    wrong_checksum[0] ^= 1;
    let mut wrong_crc = whole.clone();
    let at = wrong_crc.len() - 8;
    wrong_crc[at] ^= 1;
    check_refused([
        ("no archive", b"---\nname: pdf\n---\n".to_vec(), UnknownFormat),
        ("nothing", Vec::new(), UnknownFormat),
        ("a page", b"<!doctype html>".to_vec(), UnknownFormat),
        ("half of a gzip file", whole[..whole.len() / 2].to_vec(), Damaged),
        ("a wrong checksum of gzip", wrong_crc, Damaged),
        ("a wrong checksum of tar", gzip(&wrong_checksum), Damaged),
        ("no end", gzip(&open_tar(&[file("SKILL.md")])), Damaged),
        ("a gzip file of text", gzip(b"text"), Damaged),
        ("a size past the end", tar_gz(&[Record { size: Some(HUGE), ..file("x") }]), Damaged),
        ("no file", tar_gz(&[directory("d/")]), Empty),
    ]);
}
