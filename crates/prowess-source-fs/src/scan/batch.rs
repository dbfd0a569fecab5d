//! Directories that are probed together.
//!
//! A system call drives our own code out of the processor's nearest memory, so code between two of them
//! takes twice its time. So names are gathered for a while, then the kernel is asked about one after
//! another, and then what it said is reported.

use prowess_core::Stamp;
use prowess_dir::{BatchedPath, Dir, Entry, Kind, Links, PathBatch};

use super::{Level, Walk};
use crate::ask::{Question, Way};
use crate::package::{FILES, HEAD_BYTES};

/// How many directories are probed together; more gain nothing.
const MOST: usize = 16;

/// Below a longer path each directory is probed alone: its own may be longer than a package's can be.
const LONGEST_PARENT: usize = 512;

/// The names that were gathered, and room for the beginnings of the files.
pub(super) struct Batch {
    paths: PathBatch,
    inodes: Vec<u64>,
    heads: Box<[[u8; HEAD_BYTES]]>,
}

/// Whether a directory needs no care of its own: nothing is left out around it, and a package's path may
/// have each character of its name.
pub(super) fn takes(level: &Level<'_>, entry: &Entry<'_>) -> bool {
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~') | (byte == b'\\') | (byte == b':');
    entry.kind() == Kind::Directory
        && level.rules.is_none()
        && level.parent_length <= LONGEST_PARENT
        // Without an early end the loop becomes vector instructions.
        && !entry.name_bytes().iter().fold(false, |any, byte| any | is_odd(*byte))
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            paths: PathBatch::new(FILES[0]).expect("it is the name of a file"),
            inodes: Vec::with_capacity(MOST),
            heads: vec![[0; HEAD_BYTES]; MOST].into(),
        }
    }

    pub(super) fn push(&mut self, parent: &str, entry: &Entry<'_>) {
        self.paths.push(parent, entry);
        self.inodes.push(entry.inode());
    }

    /// Whether these are to be probed before another is gathered, so that no bound is passed by.
    pub(super) fn is_full(&self, skills_left: usize) -> bool {
        self.paths.len() >= MOST.min(skills_left)
    }

    fn clear(&mut self) {
        self.paths.clear();
        self.inodes.clear();
    }
}

/// A directory that was gathered.
struct Gathered<'b> {
    path: BatchedPath<'b>,
    inode: u64,
    known: Option<Stamp>,
}

impl<'b> Gathered<'b> {
    fn question(&self) -> Question<'b> {
        let Self { path, inode, known } = *self;
        Question { package: path.directory, file: FILES[0], inode: Some(inode), known }
    }

    fn way(&self, directory: &'b Dir, parent_length: usize) -> Way<'b> {
        let package = &self.path.directory[parent_length..];
        Way { directory, package, path: self.path.file, links: Links::Refuse }
    }
}

impl Walk<'_> {
    /// Gathers a directory, and probes what was gathered when it is time.
    pub(super) fn gather(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) {
        let batch = self.batch.get_or_insert_with(Batch::new);
        batch.push(&self.prober.path, entry);
        if batch.is_full(self.skills_left) {
            self.probe_gathered(level);
        }
    }

    /// Probes what was gathered below a directory.
    pub(super) fn probe_gathered(&mut self, level: &mut Level<'_>) {
        if let Some(mut batch) = self.batch.take() {
            self.probe_all(&mut batch, level);
            batch.clear();
            self.batch = Some(batch);
        }
    }

    fn probe_all(&mut self, batch: &mut Batch, level: &mut Level<'_>) {
        let Some(paths) = batch.paths.paths() else { return };
        let (directory, parent_length) = (level.directory, level.parent_length);
        let gathered = paths.zip(&batch.inodes).map(|(path, inode)| {
            let known = self.prober.reporter.sink.known(path.directory);
            Gathered { path, inode: *inode, known }
        });
        let gathered: Vec<_> = gathered.collect();
        let mut answers = Vec::with_capacity(MOST);
        for (gathered, head) in gathered.iter().zip(&mut batch.heads) {
            let way = gathered.way(directory, parent_length);
            self.keep_pace(level, way.package);
            answers.push(self.prober.reporter.asker.ask(&gathered.question(), way, head));
        }
        for ((gathered, answer), head) in gathered.iter().zip(answers).zip(&batch.heads) {
            let way = gathered.way(directory, parent_length);
            let probe = self.prober.probe_answered(&gathered.question(), way, answer, head);
            self.take(level, gathered.path.directory, gathered.inode, probe);
        }
    }
}
