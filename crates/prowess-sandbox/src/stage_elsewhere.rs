//! The stage on systems that it has no layers for: it refuses.

use std::convert::Infallible;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use crate::wire::{self, Answer, Order, Preparation};
use crate::{MissingLayer, Report};

/// The exit status of a stage that could not confine itself.
pub const EXIT_NOT_CONFINED: u8 = 126;

/// The confined process and its connection to the host.
#[derive(Debug)]
pub struct Inside {
    /// The connection to the host.
    pub socket: UnixStream,
    /// The files that the host handed over.
    pub files: Vec<OwnedFd>,
    /// The layers around this process.
    pub report: Report,
}

/// Does nothing: this operating system has no control groups.
pub fn remove_ended_groups() {}

/// Does nothing: there are no such groups.
pub(crate) fn remove_groups_of(_number: u32) {}

/// Reports to the host that this operating system has no layers.
///
/// # Errors
///
/// Always.
pub fn enter() -> io::Result<Inside> {
    match refuse()? {}
}

/// Reports to the host that this operating system has no layers.
pub fn run_stage() -> std::process::ExitCode {
    let _ = refuse();
    EXIT_NOT_CONFINED.into()
}

fn refuse() -> io::Result<Infallible> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let _ = wire::receive::<Preparation>(&socket)?;
    let _ = wire::receive::<Order>(&socket)?;
    let missing = MissingLayer {
        layer: "operating-system".into(),
        reason: format!("{} has none of the layers", std::env::consts::OS),
    };
    wire::send(&socket, &Answer::Unavailable(missing), &[])?;
    Err(io::ErrorKind::Unsupported.into())
}
