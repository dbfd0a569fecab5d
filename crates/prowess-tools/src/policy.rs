//! What the skill tools may do, as data.

use serde::{Deserialize, Serialize};

use crate::suggestion::LEAST_SIMILARITY;

/// The rules of [`SkillTools`](crate::SkillTools).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The largest file that `skills.read` gives, in bytes. By default 262,144 (256 KiB), about 64,000
    /// tokens of text; a larger one is an error and never cut. A limit over
    /// [`ToolPolicy::MOST_READ_BYTES`] counts as that.
    pub read_limit_bytes: usize,
    /// Whose files may be read. By default `None`, which means [`ReadGate::Active`] in a library and
    /// [`ReadGate::Known`] in a server.
    pub read_gate: Option<ReadGate>,
    /// Which files of a package may be read. By default all.
    pub read_scope: ReadScope,
    /// How many skills one call may name, before duplicates are dropped. By default 64. What a session
    /// may have loaded is the session's own cap.
    pub names_per_call: usize,
    /// How many skills a catalog may have for their ids to be listed in the schema of `skills.load`. By
    /// default 100; with more, the schema takes any text.
    pub ids_in_schema: usize,
    /// How many files of a package are named beside a body in a tool's result. By default 50.
    pub resources_listed: usize,
    /// How alike a skill's name must be to one that there is not, to be suggested for it, in hundredths. By
    /// default 60; with 101 none is.
    pub suggestion_similarity: u8,
}

impl ToolPolicy {
    /// The highest limit of a read, 64 MiB: a file is held in memory, and its result again.
    pub const MOST_READ_BYTES: usize = 64 * 1024 * 1024;

    /// Returns the limit of a read in bytes.
    pub fn read_limit(&self) -> usize {
        self.read_limit_bytes.min(Self::MOST_READ_BYTES)
    }
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            read_limit_bytes: 256 * 1024,
            read_gate: None,
            read_scope: ReadScope::default(),
            names_per_call: 64,
            ids_in_schema: 100,
            resources_listed: 50,
            suggestion_similarity: LEAST_SIMILARITY,
        }
    }
}

/// Whose files `skills.read` may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadGate {
    /// An active skill's. The default. `loaded` means the same.
    #[default]
    #[serde(alias = "loaded")]
    Active,
    /// Any visible skill's, loaded or not.
    Known,
}

/// Which files of a package `skills.read` may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadScope {
    /// All of them. The default.
    #[default]
    Package,
    /// Those under `references/` and `assets/`.
    Resources,
}
