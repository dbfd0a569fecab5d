//! Copies of a confined process: one that may fail goes on for it, and it is there as it was.

use std::io;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait, waitpid,
};

use super::fork::fork;
use super::limits::limit;
use super::{Inside, has_one_thread};

/// A copy of this process, which has the same layers around it.
#[derive(Debug)]
pub struct ProcessCopy(Pid);

impl ProcessCopy {
    /// Ends the copy, unless it has ended.
    pub fn end(self) {
        let _ = kill_process(self.0, Signal::KILL);
        while matches!(waitpid(Some(self.0), WaitOptions::empty()), Err(Errno::INTR)) {}
    }
}

impl Inside {
    /// Goes on in a copy of this process, and ends this one once that copy and those that it makes
    /// have ended. So a copy may end and leave its own copy behind.
    ///
    /// # Errors
    ///
    /// The process has several threads, or [`Rights::processes`](crate::Rights::processes) is not
    /// granted.
    pub fn go_on_in_copies(&self) -> io::Result<()> {
        has_one_thread().map_err(|missing| io::Error::other(missing.reason))?;
        set_child_subreaper(Some(getpid()))?;
        if fork()?.is_some() {
            while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
            std::process::exit(0);
        }
        Ok(())
    }

    /// Copies this process, whose other threads have ended. Returns the copy, and `None` in it.
    ///
    /// # Errors
    ///
    /// A limit is reached.
    pub fn copy(&self) -> io::Result<Option<ProcessCopy>> {
        Ok(fork()?.map(ProcessCopy))
    }
}

/// Limits the address space of this process and its copies to what it has and `more` bytes. Call it
/// before [`enter`](super::enter), which hides the size.
///
/// # Errors
///
/// The system does not report the size.
pub fn limit_address_space(more: u64) -> io::Result<()> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let size = size.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let most = size.ok_or(io::ErrorKind::InvalidData)?.saturating_mul(1024).saturating_add(more);
    Ok(limit(Resource::As, most)?)
}

/// Returns the most memory that this process has had, in bytes. A copy begins with what it has.
#[allow(unsafe_code, reason = "rustix does not have the call")]
pub fn peak_memory() -> u64 {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call fills the structure that it is given, and keeps nothing.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    u64::try_from(usage.ru_maxrss).unwrap_or_default().saturating_mul(1024)
}
