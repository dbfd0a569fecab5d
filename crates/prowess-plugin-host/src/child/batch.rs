//! A scan in the plugin's process: what it finds goes to the host in batches.

use std::collections::HashMap;
use std::io;

use prowess_core::{Diagnostic, Found, ReadFurther, ScanSink, Stamp};

use super::protocol::{FoundPackage, Reply, Stamped, stamped};

/// When a batch is sent: after so many packages, or so many bytes.
const PACKAGES: usize = 256;
const BYTES: usize = 512 << 10;

/// Takes what a source finds. It answers at once what the host would: what is known came with the call,
/// and a head that the host finds too short, the host reads further by itself.
pub(crate) struct Batch<S> {
    id: u64,
    known: HashMap<String, Stamped>,
    send: S,
    found: Vec<FoundPackage>,
    heads: Vec<u8>,
    unchanged: Vec<String>,
    problems: Vec<Diagnostic>,
    unseen: Vec<String>,
}

impl<S: Fn(&Reply, &[u8]) -> io::Result<()>> Batch<S> {
    pub(crate) fn new(id: u64, known: Vec<(String, Stamped)>, send: S) -> Self {
        let known = known.into_iter().collect();
        let (found, heads) = (Vec::new(), Vec::new());
        let (unchanged, problems, unseen) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, known, send, found, heads, unchanged, problems, unseen }
    }

    /// Sends what has been collected.
    pub(crate) fn send(&mut self) {
        let part = Reply::Part {
            id: self.id,
            found: std::mem::take(&mut self.found),
            unchanged: std::mem::take(&mut self.unchanged),
            problems: std::mem::take(&mut self.problems),
            unseen: std::mem::take(&mut self.unseen),
        };
        // A host that has gone is noticed where the call ends.
        let _ = (self.send)(&part, &std::mem::take(&mut self.heads));
    }

    fn send_if_full(&mut self) {
        let count = self.found.len() + self.unchanged.len() + self.problems.len();
        if count >= PACKAGES || self.heads.len() >= BYTES {
            self.send();
        }
    }
}

impl<S: Fn(&Reply, &[u8]) -> io::Result<()> + Send> ScanSink for Batch<S> {
    fn known(&self, package: &str) -> Option<Stamp> {
        self.known.get(package).copied().map(Stamp)
    }

    fn unchanged(&mut self, package: &str) {
        self.unchanged.push(package.to_owned());
        self.send_if_full();
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
        self.send_if_full();
        ReadFurther::No
    }

    fn unseen(&mut self, directory: &str) {
        self.unseen.push(directory.to_owned());
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
        self.send_if_full();
    }
}
