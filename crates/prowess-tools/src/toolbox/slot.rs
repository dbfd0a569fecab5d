//! One tool in a toolbox, with protection against its panics.

use std::sync::Arc;

use prowess_core::{Catalog, Tool};

use super::naming::ToolNaming;
use crate::arguments::validator::ValidatorCell;
use crate::error::BuildError;
use crate::guarded::guarded;
use crate::names::{RUN, RUN_SCRIPT};

/// One tool with its state between calls.
pub(crate) struct Slot {
    /// The canonical name.
    pub(crate) name: String,
    /// The name as the model sees it.
    pub(crate) spelled: String,
    /// The other names under which rules may mention the tool: the name as the model sees it and,
    /// spelled in both ways, the other names that the tool has.
    pub(crate) aliases: Vec<String>,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) validator: ValidatorCell,
}

impl Slot {
    pub(crate) fn new(
        tool: Arc<dyn Tool>,
        naming: ToolNaming,
        catalog: &Catalog,
    ) -> Result<Self, BuildError> {
        let asked = guarded(|| {
            let other_names: Vec<_> = tool.other_names().into_iter().map(str::to_owned).collect();
            (tool.name().into_owned(), other_names, tool.accepts(catalog))
        });
        let (name, mut other_names, schema) = asked.ok_or(BuildError::Panicked)?;
        other_names.extend((name == RUN).then(|| RUN_SCRIPT.to_owned()));
        let validator = ValidatorCell::default();
        if let Err(reason) = validator.get(&schema) {
            return Err(BuildError::BadSchema { tool: name, reason });
        }
        let spelled = naming.spell(&name);
        let other = other_names.into_iter().flat_map(|name| [naming.spell(&name), name]);
        let aliases = std::iter::once(spelled.clone()).chain(other).collect();
        Ok(Self { name, spelled, aliases, tool, validator })
    }

    /// Returns the aliases as slices.
    pub(crate) fn aliases(&self) -> Vec<&str> {
        self.aliases.iter().map(String::as_str).collect()
    }
}
