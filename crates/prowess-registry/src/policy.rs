//! The registry policy.

use prowess_format::{Limits, NameMismatch, NameRule, Profile, Rules, SkillMdCase};
use serde::{Deserialize, Serialize};

/// The policy for building records and resolving ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistryPolicy {
    /// The profile that `SKILL.md` files are parsed with. By default `lenient`, as the client guide
    /// recommends.
    pub profile: Profile,
    /// The rule for valid names. By default, that of agentskills.io.
    pub name_rule: NameRule,
    /// The maximum lengths of the parts of a skill. By default, those of agentskills.io.
    pub limits: Limits,
    /// The origin of a skill's id. By default its declared name.
    pub id_from: IdFrom,
    /// The treatment of a `SKILL.md` that is no longer usable. By default its last good version
    /// stays. No key of a file: the other value is for hosts that replace files in one step.
    #[serde(skip)]
    pub on_broken: OnBroken,
    /// The severity of a name that differs from its directory. By default, that of the profile.
    pub name_mismatch: NameMismatch,
    /// The treatment of a `skill.md` instead of a `SKILL.md`. By default, that of the profile.
    pub skill_md_case: SkillMdCase,
    /// The treatment of several skills with one id. By default, the first in the order of
    /// precedence is used.
    pub collision: Collision,
    /// The effect of a skill's `priority` across layers. By default, none.
    pub priority: PriorityBounds,
    /// The treatment of a source in an unknown layer. By default, an error. No key of a file: a
    /// host that knows its layers only at run time sets it.
    #[serde(skip)]
    pub unknown_layer: UnknownLayer,
}

impl RegistryPolicy {
    /// Returns the rules for parsing a `SKILL.md`.
    pub fn rules(&self) -> Rules {
        let name_rule = self.name_rule;
        let limits = self.limits;
        Rules { name_rule, limits, ..Rules::of(self.profile) }
    }
}

/// The treatment of a skill whose `SKILL.md` became unusable or unreadable, for example while it is
/// being written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBroken {
    /// The last good version stays in use, with a warning, until the file is fixed or removed. The
    /// default.
    #[default]
    KeepLast,
    /// The skill is no longer offered.
    Drop,
}

/// The treatment of several skills with one id.
///
/// Under each policy packages with the same `SKILL.md` count as one skill, and a skill of an
/// untrusted layer yields to that of a trusted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collision {
    /// The first in the order of precedence is used, and shadows the others. The default.
    #[default]
    Shadow,
    /// All are offered: the first under the id, the others as `layer:id`, `source:id` or
    /// `layer:id#2`.
    Disambiguate,
    /// None is used, and each is an error.
    Error,
}

/// The range of a skill's `priority`. Its effective priority is 1,000 for each unit of its layer's
/// weight, plus the priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PriorityBounds {
    /// From -999 to 999: it resolves collisions inside a layer only. The default.
    #[default]
    Clamped,
    /// Unlimited: 1,001 exceeds the next layer. An untrusted layer still shadows no trusted one.
    Unclamped,
}

/// The treatment of a source in an unknown layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnknownLayer {
    /// An error: an unknown layer is usually a typo. The default.
    #[default]
    Refuse,
    /// An untrusted layer with that name and weight 0 is created, below all others.
    Lowest,
}

impl PriorityBounds {
    /// Returns the effective priority: 1,000 for each unit of the layer's weight, plus the skill's
    /// priority within its range.
    pub fn effective(self, weight: u16, priority: i16) -> i32 {
        let counted = match self {
            Self::Clamped => priority.clamp(-999, 999),
            Self::Unclamped => priority,
        };
        i32::from(weight) * 1000 + i32::from(counted)
    }
}

/// The origin of a skill's id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdFrom {
    /// The `name` of the frontmatter, or its slug if it breaks the grammar of names. The default.
    #[default]
    Name,
    /// The name of the package's directory.
    Directory,
}
