//! Questions to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

use crate::interrupt::Interrupt;
use crate::output::Output;

/// Returns whether a person can be asked: both the question and the answer are on a terminal, and
/// the output is text.
pub(crate) fn can_ask(output: &Output) -> bool {
    output.is_text() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question, whose answer is no unless it is `y` or `yes`.
pub(crate) fn is_confirmed(output: &Output, question: &str) -> bool {
    is_yes(answer(output, &format!("{question} [y/N] ")))
}

/// Asks a question like [`is_confirmed`]; `None` if it is interrupted before it is answered.
pub(crate) fn is_confirmed_unless(
    interrupt: &Interrupt,
    output: &Output,
    question: &str,
) -> Option<bool> {
    let answer = answer_once(output, &format!("{question} [y/N] "), || {
        let stdin = io::stdin();
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        // Any signal ends the wait; one before it is seen soon.
        while !interrupt.is_requested() && !matches!(poll(&mut waiting, Some(&TICK)), Ok(1..)) {}
        !interrupt.is_requested()
    });
    (!interrupt.is_requested()).then(|| is_yes(answer))
}

/// The time between two looks at whether a question was interrupted.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

fn is_yes(answer: Option<String>) -> bool {
    let answer = answer.unwrap_or_default();
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Asks a question, and returns the line that is typed behind it; `None` at the end of the input.
/// Lines that were typed before the question was shown are discarded.
pub(crate) fn answer(output: &Output, question: &str) -> Option<String> {
    answer_once(output, question, || true)
}

/// Reads the answer once `is_there` says so.
fn answer_once(output: &Output, question: &str, is_there: impl FnOnce() -> bool) -> Option<String> {
    // Fails for what is no terminal, and there nothing is typed.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    output.error_text(question);
    if !is_there() {
        return None;
    }
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok_and(|bytes| bytes > 0).then_some(answer)
}
