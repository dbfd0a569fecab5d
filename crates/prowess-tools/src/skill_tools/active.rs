//! Which active skill a model means.

use prowess_core::{ActiveSkill, SessionState};

/// The active skill with this id, or at this location.
pub(super) fn find<'s>(state: &'s SessionState, typed: &str) -> Option<&'s ActiveSkill> {
    let by_location = || state.active.iter().find(|skill| skill.location == typed);
    state.find(typed).or_else(by_location)
}
