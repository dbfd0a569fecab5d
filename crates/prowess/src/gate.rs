//! The gate of a runtime: the decision on a call, from the loaded skills, the policy of the
//! operator and the approvals of people.

mod answer;
mod files;
#[cfg(feature = "scripts")]
mod rights;
mod script_reads;
mod skills;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{
    ApprovalQuery, ApprovalStore as _, ApprovalStoreError, CallOrigin, Catalog, Clock, Record,
    SessionId, SessionState, ShowLocation, SkillError, Trust,
};
use prowess_gate::{
    Consent, Decision, GateInput, GatePolicy, GatedTool, Reason, ToolArguments, ToolKind,
    allowed_tool_names, decide,
};
use prowess_session::{ApprovedCall, CallApprovals};
use prowess_text::quoted;
use prowess_tools::{SkillTools, ToolPolicy};
use serde_json::{Value, json};

use skills::Skills;

/// The field of the hooks next to the arguments of a load, which no schema of a tool has.
const HOOKS: &str = "hooks";

/// The names in rules of the tool that runs scripts, and of a hook's run in the audit.
const HOOK_NAMES: [&str; 5] =
    ["skills_run", "skills-run", "skills_run_script", "skills.hook", "skills_hook"];

/// The decision about each file that a command in the sandbox opens.
const OPENED_LATER: &str = "whether the command may read a file of a skill is decided when it \
    opens the file, by `tools.script_read`, `read_gate`, `read_scope` and `read_limit_bytes`";

/// Decides on the calls of one runtime.
pub(crate) struct RuntimeGate {
    /// The policy for tools that the host runs itself.
    pub(crate) policy: GatePolicy,
    /// The policy for tools of the runtime.
    pub(crate) added: GatePolicy,
    pub(crate) arguments: ToolArguments,
    pub(crate) consent: ConsentPolicy,
    /// Which files are scripts, and whether they may be read.
    pub(crate) skill_tools: ToolPolicy,
    pub(crate) show: ShowLocation,
    /// The directory of the mounted skills, if a tool runs commands there.
    pub(crate) mount: Option<String>,
    /// The name of the tool that runs scripts, if there is a runner.
    pub(crate) run_tool: Option<String>,
    /// The canonical names of the tools that manage skills.
    pub(crate) operations: BTreeSet<String>,
    /// The canonical names of the other tools of the runtime.
    pub(crate) tools: BTreeSet<String>,
    pub(crate) approvals: CallApprovals,
    pub(crate) clock: Arc<dyn Clock>,
}

/// A call to decide on.
#[derive(Clone, Copy)]
pub(crate) struct GatedCall<'a> {
    pub(crate) tool: &'a str,
    /// Further names of the tool in rules.
    pub(crate) aliases: &'a [&'a str],
    /// The arguments that an approval covers: see [`RuntimeGate::covered`].
    pub(crate) arguments: &'a Value,
    pub(crate) catalog: &'a Catalog,
    pub(crate) state: &'a SessionState,
    pub(crate) origin: &'a Arc<CallOrigin>,
    /// The skill whose content the call would run.
    pub(crate) subject: Option<Record<'a>>,
}

impl GatedCall<'_> {
    fn session(&self) -> &SessionId {
        &self.state.id
    }

    fn tenant(&self) -> Option<&str> {
        self.origin.tenant.as_deref()
    }

    /// Returns the call as a person approves it.
    fn approved(&self) -> ApprovedCall<'_> {
        ApprovedCall { origin: self.origin, state: self.state, arguments: self.arguments }
    }
}

impl RuntimeGate {
    /// Returns the arguments that a person is shown and that an approval covers: those of
    /// [`ConsentPolicy::covered`] and, since a load does not name them, the hooks that it lets run.
    pub(crate) fn covered<'a>(
        &self,
        tool: &str,
        arguments: &'a Value,
        catalog: &Catalog,
        subject: Option<Record<'_>>,
    ) -> Cow<'a, Value> {
        let covered = self.consent.covered(arguments, catalog, subject);
        let loaded = subject.filter(|_| self.operations.contains(tool));
        let hooks = loaded.map(|record| skills::hooks(catalog, record)).unwrap_or_default();
        if hooks.is_empty() || !covered.is_object() {
            return covered;
        }
        let mut arguments = covered.into_owned();
        arguments[HOOKS] = hooks.into();
        Cow::Owned(arguments)
    }

    /// Decides on a call, without spending an approval.
    ///
    /// # Errors
    ///
    /// The approvals cannot be read.
    pub(crate) fn decide(&self, call: &GatedCall<'_>) -> Result<Decision, ApprovalStoreError> {
        if let Some(denial) = self.script_denial(call) {
            return Ok(denial);
        }
        let first = self.decide_with(call, &Skills::of(call), &[]);
        if first.is_allowed() {
            return Ok(first);
        }
        // Positions and digests need the files, so they are read only for calls that do not run.
        let skills = Skills::with_files(call);
        let approvals =
            if first.is_ask() { self.approvals.store().find(&self.query(call))? } else { vec![] };
        Ok(self.decide_with(call, &skills, &approvals))
    }

    /// Decides as [`Self::decide`] does, and reads the files of the loaded skills in any case.
    ///
    /// # Errors
    ///
    /// As [`Self::decide`].
    pub(crate) fn explain(&self, call: &GatedCall<'_>) -> Result<Decision, ApprovalStoreError> {
        if let Some(denial) = self.script_denial(call) {
            return Ok(denial);
        }
        let approvals = self.approvals.store().find(&self.query(call))?;
        Ok(self.decide_with(call, &Skills::with_files(call), &approvals))
    }

    /// Decides about the scripts that the hooks of a skill run once it is loaded, each as a call of
    /// `skills.run`. Returns the strictest decision, and the hooks; `None` without hooks.
    fn decide_hooks(&self, call: &GatedCall<'_>, loaded: Record<'_>) -> Option<(Decision, String)> {
        let call =
            &GatedCall { tool: SkillTools::RUN, aliases: &HOOK_NAMES, subject: None, ..*call };
        let hooks = skills::hooks(call.catalog, loaded);
        let skills = (!hooks.is_empty()).then(|| Skills::with_files(call))?;
        let decisions = hooks.iter().map(|hook| {
            let path = hook.split_once(": ").map_or(&**hook, |(_, path)| path);
            let arguments = &json!({ "skill": loaded.id(), "path": path });
            self.decide_with(&GatedCall { arguments, ..*call }, &skills, &[])
        });
        let mut decision = decisions.max_by_key(|it| (it.is_denied(), it.is_ask()))?;
        let granted = if decision.is_ask() { ", which nothing grants" } else { "" };
        let hooks =
            format!("the hooks of {} run: {}{granted}", quoted(loaded.id()), hooks.join(", "));
        if let Decision::Deny { refusal, grounds } = &mut decision {
            grounds.detail.get_or_insert_with(|| hooks.clone());
            if let SkillError::ToolNotAllowed { message, .. } = &mut refusal.error {
                *message = format!("nothing was loaded, since {hooks}. {message}");
            }
        }
        Some((decision, hooks))
    }

    /// Returns the names of the tools that loaded skills leave possible; `None` if they limit
    /// nothing.
    pub(crate) fn allowed_tools(
        &self,
        catalog: &Catalog,
        state: &SessionState,
    ) -> Option<Vec<String>> {
        let skills = Skills::loaded(catalog, state);
        let gated = skills.gated();
        let names = allowed_tool_names(&self.policy, &gated)?;
        Some(names.into_iter().map(str::to_owned).collect())
    }

    fn decide_with(
        &self,
        call: &GatedCall<'_>,
        skills: &Skills<'_>,
        approvals: &[prowess_core::Approval],
    ) -> Decision {
        let names = self.arguments.names(call.tool);
        let is_operation = self.operations.contains(call.tool);
        let loaded = call.subject.filter(|_| is_operation);
        let hooks = loaded.and_then(|record| self.decide_hooks(call, record));
        if let Some((denied @ Decision::Deny { .. }, _)) = &hooks {
            return denied.clone();
        }
        let kind = if is_operation {
            ToolKind::SkillOperation
        } else {
            self.arguments.kind(call.tool, &names, call.arguments)
        };
        let reason = call.subject.and_then(|subject| self.consent.reason(subject.trust()));
        let asked = hooks.as_ref().filter(|(decision, _)| decision.is_ask());
        let reason = reason.or_else(|| Some(asked?.1.clone()));
        let consent = reason.as_deref().zip(skills.subject());
        let consent = consent.map(|(reason, skill)| Consent { skill, reason });
        let is_own = is_operation || call.tool == SkillTools::RUN;
        let is_added = is_own || self.tools.contains(call.tool);
        let gated = skills.gated();
        let input = GateInput {
            // To add a tool is to offer it, but not to consent to what a skill brings along.
            policy: if is_added && consent.is_none() { &self.added } else { &self.policy },
            tool: GatedTool { name: call.tool, aliases: call.aliases, kind },
            arguments: call.arguments,
            files: Some(&files::SystemFiles),
            skills: &gated,
            approvals,
            session: call.session(),
            tenant: call.tenant(),
            now: self.clock.now(),
            consent,
        };
        let mut decision = decide(&input);
        if let (Decision::Allow { grounds }, Some((decision, hooks))) = (&mut decision, hooks) {
            grounds.detail = Some(hooks);
            grounds.rules.extend(decision.grounds().rules.iter().cloned());
        }
        if call.tool == SkillTools::EXECUTE
            && self.skill_tools.closes_files()
            && let Decision::Allow { grounds } = &mut decision
        {
            grounds.detail = Some(OPENED_LATER.to_owned());
        }
        let limits = skills.limits();
        if limits == 0 || decision.grounds().reason != Reason::Listed {
            return decision;
        }
        // A list of the parent's skills narrows what a fork may do, and grants it nothing.
        let own = decide(&GateInput { skills: &gated[limits..], ..input });
        if own.is_allowed() { decision } else { own }
    }

    fn query<'a>(&self, call: &'a GatedCall<'_>) -> ApprovalQuery<'a> {
        ApprovalQuery {
            tool: call.tool,
            tenant: call.tenant(),
            session: &call.state.id,
            now: self.clock.now(),
        }
    }
}

/// The policy of consent to scripts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConsentPolicy {
    #[cfg(feature = "scripts")]
    pub(crate) scripts: prowess_script::ScriptPolicy,
}

impl ConsentPolicy {
    /// Returns why a script of a skill of this trust needs the consent of a person.
    #[cfg(feature = "scripts")]
    fn reason(&self, trust: Trust) -> Option<String> {
        self.scripts.consent(trust)
    }

    /// Returns why a script of a skill of this trust needs the consent of a person.
    #[cfg(not(feature = "scripts"))]
    #[expect(clippy::unused_self, reason = "the policy of scripts is behind a feature")]
    fn reason(&self, trust: Trust) -> Option<String> {
        let is_below = trust < Trust::Trusted;
        is_below.then(|| format!("the script is from a source that is `{}`", trust.as_str()))
    }

    /// Returns the arguments that an approval covers: the policy here gives scripts no right.
    #[cfg(not(feature = "scripts"))]
    #[expect(clippy::unused_self, reason = "the policy of scripts is behind a feature")]
    pub(crate) fn covered<'a>(
        &self,
        arguments: &'a Value,
        _: &Catalog,
        _: Option<Record<'_>>,
    ) -> Cow<'a, Value> {
        Cow::Borrowed(arguments)
    }
}
