//! Zip files that are refused for what only a zip file can have.

use prowess_archive::RefusalKind::{
    Contradiction, Damaged, Empty, HiddenData, Link, Mode, SpecialFile, UnknownFormat, Unsupported,
};

use crate::check_refused;
use crate::zip_file::{Entry, deflated, stored, zip, zip_with};

fn skill() -> Entry {
    deflated("SKILL.md", &b"text ".repeat(20))
}

#[test]
fn other_kinds_of_files_are_refused() {
    let with_mode = |mode| zip(&[stored("x", b"/etc/shadow").with_mode(mode)]);
    check_refused([
        ("a symbolic link", with_mode(0o120_777), Link),
        ("a FIFO", with_mode(0o010_644), SpecialFile),
        ("a device", with_mode(0o020_644), SpecialFile),
        ("a socket", with_mode(0o140_644), SpecialFile),
        ("set-user-id", with_mode(0o104_755), Mode),
        ("sticky", with_mode(0o101_644), Mode),
        ("a directory by its mode", with_mode(0o040_755), Contradiction),
        (
            "a file by its mode",
            zip(&[stored("d/", b"").with_mode(0o100_644), skill()]),
            Contradiction,
        ),
        ("a directory with content", zip(&[stored("d/", b"x").with_mode(0)]), Contradiction),
    ]);
}

#[test]
fn headers_that_differ_are_refused() {
    check_refused([
        ("the name", zip(&[skill().local(|it| it.name = b"../evil".to_vec())]), Contradiction),
        ("the checksum", zip(&[skill().local(|it| it.checksum ^= 1)]), Contradiction),
        ("the unpacked size", zip(&[skill().local(|it| it.unpacked += 1)]), Contradiction),
        ("the packed size", zip(&[skill().local(|it| it.packed -= 1)]), Contradiction),
        ("the method", zip(&[skill().local(|it| it.method = 0)]), Contradiction),
        ("the flags", zip(&[skill().local(|it| it.flags = 0x0800)]), Contradiction),
        ("a wrong checksum in both", zip(&[skill().both(|it| it.checksum ^= 1)]), Contradiction),
        ("a size that is too small", zip(&[skill().both(|it| it.unpacked -= 1)]), Contradiction),
        ("a size that is too large", zip(&[skill().both(|it| it.unpacked += 1)]), Contradiction),
        (
            "another name",
            zip(&[skill().both(|it| it.extra = unicode_path(b"../evil"))]),
            Contradiction,
        ),
        (
            "a size of 64 bits",
            zip(&[skill().both(|it| it.extra = b"\x01\0\x08\0\0\0\0\0\0\0\0\0".to_vec())]),
            Unsupported,
        ),
    ]);
}

/// The extra field with a name in UTF-8.
fn unicode_path(name: &[u8]) -> Vec<u8> {
    let length = u16::try_from(name.len() + 5).unwrap().to_le_bytes();
    [b"\x75\x70", length.as_slice(), &[1, 0, 0, 0, 0], name].concat()
}

#[test]
fn descriptors_that_differ_are_refused() {
    let mut wrong = skill().with_descriptor();
    wrong.after[4] ^= 1;
    let mut missing = skill().with_descriptor();
    missing.after.clear();
    let with_other_size = skill().with_descriptor().local(|it| it.packed = 7);
    check_refused([
        ("another checksum", zip(&[wrong]), Contradiction),
        ("no descriptor", zip(&[missing]), Contradiction),
        ("another size before it", zip(&[with_other_size]), Contradiction),
    ]);
}

#[test]
fn hidden_and_shared_bytes_are_refused() {
    let hidden = zip(&[stored("hidden", b"x")]);
    let between = Entry { after: hidden.clone(), ..skill() };
    let shared = Entry { offset: Some(0), ..skill() };
    let inner = stored("inner", b"y");
    let quine = Entry { offset: Some(38), ..inner.clone() };
    let packed_more = Entry { content: [skill().content, b"more".to_vec()].concat(), ..skill() };
    let packed_more = packed_more.both(|it| it.packed += 4);
    let whole = zip(&[skill()]);
    check_refused([
        ("bytes before", zip_with(b"#!/bin/sh\n", &[skill()], b""), UnknownFormat),
        ("an entry before", zip_with(&hidden[..37], &[skill()], b""), HiddenData),
        ("bytes between entries", zip(&[between, inner.clone()]), HiddenData),
        ("two entries of the same bytes", zip(&[skill(), shared]), HiddenData),
        ("an entry inside another one", zip(&[stored("SKILL.md", &hidden), quine]), HiddenData),
        ("bytes after the compressed ones", zip(&[packed_more]), HiddenData),
        ("bytes after the end", [whole.as_slice(), b"x"].concat(), Damaged),
        ("two ends", zip_with(b"", &[skill()], &zip(&[])), Contradiction),
    ]);
}

#[test]
fn other_features_are_refused() {
    let mut disks = zip(&[skill()]);
    let at = disks.len() - 18;
    disks[at] = 1;
    let mut fewer = zip(&[skill(), stored("more", b"")]);
    let at = fewer.len() - 14;
    fewer[at] = 1;
    fewer[at + 2] = 1;
    let mut counts = zip(&[skill()]);
    let at = counts.len() - 12;
    counts[at] = 2;
    check_refused([
        ("encryption", zip(&[skill().both(|it| it.flags = 1)]), Unsupported),
        ("hidden headers", zip(&[skill().both(|it| it.flags = 0x2000)]), Unsupported),
        ("bzip2", zip(&[skill().both(|it| it.method = 12)]), Unsupported),
        ("several disks", disks, Unsupported),
        ("fewer entries than there are", fewer, Contradiction),
        ("two counts", counts, Contradiction),
        ("no entry", zip(&[]), Empty),
        ("only a directory", zip(&[stored("d/", b"").with_mode(0o040_755)]), Empty),
        ("half a file", zip(&[skill()])[..40].to_vec(), Damaged),
        (
            "a stream that is no deflate",
            zip(&[stored("x", b"\xff\xff\xff").both(|it| it.method = 8)]),
            Damaged,
        ),
    ]);
}
