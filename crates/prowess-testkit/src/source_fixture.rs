//! The sources that the kit of sources checks.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::SkillSource;

/// Creates sources of the kind under test.
pub trait SourceFixture {
    /// Creates a source with these files, by path from its root.
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource>;

    /// Creates a source with these files and one more package whose `SKILL.md` cannot be read;
    /// `None`, the default, if a file of such sources can always be read.
    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let _ = files;
        None
    }

    /// Creates sources with a path out of a package, such as a link. By default there are none.
    fn ways_out(&self) -> Vec<WayOut> {
        Vec::new()
    }

    /// Creates a source with these files that can be watched; `None`, the default, for a kind that
    /// has no watch or never changes.
    fn changing(&self, files: &[(&str, &[u8])]) -> Option<Changing> {
        let _ = files;
        None
    }

    /// Returns the time after which the kit treats a watch as broken. By default 30 seconds, which
    /// only a loaded machine needs.
    fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }
}

/// A source that can be watched, and a way to change it.
pub struct Changing {
    /// The source.
    pub source: Arc<dyn SkillSource>,
    /// Writes a file, by its path from the root.
    pub write: Write,
}

/// Writes these bytes to a file.
pub type Write = Box<dyn Fn(&str, &[u8])>;

/// A source in which one `SKILL.md` cannot be read.
pub struct Unreadable {
    /// The source.
    pub source: Arc<dyn SkillSource>,
    /// The path that its diagnostic must have.
    pub path: String,
}

/// A path that leads out of its package.
pub struct WayOut {
    /// The source.
    pub source: Arc<dyn SkillSource>,
    /// The package.
    pub package: &'static str,
    /// A path in the package that leads to a file outside of it.
    pub resource: &'static str,
}

/// Returns the message for a broken rule.
pub(crate) fn broken(rule: &str, how: &str) -> String {
    format!("the source breaks the rule \"{rule}\": {how}")
}
