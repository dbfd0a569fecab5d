//! The notice about changes of a catalog since a conversation first saw it.

use serde::Serialize;

use crate::SkillIds;

/// The changes of a catalog since the text that a prompt repeats was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogNotice {
    /// The ids of skills that were added. The notice has their entries.
    pub added: SkillIds,
    /// The ids of skills whose entries have changed. The notice has their new entries.
    pub changed: SkillIds,
    /// The ids of skills that the catalog's text shows and that are no longer offered.
    pub removed: SkillIds,
    /// The notice for the model.
    #[serde(skip)]
    pub(crate) text: String,
}
