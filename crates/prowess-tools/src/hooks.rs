//! Scripts that a skill wants to be run around its activation and around calls of tools.

mod activation;
mod answer;
mod declared;
mod events;
mod memory;
mod run;

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Digest, LoadPlace, Record, RecordIndex, ScriptRunner, SessionError, SessionState,
    ToolContext, Trust,
};
use serde_json::Value;

use crate::audited::CallAudit;
use crate::policy::HookPolicy;

pub use activation::EndedRun;
use declared::Declared;
pub use declared::declared_hooks;
pub(crate) use memory::HookMemory;

/// The hooks of skills: scripts that the frontmatter names, run by the runner of scripts.
///
/// A skill has hooks in either form:
///
/// - `hooks: { pre, post }` with paths of scripts: `pre` runs before the skill is loaded and stops
///   the load if it fails, and `post` runs once after its end: by a call, or with its task or its
///   session. A package that is gone or no longer trusted has no `post`, which the audit reports.
/// - The events of Claude Code, `PreToolUse`, `PostToolUse` and `Stop`, each with matchers and
///   handlers of the type `command`. A command is the path of a script of the package and literal
///   arguments; no shell reads it. The script gets the event as JSON on standard input. Exit code 2
///   or a JSON object with a decision refuses the call, or gives the model its next step.
///
/// A hook never widens a right: its `allow` changes nothing. A `PreToolUse` that cannot run refuses
/// the call. The tools that manage skills have no events, so that a skill can always be unloaded.
///
/// Each run is audited as a call of `skills.hook`, with its intent and its outcome.
#[derive(Clone)]
pub struct SkillHooks {
    pub(crate) policy: HookPolicy,
    pub(crate) seconds: u64,
    pub(crate) runner: Option<Arc<dyn ScriptRunner>>,
    /// The least trust of a source whose hooks need no approval.
    pub(crate) trust: Trust,
    pub(crate) audit: CallAudit,
    pub(crate) memory: Arc<HookMemory>,
}

/// A call of a tool, for the hooks of the active skills.
#[derive(Clone, Copy)]
pub(crate) struct HookedCall<'a> {
    /// The name as the model sees it.
    pub(crate) tool: &'a str,
    /// The canonical name.
    pub(crate) canonical: &'a str,
    /// Further names of the tool.
    pub(crate) aliases: &'a [&'a str],
    pub(crate) arguments: &'a Value,
}

impl SkillHooks {
    fn is_off(&self) -> bool {
        self.policy == HookPolicy::Ignore
    }

    /// Returns the first of some skills whose load runs something of its package, or lets it run
    /// later.
    pub(crate) fn subject<'a>(
        &self,
        state: &SessionState,
        skills: impl IntoIterator<Item = (Record<'a>, &'a ActiveSkill)>,
    ) -> Option<RecordIndex> {
        let mut skills = skills.into_iter();
        let is_hooked = |(record, skill): &(Record<'_>, &ActiveSkill)| {
            !self.is_off() && Declared::may_have_hooks(skill) && !is_active(state, *record)
        };
        skills.find(is_hooked).map(|(record, _)| record.index())
    }

    /// Refuses the hooks of a source that is not trusted, unless a person has approved the package.
    fn check_trust(&self, record: Record<'_>, approved: Option<Digest>) -> Result<(), String> {
        if record.trust() >= self.trust || approved.is_some() {
            return Ok(());
        }
        Err("hooks of sources that are not trusted run only with the approval of a person, for a \
             load of this skill alone"
            .to_owned())
    }
}

/// Returns the state before a load of the session in which its skills become active.
pub(crate) fn state_before(
    context: &ToolContext<'_>,
    place: &LoadPlace,
) -> Result<SessionState, SessionError> {
    // A fork begins without skills.
    let fork = place.fork.as_ref().map(|id| SessionState::new(id.clone(), context.clock.now()));
    fork.map_or_else(|| context.session.state(), Ok)
}

fn is_active(state: &SessionState, record: Record<'_>) -> bool {
    state.active.iter().any(|skill| record.is_at(&skill.location))
}
