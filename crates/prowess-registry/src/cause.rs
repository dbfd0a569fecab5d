//! The causes of reloads.

use std::fmt;

use crate::scope::Scope;
use crate::single_flight::Merge;

/// The cause of a reload. If several requests share one reload, it is the cause of the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReloadCause {
    /// The first scan of a registry.
    Start,
    /// A call by the host.
    Manual,
    /// A signal to the process, such as `SIGHUP`.
    Signal,
    /// The start of a turn after the last reload has become too old.
    Ttl,
    /// The interval between two polls.
    Poll,
    /// A change that a watched source reported, or the scan that follows the setup of watches.
    Watch,
    /// The second scan of a skill that was missing or broken in the first.
    Confirm,
    /// A change of the user's trust in a folder.
    Trust,
    /// A finding that the host has added to the catalog.
    Finding,
}

impl ReloadCause {
    /// Returns the name of the cause, as traces show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Manual => "manual",
            Self::Signal => "signal",
            Self::Ttl => "ttl",
            Self::Poll => "poll",
            Self::Watch => "watch",
            Self::Confirm => "confirm",
            Self::Trust => "trust",
            Self::Finding => "finding",
        }
    }
}

impl fmt::Display for ReloadCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The scope of a reload, and its cause.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) scope: Scope,
    pub(crate) cause: ReloadCause,
}

impl Merge for Request {
    fn merge(&mut self, more: Self) {
        self.scope.merge(more.scope);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_reload_covers_both_scopes_for_the_first_cause() {
        let mut request = Request { scope: Scope::none(), cause: ReloadCause::Poll };
        request.merge(Request { scope: Scope::All, cause: ReloadCause::Manual });
        assert!(matches!(request.scope, Scope::All));
        assert_eq!(request.cause, ReloadCause::Poll);
    }
}
