//! The active skill that a model refers to.

use std::sync::Arc;

use prowess_core::{ActiveSkill, Caller, Catalog, SessionState};

use super::reference::resolved;

/// Finds the active skill with this id, at this location, or that a qualified id or an alias leads
/// to.
pub(crate) fn find<'s>(
    catalog: &Catalog,
    state: &'s SessionState,
    reference: &str,
) -> Option<&'s ActiveSkill> {
    let reference = &*resolved(reference);
    let at = |location: &str| {
        state.active.iter().map(Arc::as_ref).find(|skill| skill.location == location)
    };
    let meant =
        |caller| catalog.find(reference, caller).found().and_then(|found| at(&found.location()));
    state
        .find(reference)
        .or_else(|| at(reference))
        .or_else(|| meant(Caller::Model))
        .or_else(|| meant(Caller::User))
}
