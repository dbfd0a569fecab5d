//! Reports of a long call while it runs.

use std::fmt;

/// Receives the reports of a call while it runs. By default, they are discarded.
///
/// The receiver is called on the thread of the call, which waits for it: a slow receiver slows the
/// call down.
#[derive(Clone, Copy, Default)]
pub struct Progress<'a>(Option<&'a (dyn Fn(ProgressEvent<'_>) + Sync)>);

/// A report of a call while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgressEvent<'a> {
    /// A script has printed a line. The text is untrusted and not encoded for any destination.
    Output {
        /// The stream that it was printed to.
        stream: OutputStream,
        /// The line with its line feed, which the last line of a stream may lack. Bytes that are no
        /// UTF-8 are replaced.
        line: &'a str,
    },
}

/// An output stream of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl<'a> Progress<'a> {
    /// Creates a receiver.
    pub fn new(receive: &'a (dyn Fn(ProgressEvent<'_>) + Sync)) -> Self {
        Self(Some(receive))
    }

    /// Returns whether the reports are received, so that no report is built for nothing.
    pub fn is_received(self) -> bool {
        self.0.is_some()
    }

    /// Reports an event.
    pub fn report(self, event: ProgressEvent<'_>) {
        if let Some(receive) = self.0 {
            receive(event);
        }
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Progress").field(&self.is_received()).finish()
    }
}
