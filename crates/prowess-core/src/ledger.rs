//! The activation ledger of a session: where the body of each loaded skill is.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ActiveSkill, Digest, SessionId};

/// The location of a loaded skill's body in the context of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyPlace {
    /// In the instructions of each model call.
    Instructions,
    /// In the result of a tool call: the number of the delivery, which a session counts from 1.
    ToolResult(u32),
    /// Nowhere: it was removed when the host compacted the conversation.
    Gone,
}

/// One loaded skill in the activation ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The id.
    pub id: String,
    /// The digest of the `SKILL.md` whose body was delivered.
    pub digest: Digest,
    /// The generation of the catalog at the time of the delivery.
    pub generation: u64,
    /// The location of the body.
    pub body: BodyPlace,
}

impl LedgerEntry {
    /// The generation of a skill that the host has loaded for a message of the user. A policy that
    /// refuses to load a skill again does not refuse the model's first load of it.
    pub const NOT_ASKED_FOR: u64 = u64::MAX;
}

/// The limits of a session, which never change to allow more, and the host's preferences for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionScope {
    /// The session that this one was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The ids of the skills that may be loaded; `None` for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<BTreeSet<String>>,
    /// The ids of the skills that the session's agent uses: they stay active until they are revoked
    /// or the session ends.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
    /// The skills that were active in the sessions that this one was forked from, without their
    /// bodies: see [`SessionState::limiting`](crate::SessionState::limiting).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Arc<ActiveSkill>>,
    /// How skills become active; `None` for the way of the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// How the host should run the session.
    #[serde(flatten)]
    pub preference: RunPreference,
}

impl SessionScope {
    /// Returns whether a session with this scope may load a skill.
    pub fn allows(&self, id: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(id))
    }

    /// Returns the ids that both this scope and `allowed` allow; `None` for any.
    #[must_use]
    pub fn narrowed(&self, allowed: Option<&BTreeSet<String>>) -> Option<BTreeSet<String>> {
        match (&self.allowed, allowed) {
            (Some(own), Some(allowed)) => Some(own.intersection(allowed).cloned().collect()),
            (Some(only), None) => Some(only.clone()),
            (None, only) => only.cloned(),
        }
    }
}

/// How skills become active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// As an ordered set: a load replaces or extends it, and each skill can be unloaded. The
    /// default.
    #[default]
    Set,
    /// As a stack: a load puts skills on top, also where it asks to replace, and only those on top
    /// can be unloaded. A skill cannot move to the end, so `OnReload::MoveToEnd` is an error.
    Stack,
    /// Not at all: a load delivers bodies in its result, and the session stays empty.
    Stateless,
}

/// The preferences of a skill for its execution, from the fields `context`, `agent` and `model` of
/// its frontmatter. The host decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunPreference {
    /// Whether it prefers a separate session, by `context: fork`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fork: bool,
    /// The name of the agent that should run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The name of the model that should run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl RunPreference {
    /// Returns the preference of a frontmatter, with texts as they were written.
    pub fn of(properties: &serde_json::Value) -> Self {
        let text = |key: &str| properties.get(key)?.as_str().map(str::to_owned);
        let fork = text("context").as_deref() == Some("fork");
        Self { fork, agent: text("agent"), model: text("model") }
    }

    /// Returns the preferred context.
    pub fn context(&self) -> ContextMode {
        if self.fork { ContextMode::Fork } else { ContextMode::Inherit }
    }

    /// Returns whether nothing is preferred.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The preferred context of a skill, from the field `context` of its frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContextMode {
    /// The conversation that loads it. The default.
    #[default]
    Inherit,
    /// A separate conversation.
    Fork,
}
