//! Damaged and hostile files.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use prowess_core::{Cancel, Digest};
use prowess_source_catalog::{CatalogFile, CatalogFileError};
use prowess_testkit::ScanRecorder;

use crate::{catalog_of, published, skills, source};

const HEADER: usize = 92;

/// Returns a small catalog file, and the place that has it.
fn small() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
    let place = tempfile::tempdir().unwrap();
    let pointer = published(&catalog_of(skills(0)), place.path()).pointer;
    let name = format!("catalog-{}.prowess", &pointer.digest.to_string()[7..]);
    let file = place.path().join(name);
    let bytes = fs::read(&file).unwrap();
    (place, file, bytes)
}

/// Returns all answers of a file, each with its errors left out.
fn answers(file: &CatalogFile) -> Vec<String> {
    let mut answers = Vec::new();
    for id in ["mail", "needy", "hidden", "", "zzz"] {
        answers.extend(file.get(id).ok().map(|skill| format!("{id}: {skill:?}")));
        answers.extend(file.position_after(id).ok().map(|after| format!("{id}: {after}")));
    }
    for query in ["mail", "smtp", "e-mial", "another users", ""] {
        answers.extend(file.search(query, 5).ok().map(|hits| format!("{query}: {hits:?}")));
    }
    answers.extend(file.page(0, 100).ok().map(|page| format!("{page:?}")));
    answers.extend((0..5).filter_map(|at| Some(format!("{at}: {:?}", file.entry(at).ok()?))));
    answers
}

#[test]
fn each_flipped_byte_is_found() {
    let (place, file, bytes) = small();
    let cancel = Cancel::default();
    let good = answers(&CatalogFile::open(&file).unwrap());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        fs::write(&file, damaged).unwrap();
        let source = source(place.path());
        let Ok(damaged) = source.poll(&cancel) else { continue };
        assert!(at >= HEADER, "byte {at} changes the name of the file");
        let answers = answers(&damaged);
        let wrong = answers.iter().find(|answer| !good.contains(answer));
        assert_eq!(wrong, None, "byte {at} gives another answer instead of an error");
        let scan = ScanRecorder::scan(&source).unwrap();
        let is_found = answers.len() < good.len() || !scan.problems.is_empty();
        // The table of packages is for reads by path.
        let lists = |path: &str| {
            let package = prowess_core::PackagePath::new(path).unwrap();
            prowess_core::SkillSource::list(&source, &package, 9).is_ok()
        };
        assert!(is_found || !lists("needy"), "nothing notices byte {at}");
    }
}

#[test]
fn each_shorter_file_is_refused() {
    let (_place, file, bytes) = small();
    for length in 0..bytes.len() {
        fs::write(&file, &bytes[..length]).unwrap();
        let error = CatalogFile::open(&file).unwrap_err();
        assert!(matches!(error, CatalogFileError::Damaged(_)), "{length}: {error}");
    }
    fs::write(&file, [&bytes[..], b"more"].concat()).unwrap();
    CatalogFile::open(&file).unwrap_err();
}

#[test]
fn other_format_names_the_step() {
    let (_place, file, mut bytes) = small();
    bytes[16] = 2;
    fs::write(&file, bytes).unwrap();
    let error = CatalogFile::open(&file).unwrap_err();
    assert!(matches!(error, CatalogFileError::Format(2)), "{error}");
    assert!(error.to_string().contains("update it"), "{error}");
}

#[test]
fn special_files_do_not_block() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("fifo");
    let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(status.success());
    CatalogFile::open(&path).unwrap_err();
    CatalogFile::open(place.path()).unwrap_err();
}

/// Gives the parts of a hostile file the digests that they should have, from the records up to the
/// header, as far as they can still be found.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let word = |bytes: &[u8], at: usize| {
        Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?) as usize)
    };
    let [index, words] = [28, 56];
    let place = |bytes: &[u8], part: usize| Some((word(bytes, part)?, word(bytes, part + 8)?));
    let sign = |bytes: &mut [u8], part: usize| {
        let (start, length) = place(bytes, part)?;
        let digest = Digest::of(bytes.get(start..start.checked_add(length)?)?);
        bytes.get_mut(part + 12..part + 28)?.copy_from_slice(&digest.as_bytes()[..16]);
        Some(())
    };
    let short = |bytes: &[u8], at: usize| {
        Some(usize::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk::<2>()?)))
    };
    let seal_index = |bytes: &mut [u8]| {
        let mut at = place(bytes, index)?.0;
        at += 2 + short(bytes, at)?;
        for (table, extra) in [("groups", 0), ("packages", 8), ("lists", 0)] {
            let count = word(bytes, at)?;
            at += 4;
            for _ in 0..count {
                bytes.get(at)?;
                if table == "groups" {
                    let (start, _) = place(bytes, at)?;
                    let ends = word(bytes, start)?.min(32);
                    for number in 0..ends {
                        let end = word(bytes, start + 4 + 4 * number)?;
                        let details = (start + 4 + 4 * ends).checked_add(end)?.checked_sub(28)?;
                        let _ = sign(bytes, details);
                    }
                }
                let _ = sign(bytes, at);
                at += 28 + extra;
                if table == "groups" {
                    at += 2 + short(bytes, at)?;
                }
            }
        }
        Some(())
    };
    let _ = seal_index(bytes);
    sign(bytes, words)?;
    sign(bytes, index)
}

/// Asks a hostile file everything. Only a panic, a wait or a lot of memory would be wrong.
fn exercise(file: &Path, bytes: &[u8]) -> usize {
    fs::write(file, bytes).unwrap();
    let Ok(file) = CatalogFile::open(file) else { return 0 };
    let found = file.search("mail forr another", 5).map_or(0, |hits| hits.len());
    let page = file.page(0, 100).map_or(0, |page| page.len());
    let got = ["mail", "zzz"].iter().filter(|id| file.get(id).is_ok()).count();
    found + page + got
}

#[test]
fn flipped_bytes_of_a_sealed_file_are_harmless() {
    let (_place, file, bytes) = small();
    let mut whole = bytes.clone();
    seal(&mut whole).unwrap();
    assert!(whole == bytes, "an honest file is sealed already");
    let mut answered = 0;
    for at in 0..bytes.len() {
        let mut hostile = bytes.clone();
        hostile[at] ^= [0x01, 0x80, 0xff][at % 3];
        let _ = seal(&mut hostile);
        answered += exercise(&file, &hostile);
    }
    assert!(answered > bytes.len(), "most are read beyond the digests: {answered}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_change_of_a_sealed_file_is_harmless(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<[u8; 4]>()), 1..8),
    ) {
        static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| small().2);
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("hostile.prowess");
        let mut hostile = SMALL.clone();
        for (at, change) in changes {
            let at = at.index(hostile.len() - 4);
            hostile[at..at + 4].copy_from_slice(&change);
        }
        let _ = seal(&mut hostile);
        exercise(&file, &hostile);
    }
}
