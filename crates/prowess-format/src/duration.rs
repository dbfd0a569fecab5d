//! Durations as people read them.

use std::time::Duration;

use prowess_text::counted;

/// Returns a duration in its largest unit, rounded down: `3 hours`.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(prowess_format::duration_text(Duration::from_secs(61)), "1 minute");
/// ```
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    counted(count, unit)
}
