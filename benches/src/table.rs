//! The rows of the page of measurements.
#![expect(clippy::print_stdout, reason = "a table is what the programs are for")]

use std::sync::LazyLock;
use std::time::Duration;

use crate::{floor, measure};

/// The time in which the machine of the limits opens, stats, reads and closes a small file.
const USUAL: Duration = Duration::from_nanos(2_600);

/// How many times slower this machine is: never less than 1.
static SLOWER: LazyLock<f64> = LazyLock::new(|| {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, [b'x'; 5_000]).expect("it can be written");
    let mut read = || (0..1_000).map(|_| floor::read_whole(file.path())).sum();
    let [time] = measure::least(15, [&mut read]);
    (time.as_secs_f64() / 1e3 / USUAL.as_secs_f64()).max(1.0)
});

/// The head of the table that all rows belong to.
pub const HEAD: &str = "| what | skills | measured | reference | ratio | target | met |\n|---|--:|--:|--:|--:|--:|--:|";

/// Prints a row of a time, a reference time of the same run, and their maximum ratio.
pub fn print_beside(what: &str, count: usize, time: Duration, other: Duration, most: Option<f64>) {
    let ratio = time.as_secs_f64() / other.as_secs_f64();
    let judged = judged(most.map(|most| (ratio, most)), "");
    println!("| {what} | {count} | {time:.1?} | {other:.1?} | {ratio:.2} | {judged} |");
}

/// Prints a row of a value without a reference, and its maximum. On a slower machine, that of a
/// time is longer.
pub fn print_alone(what: &str, count: usize, value: f64, unit: &str, most: Option<f64>) {
    let digits = if value < 10.0 && value.fract() != 0.0 { 2 } else { 0 };
    let is_time = matches!(unit, "ns" | "µs" | "ms");
    let judged = match most {
        Some(most) if is_time && *SLOWER >= 1.05 => {
            judged(Some((value / *SLOWER, most)), &format!("{unit} × {:.1}", *SLOWER))
        }
        most => judged(most.map(|most| (value, most)), unit),
    };
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
