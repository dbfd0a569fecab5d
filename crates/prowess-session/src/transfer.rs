//! Sessions as JSON, to move them to another host.
//!
//! An export has references to skills and no text of them. An import is not trusted: it brings no
//! body, no tool and no wider limit, and its skills are those that the importing host resolves.

pub(crate) mod format;

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyPlace, LedgerEntry, LoadMode, SessionError, SessionId, SessionScope,
    SessionState,
};

use crate::{ImportError, SessionHandle, Sessions, identity, operations};
use format::{Export, MAX_BYTES, MAX_ID_BYTES, VERSION};

pub use format::ExportedSkill;

/// The limits of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// The id of the session; by default a random one. An import never chooses its id.
    pub id: Option<SessionId>,
    /// The ids of the skills that may be loaded, besides the limit of the import itself; by default
    /// any.
    pub allowed: Option<BTreeSet<String>>,
    /// Whether the host has the messages of the conversation too. Otherwise the bodies in results
    /// of tools are gone.
    pub has_messages: bool,
}

/// An imported session.
#[derive(Debug)]
pub struct Imported {
    /// The session.
    pub session: SessionHandle,
    /// The skills that were not loaded: the host has no such skill, its digest differs, or it may
    /// not be loaded.
    pub left_out: Vec<ExportedSkill>,
}

impl SessionHandle {
    /// Returns the session as JSON: references to its skills, and its limits.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn export(&self) -> Result<String, SessionError> {
        let state = self.state()?;
        let skills = state.ledger.iter().map(|entry| ExportedSkill {
            id: entry.id.clone(),
            digest: entry.digest,
            generation: entry.generation,
            body: entry.body,
        });
        let limits = state.scope.limits.iter().map(|skill| ExportedSkill {
            id: skill.id.clone(),
            digest: skill.digest,
            generation: 0,
            body: BodyPlace::Gone,
        });
        let export = Export {
            prowess_session: VERSION,
            skills: skills.collect(),
            deliveries: state.deliveries,
            allowed: state.scope.allowed.clone(),
            limits: limits.collect(),
        };
        Ok(serde_json::to_string(&export).expect("an export has no keys other than strings"))
    }
}

impl Sessions {
    /// Opens a session as it was exported. `resolve` returns the skill that this host has for a
    /// reference; it is loaded if its id and digest are those of the reference.
    ///
    /// # Errors
    ///
    /// The text is not an export, it has more skills than the policy allows, a skill that limits it
    /// is not resolved, or the session cannot be opened.
    pub fn import(
        &self,
        json: &str,
        request: ImportRequest,
        mut resolve: impl FnMut(&ExportedSkill) -> Option<Arc<ActiveSkill>>,
    ) -> Result<Imported, ImportError> {
        let export = parse(json)?;
        let own = SessionScope { allowed: request.allowed, ..SessionScope::default() };
        let mut scope = SessionScope { allowed: own.narrowed(export.allowed.as_ref()), ..own };
        let mut resolve = |exported: &ExportedSkill| {
            resolve(exported).filter(|own| own.id == exported.id && own.digest == exported.digest)
        };
        for limit in &export.limits {
            let missing = || format!("this host does not have `{}`, which limits it", limit.id);
            let limit = resolve(limit).ok_or_else(|| ImportError::Invalid(missing()))?;
            scope.limits.push(limit);
        }
        let id = match request.id {
            Some(id) => id,
            None => identity::session()?,
        };
        let mut state = SessionState::new(id, self.now());
        state.deliveries = export.deliveries;
        let mut left_out = Vec::new();
        for exported in export.skills {
            let is_known = state.active.iter().any(|skill| skill.id == exported.id);
            let is_allowed = scope.allows(&exported.id) && !is_known;
            let skill = if is_allowed { resolve(&exported) } else { None };
            match skill {
                Some(skill) => {
                    state.ledger.push(entry(&exported, request.has_messages));
                    state.active.push(skill);
                }
                None => left_out.push(exported),
            }
        }
        operations::load(&[], &state.active, LoadMode::Replace, self.policy())?;
        state.scope = Arc::new(scope);
        Ok(Imported { session: self.create(state)?, left_out })
    }
}

fn entry(exported: &ExportedSkill, has_messages: bool) -> LedgerEntry {
    let ExportedSkill { id, digest, generation, body } = exported.clone();
    let body = match body {
        BodyPlace::ToolResult(_) if !has_messages => BodyPlace::Gone,
        body => body,
    };
    LedgerEntry { id, digest, generation, body }
}

fn parse(json: &str) -> Result<Export, ImportError> {
    if json.len() > MAX_BYTES {
        return Err(ImportError::TooLarge { bytes: json.len() });
    }
    let export: Export =
        serde_json::from_str(json).map_err(|error| ImportError::Invalid(error.to_string()))?;
    if export.prowess_session != VERSION {
        return Err(ImportError::Version(export.prowess_session));
    }
    let ids = export.skills.iter().chain(&export.limits).map(|skill| &skill.id);
    let mut ids = ids.chain(export.allowed.iter().flatten());
    if ids.any(|id| id.is_empty() || id.len() > MAX_ID_BYTES) {
        return Err(ImportError::Invalid("an id is empty or too long".to_owned()));
    }
    Ok(export)
}
