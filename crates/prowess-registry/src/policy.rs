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
