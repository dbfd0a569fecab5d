//! Connections by `CONNECT`.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;

use rustix::event::{PollFd, PollFlags};

use crate::connect::connect;
use crate::hello::{self, Hello};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::Tunnel;
use crate::stream::{CHUNK, Stream, wait};

/// The alert `access_denied` of TLS, which ends a connection.
const ACCESS_DENIED: [u8; 7] = [21, 3, 3, 0, 2, 2, 49];
/// The longest first message that is read.
const MOST_HELLO: usize = 64 * 1024;

type Served = Result<(), (Stream, RefusalKind)>;

/// Relays a connection to a granted host, if it begins with TLS for that host.
pub(crate) fn serve(tunnel: &Tunnel, mut client: Stream) -> Served {
    let Tunnel { host, port, rest } = tunnel;
    let shared = client.shared.clone();
    let mut server = match connect(host, *port, &shared) {
        Ok(server) => server,
        Err(kind) => return Err((client, kind)),
    };
    if client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").is_err() {
        return Ok(());
    }
    match first_message(host, rest.clone(), &mut client) {
        Ok(message) => {
            if server.write_all(&message).is_ok()
                && relay(&client, &server)
                    .is_err_and(|error| error.kind() == io::ErrorKind::QuotaExceeded)
            {
                note(&client, RefusalKind::TrafficLimit, tunnel);
            }
        }
        // The process expects TLS now, so the answer is in TLS.
        Err(kind) => {
            note(&client, kind, tunnel);
            let _ = client.write_all(&ACCESS_DENIED);
            client.finish();
        }
    }
    Ok(())
}

fn note(client: &Stream, kind: RefusalKind, tunnel: &Tunnel) {
    let host = format!("{}:{}", tunnel.host, tunnel.port);
    client.shared.refuse(&Refusal { kind, host });
}

/// Returns the first bytes of the process, which are the first message of TLS for this host.
fn first_message(
    host: &str,
    mut bytes: Vec<u8>,
    client: &mut Stream,
) -> Result<Vec<u8>, RefusalKind> {
    let mut chunk = [0; CHUNK];
    loop {
        match hello::read(&bytes) {
            Hello::Incomplete if bytes.len() < MOST_HELLO => {}
            Hello::Incomplete | Hello::NotTls => return Err(RefusalKind::NotTls),
            Hello::Hidden => return Err(RefusalKind::ServerNameMismatch),
            Hello::Of(name) => {
                // There are no names for addresses.
                let is_address = host.parse::<std::net::IpAddr>().is_ok();
                let is_same = name.as_deref().map_or(is_address, |name| name == host);
                return is_same.then_some(bytes).ok_or(RefusalKind::ServerNameMismatch);
            }
        }
        match client.read(&mut chunk) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&chunk[..read]),
            _ => return Err(RefusalKind::NotTls),
        }
    }
}

/// One direction of a connection.
struct Direction<'a> {
    from: &'a Stream,
    to: &'a Stream,
    /// The bytes that were read and not written yet.
    pending: Vec<u8>,
    has_ended: bool,
}

/// Passes bytes on in both directions until both have ended.
fn relay(client: &Stream, server: &Stream) -> io::Result<()> {
    let direction = |from, to| Direction { from, to, pending: Vec::new(), has_ended: false };
    let mut directions = [direction(client, server), direction(server, client)];
    while !directions.iter().all(Direction::is_done) {
        let sockets = directions.iter().filter_map(Direction::awaited);
        wait(&client.shared, &sockets.collect::<Vec<_>>())?;
        directions.iter_mut().try_for_each(Direction::step)?;
    }
    Ok(())
}

impl<'a> Direction<'a> {
    fn is_done(&self) -> bool {
        self.has_ended && self.pending.is_empty()
    }

    /// Returns what this direction waits for.
    fn awaited(&self) -> Option<PollFd<'a>> {
        if !self.pending.is_empty() {
            return Some(PollFd::new(&self.to.socket, PollFlags::OUT));
        }
        (!self.has_ended).then(|| PollFd::new(&self.from.socket, PollFlags::IN))
    }

    /// Reads or writes once, without waiting.
    fn step(&mut self) -> io::Result<()> {
        if self.pending.is_empty() && !self.has_ended {
            let mut chunk = [0; CHUNK];
            let Some(read) = ready((&self.from.socket).read(&mut chunk))? else { return Ok(()) };
            self.from.shared.count(read)?;
            self.pending.extend_from_slice(&chunk[..read]);
            if read == 0 {
                self.has_ended = true;
                let _ = self.to.socket.shutdown(Shutdown::Write);
            }
        }
        if !self.pending.is_empty()
            && let Some(written) = ready((&self.to.socket).write(&self.pending))?
        {
            self.pending.drain(..written);
        }
        Ok(())
    }
}

/// Returns `None` if the socket is not ready.
fn ready(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
        {
            Ok(None)
        }
        result => result.map(Some),
    }
}
