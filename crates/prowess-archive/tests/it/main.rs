//! Tests of reading and packing archives.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bounds;
mod harmless;
mod hostile_names;
mod hostile_tar;
mod hostile_zip;
mod listing;
mod look;
mod night;
mod packages;
mod tar_file;
mod zip_file;

use prowess_archive::{Archive, Limits, Refusal, RefusalKind, read};

fn read_default(bytes: &[u8]) -> Result<Archive, Refusal> {
    read(bytes, &Limits::default())
}

/// Checks that each archive is refused for its reason, by a table of (what, bytes, kind).
fn check_refused<const N: usize>(cases: [(&str, Vec<u8>, RefusalKind); N]) {
    for (what, bytes, kind) in cases {
        match read_default(&bytes) {
            Ok(archive) => panic!("{what}: accepted with {} files", archive.files().len()),
            Err(refusal) => assert_eq!(refusal.kind, kind, "{what}: {refusal}"),
        }
    }
}
