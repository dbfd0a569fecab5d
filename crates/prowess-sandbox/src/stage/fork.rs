//! The only way to start a process that goes on with this program.

use std::io;

use rustix::process::Pid;

/// Forks, and returns the new process in the old one.
#[allow(unsafe_code, reason = "no safe interface forks")]
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the stage has a single thread, so the new process has all of it and finds no lock
    // held.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}
