//! The number of connections, in total and of each client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::options::HttpLimits;

/// The maximum number of refused connections that get an answer at the same time. Further ones are
/// closed without one.
const MOST_REFUSALS: usize = 64;

/// The maximum duration of a refusal.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// The maximum size of a request that is read to refuse it, in bytes.
const REFUSED_BYTES: u64 = 64 << 10;

/// Decides which connections are served.
pub(super) struct Admission {
    total: usize,
    per_client: usize,
    open: Arc<Mutex<Open>>,
    refusals: Arc<Semaphore>,
}

#[derive(Default)]
struct Open {
    total: usize,
    by_client: HashMap<IpAddr, usize>,
}

/// The reason why a connection is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The server has too many connections.
    Server,
    /// The client address has too many connections.
    Client,
}

impl Full {
    /// Returns the label in the metrics.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Server => "connections",
            Self::Client => "client-connections",
        }
    }

    fn status(self) -> &'static str {
        match self {
            Self::Server => "503 Service Unavailable",
            Self::Client => "429 Too Many Requests",
        }
    }

    fn answer(self) -> String {
        let text = "too many connections; try again later\n";
        format!(
            "HTTP/1.1 {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Retry-After: 1\r\nConnection: close\r\n\r\n{text}",
            self.status(),
            text.len()
        )
    }
}

impl Admission {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self {
            total: limits.connections,
            per_client: limits.connections_per_client,
            open: Arc::default(),
            refusals: Arc::new(Semaphore::new(MOST_REFUSALS)),
        }
    }

    /// Counts a connection of a client until the slot is dropped.
    ///
    /// # Errors
    ///
    /// There are too many connections.
    pub(super) fn admit(&self, client: IpAddr) -> Result<Slot, Full> {
        let mut open = lock(&self.open);
        if open.total >= self.total {
            return Err(Full::Server);
        }
        let own = open.by_client.entry(client).or_default();
        if *own >= self.per_client {
            return Err(Full::Client);
        }
        *own += 1;
        open.total += 1;
        Ok(Slot { open: Arc::clone(&self.open), client })
    }

    /// Returns what answers a connection that is not served, or `None` if too many of them are
    /// being answered.
    pub(super) fn refuse(
        &self,
        full: Full,
        stream: TcpStream,
    ) -> Option<impl Future<Output = ()> + use<>> {
        let permit = Arc::clone(&self.refusals).try_acquire_owned().ok()?;
        Some(async move {
            let _ = tokio::time::timeout(REFUSAL_TIME, answer(full, stream)).await;
            drop(permit);
        })
    }
}

/// Sends the answer, and reads what the client has sent: if a connection is closed with unread
/// bytes, the client may lose the answer.
async fn answer(full: Full, mut stream: TcpStream) {
    if stream.write_all(full.answer().as_bytes()).await.is_ok() && stream.shutdown().await.is_ok() {
        let mut sent = stream.take(REFUSED_BYTES);
        let _ = tokio::io::copy(&mut sent, &mut tokio::io::sink()).await;
    }
}

/// A connection that is counted.
pub(super) struct Slot {
    open: Arc<Mutex<Open>>,
    client: IpAddr,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.total -= 1;
        if let Some(own) = open.by_client.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
