//! The bounds of a plugin's process, which it puts itself into before it opens anything.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};

use crate::PluginLimits;

/// Takes the host's socket from standard input and moves it where a plugin does not look for it.
///
/// # Errors
///
/// Standard input is no socket: the program was not started by a host.
pub fn take_socket() -> io::Result<UnixStream> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let socket = UnixStream::from(stdin);
    socket.peer_addr().map_err(|_| io::Error::other("this program is started by a host alone"))?;
    let nothing = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok(socket)
}

/// Limits what the code of a plugin can take from the machine to this process.
///
/// # Errors
///
/// The operating system refuses a limit.
pub fn bounds(limits: &PluginLimits) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    limit(Resource::Core, 0)?;
    limit(Resource::As, limits.address_space)?;
    limit(Resource::Nofile, limits.open_files)
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}
