//! The CPU time of programs that were started.

use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns the CPU time, user and system, of all child processes that have ended.
#[expect(unsafe_code, reason = "no safe interface gives these times in microseconds")]
fn ended() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel writes one `rusage`, of which zeros are a value, at that place.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.cast_unsigned())
            + Duration::from_micros(time.tv_usec.cast_unsigned())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Returns the CPU time of the child processes that end during a piece of work.
pub fn cpu_of_children(work: impl FnOnce()) -> Duration {
    let before = ended();
    work();
    ended().saturating_sub(before)
}

/// Runs a program to its end without its output, and returns whether it succeeded.
pub fn run(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().expect("the program can be started").success()
}
