//! The availability of a skill.

use crate::Caller;

/// Whether a skill is offered to a model, or the kind of reason if not. A record has a description
/// of the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Availability {
    /// The skill is offered.
    Offered,
    /// A rule of the host or of the skill hides it.
    Hidden,
    /// A requirement is missing, such as a program.
    NotReady,
    /// Another skill with the same id is used instead.
    Shadowed,
    /// The skill is for other audiences. Its existence is not visible to this audience.
    OutOfScope,
    /// Another skill has the same id and neither is used, or a finding of severity `error` excludes
    /// it.
    Rejected,
}

impl Availability {
    /// Returns the state as the command line prints it: `visible`, `hidden`, `not-ready` or
    /// `shadowed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Offered => "visible",
            Self::Hidden | Self::OutOfScope | Self::Rejected => "hidden",
            Self::NotReady => "not-ready",
            Self::Shadowed => "shadowed",
        }
    }

    /// Returns the callers that may load such a skill by its qualified id, unless the skill says
    /// otherwise.
    pub(crate) fn callers(self) -> Callers {
        let may_load = matches!(self, Self::Offered | Self::Shadowed);
        Callers { model: may_load, user: may_load }
    }
}

/// The callers that may load a skill that is not offered, by its id or its qualified id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// A model that knows the id.
    pub model: bool,
    /// A user, by a command of the host.
    pub user: bool,
}

impl Callers {
    /// Returns whether `caller` is one of them.
    pub fn has(self, caller: Caller) -> bool {
        match caller {
            Caller::Model => self.model,
            Caller::User => self.user,
        }
    }
}
