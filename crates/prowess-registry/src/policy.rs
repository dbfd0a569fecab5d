//! What a host may choose about the catalog.

use prowess_format::Profile;
use serde::{Deserialize, Serialize};

/// How records are made of what the sources report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistryPolicy {
    /// How strictly `SKILL.md` is read. By default `lenient`, as the client guide asks.
    pub profile: Profile,
    /// What the model types for a skill. By default its declared name.
    pub id_from: IdFrom,
    /// What a reload does where a `SKILL.md` that could be used no longer can. By default its last good
    /// version stays.
    pub on_broken: OnBroken,
}

/// What becomes of a skill whose `SKILL.md` has become one that cannot be used, as while it is being
/// written.
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
