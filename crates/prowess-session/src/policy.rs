//! The rules of a conversation, as data.

use std::time::Duration;

use prowess_core::BodyDelivery;
use serde::{Deserialize, Serialize};

/// What a conversation may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionPolicy {
    /// How many skills may be active at once. By default 8: their bodies are paid for in each turn.
    pub max_active: usize,
    /// What adding a skill that is active already does. By default it moves to the end.
    pub on_reload: OnReload,
    /// What becomes of a loaded skill whose `SKILL.md` changes. By default it stays as it was loaded.
    pub on_change: OnChange,
    /// After how many seconds without use a conversation is over. By default never.
    pub idle_limit_seconds: Option<u64>,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self {
            max_active: 8,
            on_reload: OnReload::default(),
            on_change: OnChange::default(),
            idle_limit_seconds: None,
        }
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

/// What becomes of a loaded skill whose `SKILL.md` changes. One that is gone or broken by now stays as it
/// was loaded, whatever is chosen here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnChange {
    /// It stays as it was loaded until it is loaded again. The default: the text of a conversation does
    /// not change by itself, and what a vendor caches of it stays of use.
    #[default]
    Keep,
    /// From the next turn on it is as it is then. Each turn reads the `SKILL.md` of each loaded skill.
    /// Where bodies come in results of tools, which nobody takes back, the model is told instead.
    RefreshNextTurn,
    /// It stays as it was loaded, and the model is told that it has changed and how to load it again: in
    /// the instructions, or where bodies come in results of tools, in each result. Each turn reads as above.
    Notify,
}

impl OnChange {
    /// Returns the choice that applies when bodies are delivered like this: a tool result that the model
    /// has read cannot be replaced, so `RefreshNextTurn` becomes `Notify` there.
    #[must_use]
    pub fn for_delivery(self, delivery: BodyDelivery) -> Self {
        match (self, delivery) {
            (Self::RefreshNextTurn, BodyDelivery::ToolResult) => Self::Notify,
            _ => self,
        }
    }
}
