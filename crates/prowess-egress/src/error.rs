//! The errors of this crate.

use std::fmt;

/// A text that names no hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPatternError(pub(crate) String);

impl fmt::Display for HostPatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = "`api.example.com`, `*.example.com:8443`, `[2001:db8::1]` or `*`";
        write!(formatter, "`{}` names no host; write {expected}", self.0)
    }
}

impl std::error::Error for HostPatternError {}
