//! A lock that is accepted is written and read again as it was, and so is a merge.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_store::{Lock, heal, merge};

fuzz_target!(|text: &str| {
    if let Ok(lock) = Lock::parse(text) {
        let written = lock.to_text();
        let again = Lock::parse(&written).unwrap_or_else(|error| panic!("{error}:\n{written}"));
        assert_eq!(again, lock, "{written}");
        assert_eq!(again.to_text(), written, "it is written as it was read");
        let merged = merge(None, &lock, &lock);
        assert!(merged.conflicts.is_empty(), "a lock has no conflict with itself");
        assert_eq!(merged.lock, lock);
    }
    if let Ok(healed) = heal(text) {
        let again = heal(&healed.to_text()).expect("what is written can be read");
        assert_eq!(again.lock.skills, healed.lock.skills);
        assert_eq!(again.conflicts.len(), healed.conflicts.len());
    }
});
