//! Archives that no package may be are looked into.

use prowess_archive::{Limits, look};

use crate::tar_file::{directory, file, gzip, link, long_name, open_tar, pax, record, tar, tar_gz};
use crate::zip_file::{deflated, stored, zip, zip_with};

/// Returns whether a file of this name and content is seen, and whether everything is.
fn seen(bytes: &[u8], limits: &Limits) -> (bool, bool) {
    let mut is_seen = false;
    let is_whole = look(bytes, limits, &mut |name, content| {
        is_seen |= name.ends_with("a/.env") && content == b"text";
    });
    (is_seen, is_whole)
}

#[test]
fn unusual_archives_are_looked_into() {
    let (env, other) = (file("a/.env"), file("b"));
    let tar_with = |other| tar(&[other, env.clone()]);
    let entry = deflated("a/.env", b"text");
    let zip_of = |other| zip(&[other, entry.clone()]);
    let inner = tar_gz(std::slice::from_ref(&env));
    let long = format!("{}a/.env", "n".repeat(200));
    let zip64 = entry.clone().both(|header| header.extra = b"\x01\0\x01\0\0".to_vec());
    let cases = [
        ("a link", tar_with(link("b", b'2', "a"))),
        ("a hard link", tar_with(link("b", b'1', "a"))),
        ("a pipe", tar_with(record("b", b'6', b""))),
        ("one name twice", tar(&[other.clone(), other.clone(), env.clone()])),
        ("names that differ in case", tar(&[other.clone(), file("B"), env.clone()])),
        ("a name that leads out", tar_with(file("../b"))),
        ("an absolute name", tar_with(file("/b"))),
        ("a name of Windows", tar(&[file("a\\.env")])),
        ("parts that mean nothing", tar(&[file("./a/./.env")])),
        ("a long name", tar(&[long_name(&long), file("cut")])),
        ("a name of pax", tar(&[pax(b'x', &[("path", "a/.env")]), file("cut")])),
        ("many levels", tar_with(directory("d/".repeat(40)))),
        ("many files", tar(&[vec![other.clone(); 9000], vec![env.clone()]].concat())),
        ("no end", open_tar(std::slice::from_ref(&env))),
        ("two behind one another", [tar(&[other]), tar(std::slice::from_ref(&env))].concat()),
        ("two members", [gzip(b""), inner.clone()].concat()),
        ("two times", gzip(&inner)),
        ("in a zip file", zip_of(stored("b.tar.gz", &inner))),
        ("a zip file in another", zip(&[stored("b.zip", &zip_of(stored("b", b"")))])),
        ("a directory", zip_of(stored("b/", b""))),
        ("a descriptor", zip(&[stored("b", b"b").with_descriptor(), entry.clone()])),
        ("two descriptors", zip(&[entry.clone().with_descriptor(), stored("b", b"b")])),
        ("sizes of 64 bits", zip(&[zip64])),
        ("bytes before", zip_with(b"#!/bin/sh\n", std::slice::from_ref(&entry), b"")),
        ("bytes behind", [zip_of(stored("b", b"b")), b"more".to_vec()].concat()),
    ];
    for (what, bytes) in cases {
        assert_eq!(seen(&bytes, &Limits::default()), (true, true), "{what}");
    }
}

#[test]
fn what_is_not_seen_is_said() {
    let env = file("a/.env");
    let tar_gz = tar_gz(std::slice::from_ref(&env));
    let entry = deflated("a/.env", b"text");
    let noise: Vec<u8> =
        (0_u32..0x1_0000).flat_map(|it| it.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    let large = tar(&[env.clone(), record("b", b'0', &noise)]);
    let (packed, stored_zip) = (gzip(&large), zip(&[entry.clone(), stored("b", &noise)]));
    let deep = (0..8).fold(tar_gz.clone(), |inner, _| gzip(&inner));
    let encrypted = entry.clone().both(|header| header.flags |= 1);
    let lzma = stored("b", b"b").both(|header| header.method = 14);
    let cut = |bytes: &[u8], length: usize| bytes[..bytes.len() - length].to_vec();
    let cases = [
        ("a cut tar file", cut(&large, 2048), true),
        ("a cut gzip file", cut(&packed, 9), true),
        ("bytes behind a gzip file", [&tar_gz[..], b"more"].concat(), true),
        ("a cut zip file", cut(&stored_zip, 9000), true),
        ("an encrypted entry", zip(&[encrypted]), false),
        ("another method", zip(&[entry, lzma]), true),
        ("too deep", deep, false),
        ("bzip2", b"BZh91AY&SY".to_vec(), false),
        ("xz", b"\xfd7zXZ\0".to_vec(), false),
        ("a bundle of git", b"# v2 git bundle\n".to_vec(), false),
    ];
    for (what, bytes, is_seen) in cases {
        assert_eq!(seen(&bytes, &Limits::default()), (is_seen, false), "{what}");
    }
    let few = Limits { entries: 1, ..Limits::default() };
    let small = Limits { bytes: 4096, ..Limits::default() };
    assert!(!seen(&large, &few).1 && !seen(&packed, &small).1);
    for text in [&b"text"[..], b"", b"PK\x03\x04", b"BZhang", &noise] {
        assert_eq!(seen(text, &Limits::default()), (false, true));
    }
}
