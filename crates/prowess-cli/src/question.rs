//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::termios::{QueueSelector, tcflush};

use crate::output::Output;

/// Returns whether a person can be asked: both the question and the answer are on a terminal, and
/// the output is text.
pub(crate) fn can_ask(output: &Output) -> bool {
    output.is_text() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question, whose answer is no unless it is `y` or `yes`.
pub(crate) fn is_confirmed(output: &Output, question: &str) -> bool {
    let answer = answer(output, &format!("{question} [y/N] ")).unwrap_or_default();
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Asks a question, and returns the line that is typed behind it; `None` at the end of the input.
/// Lines that were typed before the question was shown are discarded.
pub(crate) fn answer(output: &Output, question: &str) -> Option<String> {
    // Fails for what is no terminal, and there nothing is typed.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    output.error_text(question);
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok_and(|bytes| bytes > 0).then_some(answer)
}
