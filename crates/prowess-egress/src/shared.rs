//! The state that the connections of one proxy share.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustls::ClientConfig;

use crate::policy::{EgressPolicy, SecretHeader};
use crate::refusal::{Refusal, RefusalKind};
use crate::tls;

/// The most refusals that are listed. The rest is counted.
const MOST_REFUSALS: usize = 100;
/// The most bytes of a host in the list.
const MOST_HOST: usize = 300;

/// The state that the connections of one proxy share.
pub(crate) struct Shared {
    pub(crate) policy: EgressPolicy,
    pub(crate) secrets: Vec<SecretHeader>,
    /// Readable once the proxy ends.
    pub(crate) ended: UnixStream,
    tls: OnceLock<Arc<ClientConfig>>,
    bytes: AtomicU64,
    log: Mutex<Log>,
}

/// The traffic so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) connections: u64,
    pub(crate) reached: BTreeSet<String>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) more_refusals: u64,
}

impl Shared {
    pub(crate) fn new(policy: EgressPolicy, secrets: Vec<SecretHeader>, ended: UnixStream) -> Self {
        let (tls, bytes, log) = Default::default();
        Self { policy, secrets, ended, tls, bytes, log }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a refusal.
    pub(crate) fn refuse(&self, refusal: &Refusal) {
        let Refusal { kind, host } = refusal;
        let end = host.char_indices().map(|(at, _)| at).find(|&at| at >= MOST_HOST);
        let host = host[..end.unwrap_or(host.len())].to_owned();
        let mut log = self.log();
        if log.refusals.len() < MOST_REFUSALS {
            log.refusals.push(Refusal { kind: *kind, host });
        } else {
            log.more_refusals += 1;
        }
    }

    /// Counts a connection. Returns `false` once there were too many.
    pub(crate) fn count_connection(&self) -> bool {
        let mut log = self.log();
        log.connections += 1;
        log.connections <= self.policy.limits.connections
    }

    /// Counts bytes of the process or of a host.
    pub(crate) fn count(&self, bytes: usize) -> io::Result<()> {
        let before = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if before.saturating_add(bytes as u64) <= self.policy.limits.bytes {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::QuotaExceeded, "the limit of the traffic is reached"))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn idle(&self) -> Duration {
        Duration::from_secs(self.policy.limits.idle_seconds.max(1))
    }

    /// Returns how servers are checked. The authorities are read at the first use.
    pub(crate) fn tls(&self) -> Result<Arc<ClientConfig>, RefusalKind> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = tls::config(self.policy.authorities.as_deref());
        let config = config.map_err(|_| RefusalKind::HostUnreachable)?;
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }
}
