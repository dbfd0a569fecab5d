//! The session policy.

use std::num::NonZeroUsize;

use prowess_core::{BodyDelivery, Discipline, SessionScope, Timestamp};
use serde::{Deserialize, Serialize};

/// The policy of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionPolicy {
    /// How skills become active, unless a session has a discipline of its own. By default as a
    /// set.
    pub discipline: Discipline,
    /// The maximum number of active skills. By default 8: their bodies cost tokens in each turn.
    #[serde(deserialize_with = "prowess_core::positive")]
    pub max_active: usize,
    /// The effect of a load that would make more skills active. By default it fails. No key of a
    /// file: servers always unload, and for other hosts a model should choose.
    #[serde(skip)]
    pub on_limit: OnLimit,
    /// The effect of adding an active skill again. By default it moves to the end.
    pub on_reload: OnReload,
    /// The effect of a change in a loaded skill's `SKILL.md`. By default none: its loaded content
    /// stays.
    pub on_change: OnChange,
    /// The number of seconds without use after which a session expires. By default never. No key of
    /// a file: servers bound their conversations themselves.
    #[serde(skip)]
    pub idle_limit_seconds: Option<u64>,
    /// The maximum number of sessions in the store. A further one evicts the least recently used.
    /// By default without a limit. No key of a file: servers bound their conversations themselves.
    #[serde(skip)]
    pub max_sessions: Option<NonZeroUsize>,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self {
            discipline: Discipline::default(),
            max_active: 8,
            on_limit: OnLimit::default(),
            on_reload: OnReload::default(),
            on_change: OnChange::default(),
            idle_limit_seconds: None,
            max_sessions: None,
        }
    }
}

impl SessionPolicy {
    /// Returns the policy for a session of this scope, which may have a discipline of its own.
    pub(crate) fn within(&self, scope: &SessionScope) -> Self {
        Self { discipline: scope.discipline.unwrap_or(self.discipline), ..self.clone() }
    }

    /// Returns the time at which a session that is used `now` expires.
    pub(crate) fn expiry(&self, now: Timestamp) -> Option<Timestamp> {
        let limit = self.idle_limit_seconds?.saturating_mul(1000);
        Some(Timestamp(now.0.saturating_add(limit)))
    }
}

/// The effect of a load that would make more skills active than
/// [`SessionPolicy::max_active`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLimit {
    /// The whole call fails. The default.
    #[default]
    Error,
    /// The skills that were loaded first are unloaded. A call that loads more than the limit still
    /// fails, and so does one in a stack.
    UnloadOldest,
}

/// The effect of adding an active skill again. It does not apply to
/// [`LoadMode::Replace`](prowess_core::LoadMode::Replace), which removes the active skills first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReload {
    /// The skill becomes the most recent one, with its current content. The default.
    #[default]
    MoveToEnd,
    /// The skill keeps its position and its loaded content.
    Keep,
    /// The whole call fails.
    Error,
    /// The skill keeps its position and gets its current content.
    Refresh,
}

/// The effect of a change in a loaded skill's `SKILL.md`. A skill that became invalid keeps its
/// loaded content in any case, and one that was removed does so unless the value is `Revoke`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnChange {
    /// The loaded content stays until the skill is loaded again. The default: the instructions of a
    /// conversation do not change by themselves, and a vendor's prompt cache stays valid.
    #[default]
    Keep,
    /// The next turn uses the new content. Each turn reads the `SKILL.md` of each loaded skill.
    /// Where bodies are delivered in tool results, which cannot be taken back, this acts as
    /// `Notify`, also under [`BodyDelivery::BothOnce`].
    RefreshNextTurn,
    /// The loaded content stays, and the model is informed of the change and of how to load the
    /// skill again: in the instructions, or where bodies are delivered in tool results, in each
    /// result. Each turn reads as above.
    Notify,
    /// The next turn unloads the skill, also if it was removed or withdrawn. Each turn reads as
    /// above.
    Revoke,
}

impl OnChange {
    /// Returns the value that applies for this delivery of bodies: a tool result that the model has
    /// read cannot be replaced, so `RefreshNextTurn` becomes `Notify` there.
    #[must_use]
    pub fn for_delivery(self, delivery: BodyDelivery) -> Self {
        match (self, delivery) {
            (Self::RefreshNextTurn, delivery) if delivery.is_in_result() => Self::Notify,
            _ => self,
        }
    }
}
