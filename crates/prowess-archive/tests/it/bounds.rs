//! The limits, and archives of any bytes.

use proptest::prelude::*;
use prowess_archive::RefusalKind::{Contradiction, Ratio, TooLarge, TooManyEntries};
use prowess_archive::{Archive, File, Limits, read};

use crate::tar_file::{self, gzip, record, tar, tar_gz};
use crate::zip_file::{deflated, stored, zip};
use crate::{check_refused, read_default};

#[test]
fn large_archives_are_refused() {
    let bomb = vec![0; 1024 * 1024];
    let one = deflated("x", &bomb);
    let named = |number: usize| one.clone().both(|it| it.name = number.to_string().into());
    let bombs: Vec<_> = (0..80).map(named).collect();
    let lying = deflated("x", &bomb).both(|it| it.unpacked = 1);
    let many: Vec<_> = (0..10_001).map(|number| tar_file::file(format!("f{number}"))).collect();
    let entries: Vec<_> = (0..10_001).map(|number| stored(format!("f{number}"), b"")).collect();
    check_refused([
        ("a bomb of gzip", tar_gz(&[record("x", b'0', &bomb)]), Ratio),
        ("a bomb of zip", zip(&[deflated("x", &bomb)]), Ratio),
        ("many small bombs", zip(&bombs), Ratio),
        ("a bomb that lies about its size", zip(&[lying]), Contradiction),
        ("many files in a tar", tar_gz(&many), TooManyEntries),
        ("many files in a zip", zip(&entries), TooManyEntries),
        ("a large download", vec![0x1f; 64 * 1024 * 1024 + 1], TooLarge),
    ]);
}

#[test]
fn unpacked_size_is_limited_without_a_ratio() {
    // Without repetitions, so that it hardly gets smaller.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    let noise: Vec<u8> = (0..4000).map(|_| next()).collect();
    let limits = Limits { bytes: 3000, ratio: 1, ..Limits::default() };
    let packed = tar_gz(&[record("x", b'0', &noise)]);
    assert_eq!(read(&packed, &limits).unwrap_err().kind, TooLarge);
    let text = b"a line\n".repeat(600);
    let zipped = zip(&[deflated("x", &text)]);
    assert_eq!(read(&zipped, &limits).unwrap_err().kind, TooLarge);
    let gzipped = tar_gz(&[record("x", b'0', &text)]);
    assert_eq!(read(&gzipped, &limits).unwrap_err().kind, TooLarge);
}

#[test]
fn deepest_allowed_path_is_read() {
    let path = "d/".repeat(31) + "f";
    let archive = Archive::new(vec![File::new(&path, "x")]).unwrap();
    assert_eq!(read_default(&archive.to_tar_gz()).unwrap().files()[0].path, path);
}

/// Names with what the rules are about.
fn any_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("a".to_owned()),
        Just("..".to_owned()),
        Just("SKILL.md".to_owned()),
        "[a-cA-C.]{1,3}",
        "\\PC{1,4}",
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn is_safe(path: &str) -> bool {
    !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

proptest! {
    #[test]
    fn any_bytes_end_with_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for bytes in [gzip(&bytes), [b"PK\x03\x04", bytes.as_slice()].concat(), bytes] {
            let _ = read_default(&bytes);
        }
    }

    #[test]
    fn a_changed_byte_never_changes_a_path_unsafely(at in 0_usize..2048, to: u8, zipped: bool) {
        let records = [tar_file::file("SKILL.md"), tar_file::directory("d/"), tar_file::file("d/x")];
        let mut bytes = if zipped { zip(&[stored("SKILL.md", b"x"), deflated("d/x", b"yyyy")]) } else { tar(&records) };
        let at = at % bytes.len();
        bytes[at] = to;
        if let Ok(archive) = read_default(&bytes) {
            for file in archive.files() {
                prop_assert!(is_safe(&file.path), "{}", file.path);
            }
        }
    }

    #[test]
    fn packed_archives_are_read_as_they_were(paths in prop::collection::vec(any_path(), 1..6), content: Vec<u8>) {
        let files = paths.iter().map(|path| File::new(path, content.clone())).collect();
        if let Ok(archive) = Archive::new(files) {
            prop_assert!(archive.files().iter().all(|file| is_safe(&file.path)));
            prop_assert_eq!(read_default(&archive.to_tar_gz()).unwrap(), archive);
        }
    }
}
