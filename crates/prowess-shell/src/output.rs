//! The output of a command while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bashkit::{ExecResult, OutputCallback};

use crate::messages::{Line, Said, Streams};

/// How the interpreter reports a command that a limit does not let run.
const NOT_RUN: &str = "cancelled by before_tool hook";

/// The output so far, also of a command that a limit ends. Clones share it.
#[derive(Clone)]
pub(crate) struct Output {
    streams: Arc<Mutex<Streams>>,
    most: usize,
    /// Where the output goes to while it is written, besides.
    line: Option<Arc<Line>>,
}

impl Output {
    /// Creates an empty output that keeps `most` bytes of each stream.
    pub(crate) fn new(most: usize) -> Self {
        Self { streams: Arc::default(), most, line: None }
    }

    /// Creates an output that is sent to the host, too.
    pub(crate) fn sent(most: usize, line: Arc<Line>) -> Self {
        Self { line: Some(line), ..Self::new(most) }
    }

    /// Returns a function that receives the output while it is written.
    pub(crate) fn callback(&self) -> OutputCallback {
        let output = self.clone();
        Box::new(move |stdout, stderr| {
            let more = output.append(stdout, stderr, false);
            let is_any = !(more.stdout.is_empty() && more.stderr.is_empty());
            if let Some(line) = output.line.as_ref().filter(|_| is_any) {
                // A host that has ended needs no output.
                let _ = line.say(&Said::Output(more));
            }
        })
    }

    /// Adds output, and returns what of it fits.
    fn append(&self, stdout: &str, stderr: &str, truncated: bool) -> Streams {
        let mut streams = self.streams();
        let stderr = &stderr.replace(NOT_RUN, "not run: it is nested too deeply, or at a limit");
        let more = Streams {
            stdout: fitting(&streams.stdout, stdout, self.most).to_owned(),
            stderr: fitting(&streams.stderr, stderr, self.most).to_owned(),
            truncated,
        };
        streams.stdout.push_str(&more.stdout);
        streams.stderr.push_str(&more.stderr);
        let is_cut = more.stdout.len() + more.stderr.len() < stdout.len() + stderr.len();
        streams.truncated |= truncated || is_cut;
        more
    }

    /// Adds output of a process.
    pub(crate) fn add(&self, more: &Streams) {
        self.append(&more.stdout, &more.stderr, more.truncated);
    }

    /// Replaces the output by the whole of it.
    pub(crate) fn replace(&self, whole: &Streams) {
        *self.streams() = Streams::default();
        self.add(whole);
    }

    /// Replaces the output by that of a result.
    pub(crate) fn finish(&self, result: &ExecResult) {
        self.replace(&Streams {
            stdout: result.stdout.text_lossy().into_owned(),
            stderr: result.stderr.text_lossy().into_owned(),
            truncated: result.stdout_truncated || result.stderr_truncated,
        });
    }

    /// Returns the output so far.
    pub(crate) fn take(&self) -> Streams {
        std::mem::take(&mut self.streams())
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns as much of a text as fits behind another.
fn fitting<'t>(kept: &str, text: &'t str, most: usize) -> &'t str {
    &text[..text.floor_char_boundary(most.saturating_sub(kept.len()))]
}
