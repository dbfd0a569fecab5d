//! Who is offered which skill: what a host decides, and what a skill asks for.

use std::collections::BTreeMap;

use fast_glob::glob_match;
use prowess_core::{Audience, Availability, Callers, Conditions, Record, Scope};
use serde::{Deserialize, Serialize};

use crate::readiness::Readiness;
use crate::reasons::joined;

/// Which skills are offered to whom, and how.
///
/// A pattern is an id or has `*`, `?`, `[ab]` or `{a,b}` in it; with a colon it is one of qualified ids,
/// such as `project:*`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VisibilityPolicy {
    /// How skills are offered; of the rules that fit a skill the last counts. By default, whole.
    pub skills: Vec<SkillRule>,
    /// The skills that an agent has, as patterns. By default, and for an agent that is not named here, all.
    pub agents: BTreeMap<String, Vec<String>>,
    /// What becomes of a skill whose `allowed-tools` names a tool that the host lacks. By default, nothing.
    pub missing_tools: MissingTools,
    /// The keys of the host's configuration that are set, for skills that ask for one. By default, none.
    pub config: Vec<String>,
}

/// How the skills of a pattern are offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillRule {
    /// Which skills.
    #[serde(rename = "match")]
    pub pattern: String,
    /// How.
    pub show: Show,
}

/// How a skill is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// With its description. The default.
    #[default]
    Whole,
    /// By its name alone, which saves what its description costs.
    NameOnly,
    /// Not at all.
    Disabled,
}

/// What becomes of a skill whose tools the host lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingTools {
    /// Nothing: the model sees by itself what it cannot do. The default.
    #[default]
    Ignore,
    /// It is offered, with a finding.
    Flag,
    /// It is not ready.
    Hide,
}

/// Why a record takes no part when ids are resolved.
pub(crate) struct Exclusion {
    pub(crate) availability: Availability,
    pub(crate) reason: String,
}

/// Decides which records of one catalog are offered.
pub(crate) struct VisibilityFilter<'a> {
    pub(crate) policy: &'a VisibilityPolicy,
    pub(crate) audience: &'a Audience,
    pub(crate) readiness: &'a Readiness,
}

impl VisibilityFilter<'_> {
    /// Whether every record without conditions of its own is offered whole: then nothing need be asked.
    pub(crate) fn is_open(&self) -> bool {
        self.policy.skills.is_empty() && self.declared().is_none()
    }

    /// Why a record takes no part, before it is known which of several with its id is used.
    pub(crate) fn exclusion(&self, record: Record<'_>) -> Option<Exclusion> {
        let conditions = record.conditions();
        let scope = conditions.and_then(|conditions| self.out_of_scope(&conditions.scope));
        let foreign = joined([scope, self.undeclared(record)]);
        let disabled = self.rule(record).filter(|rule| rule.show == Show::Disabled);
        let disabled = disabled.map(|rule| format!("the policy disables `{}`", rule.pattern));
        let withheld = || self.hidden_from_model(record).map(|(reason, _)| reason);
        let (availability, reasons) = match (foreign, disabled) {
            (Some(foreign), disabled) => {
                (Availability::OutOfScope, [Some(foreign), disabled, withheld()])
            }
            (None, Some(disabled)) => (Availability::Hidden, [Some(disabled), withheld(), None]),
            (None, None) => {
                let missing = self.missing_requirement(record)?;
                (Availability::NotReady, [Some(missing), withheld(), None])
            }
        };
        Some(Exclusion { availability, reason: joined(reasons)? })
    }

    /// Returns whether any record may have a missing requirement. In most catalogs none has.
    pub(crate) fn has_requirements(&self) -> bool {
        !self.readiness.is_empty() || self.policy.missing_tools == MissingTools::Hide
    }

    /// What a record needs that is not there.
    pub(crate) fn missing_requirement(&self, record: Record<'_>) -> Option<String> {
        if !self.has_requirements() {
            return None;
        }
        let conditions = record.conditions()?;
        let is_asked = self.policy.missing_tools == MissingTools::Hide;
        let tool = is_asked.then(|| self.missing_tool(conditions)).flatten();
        joined([self.readiness.missing_requirement(record.index()).map(str::to_owned), tool])
    }

    /// Why the record that won its id is not offered to a model, and who may have it all the same.
    pub(crate) fn hidden_from_model(&self, record: Record<'_>) -> Option<(String, Callers)> {
        let conditions = record.conditions()?;
        let callers = Callers { model: false, user: !conditions.not_by_user };
        let reasons = joined([self.not_by_model(conditions), self.elsewhere(conditions)])?;
        Some((reasons, callers))
    }

    pub(crate) fn is_name_only(&self, record: Record<'_>) -> bool {
        self.rule(record).is_some_and(|rule| rule.show == Show::NameOnly)
    }

    /// What to say of a skill that is offered though the host lacks one of its tools.
    pub(crate) fn flag(&self, record: Record<'_>) -> Option<String> {
        let conditions = record.conditions()?;
        (self.policy.missing_tools == MissingTools::Flag)
            .then(|| self.missing_tool(conditions))
            .flatten()
    }

    fn out_of_scope(&self, scope: &Scope) -> Option<String> {
        let Audience { agent, tenant, environment, .. } = self.audience;
        let limits = [
            ("agents", &scope.agents, agent),
            ("tenants", &scope.tenants, tenant),
            ("environments", &scope.environments, environment),
        ];
        joined(limits.map(|(what, allowed, asked)| {
            let is_allowed = |asked: &String| allowed.iter().any(|one| **one == **asked);
            let is_open = allowed.is_empty() || allowed.iter().any(|one| &**one == "*");
            if is_open || asked.as_ref().is_some_and(is_allowed) {
                return None;
            }
            Some(format!("it is for the {what} {} alone", listed(allowed)))
        }))
    }

    fn undeclared(&self, record: Record<'_>) -> Option<String> {
        let declared = self.declared()?;
        let is_declared = declared.iter().any(|pattern| fits(pattern, record));
        let agent = self.audience.agent.as_deref().unwrap_or_default();
        (!is_declared).then(|| format!("the policy does not give it to the agent `{agent}`"))
    }

    fn declared(&self) -> Option<&Vec<String>> {
        self.policy.agents.get(self.audience.agent.as_deref()?)
    }

    fn rule(&self, record: Record<'_>) -> Option<&SkillRule> {
        self.policy.skills.iter().rev().find(|rule| fits(&rule.pattern, record))
    }

    fn missing_tool(&self, conditions: &Conditions) -> Option<String> {
        let tools = self.audience.tools.as_ref()?;
        let has = |name: &str| tools.iter().any(|tool| tool.eq_ignore_ascii_case(name));
        let missing = conditions.tools.iter().find(|name| !has(name))?;
        Some(format!("it needs the tool `{missing}`, which the host does not offer"))
    }

    fn not_by_model(&self, conditions: &Conditions) -> Option<String> {
        let reason = "only a user may load it: `disable-model-invocation` is `true`";
        conditions.not_by_model.then(|| reason.to_owned())
    }

    /// Whether none of the files that it is for is worked on, where the host says which are.
    fn elsewhere(&self, conditions: &Conditions) -> Option<String> {
        let open = self.audience.open_paths.as_ref()?;
        let is_open = |pattern: &str| open.iter().any(|path| is_path(pattern, path));
        let patterns = &conditions.paths;
        (!patterns.is_empty() && !patterns.iter().any(|pattern| is_open(pattern)))
            .then(|| format!("none of the files {} is worked on", listed(patterns)))
    }
}

/// Whether a pattern of files means a file. A directory means what is in it.
fn is_path(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let directory = pattern.trim_end_matches('/');
    let is_in = path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    is_in || glob_match(pattern, path)
}

fn fits(pattern: &str, record: Record<'_>) -> bool {
    let is_it = |text: &str| pattern == text || glob_match(pattern, text);
    let qualified = |qualifier: &str| is_it(&format!("{qualifier}:{}", record.base_id()));
    is_it(record.id())
        || is_it(record.base_id())
        || pattern.contains(':') && (qualified(&record.layer().name) || qualified(record.source()))
}

fn listed(items: &[Box<str>]) -> String {
    let quoted: Vec<_> = items.iter().map(|item| format!("`{item}`")).collect();
    quoted.join(", ")
}
