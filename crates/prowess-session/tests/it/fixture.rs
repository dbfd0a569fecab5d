//! Fixtures of the tests.

use std::sync::Arc;

use prowess_core::{ActiveSkill, LoadMode, Receipt, SessionError, SessionStore};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::{ManualClock, active_skill};

pub(crate) fn edition(id: &str, edition: u32) -> Arc<ActiveSkill> {
    let body = format!("Body of {id}, edition {edition}");
    let properties = serde_json::json!({ "name": id, "description": "Does things." });
    Arc::new(ActiveSkill { properties, ..active_skill("memory://notes", id, &body) })
}

pub(crate) fn skill(id: &str) -> Arc<ActiveSkill> {
    edition(id, 1)
}

/// Returns the skills of a list of ids such as `a b`.
pub(crate) fn skills(ids: &str) -> Vec<Arc<ActiveSkill>> {
    ids.split_whitespace().map(skill).collect()
}

/// Sessions in a separate store, with a clock that stands still.
pub(crate) struct Host {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) sessions: Sessions,
}

impl Host {
    pub(crate) fn new(policy: SessionPolicy) -> Self {
        Self::with_store(Arc::new(MemoryStore::new()), policy)
    }

    pub(crate) fn with_store(store: Arc<dyn SessionStore>, policy: SessionPolicy) -> Self {
        let clock = Arc::new(ManualClock::default());
        let sessions = Sessions::new(store.clone(), clock.clone(), policy);
        Self { clock, store, sessions }
    }

    pub(crate) fn open(&self) -> SessionHandle {
        self.sessions.open().expect("memory takes a new session")
    }
}

/// Returns the ids of the active skills, as a text such as `a b`.
pub(crate) fn active(session: &SessionHandle) -> String {
    let state = session.state().expect("the session is open");
    let ids: Vec<_> = state.active.iter().map(|skill| skill.id.as_str()).collect();
    ids.join(" ")
}

pub(crate) fn load(
    session: &SessionHandle,
    mode: LoadMode,
    ids: &str,
) -> Result<Receipt, SessionError> {
    session.load(&skills(ids), mode)
}
