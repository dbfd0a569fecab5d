//! The sources that a host adds to a builder.

#[cfg(feature = "filesystem")]
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{AskedFolder, SkillSource};
#[cfg(feature = "filesystem")]
use prowess_source_fs::Nested;

/// A source that the host adds.
pub(crate) struct AddedSource {
    /// The layer; `None` for a plugin without one.
    pub(crate) layer: Option<Box<str>>,
    /// The name of its only skill, if the host names it.
    pub(crate) skill_name: Option<Box<str>>,
    /// The folder that the user has to trust before its skills are offered.
    pub(crate) asked: Option<AskedFolder>,
    pub(crate) origin: Origin,
}

/// The origin of packages. A directory becomes a source when the trust in its layer is known.
pub(crate) enum Origin {
    #[cfg(feature = "filesystem")]
    Directory(NamedDirectory),
    DefaultSkills,
    Source(Arc<dyn SkillSource>),
}

/// A directory that the host names.
#[cfg(feature = "filesystem")]
pub(crate) struct NamedDirectory {
    pub(crate) root: PathBuf,
    pub(crate) nested: Nested,
    pub(crate) may_be_missing: bool,
}

impl AddedSource {
    pub(crate) fn new(layer: &str, origin: Origin) -> Self {
        Self { layer: Some(layer.into()), skill_name: None, asked: None, origin }
    }

    /// Returns whether an unusable root is an error of the builder, as it is for a directory that
    /// the host names and for a source of a single skill.
    pub(crate) fn is_required(&self) -> bool {
        #[cfg(feature = "filesystem")]
        if matches!(self.origin, Origin::Directory(_)) {
            return true;
        }
        self.skill_name.is_some()
    }
}
