//! The embedded skills, which are about skills.

use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};

static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/default_skills.rs"));

/// Returns a source of the embedded skills.
pub fn default_skills() -> EmbeddedSource {
    EmbeddedSource::new("prowess", FILES).expect("a test builds this very source")
}
