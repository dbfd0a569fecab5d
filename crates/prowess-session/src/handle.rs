//! One conversation as a tool and a prompt see it.

use std::fmt;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, LoadMode, Receipt, Session, SessionError, SessionId, SessionState, Unload,
};

use crate::sessions::Shared;
use crate::transition;

/// How often a change is tried before the others are said to be too many. Each failure means that
/// another one succeeded, so few are ever needed.
const MOST_ATTEMPTS: usize = 64;

/// One open conversation. It holds no state of its own: any number of handles of one conversation, also
/// in other processes, see and change the same one.
#[derive(Clone)]
pub struct SessionHandle {
    shared: Arc<Shared>,
    id: SessionId,
}

impl SessionHandle {
    pub(crate) fn new(shared: Arc<Shared>, id: SessionId) -> Self {
        Self { shared, id }
    }

    /// The state, with this moment as its last use.
    pub(crate) fn read(&self) -> Result<SessionState, SessionError> {
        let mut state = self.current()?;
        let now = self.shared.clock.now();
        if state.touched == now {
            return Ok(state);
        }
        state.touched = now;
        // Use is no change, so the version stays and no writer has to begin again because of a reader.
        // Whoever came between has touched the conversation too, unless it was closed.
        let expected = Some(state.version);
        if self.shared.store.put(state.clone(), expected)? { Ok(state) } else { self.current() }
    }

    /// The stored state, unless it is over.
    fn current(&self) -> Result<SessionState, SessionError> {
        let not_found = || SessionError::NotFound(self.id.clone());
        let state = self.shared.store.load(&self.id)?.ok_or_else(not_found)?;
        let idle = self.shared.clock.now().since(state.touched);
        if self.shared.policy.is_expired(idle) {
            self.shared.store.delete(&self.id)?;
            return Err(not_found());
        }
        Ok(state)
    }

    /// Swaps the active skills for what `next` makes of them, beginning again when another one was
    /// faster.
    fn change(
        &self,
        next: impl Fn(&[ActiveSkill]) -> Result<Vec<ActiveSkill>, SessionError>,
    ) -> Result<Receipt, SessionError> {
        for _ in 0..MOST_ATTEMPTS {
            let mut state = self.current()?;
            let expected = Some(state.version);
            let active = next(&state.active)?;
            if active != state.active {
                state.active = active;
                state.version += 1;
            }
            state.touched = self.shared.clock.now();
            let receipt = Receipt::from(&state);
            if self.shared.store.put(state, expected)? {
                return Ok(receipt);
            }
        }
        Err(SessionError::Contended(self.id.clone()))
    }
}

impl Session for SessionHandle {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        self.read()
    }

    fn load(&self, skills: Vec<ActiveSkill>, mode: LoadMode) -> Result<Receipt, SessionError> {
        self.change(|active| transition::load(active, skills.clone(), mode, &self.shared.policy))
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        self.change(|active| Ok(transition::unload(active, which)))
    }

    fn renew(&self, newer: &[ActiveSkill]) -> Result<(), SessionError> {
        self.change(|active| Ok(transition::renew(active, newer))).map(drop)
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionHandle({})", self.id)
    }
}
