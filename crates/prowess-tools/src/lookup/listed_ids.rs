//! The ids of skills in the schemas of tools.

use prowess_core::Catalog;
use prowess_text::is_shown_exactly;
use serde_json::{Value, json};

/// Which names a schema allows where it lists the ids of skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedIds {
    /// The listed ones. The default.
    #[default]
    Only,
    /// Any, so that a model can also use one of which it learns after it has seen the schema.
    AndLater,
}

impl ListedIds {
    /// Returns the schema of a skill's name for a model, which lists the ids if there are at most
    /// `most`.
    pub(crate) fn schema(self, catalog: &Catalog, most: usize) -> Value {
        if !(1..=most).contains(&catalog.len()) {
            return json!({ "type": "string" });
        }
        // An id that cannot be shown unchanged cannot be copied.
        let ids = catalog.skills().map(|record| record.id());
        let ids: Vec<_> = ids.filter(|id| is_shown_exactly(id)).collect();
        let listed = json!({ "type": "string", "enum": ids });
        match self {
            Self::Only => listed,
            Self::AndLater => json!({ "anyOf": [listed, { "type": "string" }] }),
        }
    }
}
