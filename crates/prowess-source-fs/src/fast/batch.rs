//! Probes directories in batches.
//!
//! A system call evicts this code from the processor's nearest cache, so code between two calls
//! takes twice its time. So names are gathered first, then the system calls are made in sequence,
//! and then the results are reported.

use prowess_core::Stamp;
use prowess_dir::{BatchedPath, Dir, Entry, Kind, Links, PathBatch};

use super::FastWalk;
use super::name::NameScan;
use crate::package::FILES;
use crate::probe_request::{FileLocation, Origin, ProbeRequest, ProbeResult};
use crate::walk::Level;

/// The number of directories in a batch; more bring no gain.
const MOST: usize = 16;

/// Below a longer path each directory is probed alone: its own may be longer than a package's can
/// be.
const LONGEST_PARENT: usize = 512;

/// The gathered names, and buffers for the first bytes of the files.
pub(super) struct Batch {
    paths: PathBatch,
    /// The origin of each, with the stamp of one that was not listed.
    origins: Vec<(Origin, Option<Stamp>)>,
    heads: Vec<Box<[u8]>>,
}

/// Returns the hash of a directory's name, if it can be gathered: no `.gitignore` applies, and a
/// package's path may contain each character of its name.
///
/// So [`crate::admission::admits`] admits each of these that [`crate::admission::refuses`] does not
/// refuse.
pub(super) fn takes(level: &Level<'_>, entry: &Entry<'_>) -> Option<u64> {
    if entry.kind() != Kind::Directory
        || level.rules.is_some()
        || level.parent_length > LONGEST_PARENT
    {
        return None;
    }
    let scan = NameScan::of(entry.name_bytes());
    (!scan.is_odd()).then_some(scan.hash)
}

impl Batch {
    pub(super) fn new(head_bytes: usize) -> Self {
        Self {
            paths: PathBatch::new(FILES[0]).expect("it is the name of a file"),
            origins: Vec::with_capacity(MOST),
            heads: vec![vec![0; head_bytes].into(); MOST],
        }
    }

    fn push(&mut self, parent: &str, entry: &Entry<'_>) {
        self.paths.push(parent, entry);
        self.origins.push((Origin::Listing(entry.inode()), None));
    }

    /// Adds a package of the last scan. A path that no listing can have returned is skipped.
    fn push_known(&mut self, package: &str, stamp: Option<Stamp>) {
        if self.paths.push_name(package).is_ok() {
            self.origins.push((Origin::LastListing, stamp));
        }
    }

    /// Returns whether the batch has to be probed before another name is added, so that no limit is
    /// exceeded.
    fn is_full(&self, skills_left: usize) -> bool {
        self.paths.len() >= MOST.min(skills_left)
    }

    fn clear(&mut self) {
        self.paths.clear();
        self.origins.clear();
    }
}

struct Gathered<'b> {
    path: BatchedPath<'b>,
    origin: Origin,
    known: Option<Stamp>,
}

impl<'b> Gathered<'b> {
    fn request(&self) -> ProbeRequest<'b> {
        let Self { path, origin, known } = *self;
        ProbeRequest { package: path.directory, file: FILES[0], origin, known }
    }

    fn location(&self, directory: &'b Dir, parent_length: usize) -> FileLocation<'b> {
        let package = &self.path.directory[parent_length..];
        FileLocation { directory, package, path: self.path.file, links: Links::Refuse }
    }
}

impl FastWalk<'_, '_> {
    /// Gathers a directory, and probes the batch when it is full.
    pub(super) fn gather(&mut self, level: &mut Level<'_>, entry: &Entry<'_>, hash: u64) {
        let path = &mut self.walk.prober.path;
        path.truncate(level.parent_length);
        let head_bytes = self.walk.prober.reporter.files.head_bytes();
        let batch = self.batch.get_or_insert_with(|| Batch::new(head_bytes));
        batch.push(path, entry);
        if let Some(names) = &mut self.names {
            names.add(hash);
        }
        if batch.is_full(self.walk.skills_left) {
            self.probe_gathered(level);
        }
    }

    /// Gathers packages of the last scan, starting at `start`; returns their number.
    pub(super) fn gather_known(&mut self, start: usize) -> usize {
        let head_bytes = self.walk.prober.reporter.files.head_bytes();
        let batch = self.batch.get_or_insert_with(|| Batch::new(head_bytes));
        let mut count = 0;
        let previous = &self.walk.prober.reporter.previous;
        for (package, stamp) in previous.packages_from(start).take(MOST) {
            batch.push_known(package, stamp);
            count += 1;
        }
        count
    }

    /// Probes the batch.
    pub(super) fn probe_gathered(&mut self, level: &mut Level<'_>) {
        if let Some(mut batch) = self.batch.take() {
            self.probe_all(&mut batch, level);
            batch.clear();
            self.batch = Some(batch);
        }
    }

    fn probe_all(&mut self, batch: &mut Batch, level: &mut Level<'_>) {
        let Some(paths) = batch.paths.paths() else { return };
        let directory = level.directory;
        let parent_length = level.parent_length;
        let gathered = paths.zip(&batch.origins).map(|(path, &(origin, stamp))| {
            let known = match origin {
                Origin::LastListing => stamp,
                _ => self.walk.prober.reporter.previous.stamp(path.directory),
            };
            Gathered { path, origin, known }
        });
        let gathered: Vec<_> = gathered.collect();
        let mut results = Vec::with_capacity(MOST);
        for (at, (gathered, head)) in gathered.iter().zip(&mut batch.heads).enumerate() {
            let location = gathered.location(directory, parent_length);
            self.keep_pace(level, location.package, at + 1 == MOST);
            let files = &mut self.walk.prober.reporter.files;
            let result = files.probe(&gathered.request(), location, head);
            if !matches!(result, ProbeResult::Unchanged | ProbeResult::Read(_)) {
                self.names = None;
            }
            results.push(result);
        }
        for ((gathered, result), head) in gathered.iter().zip(results).zip(&batch.heads) {
            let location = gathered.location(directory, parent_length);
            if self.walk.config.leaves_out(directory, location.package) {
                // Noted names would hide when it is no repository any more.
                self.names = None;
                continue;
            }
            let prober = &mut self.walk.prober;
            let probe = prober.probe_answered(&gathered.request(), location, result, head);
            self.walk.take(level, gathered.path.directory, gathered.origin, probe);
        }
    }
}
