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
    /// The canonical names under which the same tool is listed as well.
    pub(crate) other_names: Vec<String>,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) validator: ValidatorCell,
}

impl Slot {
    pub(crate) fn new(tool: Arc<dyn Tool>, catalog: &Catalog) -> Result<Self, BuildError> {
        let asked = guarded(|| {
            let other_names = tool.other_names().into_iter().map(str::to_owned).collect();
            (tool.definition(catalog).name, other_names, tool.accepts(catalog))
        });
        let (name, other_names, schema) = asked.ok_or(BuildError::Panicked)?;
        let validator = ValidatorCell::default();
        match validator.get(&schema) {
            Ok(_) => Ok(Self { name, other_names, tool, validator }),
            Err(reason) => Err(BuildError::BadSchema { tool: name, reason }),
        }
    }
}

/// Runs foreign code; returns `None` if it panicked. The toolbox is not changed while it runs, so
/// its state stays valid.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}
