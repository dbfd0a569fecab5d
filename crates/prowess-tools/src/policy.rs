//! The policy of the skill tools.

use serde::{Deserialize, Serialize};

use crate::suggestion::LEAST_SIMILARITY;

/// The policy of [`SkillTools`](crate::SkillTools).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The maximum size of a file that `skills.read` returns, in bytes. By default 262,144 (256
    /// KiB), about 64,000 tokens of text; a larger file is an error and never cut. A limit over
    /// [`ToolPolicy::MOST_READ_BYTES`] counts as that.
    pub read_limit_bytes: usize,
    /// The skills whose files may be read. By default `None`, which means [`ReadGate::Active`] in a
    /// library and [`ReadGate::Known`] in a server.
    pub read_gate: Option<ReadGate>,
    /// The files of a package that may be read. By default all.
    pub read_scope: ReadScope,
    /// The maximum number of skills in one call, before duplicates are dropped. By default 64. The
    /// limit of loaded skills is that of the session.
    pub names_per_call: usize,
    /// The maximum number of skills whose ids are listed in the schema of `skills.load`. By default
    /// 100; with more, the schema accepts any text.
    pub ids_in_schema: usize,
    /// The maximum number of a package's files that are listed next to a body in a tool's result.
    /// By default 50.
    pub resources_listed: usize,
    /// The minimum similarity of a suggested name to an unknown one, in hundredths. By default 60;
    /// 101 disables suggestions.
    pub suggestion_similarity: u8,
}

impl ToolPolicy {
    /// The maximum limit of a read, 64 MiB: the file and its result are held in memory.
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

/// The skills whose files `skills.read` may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadGate {
    /// Active skills. The default. `loaded` means the same.
    #[default]
    #[serde(alias = "loaded")]
    Active,
    /// All visible skills, loaded or not.
    Known,
}

/// The files of a package that `skills.read` may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadScope {
    /// All of them. The default.
    #[default]
    Package,
    /// Files under `references/` and `assets/`.
    Resources,
}
