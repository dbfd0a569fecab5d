//! A connection that ends with the proxy, and when nothing is sent on it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::shared::Shared;

/// The bytes that are read at once.
pub(crate) const CHUNK: usize = 16 * 1024;
/// The most that is read of a process that sends on after an answer.
const MOST_DRAINED: usize = 64;

/// A connection that ends with the proxy, when nothing is sent for too long, and at the limit of
/// the traffic.
pub(crate) struct Stream {
    pub(crate) socket: TcpStream,
    pub(crate) shared: Arc<Shared>,
}

impl Stream {
    pub(crate) fn new(socket: TcpStream, shared: &Arc<Shared>) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket, shared: Arc::clone(shared) })
    }

    fn wait(&self, flags: PollFlags) -> io::Result<()> {
        wait(&self.shared, &[PollFd::new(&self.socket, flags)])
    }

    /// Ends the connection after an answer, without losing the answer: a closed socket with unread
    /// bytes would reset the connection.
    pub(crate) fn finish(mut self) {
        let _ = self.socket.shutdown(Shutdown::Write);
        let mut bytes = [0; CHUNK];
        for _ in 0..MOST_DRAINED {
            if !self.read(&mut bytes).is_ok_and(|read| read > 0) {
                return;
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.socket.read(bytes) {
                Ok(read) => {
                    self.shared.count(read)?;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::IN)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.socket.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::OUT)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until one of the sockets is ready.
pub(crate) fn wait(shared: &Shared, sockets: &[PollFd<'_>]) -> io::Result<()> {
    let idle = Timespec::try_from(shared.idle()).map_err(io::Error::other)?;
    let ended = PollFd::new(&shared.ended, PollFlags::IN);
    let mut events: Vec<_> = std::iter::once(ended).chain(sockets.iter().cloned()).collect();
    match poll(&mut events, Some(&idle)) {
        Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    if events[0].revents().is_empty() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the proxy has ended"))
}
