//! Tests without the rights of root.

/// Runs `test` on a thread that has dropped root's right to read everything. Capabilities belong to
/// a thread, so other tests keep theirs; for other users this changes nothing.
pub fn without_override(test: impl FnOnce() + Send) {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let mut sets = capabilities(None).expect("a thread may know what it may");
                sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
                set_capabilities(None, sets).expect("a right can be given up");
                test();
            })
            .join()
            .map_err(std::panic::resume_unwind)
            .ok()
    });
}
