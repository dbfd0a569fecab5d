//! Messages between a host and a stage: a length, a JSON document, and open files next to the
//! length.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Confinement, Level, MissingLayer, Program, Report};

/// The maximum number of files in one message.
const MAX_FILES: usize = 8;
/// The maximum length of a document.
const MAX_BYTES: usize = 16 << 20;

/// The host's first message to a stage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) level: Level,
    pub(crate) confinement: Confinement,
    pub(crate) exec: Option<Program>,
    pub(crate) proxy_port: Option<u16>,
    /// The host's process id, to notice a host that has already ended.
    pub(crate) host: u32,
}

/// The stage's only message.
#[derive(Serialize, Deserialize)]
pub(crate) enum Answer {
    /// Every layer is in place. The listener of [`Plan::proxy_port`](crate::Plan::proxy_port) comes
    /// with it.
    Confined(Report),
    /// A layer cannot be built.
    Unavailable(MissingLayer),
}

/// Sends a message with open files.
pub(crate) fn send<T: Serialize>(
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
    let sent = sendmsg(socket, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?;
    socket.write_all(&length[sent..])?;
    socket.write_all(&document)
}

/// Receives a message with the open files that come with it.
pub(crate) fn receive<T: DeserializeOwned>(
    mut socket: &UnixStream,
) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut length = [0; 4];
    let flags = RecvFlags::CMSG_CLOEXEC;
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut length)], &mut control, flags)?.bytes;
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
