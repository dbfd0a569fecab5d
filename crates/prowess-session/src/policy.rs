//! The rules of a conversation, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a conversation may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionPolicy {
    /// How many skills may be active at once. By default 8: their bodies are paid for in each turn.
    pub max_active: usize,
    /// What adding a skill that is active already does. By default it moves to the end.
    pub on_reload: OnReload,
    /// After how many seconds without use a conversation is over. By default never.
    pub idle_limit_seconds: Option<u64>,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self { max_active: 8, on_reload: OnReload::default(), idle_limit_seconds: None }
    }
}

impl SessionPolicy {
    pub(crate) fn is_expired(&self, idle: Duration) -> bool {
        self.idle_limit_seconds.is_some_and(|limit| idle >= Duration::from_secs(limit))
    }
}

/// What adding a skill that is active already does. Replacing is never a reload: there the skills that
/// were active give way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReload {
    /// The skill becomes the most recent one, as it is now. The default.
    #[default]
    MoveToEnd,
    /// Nothing: the skill stays where and as it is.
    Keep,
    /// The whole call is refused.
    Error,
    /// The skill stays where it is and becomes as it is now.
    Refresh,
}
