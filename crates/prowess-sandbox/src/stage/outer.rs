//! The outer process, which the host knows.

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::cgroup::MemoryKills;
use crate::wire::MEMORY_USED_UP;

/// The host, as the outer process knows it.
pub(super) struct Host<'a> {
    /// The connection to it.
    pub(super) socket: &'a UnixStream,
    pub(super) kills: Option<MemoryKills>,
}

impl Host<'_> {
    /// Returns the files that the outer process needs.
    pub(super) fn files(&self) -> impl Iterator<Item = RawFd> {
        let kills = self.kills.iter().map(AsRawFd::as_raw_fd);
        kills.chain([self.socket.as_raw_fd()])
    }

    /// Reports that a process was killed because the memory of all was used up.
    pub(super) fn report_kills(&self) {
        if self.kills.as_ref().is_some_and(MemoryKills::is_any) {
            let mut socket = self.socket;
            // A host that has ended needs no report.
            let _ = socket.write_all(&[MEMORY_USED_UP]);
        }
    }
}

/// Waits for the init process and ends as the confined process did. Ends both when the host closes
/// its connection.
pub(super) fn wait(init: Pid, mut inside: &UnixStream, host: Option<&Host<'_>>) -> ! {
    if host.is_some_and(|host| closes_first(host.socket, inside)) {
        let _ = kill_process(init, Signal::KILL);
    }
    let mut status = [0; 4];
    let reported = inside.read_exact(&mut status).is_ok();
    let own = loop {
        match waitpid(Some(init), WaitOptions::empty()) {
            Ok(Some((_, own))) => break own.as_raw(),
            Err(rustix::io::Errno::INTR) | Ok(None) => {}
            Err(_) => exit(1),
        }
    };
    if let Some(host) = host {
        host.report_kills();
    }
    end_as(if reported { i32::from_le_bytes(status) } else { own })
}

/// Waits until the host closes its connection or the init process reports an end. Returns whether
/// it was the host.
fn closes_first(host: &UnixStream, inside: &UnixStream) -> bool {
    loop {
        let mut events = [PollFd::new(host, PollFlags::RDHUP), PollFd::new(inside, PollFlags::IN)];
        match poll(&mut events, None) {
            Ok(_) => return events[1].revents().is_empty(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return true,
        }
    }
}

/// Ends this process with the status of another one.
pub(super) fn end_as(status: i32) -> ! {
    if libc::WIFEXITED(status) {
        exit(libc::WEXITSTATUS(status));
    }
    let number = libc::WTERMSIG(status);
    if let Some(signal) = Signal::from_named_raw(number) {
        // The first signal may meet a handler that resets itself.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    exit(128 + number)
}

/// Ends this process at once, without what a program registered for its end: that belongs to the
/// process that was forked.
#[allow(unsafe_code, reason = "the standard library runs what was registered for the end")]
pub(super) fn exit(status: i32) -> ! {
    // SAFETY: the call takes a number and does not return.
    unsafe { libc::_exit(status) }
}
