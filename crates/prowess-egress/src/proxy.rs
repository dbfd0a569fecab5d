//! The proxy: a thread that accepts connections, and one for each of them.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::policy::{EgressPolicy, SecretHeader, may_have_secret};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{self, Request};
use crate::shared::{Log, Shared};
use crate::stream::Stream;
use crate::{forward, tunnel};

/// How often a proxy with as many connections as it may have looks whether one has ended.
const FULL: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// A running proxy. Its connections and threads end when it is dropped.
pub struct Proxy {
    /// Closing it ends every wait.
    running: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// The traffic of a process through a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The connections to the proxy.
    pub connections: u64,
    /// The bytes in both directions.
    pub bytes: u64,
    /// The hosts that were reached, with their ports.
    pub reached: BTreeSet<String>,
    /// The first 100 refusals, in order.
    pub refusals: Vec<Refusal>,
    /// The number of further refusals.
    pub more_refusals: u64,
}

impl Proxy {
    /// Starts a proxy for the connections of a listener.
    ///
    /// # Errors
    ///
    /// A secret cannot be sent in a header, or no thread can be started.
    pub fn start(
        listener: TcpListener,
        policy: EgressPolicy,
        secrets: Vec<SecretHeader>,
    ) -> io::Result<Self> {
        secrets.iter().try_for_each(check)?;
        listener.set_nonblocking(true)?;
        let (running, ended) = UnixStream::pair()?;
        let shared = Arc::new(Shared::new(policy, secrets, ended));
        let accepting = Arc::clone(&shared);
        let name = "prowess-egress".to_owned();
        let thread =
            thread::Builder::new().name(name).spawn(move || accept(&listener, &accepting))?;
        Ok(Self { running: Some(running), thread: Some(thread), shared })
    }

    /// Ends the proxy, and returns the traffic of the process.
    pub fn end(mut self) -> Traffic {
        self.stop();
        let bytes = self.shared.bytes();
        let Log { connections, reached, refusals, more_refusals } = self.shared.log().clone();
        Traffic { connections, bytes, reached, refusals, more_refusals }
    }

    fn stop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            // A panic of a connection is one of this crate, which the log cannot describe.
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Checks that a secret can be sent as a header, so that it cannot add others.
fn check(secret: &SecretHeader) -> io::Result<()> {
    let SecretHeader { header, prefix, value, .. } = secret;
    let mut text = prefix.bytes().chain(value.expose().bytes());
    if may_have_secret(header) && text.all(|byte| (b' '..=b'~').contains(&byte)) {
        return Ok(());
    }
    let message = format!("the secret for `{}` is no value of a header", secret.host);
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    loop {
        threads.retain(|thread| !thread.is_finished());
        let has_room = threads.len() < shared.policy.limits.concurrent.max(1);
        let ended = PollFd::new(&shared.ended, PollFlags::IN);
        let mut events = vec![ended];
        events.extend(has_room.then(|| PollFd::new(listener, PollFlags::IN)));
        let polled = poll(&mut events, (!has_room).then_some(&FULL));
        let is_lost = polled.is_err_and(|error| error != rustix::io::Errno::INTR);
        if is_lost || !events[0].revents().is_empty() {
            break;
        }
        if has_room && let Ok((socket, _)) = listener.accept() {
            threads.extend(start(socket, shared));
        }
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

/// Serves a connection in a thread of its own.
fn start(socket: TcpStream, shared: &Arc<Shared>) -> Option<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    let is_counted = shared.count_connection();
    let serve = move || {
        let Ok(client) = Stream::new(socket, &shared) else { return };
        if is_counted {
            serve(client);
        } else {
            refuse(client, RefusalKind::TrafficLimit, String::new());
        }
    };
    thread::Builder::new().spawn(serve).ok()
}

fn serve(mut client: Stream) {
    match request::read(&mut client) {
        Ok(request) => {
            let host = request.authority();
            let served = match request {
                Request::Tunnel(tunnel) => tunnel::serve(&tunnel, client),
                Request::Forward(forward) => forward::serve(&forward, client),
            };
            if let Err((client, kind)) = served {
                refuse(client, kind, host);
            }
        }
        Err(Some(kind)) => refuse(client, kind, String::new()),
        // The process has closed the connection, or the proxy has ended.
        Err(None) => {}
    }
}

/// Notes a refusal and answers with it.
fn refuse(mut client: Stream, kind: RefusalKind, host: String) {
    let refusal = Refusal { kind, host };
    client.shared.refuse(&refusal);
    let text = format!("{}: {}: {}\n", kind.as_str(), refusal.host, kind.help());
    let answer = format!(
        "HTTP/1.1 {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\
         Proxy-Status: prowess; error={}\r\n\r\n{text}",
        kind.status(),
        text.len(),
        kind.as_str(),
    );
    let _ = client.write_all(answer.as_bytes());
    client.finish();
}
