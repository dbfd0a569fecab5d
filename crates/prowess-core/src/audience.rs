//! The audience of a catalog, and facts about the machine that the host provides.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The agent, tenant and situation that skills are offered to. Two equal audiences see the same
/// skills.
///
/// By default nothing is set: such an audience is offered every skill without a condition on its
/// audience. A field that is not set matches no condition: an audience without a tenant is offered
/// no tenant's skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audience {
    /// The agent's name.
    pub agent: Option<String>,
    /// The tenant that the conversation belongs to.
    pub tenant: Option<String>,
    /// The deployment environment, such as `production`.
    pub environment: Option<String>,
    /// The files that are being worked on, relative to the project, with `/` as separator. `None`
    /// if they are not known; then no skill is excluded by its paths. No key of a file: only the
    /// host of a conversation knows them.
    #[serde(skip)]
    pub open_paths: Option<BTreeSet<String>>,
    /// The tools that the host offers in addition to those of skills. `None` if they are not known.
    /// No key of a file: only the host of a conversation knows them.
    #[serde(skip)]
    pub tools: Option<BTreeSet<String>>,
}

/// Facts about the machine that skills are used on, provided by the host. The library crates never
/// look them up themselves.
///
/// # Behavior
///
/// - Each method returns quickly: all are called at every reload.
/// - The results may change from one reload to the next.
/// - Names come from skills and may be any text; none of them is opened, run or expanded.
pub trait Facts: Send + Sync {
    /// Returns the operating system, as [`std::env::consts::OS`] spells it.
    fn system(&self) -> &str;

    /// Returns whether an executable program of this name exists.
    fn has_program(&self, name: &str) -> bool;

    /// Returns whether an environment variable of this name is set and not empty.
    fn has_variable(&self, name: &str) -> bool;

    /// Returns whether this key of the host's configuration is set.
    fn has_config(&self, key: &str) -> bool;
}
