//! Durations as people write them: `500ms`, `1.5s`, `2m`.

use std::time::Duration;

use prowess_text::counted;

/// The units with their milliseconds. `ms` ends with the letter of seconds, so it comes first.
const UNITS: [(&str, u128); 3] = [("ms", 1), ("s", 1_000), ("m", 60_000)];

/// The most digits of a number, before and after its point.
const MOST_DIGITS: usize = 18;

/// Reads a duration: a number, which may have a fraction, and the unit `ms`, `s` or `m` in either
/// case. Blanks around both are ignored, and a fraction of a millisecond is cut off. Returns `None`
/// for any other text.
///
/// ```
/// use std::time::Duration;
///
/// use prowess_format::parse_duration;
///
/// assert_eq!(parse_duration("1.5s"), Some(Duration::from_millis(1_500)));
/// assert_eq!(parse_duration("30"), None, "the unit is missing");
/// ```
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) =
        UNITS.iter().find_map(|&(name, unit)| Some((text.strip_suffix(name)?.trim_end(), unit)))?;
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (number, "0"),
    };
    let scale = 10u128.pow(u32::try_from(fraction.len().min(MOST_DIGITS)).ok()?);
    let scaled = digits(whole)? * scale + digits(fraction)?;
    let milliseconds = scaled * unit / scale;
    u64::try_from(milliseconds).ok().map(Duration::from_millis)
}

fn digits(text: &str) -> Option<u128> {
    let is_number = text.len() <= MOST_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

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
