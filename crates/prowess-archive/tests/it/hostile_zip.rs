//! Zip files that are refused for what only a zip file can have.

use prowess_archive::RefusalKind;

use crate::check_refused;
use crate::zip_file::{Entry, deflated, stored, zip, zip_with};

fn skill() -> Entry {
    deflated("SKILL.md", &b"text ".repeat(20))
}

#[test]
fn other_kinds_of_files_are_refused() {
    let with_mode = |mode| zip(&[stored("x", b"/etc/shadow").with_mode(mode)]);
    check_refused([
        ("a symbolic link", with_mode(0o120_777), RefusalKind::Link),
        ("a FIFO", with_mode(0o010_644), RefusalKind::SpecialFile),
        ("a device", with_mode(0o020_644), RefusalKind::SpecialFile),
        ("a socket", with_mode(0o140_644), RefusalKind::SpecialFile),
        ("set-user-id", with_mode(0o104_755), RefusalKind::Mode),
        ("sticky", with_mode(0o101_644), RefusalKind::Mode),
        ("a directory by its mode", with_mode(0o040_755), RefusalKind::Contradiction),
        (
            "a file by its mode",
            zip(&[stored("d/", b"").with_mode(0o100_644), skill()]),
            RefusalKind::Contradiction,
        ),
        (
            "a directory with content",
            zip(&[stored("d/", b"x").with_mode(0)]),
            RefusalKind::Contradiction,
        ),
    ]);
}

#[test]
fn headers_that_differ_are_refused() {
    check_refused([
        (
            "the name",
            zip(&[skill().local(|it| it.name = b"../evil".to_vec())]),
            RefusalKind::Contradiction,
        ),
        ("the checksum", zip(&[skill().local(|it| it.checksum ^= 1)]), RefusalKind::Contradiction),
        (
            "the unpacked size",
            zip(&[skill().local(|it| it.unpacked += 1)]),
            RefusalKind::Contradiction,
        ),
        ("the packed size", zip(&[skill().local(|it| it.packed -= 1)]), RefusalKind::Contradiction),
        ("the method", zip(&[skill().local(|it| it.method = 0)]), RefusalKind::Contradiction),
        ("the flags", zip(&[skill().local(|it| it.flags = 0x0800)]), RefusalKind::Contradiction),
        (
            "a wrong checksum in both",
            zip(&[skill().both(|it| it.checksum ^= 1)]),
            RefusalKind::Contradiction,
        ),
        (
            "a size that is too small",
            zip(&[skill().both(|it| it.unpacked -= 1)]),
            RefusalKind::Contradiction,
        ),
        (
            "a size that is too large",
            zip(&[skill().both(|it| it.unpacked += 1)]),
            RefusalKind::Contradiction,
        ),
        (
            "another name",
            zip(&[skill().both(|it| it.extra = unicode_path(b"../evil"))]),
            RefusalKind::Contradiction,
        ),
        (
            "a size of 64 bits",
            zip(&[skill().both(|it| it.extra = b"\x01\0\x08\0\0\0\0\0\0\0\0\0".to_vec())]),
            RefusalKind::Unsupported,
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
        ("another checksum", zip(&[wrong]), RefusalKind::Contradiction),
        ("no descriptor", zip(&[missing]), RefusalKind::Contradiction),
        ("another size before it", zip(&[with_other_size]), RefusalKind::Contradiction),
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
        ("bytes before", zip_with(b"#!/bin/sh\n", &[skill()], b""), RefusalKind::UnknownFormat),
        ("an entry before", zip_with(&hidden[..37], &[skill()], b""), RefusalKind::HiddenData),
        ("bytes between entries", zip(&[between, inner.clone()]), RefusalKind::HiddenData),
        ("two entries of the same bytes", zip(&[skill(), shared]), RefusalKind::HiddenData),
        (
            "an entry inside another one",
            zip(&[stored("SKILL.md", &hidden), quine]),
            RefusalKind::HiddenData,
        ),
        ("bytes after the compressed ones", zip(&[packed_more]), RefusalKind::HiddenData),
        ("bytes after the end", [whole.as_slice(), b"x"].concat(), RefusalKind::Damaged),
        ("two ends", zip_with(b"", &[skill()], &zip(&[])), RefusalKind::Contradiction),
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
        ("encryption", zip(&[skill().both(|it| it.flags = 1)]), RefusalKind::Unsupported),
        ("hidden headers", zip(&[skill().both(|it| it.flags = 0x2000)]), RefusalKind::Unsupported),
        ("bzip2", zip(&[skill().both(|it| it.method = 12)]), RefusalKind::Unsupported),
        ("several disks", disks, RefusalKind::Unsupported),
        ("fewer entries than there are", fewer, RefusalKind::Contradiction),
        ("two counts", counts, RefusalKind::Contradiction),
        ("no entry", zip(&[]), RefusalKind::Empty),
        ("only a directory", zip(&[stored("d/", b"").with_mode(0o040_755)]), RefusalKind::Empty),
        ("half a file", zip(&[skill()])[..40].to_vec(), RefusalKind::Damaged),
        (
            "a stream that is no deflate",
            zip(&[stored("x", b"\xff\xff\xff").both(|it| it.method = 8)]),
            RefusalKind::Damaged,
        ),
    ]);
}
