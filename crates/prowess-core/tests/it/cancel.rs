//! Tests of cancellation flags.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::Cancel;

#[test]
fn clones_share_one_flag() {
    let cancel = Cancel::default();
    let clone = cancel.clone();
    assert!(!clone.is_cancelled(), "the flag is not set");
    cancel.cancel();
    assert!(clone.is_cancelled(), "clones share the flag");
}

#[test]
fn polled_flag_is_cancelled_by_its_callback() {
    let elsewhere = Arc::new(AtomicBool::default());
    let asked = Arc::clone(&elsewhere);
    let cancel = Cancel::with_poll(move || asked.load(Ordering::Acquire));
    assert!(!cancel.is_cancelled(), "neither flag is set");
    elsewhere.store(true, Ordering::Release);
    assert!(cancel.is_cancelled(), "the callback sets the flag");
    elsewhere.store(false, Ordering::Release);
    cancel.cancel();
    assert!(cancel.is_cancelled(), "the flag itself can also be set");
}
