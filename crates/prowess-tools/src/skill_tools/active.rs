//! Which active skill a model means.

use prowess_core::{ActiveSkill, Caller, Catalog, SessionState};

/// The active skill with this id, at this location, or that a qualified id or an alias leads to.
pub(super) fn find<'s>(
    catalog: &Catalog,
    state: &'s SessionState,
    typed: &str,
) -> Option<&'s ActiveSkill> {
    let at = |location: &str| state.active.iter().find(|skill| skill.location == location);
    let meant =
        |caller| catalog.find(typed, caller).found().and_then(|found| at(&found.location()));
    let is_loaded = |typed| state.find(typed).or_else(|| at(typed));
    is_loaded(typed).or_else(|| meant(Caller::Model)).or_else(|| meant(Caller::User))
}
