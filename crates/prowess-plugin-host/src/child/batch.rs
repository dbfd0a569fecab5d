//! Sends the results of a scan from the plugin's process to the host in batches.

use std::io;
use std::time::{Duration, Instant};

use prowess_core::{Diagnostic, Found, ReadFurther, ScanSink};

use super::protocol::{FoundPackage, Reply, stamped};

/// The maximum number of reports in a batch.
const MAX_REPORTS: usize = 256;
/// The size at which a batch is sent.
const MAX_BYTES: usize = 512 << 10;
/// The maximum time that a report waits for others. Each batch restarts the scan's timeout, so a
/// slow scan continues as long as it finds something.
const MAX_DELAY: Duration = Duration::from_millis(50);

/// Collects the reports of a source. If the beginning of a file is too short for the host, the host
/// reads the whole file.
pub(crate) struct Batch<S> {
    id: u64,
    send: S,
    found: Vec<FoundPackage>,
    heads: Vec<u8>,
    /// The length of all texts.
    text_bytes: usize,
    unchanged: Vec<String>,
    problems: Vec<Diagnostic>,
    unreadable: Vec<(String, Diagnostic)>,
    sent: Instant,
}

impl<S: Fn(&Reply, &[u8]) -> io::Result<()>> Batch<S> {
    pub(crate) fn new(id: u64, send: S) -> Self {
        Self {
            id,
            send,
            found: Vec::new(),
            heads: Vec::new(),
            text_bytes: 0,
            unchanged: Vec::new(),
            problems: Vec::new(),
            unreadable: Vec::new(),
            sent: Instant::now(),
        }
    }

    /// Sends the collected reports.
    pub(crate) fn send(&mut self) {
        let part = Reply::Part {
            id: self.id,
            found: std::mem::take(&mut self.found),
            unchanged: std::mem::take(&mut self.unchanged),
            problems: std::mem::take(&mut self.problems),
            unreadable: std::mem::take(&mut self.unreadable),
        };
        self.sent = Instant::now();
        self.text_bytes = 0;
        // A write error is detected again when the result of the call is sent.
        let _ = (self.send)(&part, &std::mem::take(&mut self.heads));
    }

    /// Sends the batch if it is full, after texts of `text_bytes` bytes were added.
    fn send_if_full(&mut self, text_bytes: usize) {
        self.text_bytes += text_bytes;
        let problems = self.problems.len() + self.unreadable.len();
        let count = self.found.len() + self.unchanged.len() + problems;
        let is_full = count >= MAX_REPORTS || self.heads.len() + self.text_bytes >= MAX_BYTES;
        if is_full || self.sent.elapsed() >= MAX_DELAY {
            self.send();
        }
    }
}

impl<S: Fn(&Reply, &[u8]) -> io::Result<()> + Send> ScanSink for Batch<S> {
    fn unchanged(&mut self, package: &str) {
        self.unchanged.push(package.to_owned());
        self.send_if_full(package.len());
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.heads.extend(found.head);
        self.found.push(FoundPackage {
            package: found.package.to_owned(),
            file: found.file.to_owned(),
            stamp: found.stamp.map(stamped),
            size: found.size,
            head: found.head.len(),
            is_whole_file: found.is_whole_file,
        });
        self.send_if_full(found.package.len() + found.file.len());
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        let bytes = bytes_of(&diagnostic);
        self.problems.push(diagnostic);
        self.send_if_full(bytes);
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        let bytes = directory.len() + bytes_of(&diagnostic);
        self.unreadable.push((directory.to_owned(), diagnostic));
        self.send_if_full(bytes);
    }
}

fn bytes_of(diagnostic: &Diagnostic) -> usize {
    diagnostic.message.len() + diagnostic.help.len()
}
