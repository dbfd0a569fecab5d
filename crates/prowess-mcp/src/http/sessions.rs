//! The number of sessions, in total and of each client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// Counts the sessions of a manager.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    total: usize,
    per_client: usize,
    owners: Arc<Mutex<Owners>>,
}

#[derive(Default)]
struct Owners {
    open: HashMap<SessionId, IpAddr>,
    /// The number of handshakes that are running.
    starting: HashMap<IpAddr, usize>,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>, total: usize, per_client: usize) -> Self {
        Self { manager, total, per_client, owners: Arc::default() }
    }

    /// Returns the number of open sessions.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Reserves a session for a client. `None` if there are too many.
    pub(super) async fn reserve(&self, client: IpAddr) -> Option<Reservation> {
        let sessions = self.manager.sessions.read().await;
        let mut owners = lock(&self.owners);
        owners.open.retain(|id, _| sessions.contains_key(id));
        let starting: usize = owners.starting.values().sum();
        let own_open = owners.open.values().filter(|owner| **owner == client).count();
        let own = own_open + owners.starting.get(&client).copied().unwrap_or_default();
        if owners.open.len() + starting >= self.total || own >= self.per_client {
            return None;
        }
        *owners.starting.entry(client).or_default() += 1;
        Some(Reservation { owners: Arc::clone(&self.owners), client })
    }
}

/// The place of a session whose handshake is running.
pub(super) struct Reservation {
    owners: Arc<Mutex<Owners>>,
    client: IpAddr,
}

impl Reservation {
    /// Records the id of the session.
    pub(super) fn opened(self, id: &str) {
        lock(&self.owners).open.insert(id.into(), self.client);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut owners = lock(&self.owners);
        if let Some(starting) = owners.starting.get_mut(&self.client) {
            *starting -= 1;
            if *starting == 0 {
                owners.starting.remove(&self.client);
            }
        }
    }
}

fn lock(owners: &Mutex<Owners>) -> MutexGuard<'_, Owners> {
    owners.lock().unwrap_or_else(PoisonError::into_inner)
}
