//! The process of a plugin, from its start to its end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::frame::write;
use super::protocol::{Hello, PROTOCOL};
use super::{Launch, handover};

/// How long a process that hung up may take to end by itself, which is how its reason becomes known.
const LAST_BREATH: u32 = 100;
const MOMENT: Duration = Duration::from_millis(2);

/// Starts the process of a plugin, with `theirs` as its end of the connection.
pub(super) fn start(launch: &Launch, ours: &UnixStream, theirs: UnixStream) -> io::Result<Child> {
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).env_clear().current_dir("/").process_group(0);
    // Each of glibc's arenas takes address space, and there is a bound on that.
    command.env("MALLOC_ARENA_MAX", "2").env("RUST_BACKTRACE", "0");
    let stderr = io::stderr().as_fd().try_clone_to_owned()?;
    command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::from(stderr));
    let mut child = command.spawn()?;
    drop(command);
    match hand_over(launch, ours) {
        Ok(()) => Ok(child),
        Err(error) => {
            // Nobody else waits for it, and it would stay as one that has ended.
            bury(&mut child, true);
            Err(error)
        }
    }
}

/// Gives the process what it has to open, and says how.
fn hand_over(launch: &Launch, ours: &UnixStream) -> io::Result<()> {
    handover::send(ours, launch.library.as_fd())?;
    let hello = Hello {
        protocol: PROTOCOL,
        file: launch.file.display().to_string(),
        config: launch.config.clone(),
        limits: launch.limits.clone(),
    };
    write(&mut &*ours, &hello, &[])
}

/// Waits for a process that hung up. It is ended if the host wants that, or if it does not end.
pub(super) fn bury(child: &mut Child, is_wanted: bool) -> Option<ExitStatus> {
    for _ in 0..if is_wanted { 0 } else { LAST_BREATH } {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => std::thread::sleep(MOMENT),
            Err(_) => break,
        }
    }
    // It may have ended just now.
    let _ = child.kill();
    child.wait().ok()
}

/// What became of a process.
pub(crate) fn died(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status.signal(), status.code())) {
        Some((Some(signal), _)) => format!("ended its process by signal {signal}"),
        Some((_, Some(code))) => format!("ended its process with exit code {code}"),
        _ => "ended its process".into(),
    }
}
