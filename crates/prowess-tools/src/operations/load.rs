//! Makes skills active, all of them or none.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyPlace, BodyTags, Content, ForkedSession, LedgerEntry, LoadMode, LoadOutcome,
    LoadRequest, Receipt, Record, RunPreference, SessionError, ToolContext,
};
use prowess_text::{clipped, counted, enumerated, quoted};
use serde::Deserialize;

use super::Operations;
use super::read::NOTE_BYTES;
use crate::codes;
use crate::content::wrapper::{resources, wrapped};
use crate::gate::Refusal;
use crate::hooks::state_before;
use crate::lookup::required::with_required;
use crate::policy::{HookPolicy, ReadScope, ToolHost};
use crate::surface::Surface;

/// What a result has in place of a body that the context of the model has or will have.
const BODY_FOLLOWS_NEXT: &str = "The instructions are there from your next turn on.";
const BODY_IS_THERE: &str = "The instructions are in an earlier result, and still apply.";
const BODY_IS_IN_INSTRUCTIONS: &str = "The instructions are among yours, and still apply.";

/// The number of files that are listed next to a page of instructions.
const MOST_LISTED_IN_PAGE: usize = 20;

/// The maximum length of the name of an agent or a model in a message, in characters.
const MOST_NAME: usize = 64;

/// The least size of a page, however many skills are loaded at once.
const LEAST_PAGE_BYTES: usize = 2_000;

/// The result of the load operation.
pub(crate) struct Loaded<'c> {
    /// The active skills of the session.
    pub(crate) receipt: Receipt,
    /// The ids of the skills whose bodies belong into the result.
    deliver: Vec<String>,
    /// The named skills whose bodies are in the context of the model.
    pub(crate) already_loaded: Vec<LedgerEntry>,
    /// The ids of the skills that the limit has unloaded for these.
    made_room: Vec<String>,
    /// The session of its own in which the skills are active instead.
    pub(crate) fork: Option<Box<ForkedSession>>,
    /// The skills that the call names, each once.
    pub(crate) records: Vec<Record<'c>>,
    /// Their state, in the same order.
    pub(crate) skills: Vec<Arc<ActiveSkill>>,
}

#[derive(Deserialize)]
pub(crate) struct LoadArguments {
    names: Vec<String>,
    mode: Option<LoadMode>,
    /// Whether to deliver bodies again that the context of the model has.
    #[serde(default)]
    force: bool,
}

impl Loaded<'_> {
    /// Returns where the instructions are that this load does not deliver, in one sentence.
    pub(crate) fn earlier(&self) -> Option<String> {
        let ids = enumerated(self.already_loaded.iter().map(|entry| entry.id.as_str()), "and");
        (!self.already_loaded.is_empty()).then(|| {
            format!(
                "The instructions of {ids} are in an earlier result, and still apply; if you do not \
                 have it any more, unload and load again."
            )
        })
    }

    /// Returns which skills are not active any more, in one sentence for a model.
    pub(crate) fn made_room(&self) -> Option<String> {
        let ids = enumerated(self.made_room.iter().map(String::as_str), "and");
        let text = || format!("{ids} made room, and must be loaded again before further use.");
        (!self.made_room.is_empty()).then(text)
    }

    /// Returns that the skills are not active in the session of the call, if that is so.
    pub(crate) fn own_session(&self) -> Option<&'static str> {
        let text = "It is active in a session of its own, and not in this one.";
        self.fork.is_some().then_some(text)
    }

    /// Returns how the skills prefer to be run, in one sentence for a model.
    pub(crate) fn preferences(&self) -> Option<String> {
        let sentences = self.skills.iter().filter_map(|skill| {
            let RunPreference { fork, agent, model } = RunPreference::of(&skill.properties);
            let named = |what: &str, name: Option<String>| {
                name.map(|name| format!("the {what} {}", quoted(&clipped(&name, MOST_NAME))))
            };
            let context = fork.then(|| "a context of its own".to_owned());
            let wanted = [context, named("agent", agent), named("model", model)];
            let wanted: Vec<_> = wanted.into_iter().flatten().collect();
            let id = quoted(&skill.id);
            (!wanted.is_empty()).then(|| format!("{id} asks for {}.", wanted.join(", ")))
        });
        let mut sentences: Vec<_> = sentences.collect();
        sentences.extend(self.own_session().map(str::to_owned));
        let forks = |skill: &Arc<ActiveSkill>| RunPreference::of(&skill.properties).fork;
        if self.fork.is_none() && self.skills.len() > 1 && self.skills.iter().any(forks) {
            sentences.push("Loaded together, the skills are active in this session.".to_owned());
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

impl Operations {
    /// Makes the named skills active, all of them or none.
    pub(crate) fn load<'c>(
        &self,
        context: &ToolContext<'c>,
        names: &[String],
        mode: LoadMode,
    ) -> Result<Loaded<'c>, Refusal> {
        let names = names.to_vec();
        self.load_with(context, &LoadArguments { names, mode: Some(mode), force: false })
    }

    /// As [`Self::load`], with every argument.
    pub(crate) fn load_with<'c>(
        &self,
        context: &ToolContext<'c>,
        arguments: &LoadArguments,
    ) -> Result<Loaded<'c>, Refusal> {
        let LoadArguments { names, mode, force } = arguments;
        let is_foreign = self.policy.host == ToolHost::Foreign;
        let unset = if is_foreign { LoadMode::Add } else { LoadMode::default() };
        let mode = mode.unwrap_or(unset);
        let named = self.resolve(context, names)?;
        let is_named = |id: &str| named.iter().any(|record| record.id() == id);
        let mut records = with_required(context, named.clone(), mode, self.policy.requires)?;
        let mut skills = Vec::with_capacity(records.len());
        for &record in &records {
            if context.cancel.is_cancelled() {
                let message = "the turn was cancelled, so nothing was changed";
                return Err(Refusal::new(codes::CANCELLED, message));
            }
            skills.push(Arc::new(self.known_skills.activate(context, record)?));
        }
        let base = LoadRequest {
            skills: &[],
            mode,
            delivery: self.delivery.bodies,
            generation: context.catalog.generation(),
            // An earlier result may be in another conversation.
            force: *force || (is_foreign && !context.keeps_results),
        };
        // Skills that are loaded at once are for one conversation.
        let preference = preference(names.len(), skills.last().map(Arc::as_ref));
        let check = |skills: &[Arc<ActiveSkill>]| {
            context.session.check(&LoadRequest { skills, ..base }, &preference)
        };
        match check(&skills) {
            // A required skill that may not be loaded again is there already.
            Err(SessionError::AlreadyActive(id)) if !is_named(&id) => {
                let state = context.session.state()?;
                let is_new = |(_, skill): &(_, Arc<ActiveSkill>)| {
                    is_named(&skill.id) || state.find(&skill.id).is_none()
                };
                (records, skills) = records.into_iter().zip(skills).filter(is_new).unzip();
                check(&skills)?;
            }
            checked => checked?,
        }
        let is_cut = is_foreign && mode == LoadMode::Add;
        let before = is_cut.then(|| context.session.state()).transpose()?;
        let hooked: Vec<_> = records.iter().copied().zip(skills.iter().map(Arc::as_ref)).collect();
        let request = LoadRequest { skills: &skills, ..base };
        let place = context.session.place(&preference)?;
        let activate = || -> Result<_, SessionError> {
            let fork = place.fork.as_ref().map(|id| context.session.fork(&request, id));
            Ok(match fork.transpose()?.flatten() {
                Some((fork, outcome)) => (Some(Box::new(fork)), outcome),
                None => (None, context.session.activate(&request)?),
            })
        };
        let (fork, outcome) =
            self.hooks().around_activation(context, &place, &hooked, activate)??;
        let LoadOutcome { receipt, deliver, already_loaded } = outcome;
        let ids = before.iter().flat_map(|state| &state.active).map(|skill| &skill.id);
        let is_gone = |id: &&String| receipt.active_skills.iter().all(|other| other.id != **id);
        let made_room = ids.filter(|id| fork.is_none() && is_gone(id)).cloned().collect();
        Ok(Loaded { receipt, deliver, already_loaded, made_room, fork, records, skills })
    }

    /// Returns the first skill of a load whose hooks would run: what a person approves.
    pub(crate) fn hooked_subject<'c>(
        &self,
        context: &ToolContext<'c>,
        names: &[&str],
        mode: LoadMode,
    ) -> Option<Record<'c>> {
        if self.policy.hooks == HookPolicy::Ignore {
            return None;
        }
        let count = names.len();
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let records = self.resolve(context, &names).ok()?;
        let records = with_required(context, records, mode, self.policy.requires).ok()?;
        let read = |record| Some((record, self.known_skills.activate(context, record).ok()?));
        let skills: Vec<_> = records.iter().copied().filter_map(read).collect();
        let preference = preference(count, skills.last().map(|(_, skill)| skill));
        let place = context.session.place(&preference).ok().filter(|it| !it.is_stateless)?;
        let state = state_before(context, &place).ok()?;
        let hooked = skills.iter().map(|(record, skill)| (*record, skill));
        let subject = self.hooks().subject(&state, hooked)?;
        records.into_iter().find(|record| record.index() == subject)
    }

    /// Resolves the names to records, each once, before any file is read.
    fn resolve<'c>(
        &self,
        context: &ToolContext<'c>,
        names: &[String],
    ) -> Result<Vec<Record<'c>>, Refusal> {
        if names.len() > self.policy.names_per_call {
            let message = format!(
                "{} in one call and at most {} may be; load fewer",
                counted(names.len(), "skill"),
                self.policy.names_per_call
            );
            return Err(Refusal::new(codes::TOO_MANY_NAMES, message));
        }
        let mut records: Vec<Record<'c>> = Vec::with_capacity(names.len());
        for name in names {
            let record = self.find(context, name)?;
            if records.iter().all(|other| other.index() != record.index()) {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Returns the content of a result that has one text for the only skill of a load: its body, or
    /// where that is.
    pub(crate) fn body_or_place(
        &self,
        context: &ToolContext<'_>,
        loaded: &Loaded<'_>,
        record: Record<'_>,
        skill: &ActiveSkill,
    ) -> String {
        let is_here = |entry: &&LedgerEntry| entry.id == skill.id;
        let place = loaded.already_loaded.iter().find(is_here).map(|entry| entry.body);
        match place {
            _ if loaded.deliver.contains(&skill.id) => {
                self.content(context, record, skill, BodyTags::Boundary)
            }
            Some(BodyPlace::ToolResult(_)) => BODY_IS_THERE.to_owned(),
            Some(BodyPlace::Instructions) => BODY_IS_IN_INSTRUCTIONS.to_owned(),
            _ => BODY_FOLLOWS_NEXT.to_owned(),
        }
    }

    /// Returns the bodies that the context of the model does not have.
    pub(crate) fn bodies(&self, context: &ToolContext<'_>, loaded: &Loaded<'_>) -> Vec<Content> {
        let Loaded { deliver, records, skills, .. } = loaded;
        let is_delivered = |skill: &ActiveSkill| deliver.contains(&skill.id);
        let delivered = records.iter().zip(skills).filter(|(_, skill)| is_delivered(skill));
        let delivered: Vec<_> = delivered.collect();
        let room = context.result_bytes.filter(|_| self.reads_instructions());
        let room = room.map(|bytes| bytes / delivered.len().max(1));
        let most = self.policy.resources_listed;
        let listed = if room.is_some() { most.min(MOST_LISTED_IN_PAGE) } else { most };
        let content = delivered.into_iter().map(|(&record, skill)| {
            let listing = resources(context.catalog, record, listed);
            let around = |content| {
                wrapped(skill, content, listing.as_ref(), self.delivery, context.boundary)
            };
            let content = match room {
                None => self.content(context, record, skill, self.delivery.tags),
                Some(room) => {
                    let page = room.saturating_sub(around(String::new()).len() + NOTE_BYTES);
                    self.first_page(context, record, skill, page.max(LEAST_PAGE_BYTES))
                }
            };
            Content::Text { text: around(content) }
        });
        content.collect()
    }

    /// Returns whether the model has a tool that reads the lines of a skill's instructions.
    fn reads_instructions(&self) -> bool {
        let reads = |surface: &Surface| surface.loads_and_reads() || *surface == Surface::Files;
        self.policy.surfaces.iter().any(reads) && self.policy.read_scope == ReadScope::Package
    }
}

/// Returns how the skills of a load prefer to be run: as the last one does, if it is named alone.
fn preference(names: usize, last: Option<&ActiveSkill>) -> RunPreference {
    last.filter(|_| names == 1)
        .map(|skill| RunPreference::of(&skill.properties))
        .unwrap_or_default()
}
