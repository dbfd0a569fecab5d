//! Reads generated frontmatters once, for counting its instructions.
//!
//! `parse nothing|prowess-format|yaml_serde COUNT`

use std::process::ExitCode;

use benches::parsing::{by_serde_yaml, by_us, files};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [reader, count] = arguments.as_slice() else { return ExitCode::from(2) };
    let Ok(count) = count.parse() else { return ExitCode::from(2) };
    let files = files(count);
    let length = match reader.as_str() {
        "nothing" => 0,
        "prowess-format" => by_us(&files),
        "yaml_serde" => by_serde_yaml(&files),
        _ => return ExitCode::from(2),
    };
    std::hint::black_box(length);
    ExitCode::SUCCESS
}
