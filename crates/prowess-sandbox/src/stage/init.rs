//! The init process of a namespace.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;

use rustix::net::{RecvFlags, recv};
use rustix::process::{Pid, WaitOptions};

use super::die_with_parent;
use super::outer::exit;

/// Makes this process an init process, which ends with the outer process. It sees the files of the
/// host until the confined process replaces the root of both.
pub(super) fn prepare(outer: &UnixStream) -> io::Result<()> {
    die_with_parent()?;
    has_ended(outer)
}

/// Fails if the outer process ended before its end could be noticed.
fn has_ended(outer: &UnixStream) -> io::Result<()> {
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    match recv(outer, &mut [0; 1], flags) {
        Err(rustix::io::Errno::AGAIN) => Ok(()),
        _ => Err(io::Error::other("the outer process has ended")),
    }
}

/// Waits for the confined process, and for orphans meanwhile, and reports how it ended.
pub(super) fn wait(confined: Pid, mut outer: &UnixStream) -> ! {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == confined => {
                let _ = outer.write_all(&status.as_raw().to_le_bytes());
                exit(0);
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => exit(1),
        }
    }
}
