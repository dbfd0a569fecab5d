//! Tests with a disk that fails.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Runs `test` on a thread in which the kernel fails `fsync` and `fdatasync`, as for a disk that
/// loses writes. A filter belongs to a thread, so other tests are not affected.
///
/// # Panics
///
/// Panics if `test` panics, or if the kernel has no seccomp.
pub fn without_sync(test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                apply_filter(&failing_sync()).expect("the kernel takes a filter");
                test();
            })
            .join()
            .map_err(std::panic::resume_unwind)
            .ok()
    });
}

fn failing_sync() -> BpfProgram {
    let rules: BTreeMap<_, _> =
        [libc::SYS_fsync, libc::SYS_fdatasync].map(|call| (call, Vec::new())).into();
    let fail = SeccompAction::Errno(libc::EIO.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into().expect("a known architecture");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, fail, architecture);
    let program = filter.and_then(TryInto::try_into);
    program.expect("the filter compiles")
}
