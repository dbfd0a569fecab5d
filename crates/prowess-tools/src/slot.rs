//! One tool in a toolbox, with protection against its panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use prowess_core::{Catalog, Tool};

use crate::error::BuildError;
use crate::validator::ValidatorCell;

/// One tool with its state between calls.
pub(crate) struct Slot {
    /// The canonical name.
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

/// Runs foreign code; returns `None` if it panicked. The toolbox is not changed while it runs, so
/// its state stays valid.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}
