//! A second reader agrees about each command that was read.
#![no_main]

#[path = "../brush.rs"]
mod brush;

use libfuzzer_sys::fuzz_target;
use prowess_gate::{SimpleCommand, shell_commands};

/// The parts of commands. Each byte of an input stands for one of these.
const PIECES: [&str; 64] = [
    " ", "  ", "\n", " | ", "|", " && ", "||", ";", " # x\n", "#", "\\\n", "a", "b1", "git", "-x",
    "--y=z", "=", ":", ",", ".", "/", "%", "@", "+", "^", "!", "~", "]", "[", "{}", "{a}", "'",
    "\"", "\\", "'b c'", "'\n'", "'\\'", "'$x'", "''", "\"b c\"", "\"\\\"\"", "\"\\\\\"",
    "\"\\n\"", "\"\\\n\"", "\"\\$x\"", "\"\"", "\\ ", "\\'", "\\\"", "\\\\", "\\;", "\\#", "\\$",
    "\\~", "é", "if", "then", "fi", "in", "do", "time", "function", "[[", "&",
];

fuzz_target!(|input: &[u8]| {
    if let Ok(command) = std::str::from_utf8(input) {
        check(command);
    }
    let pieces = input.iter().map(|byte| PIECES[usize::from(*byte) % PIECES.len()]);
    check(&pieces.collect::<String>());
});

fn check(command: &str) {
    // `brush` takes `\$'` for the begin of `$'…'`, with escapes; no shell does.
    if command.replace("\\\n", "").contains("\\$'") {
        return;
    }
    if let Ok(read) = shell_commands(command) {
        let read = read.into_iter().map(|SimpleCommand { words }| words).collect();
        assert_eq!(brush::words(command), Some(read), "{command:?}");
    }
}
