//! Makes skills inactive.

use prowess_core::{Receipt, ToolContext, Unload};

use super::Operations;
use crate::gate::Refusal;
use crate::lookup::reference::active;

impl Operations {
    /// Makes the named skills inactive.
    pub(crate) fn unload(
        &self,
        context: &ToolContext<'_>,
        names: Vec<String>,
    ) -> Result<Receipt, Refusal> {
        Ok(context.session.unload(&Unload::These(ids(context, names)?))?)
    }

    /// Returns which of these names are those of active skills, and which are not.
    pub(crate) fn active_of<'n>(
        &self,
        context: &ToolContext<'_>,
        names: &'n [String],
    ) -> Result<(Vec<&'n str>, Vec<&'n str>), Refusal> {
        let state = context.session.state()?;
        let is_active = |name: &&str| active(context.catalog, &state, name).is_some();
        Ok(names.iter().map(String::as_str).partition(is_active))
    }
}

/// Resolves names: an id stays as it is, a location or a qualified id becomes the id of the active
/// skill.
fn ids(context: &ToolContext<'_>, names: Vec<String>) -> Result<Vec<String>, Refusal> {
    let state = context.session.state()?;
    let find = |name: &str| active(context.catalog, &state, name);
    let id = |name: String| find(&name).map_or(name, |skill| skill.id.clone());
    Ok(names.into_iter().map(id).collect())
}
