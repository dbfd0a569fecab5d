//! What a host may choose about the catalog.

use prowess_format::{Limits, NameRule, Profile, Rules};
use serde::{Deserialize, Serialize};

/// How records are made of what the sources report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistryPolicy {
    /// How strictly `SKILL.md` is read. By default `lenient`, as the client guide asks.
    pub profile: Profile,
    /// Which names are valid. By default, those of agentskills.io.
    pub name_rule: NameRule,
    /// How long the parts of a skill may be. By default, what agentskills.io says.
    pub limits: Limits,
    /// What the model types for a skill. By default its declared name.
    pub id_from: IdFrom,
    /// What a reload does where a `SKILL.md` that could be used no longer can. By default its last good
    /// version stays.
    pub on_broken: OnBroken,
    /// What a name that is not that of its directory is. By default, what the profile says.
    pub name_mismatch: NameMismatch,
    /// What becomes of several skills with one id. By default, the first in the order of precedence is
    /// used.
    pub collision: Collision,
    /// Whether a skill's own `priority` may reach over layers. By default, it may not.
    pub priority: PriorityBounds,
    /// What becomes of a source whose layer there is not. By default, no registry is made.
    pub unknown_layer: UnknownLayer,
}

impl RegistryPolicy {
    /// How a `SKILL.md` is read.
    pub fn rules(&self) -> Rules {
        let (name_rule, limits) = (self.name_rule, self.limits);
        Rules { name_rule, limits, ..Rules::of(self.profile) }
    }
}

/// What becomes of a skill whose `SKILL.md` has become one that cannot be used, as while it is being
/// written, or cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBroken {
    /// Its last good version stays in use, with a warning that says since when, until it is mended or
    /// removed. The default.
    #[default]
    KeepLast,
    /// It is no longer offered, as if it had been found in this state.
    Drop,
}

/// What it is if a skill's declared name is not that of its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameMismatch {
    /// What the profile says: an error under `spec` and `strict`, a warning elsewhere. The default.
    #[default]
    Profile,
    /// Nothing worth a word.
    Allow,
    /// A warning.
    Warn,
    /// An error: the skill is not used.
    Error,
}

/// What becomes of several skills with one id.
///
/// Under each policy copies of one package count as one skill, and a skill of an untrusted layer yields to
/// that of a trusted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collision {
    /// The first in the order of precedence is used, and shadows the others. The default.
    #[default]
    Shadow,
    /// All are offered: the first under the id, the others as `layer:id`, `source:id` or `layer:id#2`.
    Disambiguate,
    /// None is used, and each is an error.
    Error,
}

/// How much of a skill's own `priority` counts. What counts in all is 1,000 for each unit of its layer's
/// weight, and the priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PriorityBounds {
    /// From -999 to 999: it settles collisions inside a layer alone. The default.
    #[default]
    Clamped,
    /// As far as it goes: 1,001 reaches over the next layer. An untrusted layer still shadows none that is
    /// trusted.
    Unclamped,
}

/// What becomes of a source whose layer there is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnknownLayer {
    /// The registry is not made: a layer is mistyped more often than not. The default.
    #[default]
    Refuse,
    /// It gets an untrusted layer of its name with weight 0, below all others.
    Lowest,
}

impl PriorityBounds {
    /// What decides between two skills with one id: 1,000 for each unit of the layer's weight, and the
    /// skill's own priority as far as it counts.
    pub fn effective(self, weight: u16, priority: i16) -> i32 {
        let counted = match self {
            Self::Clamped => priority.clamp(-999, 999),
            Self::Unclamped => priority,
        };
        i32::from(weight) * 1000 + i32::from(counted)
    }
}

/// Where a skill's id comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdFrom {
    /// The `name` of the frontmatter. The default.
    #[default]
    Name,
    /// The name of the package's directory.
    Directory,
}
