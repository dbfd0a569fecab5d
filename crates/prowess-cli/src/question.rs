//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::output::Output;

/// Returns whether a person can be asked: both the question and the answer are on a terminal, and
/// the output is text.
pub(crate) fn can_ask(output: &Output) -> bool {
    output.is_text() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question, whose answer is no unless it is `y` or `yes`.
pub(crate) fn is_confirmed(output: &Output, question: &str) -> bool {
    output.error_text(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
