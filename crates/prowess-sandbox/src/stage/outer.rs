//! The outer process, which the host knows.

use std::io::Read;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

/// Waits for the init process and ends as the confined process did. Ends both when the host closes
/// its connection.
pub(super) fn wait(init: Pid, mut inside: &UnixStream, host: Option<&UnixStream>) -> ! {
    if host.is_some_and(|host| closes_first(host, inside)) {
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
