//! The rows of the page of measurements.

use std::time::Duration;

/// The head of the table that all rows belong to.
pub const HEAD: &str =
    "| what | skills | measured | beside | ratio | asked | met |\n|---|--:|--:|--:|--:|--:|--:|";

/// A row of a time beside another one of the same run, and at most how many times that it may be.
pub fn beside(
    what: &str,
    count: usize,
    time: Duration,
    other: Duration,
    most: Option<f64>,
) -> String {
    let ratio = time.as_secs_f64() / other.as_secs_f64();
    let judged = judged(most.map(|most| (ratio, most)), "");
    format!("| {what} | {count} | {time:.1?} | {other:.1?} | {ratio:.2} | {judged} |")
}

/// A row of a value that stands alone, and what it may be at most.
pub fn alone(what: &str, count: usize, value: f64, unit: &str, most: Option<f64>) -> String {
    let digits = if value < 10.0 { 2 } else { 0 };
    let judged = judged(most.map(|most| (value, most)), unit);
    format!("| {what} | {count} | {value:.digits$} {unit} | | | {judged} |")
}

/// What is asked, and whether it is met.
fn judged(asked: Option<(f64, f64)>, unit: &str) -> String {
    let Some((value, most)) = asked else { return "| ".to_owned() };
    let is_met = if value <= most { "yes" } else { "**no**" };
    format!("≤ {most} {unit}").trim_end().to_owned() + " | " + is_met
}

/// A time in nanoseconds, microseconds or milliseconds as a number.
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// A time in microseconds.
pub fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
