//! Answers questions from the catalog and the session of a call.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, Caller, Catalog, Clock, LedgerEntry, LoadMode, LoadOutcome,
    LoadRequest, ReadLimit, Receipt, Record, ResourcePath, Session, SessionError, SourceError,
    ToolContext, Unload,
};
use prowess_plugin_abi::conversation::{
    Delivered, PackageListing, Question, SessionRefusal, SkillVersion,
};
use prowess_plugin_abi::{AbiError, codes};
use prowess_text::quoted;
use serde::Serialize;

use super::{Answer, snapshot};
use crate::adapter::convert::kind_to_number;

/// The conversation that a tool is called in.
pub(crate) struct Conversation<'a> {
    pub(crate) catalog: &'a Catalog,
    /// `None` if the call only describes a tool.
    pub(crate) session: Option<&'a dyn Session>,
    pub(crate) caller: Caller,
    pub(crate) clock: &'a dyn Clock,
    /// The maximum size of a file in bytes.
    pub(crate) max_bytes: usize,
}

impl Answer for Conversation<'_> {
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError> {
        let question: Question = serde_json::from_str(question).map_err(|error| {
            AbiError::new(codes::INVALID_ARGUMENT, format!("invalid question: {error}"))
        })?;
        match question {
            Question::Catalog => encode(&snapshot::of(self.catalog)),
            Question::List { skill, most } => encode(&self.list(skill, most)?),
            Question::Read { skill, resource, limit } => self.read(skill, &resource, limit),
            Question::State => {
                let state = self.session()?.state();
                encode(&state.map_err(|error| refused(&error))?)
            }
            Question::Load { skills, add, delivery, force } => {
                self.load(&skills, add, delivery, force)
            }
            Question::Unload { ids } => {
                let which = ids.map_or(Unload::All, Unload::These);
                let receipt = self.session()?.unload(&which);
                encode(&receipt.map_err(|error| refused(&error))?)
            }
        }
    }
}

impl<'a> Conversation<'a> {
    pub(crate) fn of_call(context: &ToolContext<'a>, max_bytes: usize) -> Self {
        let ToolContext { catalog, session, caller, clock, .. } = *context;
        Self { catalog, session: Some(session), caller, clock, max_bytes }
    }

    /// Returns the conversation of a call that describes a tool: it has no session.
    pub(crate) fn of_catalog(catalog: &'a Catalog, clock: &'a dyn Clock, max_bytes: usize) -> Self {
        Self { catalog, session: None, caller: Caller::Model, clock, max_bytes }
    }

    fn session(&self) -> Result<&'a dyn Session, AbiError> {
        self.session.ok_or_else(|| AbiError::new(codes::UNSUPPORTED, "this call has no session"))
    }

    /// Returns a skill whose files the caller may read: one that it may load, or that the session
    /// has loaded.
    fn readable(&self, position: usize) -> Result<Record<'a>, AbiError> {
        let record = snapshot::at(self.catalog, position)
            .ok_or_else(|| AbiError::new(codes::NOT_FOUND, "there is no such skill"))?;
        if self.catalog.may_load(record, self.caller) || self.is_loaded(record) {
            return Ok(record);
        }
        Err(AbiError::new(codes::DENIED, "the caller may not load this skill"))
    }

    fn is_loaded(&self, record: Record<'_>) -> bool {
        let state = self.session.and_then(|session| session.state().ok());
        state.is_some_and(|state| state.active.iter().any(|skill| record.is_at(&skill.location)))
    }

    fn list(&self, position: usize, most: usize) -> Result<PackageListing, AbiError> {
        let record = self.readable(position)?;
        let listing = self.catalog.list(record, most).map_err(|error| failed(&error))?;
        let files = listing.resources.into_iter();
        let files = files.map(|resource| (resource.path.as_str().to_owned(), resource.bytes));
        Ok(PackageListing { files: files.collect(), is_complete: listing.is_complete })
    }

    fn read(&self, position: usize, resource: &str, limit: usize) -> Result<Vec<u8>, AbiError> {
        let record = self.readable(position)?;
        let resource = ResourcePath::new(resource)
            .map_err(|error| AbiError::new(codes::ESCAPE, error.to_string()))?;
        let limit = ReadLimit(limit.min(self.max_bytes));
        self.catalog.read(record, &resource, limit).map_err(|error| failed(&error))
    }

    /// Loads skills. The host reads their bodies itself, so a plugin cannot supply its own.
    fn load(
        &self,
        skills: &[SkillVersion],
        add: bool,
        delivery: Option<String>,
        force: bool,
    ) -> Result<Vec<u8>, AbiError> {
        let session = self.session()?;
        let skills: Vec<_> =
            skills.iter().map(|version| self.activate(version)).collect::<Result<_, _>>()?;
        let delivery = delivery.map(|text| serde_json::from_value(text.into())).transpose();
        let delivery: Option<BodyDelivery> = delivery.map_err(|error| {
            AbiError::new(codes::INVALID_ARGUMENT, format!("invalid delivery: {error}"))
        })?;
        let outcome = session.activate(&LoadRequest {
            skills: &skills,
            mode: if add { LoadMode::Add } else { LoadMode::Replace },
            delivery: delivery.unwrap_or_default(),
            generation: self.catalog.generation(),
            force,
        });
        let outcome = outcome.map_err(|error| refused(&error))?;
        let LoadOutcome { receipt, deliver, already_loaded } = outcome;
        let delivered = delivery.map(|_| Delivered { deliver, already_loaded });
        encode(&Loaded { receipt, delivered })
    }

    fn activate(&self, version: &SkillVersion) -> Result<Arc<ActiveSkill>, AbiError> {
        let id = &version.id;
        let record = self.catalog.find(id, self.caller).found().ok_or_else(|| {
            let message = format!("there is no skill {} that may be loaded here", quoted(id));
            not_loaded("skill-not-found", message)
        })?;
        let file = ResourcePath::new(record.file())
            .map_err(|error| AbiError::new(codes::INTERNAL, error.to_string()))?;
        let bytes = self.catalog.read(record, &file, ReadLimit::default());
        let bytes = bytes.map_err(|error| failed(&error))?;
        let skill = ActiveSkill::of(record, &bytes, self.clock.now()).map_err(|error| {
            let message = format!("skill {} cannot be loaded: {error}", quoted(id));
            not_loaded("skill-invalid", message)
        })?;
        if skill.digest.to_string() != version.digest {
            let message =
                format!("skill {} has changed since it was read; load it again", quoted(id));
            return Err(not_loaded("skill-changed", message));
        }
        Ok(Arc::new(skill))
    }
}

/// The answer to [`Question::Load`].
#[derive(Serialize)]
struct Loaded {
    #[serde(flatten)]
    receipt: Receipt,
    #[serde(flatten)]
    delivered: Option<Delivered<LedgerEntry>>,
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, AbiError> {
    serde_json::to_vec(value).map_err(|error| AbiError::new(codes::INTERNAL, error.to_string()))
}

fn failed(error: &SourceError) -> AbiError {
    AbiError::new(kind_to_number(error.kind), &*error.message)
}

/// Returns the error of a skill that cannot be loaded.
fn not_loaded(code: &'static str, message: String) -> AbiError {
    refused(&SessionError::Refused { code, message })
}

fn refused(error: &SessionError) -> AbiError {
    let refusal = match error {
        SessionError::TooManySkills { wanted, cap } => {
            SessionRefusal::TooManySkills { wanted: *wanted, cap: *cap }
        }
        SessionError::AlreadyActive(id) => SessionRefusal::AlreadyActive(id.clone()),
        SessionError::NotOnTop(id) => SessionRefusal::NotOnTop(id.clone()),
        SessionError::NothingActive => SessionRefusal::NothingActive,
        SessionError::NotAllowed(id) => SessionRefusal::NotAllowed(id.clone()),
        SessionError::NotFound(_) => SessionRefusal::NotFound,
        SessionError::Contended(_) => SessionRefusal::Contended,
        SessionError::Refused { code, message } => {
            SessionRefusal::Refused { code: (*code).to_owned(), message: message.clone() }
        }
        SessionError::Store(store) => SessionRefusal::Store(store.reason.clone()),
        // A variant that was added later.
        other => SessionRefusal::Store(other.to_string()),
    };
    let ext = serde_json::to_string(&refusal).unwrap_or_default();
    AbiError { ext: ext.into(), ..AbiError::new(codes::UNAVAILABLE, error.to_string()) }
}
