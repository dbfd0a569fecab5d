//! The number of sessions, in total and of each caller, and whose they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::access::Caller;

/// Counts the sessions of a manager.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    total: usize,
    per_client: usize,
    owners: Arc<Mutex<Owners>>,
}

#[derive(Default)]
struct Owners {
    open: HashMap<SessionId, Caller>,
    /// The number of handshakes that are running.
    starting: HashMap<Caller, usize>,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>, total: usize, per_client: usize) -> Self {
        Self { manager, total, per_client, owners: Arc::default() }
    }

    /// Returns the number of open sessions.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Returns whether a session is open.
    pub(super) async fn has(&self, id: &str) -> bool {
        self.manager.sessions.read().await.contains_key(id)
    }

    /// Returns whether a caller may use a session. A user's session belongs to this user alone; any
    /// other one may change its address.
    pub(super) fn is_open_to(&self, id: &str, caller: &Caller) -> bool {
        let owners = lock(&self.owners);
        match (owners.open.get(id), caller) {
            (Some(Caller::User(owner)), Caller::User(user)) => owner == user,
            (owner, caller) => {
                matches!(caller, Caller::Address(_)) && !matches!(owner, Some(Caller::User(_)))
            }
        }
    }

    /// Reserves a session for a client. `None` if there are too many.
    pub(super) async fn reserve(&self, client: &Caller) -> Option<Reservation> {
        let sessions = self.manager.sessions.read().await;
        let mut owners = lock(&self.owners);
        owners.open.retain(|id, _| sessions.contains_key(id));
        let starting: usize = owners.starting.values().sum();
        let own_open = owners.open.values().filter(|owner| *owner == client).count();
        let own = own_open + owners.starting.get(client).copied().unwrap_or_default();
        if owners.open.len() + starting >= self.total || own >= self.per_client {
            return None;
        }
        *owners.starting.entry(client.clone()).or_default() += 1;
        Some(Reservation { owners: Arc::clone(&self.owners), client: client.clone() })
    }
}

/// The place of a session whose handshake is running.
pub(super) struct Reservation {
    owners: Arc<Mutex<Owners>>,
    client: Caller,
}

impl Reservation {
    /// Records the id of the session.
    pub(super) fn opened(self, id: &str) {
        lock(&self.owners).open.insert(id.into(), self.client.clone());
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
