//! The encoding of a session's state for its store.
//!
//! A loaded skill is a content, which the store has once for all sessions and which is written when
//! the skill is loaded. What is written with each change is a reference and few numbers per skill,
//! and the origin of the change, for the audit of a session that ends by itself.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyPlace, CallOrigin, ContentKey, LedgerEntry, OperationId, SessionScope,
    SessionState, StoreError, StoredContent, StoredSession, Timestamp,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::encoded::EncodedSkills;
use crate::error::damaged;

/// The number of the encoding.
const FORMAT: u8 = 1;

/// The number of operations before the last one that a session names.
const MOST_RECENT: usize = 2;

/// A state with its stored form.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) state: SessionState,
    pub(crate) stored: StoredSession,
    /// That of the last change.
    pub(crate) origin: Arc<CallOrigin>,
}

/// A changed record, with the contents that its store may not have.
pub(crate) struct Changed {
    pub(crate) record: Record,
    pub(crate) new: Vec<StoredContent>,
}

/// The part of a state that a store does not interpret.
#[derive(Serialize, Deserialize)]
struct Details {
    format: u8,
    created: u64,
    /// The operations before the last one, the most recent last.
    recent: Vec<u64>,
    active: Vec<ActiveDetails>,
    deliveries: u32,
    /// Whether the scope is a content, after those of the skills.
    has_scope: bool,
    /// As JSON behind the others, if it has any name.
    #[serde(skip)]
    origin: Arc<CallOrigin>,
}

#[derive(Serialize, Deserialize)]
struct ActiveDetails {
    /// Milliseconds from the load of the skill before it in the list to its load; from the creation
    /// of the session for the first one.
    loaded_after: i64,
    /// Milliseconds from the start of the run to the load.
    run_before: i64,
    /// The difference to the generation of the skill before it in the list.
    generation: i64,
    body: BodyPlace,
}

impl Record {
    /// Returns the record of a new session.
    pub(crate) fn create(
        state: SessionState,
        operation: OperationId,
        expires: Option<Timestamp>,
        origin: &Arc<CallOrigin>,
        encoded: &EncodedSkills,
    ) -> Result<Changed, StoreError> {
        let details = Details::of(&state, Vec::new(), origin);
        encode(state, operation, expires, details, encoded, |_| None)
    }

    /// Decodes a stored session, whose texts `read` returns.
    pub(crate) fn decode(
        stored: StoredSession,
        read: impl FnOnce(&[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError>,
    ) -> Result<Self, StoreError> {
        let details = Details::decode(&stored.details)?;
        let mut texts = checked_texts(&stored.contents, read(&stored.contents)?)?;
        let scope = match details.has_scope.then(|| texts.pop()).flatten() {
            Some(text) => Arc::new(from_json(&text)?),
            None => Arc::<SessionScope>::default(),
        };
        if texts.len() != details.active.len() {
            return Err(damaged("another number of loaded skills"));
        }
        let mut active = Vec::with_capacity(texts.len());
        let mut ledger = Vec::with_capacity(texts.len());
        let mut loaded_at = details.created;
        let mut generation = 0_u64;
        for (text, details_of) in texts.iter().zip(&details.active) {
            loaded_at = loaded_at.wrapping_add_signed(details_of.loaded_after);
            generation = generation.wrapping_add_signed(details_of.generation);
            let skill = details_of.skill(from_json(text)?, loaded_at);
            ledger.push(LedgerEntry {
                id: skill.id.clone(),
                digest: skill.digest,
                generation,
                body: details_of.body,
            });
            active.push(Arc::new(skill));
        }
        let state = SessionState {
            id: stored.id.clone(),
            version: stored.version,
            active,
            ledger,
            deliveries: details.deliveries,
            scope,
            created: Timestamp(details.created),
            touched: stored.touched,
        };
        Ok(Self { state, stored, origin: details.origin })
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
        origin: &Arc<CallOrigin>,
        encoded: &EncodedSkills,
    ) -> Result<Changed, StoreError> {
        let details = Details::of(&state, self.recent()?, origin);
        encode(state, operation, expires, details, encoded, |part| self.key_of(part))
    }

    fn key_of(&self, part: Part<'_>) -> Option<ContentKey> {
        let index = match part {
            Part::Skill(skill) => {
                self.state.active.iter().position(|known| Arc::ptr_eq(known, skill))?
            }
            Part::Scope(scope) if Arc::ptr_eq(&self.state.scope, scope) => self.state.active.len(),
            Part::Scope(_) => return None,
        };
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

/// A part of a state that is a content.
#[derive(Clone, Copy)]
enum Part<'a> {
    Skill(&'a Arc<ActiveSkill>),
    Scope(&'a Arc<SessionScope>),
}

impl Part<'_> {
    fn content(self, encoded: &EncodedSkills) -> Result<StoredContent, StoreError> {
        match self {
            Self::Skill(skill) => encoded.content(skill),
            Self::Scope(scope) => {
                let text = serde_json::to_string(&**scope);
                text.map(StoredContent::new).map_err(|error| damaged(&error.to_string()))
            }
        }
    }
}

/// Encodes a state. `known` returns the keys of contents that the stored session has.
fn encode(
    state: SessionState,
    operation: OperationId,
    expires: Option<Timestamp>,
    details: Details,
    encoded: &EncodedSkills,
    known: impl Fn(Part<'_>) -> Option<ContentKey>,
) -> Result<Changed, StoreError> {
    let scope = details.has_scope.then_some(Part::Scope(&state.scope));
    let mut contents = Vec::with_capacity(state.active.len() + 1);
    let mut new = Vec::new();
    for part in state.active.iter().map(Part::Skill).chain(scope) {
        if let Some(key) = known(part) {
            contents.push(key);
            continue;
        }
        let content = part.content(encoded)?;
        contents.push(content.key());
        new.push(content);
    }
    let stored = StoredSession {
        id: state.id.clone(),
        version: state.version,
        operation,
        contents,
        details: details.encoded()?,
        touched: state.touched,
        expires,
    };
    let record = Record { state, stored, origin: details.origin };
    Ok(Changed { record, new })
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
    fn of(state: &SessionState, recent: Vec<u64>, origin: &Arc<CallOrigin>) -> Self {
        let has_scope = *state.scope != SessionScope::default();
        let created = state.created.0;
        let mut loaded_at = created;
        let mut generation = 0;
        let mut active = Vec::with_capacity(state.active.len());
        for (skill, entry) in state.active.iter().zip(&state.ledger) {
            active.push(ActiveDetails {
                loaded_after: skill.loaded_at.0.wrapping_sub(loaded_at).cast_signed(),
                run_before: skill.loaded_at.0.wrapping_sub(skill.activated_at.0).cast_signed(),
                generation: entry.generation.wrapping_sub(generation).cast_signed(),
                body: entry.body,
            });
            loaded_at = skill.loaded_at.0;
            generation = entry.generation;
        }
        let (deliveries, origin) = (state.deliveries, Arc::clone(origin));
        Self { format: FORMAT, created, recent, active, deliveries, has_scope, origin }
    }

    fn encoded(&self) -> Result<Arc<[u8]>, StoreError> {
        let bytes = postcard::to_allocvec(self);
        let mut bytes = bytes.map_err(|error| damaged(&error.to_string()))?;
        if *self.origin != CallOrigin::default() {
            let written = serde_json::to_writer(&mut bytes, &*self.origin);
            written.map_err(|error| damaged(&error.to_string()))?;
        }
        Ok(bytes.into())
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        if bytes.first() != Some(&FORMAT) {
            return Err(damaged("written by another version of this program"));
        }
        let read = postcard::take_from_bytes(bytes);
        let (mut details, rest): (Self, _) = read.map_err(|error| damaged(&error.to_string()))?;
        if !rest.is_empty() {
            let origin = serde_json::from_slice(rest);
            details.origin = Arc::new(origin.map_err(|error| damaged(&error.to_string()))?);
        }
        Ok(details)
    }
}

impl ActiveDetails {
    fn skill(&self, skill: ActiveSkill, loaded_at: u64) -> ActiveSkill {
        let activated_at = Timestamp(loaded_at.wrapping_sub_signed(self.run_before));
        ActiveSkill { loaded_at: Timestamp(loaded_at), activated_at, ..skill }
    }
}

fn checked_texts(
    keys: &[ContentKey],
    texts: Vec<Option<Arc<str>>>,
) -> Result<Vec<Arc<str>>, StoreError> {
    let texts: Option<Vec<_>> = texts.into_iter().collect();
    let texts = texts.ok_or_else(|| damaged("a loaded skill is missing"))?;
    let is_matching = |(text, key): (&Arc<str>, &ContentKey)| ContentKey::of(text) == *key;
    if texts.len() == keys.len() && texts.iter().zip(keys).all(is_matching) {
        return Ok(texts);
    }
    Err(damaged("a loaded skill has another content"))
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| damaged(&error.to_string()))
}
