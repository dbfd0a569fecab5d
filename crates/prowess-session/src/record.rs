//! The encoding of a session's state for its store.
//!
//! A loaded skill is a content, which the store has once for all sessions and which is written when
//! the skill is loaded. What is written with each change is a reference and few numbers per skill.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, ContentKey, OperationId, SessionState, StoreError, StoredContent, StoredSession,
    Timestamp,
};
use serde::{Deserialize, Serialize};

/// The number of the encoding.
const FORMAT: u8 = 1;

/// The number of operations before the last one that a session names.
const MOST_RECENT: usize = 2;

/// A state with its stored form.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) state: SessionState,
    pub(crate) stored: StoredSession,
}

/// A changed record, with the contents that its store may not have.
pub(crate) struct Changed {
    pub(crate) record: Record,
    pub(crate) new: Vec<StoredContent>,
}

#[derive(Default, Serialize, Deserialize)]
struct Details {
    format: u8,
    created: u64,
    /// The operations before the last one, the most recent last.
    recent: Vec<u64>,
    active: Vec<ActiveDetails>,
}

#[derive(Serialize, Deserialize)]
struct ActiveDetails {
    /// Milliseconds from the creation of the session to the load.
    loaded_after: i64,
    /// Milliseconds from the start of the run to the load.
    run_before: i64,
}

impl Record {
    /// Returns the record of a new session.
    pub(crate) fn new(
        state: SessionState,
        operation: OperationId,
        expires: Option<Timestamp>,
    ) -> Result<Self, StoreError> {
        let details = Details::of(&state, Vec::new());
        let stored = StoredSession {
            id: state.id.clone(),
            version: state.version,
            operation,
            contents: Vec::new(),
            details: details.encoded()?,
            touched: state.touched,
            expires,
        };
        Ok(Self { state, stored })
    }

    /// Decodes a stored session, whose texts `read` returns.
    pub(crate) fn decode(
        stored: StoredSession,
        read: impl FnOnce(&[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError>,
    ) -> Result<Self, StoreError> {
        let details = Details::decode(&stored.details)?;
        let texts = read(&stored.contents)?;
        if texts.len() != stored.contents.len() || texts.len() != details.active.len() {
            return Err(damaged("another number of loaded skills"));
        }
        let mut active = Vec::with_capacity(texts.len());
        for ((key, text), details_of) in stored.contents.iter().zip(texts).zip(&details.active) {
            let text = text.ok_or_else(|| damaged("a loaded skill is missing"))?;
            let loaded_at = Timestamp(details.created.wrapping_add_signed(details_of.loaded_after));
            let activated_at = Timestamp(loaded_at.0.wrapping_sub_signed(details_of.run_before));
            let skill = skill_of(key, &text)?;
            active.push(Arc::new(ActiveSkill { loaded_at, activated_at, ..skill }));
        }
        let state = SessionState {
            id: stored.id.clone(),
            version: stored.version,
            active,
            created: Timestamp(details.created),
            touched: stored.touched,
        };
        Ok(Self { state, stored })
    }

    /// Returns this record with another last use.
    pub(crate) fn touched(&self, touched: Timestamp, expires: Option<Timestamp>) -> Self {
        let mut record = self.clone();
        record.state.touched = touched;
        record.stored.touched = touched;
        record.stored.expires = expires;
        record
    }

    /// Returns the record of the next state of this session.
    pub(crate) fn changed(
        &self,
        state: SessionState,
        operation: OperationId,
        expires: Option<Timestamp>,
    ) -> Result<Changed, StoreError> {
        let mut contents = Vec::with_capacity(state.active.len());
        let mut new = Vec::new();
        for skill in &state.active {
            if let Some(known) = self.key_of(skill) {
                contents.push(known);
                continue;
            }
            let content = content_of(skill)?;
            contents.push(content.key());
            new.push(content);
        }
        let stored = StoredSession {
            id: state.id.clone(),
            version: state.version,
            operation,
            contents,
            details: Details::of(&state, self.recent()?).encoded()?,
            touched: state.touched,
            expires,
        };
        Ok(Changed { record: Self { state, stored }, new })
    }

    fn key_of(&self, skill: &Arc<ActiveSkill>) -> Option<ContentKey> {
        let index = self.state.active.iter().position(|known| Arc::ptr_eq(known, skill))?;
        self.stored.contents.get(index).copied()
    }

    /// Returns the operations of this record that the next one names.
    fn recent(&self) -> Result<Vec<u64>, StoreError> {
        let mut recent = Details::decode(&self.stored.details)?.recent;
        recent.push(self.stored.operation.0);
        recent.drain(..recent.len().saturating_sub(MOST_RECENT));
        Ok(recent)
    }
}

/// Returns whether `session` was stored before `stored` replaced it; `None` if nothing shows it.
pub(crate) fn was_stored(session: &StoredSession, stored: &StoredSession) -> Option<bool> {
    let recent = Details::decode(&stored.details).ok()?.recent;
    if recent.contains(&session.operation.0) {
        return Some(true);
    }
    let later = stored.version.checked_sub(session.version)?;
    (later <= recent.len() as u64).then_some(false)
}

impl Details {
    fn of(state: &SessionState, recent: Vec<u64>) -> Self {
        let created = state.created.0;
        let details = |skill: &Arc<ActiveSkill>| ActiveDetails {
            loaded_after: skill.loaded_at.0.wrapping_sub(created).cast_signed(),
            run_before: skill.loaded_at.0.wrapping_sub(skill.activated_at.0).cast_signed(),
        };
        let active = state.active.iter().map(details).collect();
        Self { format: FORMAT, created, recent, active }
    }

    fn encoded(&self) -> Result<Arc<[u8]>, StoreError> {
        let bytes = postcard::to_allocvec(self);
        bytes.map(Arc::from).map_err(|error| damaged(&error.to_string()))
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        if bytes.first() != Some(&FORMAT) {
            return Err(damaged("written by another version of this program"));
        }
        postcard::from_bytes(bytes).map_err(|error| damaged(&error.to_string()))
    }
}

/// Returns the content of a skill. Its times are left out: they differ between sessions.
fn content_of(skill: &ActiveSkill) -> Result<StoredContent, StoreError> {
    let never = Timestamp(0);
    let skill = ActiveSkill { loaded_at: never, activated_at: never, ..skill.clone() };
    let text = serde_json::to_string(&skill).map_err(|error| damaged(&error.to_string()))?;
    Ok(StoredContent::new(text))
}

fn skill_of(key: &ContentKey, text: &str) -> Result<ActiveSkill, StoreError> {
    if ContentKey::of(text) != *key {
        return Err(damaged("a loaded skill has another content"));
    }
    serde_json::from_str(text).map_err(|error| damaged(&error.to_string()))
}

fn damaged(reason: &str) -> StoreError {
    StoreError(format!("a stored session cannot be read: {reason}"))
}
