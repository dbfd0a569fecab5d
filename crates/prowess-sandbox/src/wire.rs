//! Messages between a host and a stage: a length, a JSON document, and open files next to the
//! length.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Confinement, Level, Limits, MissingLayer, Plan, Program, Report};

/// The maximum number of files in one message, of which two are streams.
const MAX_FILES: usize = 10;
/// The maximum length of a document.
const MAX_BYTES: usize = 16 << 20;

/// Sending to an end that is gone is an error and no signal. Apple's sockets need no flag for it.
#[cfg(not(target_vendor = "apple"))]
const SEND: SendFlags = SendFlags::NOSIGNAL;
#[cfg(target_vendor = "apple")]
const SEND: SendFlags = SendFlags::empty();

/// Programs that are started do not inherit the files. Apple has no flag, and nothing is started
/// there.
#[cfg(not(target_vendor = "apple"))]
const RECEIVE: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(target_vendor = "apple")]
const RECEIVE: RecvFlags = RecvFlags::empty();

/// The byte by which a stage that ends reports that a process was killed because the memory of all
/// was used up.
pub(crate) const MEMORY_USED_UP: u8 = 1;

/// The host's first message to a stage: what it does before it gets the order.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Preparation {
    pub(crate) level: Level,
    /// Whether the stage will replace itself with a program.
    pub(crate) replaces_itself: bool,
    /// Whether the process has a network of its own.
    pub(crate) has_own_network: bool,
    /// Whether the process may use the host's network.
    pub(crate) uses_network: bool,
    /// Whether the process may start others.
    pub(crate) starts_processes: bool,
    /// Whether the process may read files that are granted.
    pub(crate) reads: bool,
    /// Whether the process may write to files that are granted.
    pub(crate) writes: bool,
    /// Whether the process may run programs that are granted.
    pub(crate) executes: bool,
    /// The limits on resources.
    pub(crate) limits: Limits,
    /// The host's process id, to notice a host that has already ended.
    pub(crate) host: u32,
}

impl Preparation {
    /// Returns what the stage can prepare for an order of the host with this process id.
    pub(crate) fn of(order: &Order, host: u32) -> Self {
        let Confinement { rights, limits, .. } = &order.confinement;
        Self {
            level: order.level,
            replaces_itself: order.exec.is_some(),
            has_own_network: order.proxy_port.is_some(),
            uses_network: rights.network,
            starts_processes: rights.processes,
            reads: !rights.read.is_empty(),
            writes: !rights.write.is_empty(),
            executes: !rights.execute.is_empty(),
            limits: limits.clone(),
            host,
        }
    }
}

/// The host's second message to a stage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) level: Level,
    pub(crate) confinement: Confinement,
    /// `None` if the stage itself goes on inside.
    pub(crate) exec: Option<Replacement>,
    pub(crate) proxy_port: Option<u16>,
}

impl Order {
    pub(crate) fn of(plan: &Plan, level: Level) -> Self {
        let exec = plan.exec.as_ref().map(|program| Replacement {
            program: program.clone(),
            environment: plan.environment.clone(),
            directory: plan.directory.clone(),
        });
        let confinement = plan.confinement.clone();
        Self { level, confinement, exec, proxy_port: plan.proxy_port }
    }
}

/// The program that replaces a stage. Its standard output and error are the first files that come
/// with the order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Replacement {
    pub(crate) program: Program,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
}

/// The stage's only message, besides [`MEMORY_USED_UP`].
#[derive(Serialize, Deserialize)]
pub(crate) enum Answer {
    /// Every layer is in place. The listener of [`Plan::proxy_port`](crate::Plan::proxy_port) comes
    /// with it.
    Confined(Report),
    /// A layer cannot be built.
    Unavailable(MissingLayer),
    /// The streams or the directory of the program cannot be used.
    NotStarted(String),
}

/// Sends a message with open files.
///
/// # Errors
///
/// The other end is closed, or there are more than ten files.
pub fn send<T: Serialize>(
    mut socket: &UnixStream,
    message: &T,
    files: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let document = serde_json::to_vec(message)?;
    let length = u32::try_from(document.len()).map_err(io::Error::other)?.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::other(format!("more than {MAX_FILES} files in one message")));
    }
    let parts = [IoSlice::new(&length), IoSlice::new(&document)];
    let sent = sendmsg(socket, &parts, &mut control, SEND)?;
    // The files went with the first byte.
    socket.write_all(length.get(sent..).unwrap_or_default())?;
    socket.write_all(document.get(sent.saturating_sub(length.len())..).unwrap_or_default())
}

/// Receives a message of at most 16 MiB with the open files that come with it.
///
/// # Errors
///
/// The other end is closed, or sends something else.
pub fn receive<T: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut length = [0; 4];
    // A process that was stopped meanwhile is interrupted, as it waits with a deadline.
    let received = retry_on_intr(|| {
        recvmsg(socket, &mut [IoSliceMut::new(&mut length)], &mut control, RECEIVE)
    });
    let got = received?.bytes;
    if got == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    socket.read_exact(&mut length[got..])?;
    let mut files = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            files.extend(received);
        }
    }
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if length > MAX_BYTES {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    let mut document = vec![0; length];
    socket.read_exact(&mut document)?;
    Ok((serde_json::from_slice(&document)?, files))
}
