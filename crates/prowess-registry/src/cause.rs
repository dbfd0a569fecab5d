//! The causes of reloads.

use std::fmt;

use crate::scope::Scope;
use crate::single_flight::Merge;

prowess_core::declare_kinds! {
    /// The cause of a reload. If several requests share one reload, it is the cause of the first
    /// one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ReloadCause {
        /// The first scan of a registry.
        Start = "start",
        /// A call by the host.
        Manual = "manual",
        /// A signal to the process, such as `SIGHUP`.
        Signal = "signal",
        /// The start of a turn after the last reload has become too old.
        Ttl = "ttl",
        /// The interval between two polls.
        Poll = "poll",
        /// A change that a watched source reported, or the scan that follows the setup of watches.
        Watch = "watch",
        /// The second scan of a skill that was missing or broken in the first.
        Confirm = "confirm",
        /// A change of the user's trust in a folder.
        Trust = "trust",
        /// A finding that the host has added to the catalog.
        Finding = "finding",
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
