//! An archive that is accepted has safe paths only, and is packed and read again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_archive::{Archive, Limits, read};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&as_tar(bytes));
});

fn check(bytes: &[u8]) {
    let limits = Limits::default();
    let Ok(archive) = read(bytes, &limits) else { return };
    for file in archive.files() {
        let is_part = |part: &str| !matches!(part, "" | "." | "..");
        assert!(file.path.split('/').all(is_part), "{:?} is relative and inside", file.path);
        assert!(!file.path.contains(['\\', '\0', '\n']), "{:?} is one name everywhere", file.path);
    }
    let again = Archive::new(archive.files().to_vec()).expect("what is read can be packed");
    assert_eq!(read(&again.to_tar_gz(), &limits).ok(), Some(archive), "and is read as it was");
}

/// Returns the bytes as a tar file with right checksums, which would take a fuzzer long to find.
fn as_tar(bytes: &[u8]) -> Vec<u8> {
    let mut tar = bytes.to_vec();
    tar.resize(bytes.len().next_multiple_of(512) + 1024, 0);
    let end = tar.len() - 1024;
    for header in tar[..end].chunks_exact_mut(512) {
        if header[257..262] != *b"ustar" {
            continue;
        }
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    tar
}
