//! The operations on skills, which every surface shares.

pub(crate) mod find;
pub(crate) mod instructions;
pub(crate) mod load;
pub(crate) mod read;
mod unload;

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, BodyDelivery, Catalog, DeliveryPolicy, EstimatedTokens, Lookup, ProposalStore,
    Ranker, Record, ScriptRunner, SessionState, TokenCounter, ToolContext, Trust, VirtualShell,
};
use prowess_text::quoted;
use serde_json::Value;

use crate::audited::CallAudit;
use crate::codes;
use crate::gate::Refusal;
use crate::hooks::{HookMemory, SkillHooks};
use crate::lookup::known_skills::KnownSkills;
use crate::lookup::listed_ids::ListedIds;
use crate::lookup::package;
use crate::lookup::reference::{active, resolved};
use crate::lookup::word_filter::WordFilter;
use crate::names;
use crate::policy::{ReadGate, SkillContent, ToolPolicy};
use crate::surface::Surface;

/// The policies and services of the operations. An operation that only one surface
/// has is in the file of its tool.
#[derive(Clone)]
pub(crate) struct Operations {
    pub(crate) policy: ToolPolicy,
    pub(crate) delivery: DeliveryPolicy,
    pub(crate) ranker: Arc<dyn Ranker>,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) runner: Option<Arc<dyn ScriptRunner>>,
    pub(crate) shell: Option<Arc<dyn VirtualShell>>,
    pub(crate) proposals: Option<Arc<dyn ProposalStore>>,
    pub(crate) listed_ids: ListedIds,
    /// The name of the tool that reads files, as the model calls it.
    pub(crate) read_tool: String,
    /// The name of the tool that runs scripts, as the model calls it.
    pub(crate) run_tool: String,
    pub(crate) known_skills: Arc<KnownSkills>,
    pub(crate) hook_trust: Trust,
    pub(crate) hook_audit: CallAudit,
    pub(crate) hook_memory: Arc<HookMemory>,
}

impl Operations {
    /// Returns the schema of a skill's name for a model.
    pub(crate) fn id_schema(&self, catalog: &Catalog) -> Value {
        self.listed_ids.schema(catalog, self.policy.ids_in_schema)
    }

    pub(crate) fn new(policy: ToolPolicy, delivery: DeliveryPolicy) -> Self {
        let ranker = Arc::new(WordFilter);
        Self {
            policy,
            delivery,
            ranker,
            counter: Arc::new(EstimatedTokens),
            runner: None,
            shell: None,
            proposals: None,
            listed_ids: ListedIds::default(),
            read_tool: names::READ.to_owned(),
            run_tool: names::RUN.to_owned(),
            known_skills: Arc::default(),
            hook_trust: Trust::Trusted,
            hook_audit: CallAudit::default(),
            hook_memory: Arc::default(),
        }
    }

    /// Returns the operations of a surface. One whose document has bodies in results has them there
    /// next to another surface, too, and one whose document returns whole files does so unless the
    /// policy says otherwise.
    pub(crate) fn of_surface(self: &Arc<Self>, surface: Surface) -> Arc<Self> {
        if surface == Surface::ReadSkill && self.policy.skill_content.is_none() {
            let skill_content = Some(SkillContent::File);
            let policy = ToolPolicy { skill_content, ..self.policy.clone() };
            return Arc::new(Self { policy, ..(**self).clone() });
        }
        let is_first = self.policy.load_surface() == Some(surface);
        let is_in_result = matches!(surface, Surface::Skill | Surface::ActivateSkill);
        if is_first || !is_in_result || self.delivery.bodies.is_in_result() {
            return Arc::clone(self);
        }
        let delivery = DeliveryPolicy { bodies: BodyDelivery::ToolResult, ..self.delivery };
        Arc::new(Self { delivery, ..(**self).clone() })
    }

    pub(crate) fn hooks(&self) -> SkillHooks {
        SkillHooks {
            policy: self.policy.hooks,
            seconds: self.policy.script_seconds,
            runner: self.runner.clone(),
            trust: self.hook_trust,
            audit: self.hook_audit.clone(),
            memory: Arc::clone(&self.hook_memory),
        }
    }

    /// Returns the skill that a reference means to the caller. One that the caller may not load is
    /// refused with its reason, and one of another audience is not found.
    pub(crate) fn find<'c>(
        &self,
        context: &ToolContext<'c>,
        reference: &str,
    ) -> Result<Record<'c>, Refusal> {
        let resolved = resolved(reference);
        match package::found(context, &resolved, self.policy.skill_lookup) {
            Lookup::Found(record) => Ok(record),
            Lookup::Unavailable(record, reason) => {
                Err(package::withheld(record, reason, self.delivery))
            }
            Lookup::Ambiguous(one, other) => Err(package::ambiguous(reference, one, other)),
            Lookup::Unknown => {
                let least = self.policy.suggestion_similarity;
                Err(package::not_found(context.catalog, reference, least))
            }
        }
    }

    /// Returns the record of the named skill, or of the skill that was loaded last, if `gate`
    /// permits an operation on it. `operation` is the verb of that operation.
    pub(crate) fn record_for<'c>(
        &self,
        context: &ToolContext<'c>,
        reference: Option<&str>,
        gate: ReadGate,
        operation: &str,
    ) -> Result<Record<'c>, Refusal> {
        let state = context.session.state()?;
        let Some(reference) = reference else {
            return match state.current() {
                Some(active) => package::still_there(context.catalog, active),
                None => Err(nothing_active(gate, operation)),
            };
        };
        if let Some(active) = active(context.catalog, &state, reference) {
            return package::still_there(context.catalog, active);
        }
        let record = self.find(context, reference)?;
        self.inactive(&state, record, gate, operation).map_or(Ok(record), Err)
    }

    /// Returns the refusal of an operation on a skill that `gate` does not permit before its load.
    fn inactive(
        &self,
        state: &SessionState,
        record: Record<'_>,
        gate: ReadGate,
        operation: &str,
    ) -> Option<Refusal> {
        if is_active(state, record) || self.is_open(gate, record) {
            return None;
        }
        let id = quoted(record.id());
        let message = format!("skill {id} is not active; load it, then {operation}");
        Some(Refusal::new(codes::SKILL_NOT_ACTIVE, message))
    }

    /// Returns whether a reference means an active skill.
    pub(crate) fn is_active(
        &self,
        context: &ToolContext<'_>,
        reference: &str,
    ) -> Result<bool, Refusal> {
        let state = context.session.state()?;
        Ok(active(context.catalog, &state, reference).is_some())
    }

    /// Returns whether an operation on a skill that is not active is permitted.
    fn is_open(&self, gate: ReadGate, record: Record<'_>) -> bool {
        match gate {
            ReadGate::Active => false,
            ReadGate::Known => true,
            ReadGate::Allowlisted => self.policy.read_allowlist.iter().any(|id| id == record.id()),
        }
    }
}

fn is_active(state: &SessionState, record: Record<'_>) -> bool {
    state.active.iter().any(|active: &Arc<ActiveSkill>| record.is_at(&active.location))
}

fn nothing_active(gate: ReadGate, operation: &str) -> Refusal {
    let next = if gate == ReadGate::Active {
        format!("load the skill whose file you want, then {operation}")
    } else {
        "name the skill whose file you want as `skill`".to_owned()
    };
    Refusal::new(codes::SKILL_NOT_ACTIVE, format!("no skill is active; {next}"))
}
