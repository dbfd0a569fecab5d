//! The process around a confined one that has no namespaces: it ends every descendant.
//!
//! A process that leaves its group and its session is still a descendant. When its parent ends, the
//! supervisor becomes its parent, which is how the supervisor finds all of them.

use std::fs;
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    set_parent_process_death_signal, setsid, wait,
};

use super::fork::fork;
use super::outer::{Host, end_as, exit};
use super::{descriptors, die_with_parent};

/// How often orphans that have ended are waited for.
const REAP: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// How often the descendants are looked for at the end.
const SWEEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
/// How long descendants are looked for at the end.
const MOST_SWEEP: Duration = Duration::from_millis(800);

/// Goes on in a new process, which has `kept` open. This one supervises it, and ends it when the
/// host closes its connection.
pub(super) fn enter(kept: &[RawFd], host: Host<'_>) -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    if let Some(confined) = fork()? {
        descriptors::close_everything_except(&host.files().collect::<Vec<_>>())?;
        // The end of the host closes its connection. A signal would leave no time to end the rest.
        set_parent_process_death_signal(None)?;
        let ended = pidfd_open(confined, PidfdFlags::empty())?;
        supervise(confined, &ended, &host);
    }
    drop(host);
    die_with_parent()?;
    // Signals to its group do not reach the supervisor.
    setsid()?;
    descriptors::close_all_except(kept)
}

fn supervise(confined: Pid, ended: &OwnedFd, host: &Host<'_>) -> ! {
    let status = loop {
        let of_host = PollFd::new(host.socket, PollFlags::RDHUP);
        let mut events = [of_host, PollFd::new(ended, PollFlags::IN)];
        let _ = poll(&mut events, Some(&REAP));
        if !events[0].revents().is_empty() {
            let _ = kill_process(confined, Signal::KILL);
            sweep();
            exit(128 + Signal::KILL.as_raw());
        }
        if let Some(status) = reap(confined) {
            break status;
        }
    };
    sweep();
    host.report_kills();
    end_as(status)
}

/// Waits for every child that has ended. Returns the status of the confined process.
fn reap(confined: Pid) -> Option<i32> {
    while let Ok(Some((process, status))) = wait(WaitOptions::NOHANG) {
        if process == confined {
            return Some(status.as_raw());
        }
    }
    None
}

/// Kills the children until there are none. The children of a killed one become children here.
fn sweep() {
    // Most programs leave nothing, which the kernel reports without a list.
    if matches!(wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD)) {
        return;
    }
    let begun = Instant::now();
    loop {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if begun.elapsed() < MOST_SWEEP => drop(poll(&mut [], Some(&SWEEP))),
            Err(rustix::io::Errno::INTR) => {}
            _ => return,
        }
    }
}

fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero();
    let list = fs::read_to_string(format!("/proc/self/task/{own}/children")).unwrap_or_default();
    let numbers = list.split_whitespace().filter_map(|word| word.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}
