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

/// Returns the CPU time, user and system, of a running process so far.
#[expect(unsafe_code, reason = "no safe interface gives the clock of another process")]
pub fn cpu_of(process: u32) -> Duration {
    let process = libc::pid_t::try_from(process).expect("it is the number of a process");
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both calls write one value at a place that lasts until they return.
    let answers = unsafe {
        [
            libc::clock_getcpuclockid(process, &raw mut clock),
            libc::clock_gettime(clock, &raw mut time),
        ]
    };
    assert_eq!(answers, [0; 2], "the process runs");
    let nanoseconds = time.tv_nsec.cast_unsigned();
    Duration::from_secs(time.tv_sec.cast_unsigned()) + Duration::from_nanos(nanoseconds)
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
