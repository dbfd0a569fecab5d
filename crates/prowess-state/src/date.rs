//! Times as text.

use prowess_core::Timestamp;

/// Returns the point in time; a time after the year 9999 is the last one before it.
pub(crate) fn point(at: Timestamp) -> jiff::Timestamp {
    let milliseconds = i64::try_from(at.0).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(milliseconds).unwrap_or(jiff::Timestamp::MAX)
}

/// Returns a time as in the files of this crate: RFC 3339, in UTC.
pub fn rfc3339(at: Timestamp) -> String {
    point(at).to_string()
}
