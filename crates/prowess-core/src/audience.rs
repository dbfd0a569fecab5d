//! For whom a catalog is, and what the host can say of the machine.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// For whom and in what situation skills are offered. Two equal audiences see the same skills.
///
/// By default nothing is known of it: such an audience has every skill that asks for nobody in
/// particular. A field that is not set fits no limit of a skill: who names no tenant has no tenant's
/// skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audience {
    /// The agent's name.
    pub agent: Option<String>,
    /// The tenant that the conversation belongs to.
    pub tenant: Option<String>,
    /// Where the work is done, such as `production`.
    pub environment: Option<String>,
    /// The files that are worked on, relative to the project, with `/` between their parts. Unset where
    /// that is not known: then no skill is held back for it.
    pub open_paths: Option<BTreeSet<String>>,
    /// The tools that the host offers beside those of skills. Unset where that is not known.
    pub tools: Option<BTreeSet<String>>,
}

/// What a host knows of the machine that skills are used on. The libraries never look themselves.
///
/// # Behavior
///
/// - An answer is quick: each is asked for at every reload.
/// - Answers may change from one reload to the next.
/// - Names come from skills and may be any text; none of them is opened, run or expanded.
pub trait Facts: Send + Sync {
    /// The operating system, as [`std::env::consts::OS`] spells it.
    fn system(&self) -> &str;

    /// Whether there is a program of this name that can be run.
    fn has_program(&self, name: &str) -> bool;

    /// Whether there is an environment variable of this name that is not empty.
    fn has_variable(&self, name: &str) -> bool;

    /// Whether this key of the host's configuration is set.
    fn has_config(&self, key: &str) -> bool;
}
