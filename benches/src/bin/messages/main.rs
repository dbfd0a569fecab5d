//! Sends broken messages to a server of the Model Context Protocol: a million JSON-RPC messages
//! over lines, and a hundred thousand requests over HTTP, or as many as the arguments say. No
//! request may be without an answer, no connection may hang, nothing may panic, and the memory may
//! not grow. `cargo xtask soak` runs it.
#![expect(clippy::print_stdout, reason = "a program that reports")]

mod frames;
mod generate;
mod lines;

use benches::measure::resident_kib;

/// The growth of the memory after the first tenth that counts as none: the slack of an allocator,
/// and tables that fill up to their limits.
const MOST_GROWTH_KIB: u64 = 48 << 10;

fn main() {
    let mut counts = std::env::args().skip(1);
    let mut count = |default: u64| {
        let count = counts.next().map_or(Ok(default), |count| count.parse());
        count.expect("`messages [MESSAGES [FRAMES]]`")
    };
    let (messages, frames) = (count(1_000_000), count(100_000));
    let answers = check("messages over lines", messages, lines::send);
    println!("{messages} messages, {answers} answers: each request has one");
    let answers = check("requests over HTTP", frames, frames::send);
    println!("{frames} requests over HTTP, {answers} answers: each whole request has one");
}

/// Sends a tenth, and the rest; fails if the memory grows in between.
fn check(name: &str, count: u64, send: fn(&mut dyn FnMut(u64), u64) -> u64) -> u64 {
    let mut before = None;
    let mut at = |sent: u64| {
        if before.is_none() && sent >= count / 10 {
            before = Some(resident_kib());
        }
    };
    let answers = send(&mut at, count);
    let (before, after) = (before.unwrap_or_else(resident_kib), resident_kib());
    println!("{name}: {} MiB after a tenth, {} MiB at the end", before >> 10, after >> 10);
    assert!(after <= before + MOST_GROWTH_KIB, "the memory grows with {name}");
    answers
}

fn runtime() -> prowess::Runtime {
    let builder = prowess::Runtime::builder().policies(prowess_mcp::policies()).default_skills();
    builder.build().expect("the runtime is complete")
}
