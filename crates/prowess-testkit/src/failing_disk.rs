//! Tests with a disk that fails.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Runs `test` on a thread in which the kernel fails `fsync` and `fdatasync`, as for a disk that
/// loses writes. A filter belongs to a thread, so other tests are not affected.
pub fn without_sync(test: impl FnOnce() + Send) {
    failing(&[libc::SYS_fsync, libc::SYS_fdatasync], libc::EIO, test);
}

/// Runs `test` on a thread in which the kernel fails to write to files, as for a disk that is full.
pub fn without_space(test: impl FnOnce() + Send) {
    let calls = [libc::SYS_write, libc::SYS_pwrite64, libc::SYS_ftruncate, libc::SYS_fallocate];
    failing(&calls, libc::ENOSPC, test);
}

/// Runs `test` on a thread in which these system calls fail.
fn failing(calls: &[i64], error: i32, test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                apply_filter(&filter(calls, error)).expect("the kernel takes a filter");
                test();
            })
            .join()
            .map_err(std::panic::resume_unwind)
            .ok()
    });
}

fn filter(calls: &[i64], error: i32) -> BpfProgram {
    let rules: BTreeMap<_, _> = calls.iter().map(|call| (*call, Vec::new())).collect();
    let fail = SeccompAction::Errno(error.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into().expect("a known architecture");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, fail, architecture);
    let program = filter.and_then(TryInto::try_into);
    program.expect("the filter compiles")
}
