//! The version and the size of an index that is read.

/// The schema that an index of this version names. Indexes of other versions are refused.
pub const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The largest index that is read, in bytes: 4 MiB, some ten thousand skills.
pub const MAX_INDEX_BYTES: usize = 4 * 1024 * 1024;
