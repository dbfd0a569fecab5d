//! The plain walk: lists each directory and probes each name in it, one after the other.
//!
//! It is the reference for the walk in [`crate::fast`], which uses its parts.

mod files;
mod ignored;
mod inside;
mod limits;
mod linked;
mod quiet;
mod too_deep;

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use prowess_core::{Cancel, Clock, Code};
use prowess_dir::{Dir, Entry, EntryBuffer, Error};

use crate::admission::{Admission, Parent, admits, goes_below};
use crate::gitignore::IgnoreRules;
use crate::package::{FILES, Probe, Prober};
use crate::probe_request::Origin;
use crate::{FsConfig, problem};
use files::{OddNames, Within};
use ignored::Ignored;
use limits::Exceeded;
use linked::Linked;
use quiet::Quiet;

pub(crate) use files::has_both_files;
pub(crate) use inside::{Inside, Top};
pub(crate) use quiet::LINK;

pub(crate) struct Walk<'a> {
    pub(crate) config: &'a FsConfig,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) cancel: &'a Cancel,
    pub(crate) prober: Prober<'a>,
    // A queue instead of the stack: a deep tree costs memory that the limits keep small and one
    // open directory at a time, and does not use up the limits before the packages near the root.
    pub(crate) pending: VecDeque<Pending>,
    links: Vec<String>,
    /// While a directory that a link leads to is searched.
    linked: Option<Linked>,
    /// The directories without a package.
    directories: usize,
    pub(crate) entries_left: usize,
    pub(crate) skills_left: usize,
    /// A time of the clock's `elapsed`.
    deadline: Duration,
    pub(crate) exceeded: Exceeded,
    ignored: Ignored,
    odd_names: OddNames,
    quiet: Quiet,
}

/// A directory to list.
pub(crate) struct Pending {
    pub(crate) path: Box<str>,
    depth: usize,
    /// The `.gitignore` rules of the directories above it.
    rules: Option<Rc<IgnoreRules>>,
    within: Within,
    /// As a listing returned it; 0 if none did.
    pub(crate) inode: u64,
    /// Whether its listing has still to show if it is a package.
    pub(crate) is_unprobed: bool,
}

impl Pending {
    fn at(path: &str, depth: usize, within: Within) -> Self {
        Self { path: path.into(), depth, rules: None, within, inode: 0, is_unprobed: false }
    }

    fn below(level: &Level<'_>, path: &str) -> Self {
        let pending = Self::at(path, level.depth + 1, level.within);
        Self { rules: level.rules.clone(), ..pending }
    }

    /// Returns whether the directory is a package, or in one.
    pub(crate) fn is_in_package(&self) -> bool {
        self.within != Within::Outside
    }
}

/// The directory that is being listed.
pub(crate) struct Level<'l> {
    pub(crate) directory: &'l Dir,
    pub(crate) path: &'l str,
    /// The length of its path in the prober's, with a slash.
    pub(crate) parent_length: usize,
    pub(crate) depth: usize,
    within: Within,
    pub(crate) rules: Option<Rc<IgnoreRules>>,
    /// The device of the directory, once it was requested.
    device: Option<u64>,
    /// Names that are not ASCII, by their composed form.
    composed: HashMap<String, String>,
}

impl Level<'_> {
    /// Returns whether the directory is a package, or in one.
    pub(crate) fn is_in_package(&self) -> bool {
        self.within != Within::Outside
    }

    /// Returns the device of the inodes that the listing reports. For a directory on which another
    /// one is mounted, it reports the inode below the mount.
    pub(crate) fn device(&mut self) -> Option<u64> {
        if self.device.is_none() {
            self.device = self.directory.stat_unconfined("").ok().map(|stat| stat.device);
        }
        self.device
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        config: &'a FsConfig,
        clock: &'a dyn Clock,
        cancel: &'a Cancel,
        prober: Prober<'a>,
    ) -> Self {
        Self {
            config,
            clock,
            cancel,
            prober,
            pending: VecDeque::new(),
            links: Vec::new(),
            linked: None,
            directories: 0,
            entries_left: config.max_entries,
            skills_left: config.max_skills,
            deadline: clock.elapsed().saturating_add(config.max_time),
            exceeded: Exceeded::default(),
            ignored: Ignored::default(),
            odd_names: OddNames::default(),
            quiet: Quiet::default(),
        }
    }

    /// Probes the root. Returns it for listing, unless it is excluded or a package that ends the
    /// walk.
    pub(crate) fn begin(&mut self, root: &Dir) -> Option<Pending> {
        let rules = self.rules_of_root()?;
        let probe = match self.config.holds_skills {
            true => self.prober.probe_holder(root),
            false => self.prober.probe_opened(root),
        };
        let is_package = probe == Probe::Package;
        if is_package && let Ok(stat) = root.stat_unconfined("") {
            self.prober.seen.push((stat.inode, stat.device));
        }
        let within = Within::Outside.below(probe);
        let pending = Pending { rules, ..Pending::at("", 0, within) };
        goes_below(self.config, is_package).then_some(pending)
    }

    /// Lists the root and, level by level, the directories below it; then follows the links.
    ///
    /// # Errors
    ///
    /// Returns an error if the root cannot be listed.
    pub(crate) fn run(&mut self, root: &mut Dir, pending: &Pending) -> Result<(), Error> {
        let mut names = EntryBuffer::default();
        self.list(root, pending, &mut names)?;
        self.list_pending(&Top { directory: root, length: 0 }, &mut names);
        self.follow_links(root);
        self.report_findings();
        Ok(())
    }

    /// Lists what is pending, and what that adds.
    fn list_pending(&mut self, top: &Top<'_>, names: &mut EntryBuffer) {
        while let Some(mut pending) = self.next() {
            let listed = top.open(&pending).and_then(|mut directory| {
                match self.look_inside(&mut directory, &mut pending, names)? {
                    Inside::Names(listing) => {
                        let mut level = self.enter(&directory, &pending);
                        let mut entries = listing.entries();
                        let _ = entries.try_for_each(|entry| self.visit_next(&mut level, &entry));
                    }
                    Inside::Unlisted => self.list(&mut directory, &pending, names)?,
                    Inside::Ends => {}
                }
                Ok(())
            });
            self.report_unlisted(top, &pending, listed);
        }
    }

    /// Visits each name of a directory.
    fn list(
        &mut self,
        directory: &mut Dir,
        pending: &Pending,
        names: &mut EntryBuffer,
    ) -> Result<(), Error> {
        let entries = directory.entries(names)?;
        let mut level = self.enter(directory, pending);
        entries.visit(|entry| self.visit_next(&mut level, &entry)).map(drop)
    }

    fn visit_next(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) -> ControlFlow<()> {
        self.count(level)?;
        self.visit(level, entry);
        ControlFlow::Continue(())
    }

    /// Returns the next directory to list; `None` at the end or at a limit.
    pub(crate) fn next(&mut self) -> Option<Pending> {
        let pending = self.pending.pop_front()?;
        let ends = self.cancel.is_cancelled() || self.is_at_limit(&pending.path);
        (!ends).then_some(pending)
    }

    /// Starts to list a directory.
    pub(crate) fn enter<'l>(&mut self, directory: &'l Dir, pending: &'l Pending) -> Level<'l> {
        let Pending { path, depth, rules, within, inode: _, is_unprobed: _ } = pending;
        Level {
            directory,
            path,
            parent_length: self.prober.set_parent(path),
            depth: *depth,
            within: *within,
            rules: self.rules_below(rules.clone(), directory, path),
            device: None,
            composed: HashMap::new(),
        }
    }

    /// Counts a name, unless the walk ends here.
    pub(crate) fn count(&mut self, level: &Level<'_>) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        // Reading the clock takes as long as visiting a name, so it is not read for each.
        let is_checked = self.entries_left.is_multiple_of(64) || self.skills_left == 0;
        if is_checked && self.is_at_limit(level.path) {
            return ControlFlow::Break(());
        }
        self.entries_left -= 1;
        ControlFlow::Continue(())
    }

    pub(crate) fn visit(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) {
        let parent = Parent { path: level.path, depth: level.depth };
        match admits(self.config, parent, entry.name_bytes(), entry.kind()) {
            Admission::File => self.visit_file(level, entry),
            Admission::Skipped => {}
            Admission::TooDeep => {
                self.quiet.ends();
                self.count_too_deep(level, entry);
            }
            Admission::Unusable(code) => self.report_unusable(level, entry, code),
            Admission::Link(path) => {
                if !self.is_ignored(level, &path, entry.kind()) {
                    self.quiet.leads_to(LINK, &path[level.parent_length..]);
                    self.links.push(path);
                }
            }
            Admission::Directory(path) => self.visit_directory(level, entry, &path),
        }
    }

    fn visit_directory(&mut self, level: &mut Level<'_>, entry: &Entry<'_>, path: &str) {
        // The listing of one in a package shows it.
        let is_left_out =
            |name| !level.is_in_package() && self.config.leaves_out(level.directory, name);
        if self.is_ignored(level, path, entry.kind())
            || entry.name().is_some_and(is_left_out)
            || !self.is_new(level, entry)
        {
            return;
        }
        self.prober.set_path(path);
        self.compare_composed(level, entry);
        let inode = entry.inode();
        if level.is_in_package() {
            return self.defer(level, path, inode);
        }
        let probe = self.prober.probe_first(level.directory, level.parent_length, inode);
        self.take(level, path, Origin::Listing(inode), probe);
    }

    /// Goes on from a directory that was probed.
    pub(crate) fn take(&mut self, level: &mut Level<'_>, path: &str, origin: Origin, probe: Probe) {
        if probe == Probe::Package {
            self.skills_left = self.skills_left.saturating_sub(1);
            if let (Origin::Listing(inode), Some(device)) = (origin, level.device()) {
                self.prober.seen.push((inode, device));
            }
        }
        if probe == Probe::Closed || !goes_below(self.config, probe == Probe::Package) {
            return;
        }
        if probe == Probe::Nothing && !self.takes_directory(path) {
            return;
        }
        let within = level.within.below(probe);
        let inode = if let Origin::Listing(inode) = origin { inode } else { 0 };
        // Its listing shows whether it has the second one of the files.
        let is_unprobed = probe == Probe::Nothing;
        self.pending.push_back(Pending {
            within,
            inode,
            is_unprobed,
            ..Pending::below(level, path)
        });
    }

    /// Counts a directory without a skill, unless there were too many.
    fn takes_directory(&mut self, path: &str) -> bool {
        let is_taken = self.directories < self.most_directories();
        if is_taken {
            self.directories += 1;
        } else {
            self.exceeded.directories.get_or_insert_with(|| path.to_owned());
        }
        is_taken
    }

    /// Reports a directory whose name cannot be part of a package's path.
    fn report_unusable(&mut self, level: &Level<'_>, entry: &Entry<'_>, code: Code) {
        self.prober.path.truncate(level.parent_length);
        self.prober.path.push_str(&String::from_utf8_lossy(entry.name_bytes()));
        let file = FILES.into_iter().find(|file| level.directory.has_below(entry, file));
        let mut path = self.prober.here();
        if let Some(file) = file {
            path.push('/');
            path.push_str(file);
        }
        self.prober.problem(problem::unusable_name(code, &path, file.is_some()));
    }

    /// Reports the findings about the whole tree.
    pub(crate) fn report_findings(&mut self) {
        self.report_limits();
        self.report_ignored();
        self.report_odd_names();
    }
}
