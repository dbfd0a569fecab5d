//! Programs that run for a limited time.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The time between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(1);

/// A program in a group of its own. With this, it ends, and with it what it has started.
pub(crate) struct Started(pub(crate) Child);

impl Started {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.process_group(0).spawn().map(Self)
    }

    /// Waits until the program ends. Returns `None` at the end of its time, or as soon as it
    /// is not wanted.
    pub(crate) fn wait(
        &mut self,
        end: Instant,
        is_wanted: impl Fn() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || Instant::now() >= end || !is_wanted() {
                return Ok(status);
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            let _ = self.0.wait();
        }
    }
}
