//! The rows of the page of measurements.
#![expect(clippy::print_stdout, reason = "a table is what the programs are for")]

use std::time::Duration;

/// The head of the table that all rows belong to.
pub const HEAD: &str = "| what | skills | measured | reference | ratio | target | met |\n|---|--:|--:|--:|--:|--:|--:|";

/// Prints a row of a time, a reference time of the same run, and their maximum ratio.
pub fn print_beside(what: &str, count: usize, time: Duration, other: Duration, most: Option<f64>) {
    let ratio = time.as_secs_f64() / other.as_secs_f64();
    let judged = judged(most.map(|most| (ratio, most)), "");
    println!("| {what} | {count} | {time:.1?} | {other:.1?} | {ratio:.2} | {judged} |");
}

/// Prints a row of a value without a reference, and its maximum.
pub fn print_alone(what: &str, count: usize, value: f64, unit: &str, most: Option<f64>) {
    let digits = if value < 10.0 && value.fract() != 0.0 { 2 } else { 0 };
    let judged = judged(most.map(|most| (value, most)), unit);
    println!("| {what} | {count} | {value:.digits$} {unit} | | | {judged} |");
}

/// Returns the target, and whether it is met.
fn judged(asked: Option<(f64, f64)>, unit: &str) -> String {
    let Some((value, most)) = asked else { return "| ".to_owned() };
    let is_met = if value <= most { "yes" } else { "**no**" };
    format!("≤ {most} {unit}").trim_end().to_owned() + " | " + is_met
}

/// Returns a time in nanoseconds.
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// Returns a time in microseconds.
pub fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Returns a time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
