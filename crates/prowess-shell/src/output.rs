//! The output of a command while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bashkit::{ExecResult, OutputCallback};

/// The output so far, also of a command that a limit ends. Clones share it.
#[derive(Clone)]
pub(crate) struct Output {
    streams: Arc<Mutex<Streams>>,
    most: usize,
}

/// Both streams.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) truncated: bool,
}

impl Output {
    /// Creates an empty output that keeps `most` bytes of each stream.
    pub(crate) fn new(most: usize) -> Self {
        Self { streams: Arc::default(), most }
    }

    /// Returns a function that receives the output while it is written.
    pub(crate) fn callback(&self) -> OutputCallback {
        let output = self.clone();
        Box::new(move |stdout, stderr| {
            let mut streams = output.streams();
            let streams = &mut *streams;
            let first = append(&mut streams.stdout, stdout, output.most);
            let second = append(&mut streams.stderr, stderr, output.most);
            streams.truncated |= first || second;
        })
    }

    /// Replaces the output by the whole of it.
    pub(crate) fn finish(&self, result: &ExecResult) {
        let mut streams = self.streams();
        let mut whole = Streams {
            truncated: result.stdout_truncated || result.stderr_truncated,
            ..Streams::default()
        };
        whole.truncated |= append(&mut whole.stdout, &result.stdout.text_lossy(), self.most);
        whole.truncated |= append(&mut whole.stderr, &result.stderr.text_lossy(), self.most);
        *streams = whole;
    }

    /// Returns the output so far.
    pub(crate) fn take(&self) -> Streams {
        std::mem::take(&mut self.streams())
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends as much of a text as fits, and returns whether something was dropped.
fn append(kept: &mut String, text: &str, most: usize) -> bool {
    let left = most.saturating_sub(kept.len());
    let end = text.floor_char_boundary(left);
    kept.push_str(&text[..end]);
    end < text.len()
}
