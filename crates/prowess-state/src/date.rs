//! Times as text.

use prowess_core::Timestamp;

/// Returns a time as in the files of this crate: RFC 3339, in UTC.
pub fn rfc3339(at: Timestamp) -> String {
    jiff::Timestamp::from(at).to_string()
}
