//! The embedded skills, which are about skills.

use prowess_core::Record;
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};

static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/default_skills.rs"));

/// Returns a source of the embedded skills.
pub fn default_skills() -> EmbeddedSource {
    EmbeddedSource::new("prowess", FILES).expect("a test builds this very source")
}

/// Returns whether a record is one of the embedded skills, linked or of a plugin.
pub fn is_default_skill(record: Record<'_>) -> bool {
    record.source() == "prowess" && record.root_directory().starts_with("embedded://")
}
