//! The author of a change.

use prowess_core::Timestamp;

/// The author of a change, and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The person or agent, as the host names them.
    pub by: String,
    /// The time of the change.
    pub at: Timestamp,
}
