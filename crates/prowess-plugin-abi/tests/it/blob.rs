//! Bytes that cross without being copied.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use prowess_plugin_abi::Blob;

#[test]
fn the_bytes_are_the_owner_s_own() {
    let owner: Arc<[u8]> = Arc::from(*b"body");
    let place = owner.as_ptr();
    let blob = Blob::of(Arc::clone(&owner));
    assert_eq!(blob.as_slice(), b"body", "the bytes are seen");
    assert_eq!(blob.as_slice().as_ptr(), place, "nothing is copied");
    drop(blob);
    assert_eq!(Arc::strong_count(&owner), 1, "the owner is let go once");
}

#[test]
fn a_blob_may_be_empty_or_static_or_inline() {
    assert_eq!(Blob::of(Vec::new()).as_slice(), b"", "empty");
    assert_eq!(Blob::from_static(b"text").as_slice(), b"text", "static");
    assert_eq!(Blob::of([7_u8; 3]).as_slice(), [7; 3], "the bytes move with their owner");
    assert_eq!(size_of::<Blob>(), 4 * size_of::<usize>(), "it stays small");
}

/// An owner whose end goes wrong, and whose panic's payload goes wrong as well.
struct Bad;

struct BadPayload;

impl AsRef<[u8]> for Bad {
    fn as_ref(&self) -> &[u8] {
        b"bad"
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        resume_unwind(Box::new(BadPayload));
    }
}

impl Drop for BadPayload {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            resume_unwind(Box::new("payload"));
        }
    }
}

#[test]
fn a_panic_of_the_owner_stays_behind_the_boundary() {
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(Blob::of(Bad))));
    assert!(dropped.is_ok(), "a drop on the other side never sees a panic");
}
