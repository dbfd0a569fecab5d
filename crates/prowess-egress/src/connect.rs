//! Connections to granted hosts.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::is_public;
use crate::refusal::RefusalKind;
use crate::shared::Shared;
use crate::stream::Stream;

/// How long each address may take to answer.
const ADDRESS: Duration = Duration::from_secs(5);
/// How long a connection may take in all.
const CONNECT: Duration = Duration::from_secs(20);
/// How often a wait looks whether the proxy has ended.
const CHECK: Duration = Duration::from_millis(20);

/// Connects to a host, if it is granted.
pub(crate) fn connect(host: &str, port: u16, shared: &Arc<Shared>) -> Result<Stream, RefusalKind> {
    if !shared.policy.grants(host, port) {
        return Err(RefusalKind::HostNotGranted);
    }
    let may_be_private = shared.policy.may_be_private(host, port);
    let (sender, receiver) = mpsc::channel();
    let name = host.to_owned();
    // The system's lookup of names cannot be interrupted, so it has a thread that ends with it.
    thread::Builder::new()
        .spawn(move || drop(sender.send(reach(&name, port, may_be_private))))
        .map_err(|_| RefusalKind::TrafficLimit)?;
    let begun = Instant::now();
    let socket = loop {
        match receiver.recv_timeout(CHECK) {
            Ok(reached) => break reached?,
            Err(RecvTimeoutError::Timeout) if begun.elapsed() < CONNECT && !has_ended(shared) => {}
            Err(_) => return Err(RefusalKind::HostUnreachable),
        }
    };
    let stream = Stream::new(socket, shared).map_err(|_| RefusalKind::HostUnreachable)?;
    shared.log().reached.insert(format!("{host}:{port}"));
    Ok(stream)
}

/// Connects to one of the allowed addresses of a host: exactly those that were checked.
fn reach(host: &str, port: u16, may_be_private: bool) -> Result<TcpStream, RefusalKind> {
    let found = (host, port).to_socket_addrs().map_err(|_| RefusalKind::HostUnreachable)?;
    let found: Vec<SocketAddr> = found.collect();
    let mut allowed = found.clone();
    allowed.retain(|address| may_be_private || is_public(address.ip()));
    if allowed.is_empty() && !found.is_empty() {
        return Err(RefusalKind::PrivateAddress);
    }
    let mut connected = allowed.iter().map(|it| TcpStream::connect_timeout(it, ADDRESS));
    connected.find_map(Result::ok).ok_or(RefusalKind::HostUnreachable)
}

fn has_ended(shared: &Shared) -> bool {
    let mut byte = [0];
    let flags = rustix::net::RecvFlags::PEEK | rustix::net::RecvFlags::DONTWAIT;
    let received = rustix::net::recv(&shared.ended, &mut byte, flags);
    received.map_err(io::Error::from).is_ok()
}
