//! The policy for short names of directories.

use serde::{Deserialize, Serialize};

/// When locations of a catalog have short names for the directories of skills: `@1/pdf/SKILL.md`
/// below a line that says what `@1` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PathAliases {
    /// Never: each location can be copied into a call as it is. The default.
    #[default]
    Never,
    /// For each directory where they save tokens, with the line that explains them.
    WhenShorter,
}
