//! Tests of `Blob`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use prowess_plugin_abi::Blob;

#[test]
fn bytes_are_not_copied() {
    let owner: Arc<[u8]> = Arc::from(*b"body");
    let place = owner.as_ptr();
    let blob = Blob::of(Arc::clone(&owner));
    assert_eq!(blob.as_slice(), b"body", "the bytes are those of the owner");
    assert_eq!(blob.as_slice().as_ptr(), place, "the address is that of the owner's bytes");
    drop(blob);
    assert_eq!(Arc::strong_count(&owner), 1, "the owner is dropped once");
}

#[test]
fn owner_may_be_empty_static_or_inline() {
    assert_eq!(Blob::of(Vec::new()).as_slice(), b"", "empty");
    assert_eq!(Blob::from_static(b"text").as_slice(), b"text", "static");
    assert_eq!(Blob::of([7_u8; 3]).as_slice(), [7; 3], "the bytes are stored in the owner");
    assert_eq!(size_of::<Blob>(), 4 * size_of::<usize>(), "the size is part of the ABI");
}

/// An owner whose drop panics with a payload whose drop panics.
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
fn panic_of_the_owner_does_not_cross() {
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(Blob::of(Bad))));
    assert!(dropped.is_ok(), "dropping the blob does not panic");
}
