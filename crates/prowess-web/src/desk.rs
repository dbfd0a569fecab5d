//! The interface between the page and its host.

use serde_json::Value;

/// The values of the pages and the decisions of the operator. `prowess serve --web` implements it
/// with what its commands use.
///
/// # Behavior
///
/// - A value is the one that the command of its [`View`] prints as JSON, in the part that was asked
///   for. Its texts may come from skills and models, as they are: the page encodes them.
/// - A call may wait for disks, and several may be made at once. A value that takes long to make is
///   that of an earlier time, which it names.
/// - A decision is made completely or not at all, and recorded where the command records it.
pub trait Desk: Send + Sync {
    /// Returns a value.
    ///
    /// # Errors
    ///
    /// Returns the failure that the command would report.
    fn view(&self, view: &View<'_>) -> Result<Shown, Refusal>;

    /// Makes a decision, and returns what the command prints of it.
    ///
    /// # Errors
    ///
    /// As the command: [`RefusalKind::Conflict`] if it was decided in another way meanwhile.
    fn decide(&self, decision: &Decision<'_>) -> Result<Value, Refusal>;
}

/// A value that a page shows, by the command that prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'v> {
    /// `approvals list`, or `approvals list --all`.
    Approvals {
        /// Whether decided ones are listed, too.
        all: bool,
    },
    /// `approvals show ID`.
    Approval(&'v str),
    /// `proposals list`, or `proposals list --all`.
    Proposals {
        /// Whether the last decided ones are listed, too.
        all: bool,
    },
    /// `proposals show NAME`.
    Proposal(&'v str),
    /// `history ID`.
    History(&'v str),
    /// `history diff ID FROM TO`.
    Difference {
        /// The skill.
        id: &'v str,
        /// The number of the version before.
        from: &'v str,
        /// The number of the version behind it.
        to: &'v str,
    },
    /// `sync --quarantine`.
    Quarantine,
    /// `list TEXT`, from the skill with this position on.
    Catalog {
        /// A part of an id or a description, or nothing.
        text: &'v str,
        /// Only skills that are not offered.
        hidden: bool,
        /// The layer, or nothing for all.
        layer: &'v str,
        /// The position of the first skill; shadowed ones are behind the others.
        from: usize,
    },
    /// `show ID`.
    Skill(&'v str),
    /// `explain QUERY`.
    Explanation(&'v str),
    /// `audit show --last N`, which reads the end of the log only.
    Audit {
        /// The session, or nothing for all.
        session: &'v str,
        /// Only entries before this one.
        before: Option<u64>,
    },
    /// `audit verify`.
    Chain,
    /// `audit stats`.
    Statistics,
    /// `doctor`.
    Health {
        /// Whether the last report will do, however old it is.
        last: bool,
    },
    /// `trust --list`.
    Trust,
}

/// A value, with where its next part begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// The value.
    pub value: Value,
    /// `from` or `before` of the next part; `None` if this is the last one.
    pub next: Option<u64>,
    /// The time that the value is of, as RFC 3339; `None` for now.
    pub as_of: Option<String>,
}

/// A decision of the operator, by the command that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'d> {
    /// `approvals grant ID --scope SCOPE`.
    Grant(&'d str, Scope),
    /// `approvals deny ID`.
    Deny(&'d str),
    /// `approvals revoke ID`.
    Revoke(&'d str),
    /// `proposals accept NAME --digest DIGEST`.
    Accept {
        /// The proposal.
        name: &'d str,
        /// The digest that was shown.
        digest: &'d str,
        /// `--rebase DIGEST`: the change still fits a skill that has changed since.
        rebase: Option<&'d str>,
        /// `--reason TEXT`.
        reason: Option<&'d str>,
    },
    /// `proposals reject NAME --reason TEXT`.
    Reject(&'d str, Option<&'d str>),
    /// `proposals withdraw NAME --reason TEXT`.
    Withdraw(&'d str, Option<&'d str>),
    /// `trust --skill ID@DIGEST`.
    Trust(&'d str),
    /// `trust --revoke WHAT`.
    Distrust(&'d str),
}

/// How often a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Once.
    Once,
    /// In the session that asked.
    Session,
    /// In every session.
    Always,
}

/// The reason why there is no value, or why a decision was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of the reason.
    pub kind: RefusalKind,
    /// A code to branch on.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The next step.
    pub help: String,
}

/// The kind of a [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such thing.
    Missing,
    /// It has changed since it was shown.
    Conflict,
    /// A rule is against it.
    Denied,
    /// The request cannot be understood.
    Invalid,
    /// It is being read, and will be there in a moment.
    Busy,
    /// It cannot be read or written now.
    Failed,
}
