//! The policy of the gate.

use prowess_core::Trust;
use serde::{Deserialize, Serialize};

use crate::ToolRules;

/// The policy of the gate. The defaults are the meaning of agentskills.io: `allowed-tools` lists
/// the calls that run without asking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GatePolicy {
    /// The meaning of `allowed-tools`. By default a grant.
    pub tool_semantics: ToolSemantics,
    /// The meaning of an `allowed-tools` that names no tool. By default it covers no tool.
    pub empty_list: EmptyList,
    /// The result of several active skills. By default each of them counts.
    pub combine: Combine,
    /// Whether the case of tool names matters in `allowed-tools`. By default it does not.
    pub tool_match_case: ToolMatchCase,
    /// The skills whose `allowed-tools` may grant. By default only those of trusted layers.
    pub grant_from: GrantFrom,
    /// The result of a call that nothing grants, under [`ToolSemantics::Preapprove`]. By default a
    /// person is asked.
    pub ungranted: Ungranted,
    /// The calls that the operator grants, whatever the skills name. It never lifts a limit: not
    /// the ceiling's, and not the skills' under [`ToolSemantics::Restrict`].
    pub grant: ToolRules,
    /// The operator's limits, which nothing lifts: no skill, no grant and no approval.
    pub ceiling: Ceiling,
}

/// The operator's limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ceiling {
    /// The only calls that are possible, apart from
    /// [skill operations](crate::ToolKind::SkillOperation). By default there is no such limit; an
    /// empty list leaves the skill operations alone.
    pub only: Option<ToolRules>,
    /// The calls that are denied, or ask where that cannot be seen, skill operations included. The
    /// case of tool names does not matter here. A rule with a pattern also denies arguments that
    /// cannot be compared with it, such as a command with substitutions. A command is denied behind
    /// links and programs that run it, too, such as `sudo`, `xargs` and `bash -c`; `*` stands for
    /// any text. If a program runs what cannot be read, such as a script, a person has to approve
    /// the call.
    pub deny: ToolRules,
}

/// The meaning of `allowed-tools`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSemantics {
    /// A limit: only what it covers is possible, and runs without asking.
    Restrict,
    /// A grant: what it covers runs without asking, anything else is subject to
    /// [`GatePolicy::ungranted`]. The default.
    #[default]
    Preapprove,
    /// Advice: it decides nothing, and the decision reports what it would have covered.
    Advisory,
}

/// The meaning of an `allowed-tools` that names no tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyList {
    /// It covers no tool. The default.
    #[default]
    None,
    /// It is the same as no `allowed-tools`.
    All,
}

/// The result of several active skills.
///
/// It combines skills that may grant. A skill that may not grant, by [`GrantFrom`], only narrows:
/// whatever the value here, its own list has to cover the call as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// Each skill with an `allowed-tools` has to cover the call, so that a nested skill without one
    /// lifts no limit. The default.
    #[default]
    Intersect,
    /// The skill that was loaded last decides.
    TopOfStack,
    /// One skill that covers the call is enough.
    Union,
}

/// Whether the case of tool names matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolMatchCase {
    /// `bash` names `Bash`. Only ASCII letters have a case here. The default.
    #[default]
    Insensitive,
    /// Names are compared byte for byte.
    Exact,
}

impl ToolMatchCase {
    pub(crate) fn matches(self, one: &str, other: &str) -> bool {
        match self {
            Self::Insensitive => one.eq_ignore_ascii_case(other),
            Self::Exact => one == other,
        }
    }
}

/// The skills whose `allowed-tools` may grant. Skills of untrusted layers never may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantFrom {
    /// Those of trusted layers. The default.
    #[default]
    Trusted,
    /// Also those of layers with the trust `ask_first`.
    AskFirst,
}

impl GrantFrom {
    pub(crate) fn includes(self, trust: Trust) -> bool {
        match self {
            Self::Trusted => trust == Trust::Trusted,
            Self::AskFirst => trust != Trust::Untrusted,
        }
    }
}

/// The result of a call that nothing grants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ungranted {
    /// A person is asked. The default.
    #[default]
    Ask,
    /// It runs: the host asks by its own means, or has no tools that need it.
    Allow,
    /// It is refused, for hosts without a person to ask.
    Deny,
}
