//! The skills that prowess brings along: about skills.

use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};

static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/default_skills.rs"));

/// A source of the skills that prowess brings along.
pub fn default_skills() -> EmbeddedSource {
    EmbeddedSource::new("prowess", FILES).expect("a test builds this very source")
}
