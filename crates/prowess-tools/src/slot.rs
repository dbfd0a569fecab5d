//! One tool in a toolbox, and the fence around what is not ours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use prowess_core::{Catalog, Tool};

use crate::error::BuildError;
use crate::validator::ValidatorCell;

/// One tool with what is kept for it between calls.
pub(crate) struct Slot {
    /// In the core's spelling.
    pub(crate) name: String,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) validator: ValidatorCell,
}

impl Slot {
    pub(crate) fn new(tool: Arc<dyn Tool>, catalog: &Catalog) -> Result<Self, BuildError> {
        let asked = guarded(|| (tool.definition(catalog).name, tool.accepts(catalog)));
        let (name, schema) = asked.ok_or(BuildError::Panicked)?;
        let validator = ValidatorCell::default();
        match validator.get(&schema) {
            Ok(_) => Ok(Self { name, tool, validator }),
            Err(reason) => Err(BuildError::BadSchema { tool: name, reason }),
        }
    }
}

/// Runs what is not ours; `None` if it panicked. What it left half done is its own: nothing of the
/// toolbox is changed while it runs.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}
