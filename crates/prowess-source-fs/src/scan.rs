//! The walk: which directories there are, and in which of them a package begins.

mod batch;
mod bounds;
mod files;
mod ignored;
mod listing_cache;
mod name;
mod too_deep;

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use prowess_core::{
    Cancel, Clock, PackagePath, PreviousScan, ScanSink, ScanSummary, SourceError, SourceErrorKind,
};
use prowess_dir::{Dir, Entry, EntryBuffer, ErrorKind, Kind, Links};

use crate::gitignore::Rules;
use crate::named_packages::is_package;
use crate::package::{FILES, Probe, Prober};
use crate::probe::{Origin, Times};
use crate::readahead::{Pace, ReadAhead};
use crate::stamp::LastSecond;
use crate::wrong_case::is_wrong_case;
use crate::{FsConfig, Nested, codes, link, problem};
use batch::Batch;
use bounds::Bounds;
use files::{OddNames, Within};
use ignored::Ignored;
use listing_cache::Names;

pub(crate) use files::has_both_files;

/// Reports every package of the tree.
pub(crate) fn scan(
    config: &FsConfig,
    clock: &dyn Clock,
    last_second: &LastSecond,
    previous: &PreviousScan<'_>,
    sink: &mut dyn ScanSink,
    cancel: &Cancel,
) -> Result<ScanSummary, SourceError> {
    let root = config.root.to_string_lossy();
    let mut directory = match config.open_root() {
        Ok(directory) => directory,
        Err(error) => return without_root(config, &root, &error, sink),
    };
    let epoch = directory.epoch();
    let is_provisional = epoch.as_ref().is_some_and(|epoch| last_second.is_free(epoch));
    let times = Times { now: clock.now(), epoch, is_provisional };
    let mut walk = Walk {
        config,
        cancel,
        prober: Prober::new(&root, times, previous, sink),
        pending: VecDeque::new(),
        links: Vec::new(),
        directories_left: config.max_directories,
        entries_left: config.max_entries,
        skills_left: config.max_skills,
        clock,
        deadline: clock.elapsed().saturating_add(config.max_time),
        left_out: Ignored::default(),
        bounds: Bounds::default(),
        odd_names: OddNames::default(),
        pace: Pace::new(),
        batch: None,
        names: Some(Names::default()),
    };
    let Some(rules) = walk.rules_of_root(&root) else {
        return Ok(ScanSummary::default());
    };
    let root_probe = walk.probe_root(&directory);
    if root_probe == Probe::Package && config.nested == Nested::Stop {
        return Ok(ScanSummary::default());
    }
    let mut names = EntryBuffer::default();
    let within = Within::Outside.below(root_probe);
    let root_itself = Pending { path: "".into(), depth: 0, rules, within };
    let as_listed = walk.as_listed(&directory);
    let listed = if as_listed.is_some() {
        walk.probe_known(&mut directory, &root_itself, &mut names)
    } else {
        walk.list(&mut directory, &root_itself, &mut names)
    };
    listed.map_err(|error| SourceError::new(SourceErrorKind::Unavailable, error.to_string()))?;
    walk.search_pending(&directory, &mut names);
    walk.follow_links(&directory);
    let listing = as_listed.or_else(|| walk.listing(&directory));
    walk.report_bounds();
    walk.report_left_out();
    walk.report_odd_names();
    if cancel.is_cancelled() {
        let message = format!("the scan of `{root}` was cancelled");
        return Err(SourceError::new(SourceErrorKind::Cancelled, message));
    }
    Ok(ScanSummary { listing })
}

/// A root that is not there is a finding; one that fails for the moment is an error, so that the last
/// good scan is kept.
fn without_root(
    config: &FsConfig,
    root: &str,
    error: &prowess_dir::Error,
    sink: &mut dyn ScanSink,
) -> Result<ScanSummary, SourceError> {
    let diagnostic = match error.kind() {
        ErrorKind::NotFound if config.may_be_missing => return Ok(ScanSummary::default()),
        ErrorKind::NotFound => problem::root_missing(root),
        ErrorKind::Escape => problem::root_outside(root),
        ErrorKind::NotADirectory => problem::root_not_a_directory(root),
        ErrorKind::Denied | ErrorKind::Loop => {
            sink.unreadable("", problem::directory_unreadable(root, error));
            return Ok(ScanSummary::default());
        }
        kind => {
            let kind = match kind {
                ErrorKind::Replaced => SourceErrorKind::Replaced,
                _ => SourceErrorKind::Unavailable,
            };
            return Err(SourceError::new(kind, error.to_string()));
        }
    };
    sink.problem(diagnostic);
    Ok(ScanSummary::default())
}

/// A directory that is still to be listed, how deep it lies, and what its parents leave out.
struct Pending {
    path: Box<str>,
    depth: usize,
    rules: Option<Rc<Rules>>,
    within: Within,
}

/// The directory whose names are looked at.
struct Level<'l> {
    directory: &'l Dir,
    path: &'l str,
    parent_length: usize,
    depth: usize,
    within: Within,
    rules: Option<Rc<Rules>>,
    /// The device of the directory, once it was asked for.
    device: Option<u64>,
    /// Who reads ahead, where the disk is slow; it ends with the listing.
    ahead: Option<ReadAhead>,
    /// Names that are not ASCII, by their composed form.
    composed: HashMap<String, String>,
}

impl Level<'_> {
    /// The device of the names' inodes. A directory on which something is mounted has the inode that lies
    /// below the mount.
    fn device(&mut self) -> Option<u64> {
        if self.device.is_none() {
            self.device = self.directory.stat("", Links::Refuse).ok().map(|stat| stat.device);
        }
        self.device
    }
}

struct Walk<'a> {
    config: &'a FsConfig,
    cancel: &'a Cancel,
    prober: Prober<'a>,
    // A queue instead of the stack: a deep tree costs memory that the bounds keep small and one open
    // directory at a time, and uses up no bound before what lies near the root.
    pending: VecDeque<Pending>,
    links: Vec<String>,
    directories_left: usize,
    entries_left: usize,
    skills_left: usize,
    clock: &'a dyn Clock,
    deadline: Duration,
    left_out: Ignored,
    bounds: Bounds,
    odd_names: OddNames,
    pace: Pace,
    batch: Option<Batch>,
    /// The names in the root, as long as there is nothing but packages.
    names: Option<Names>,
}

impl Walk<'_> {
    /// Probes the root itself.
    fn probe_root(&mut self, root: &Dir) -> Probe {
        let probe = self.prober.probe_opened(root);
        if probe == Probe::Package
            && let Ok(stat) = root.stat_unconfined("")
        {
            self.prober.seen.push((stat.inode, stat.device));
        }
        probe
    }

    /// Links come last, so that a package is found by its own path before that of a link to it.
    fn follow_links(&mut self, root: &Dir) {
        let mut links = std::mem::take(&mut self.links);
        if links.is_empty() {
            return;
        }
        links.sort_unstable();
        let mut seen = std::mem::take(&mut self.prober.seen).into_iter().collect();
        for link in links {
            if self.cancel.is_cancelled() || self.is_at_a_bound_of_links(&link) {
                return;
            }
            let Self { config, prober, .. } = self;
            let mut follower = link::Follower { config, root, prober, seen: &mut seen };
            if follower.follow(&link) {
                self.skills_left -= 1;
            }
        }
    }

    fn search_pending(&mut self, root: &Dir, names: &mut EntryBuffer) {
        while let Some(pending) = self.pending.pop_front() {
            if self.cancel.is_cancelled() || self.is_at_a_bound(&pending.path) {
                return;
            }
            let path = pending.path.clone();
            let listed = root
                .open_dir(&path, Links::Refuse)
                .and_then(|mut directory| self.list(&mut directory, &pending, names));
            match listed.map_err(|error| (error.kind(), error)) {
                // Gone or swapped since its name was read: it is no directory of this tree any more.
                Ok(()) | Err((ErrorKind::NotFound | ErrorKind::NotADirectory, _)) => {}
                Err((_, error)) => self.prober.unreadable(&path, &error),
            }
        }
    }

    /// Looks at each name of a directory.
    fn list(
        &mut self,
        directory: &mut Dir,
        pending: &Pending,
        names: &mut EntryBuffer,
    ) -> Result<(), prowess_dir::Error> {
        let entries = directory.entries(names)?;
        let mut level = self.enter(directory, pending);
        let visited = entries.visit(|entry| self.visit(&mut level, &entry));
        self.probe_gathered(&mut level);
        visited.map(drop)
    }

    /// What is the same for all names of a directory.
    fn enter<'l>(&mut self, directory: &'l Dir, pending: &'l Pending) -> Level<'l> {
        let Pending { path, depth, rules, within } = pending;
        let rules = self.rules_below(rules.clone(), directory, path);
        let parent_length = self.prober.set_parent(path);
        let is_slow = self.pace.is_slow();
        let ahead = is_slow.then(|| ReadAhead::start(directory, None, self.entries_left)).flatten();
        let (depth, within, composed) = (*depth, *within, HashMap::new());
        Level {
            directory,
            path,
            parent_length,
            depth,
            within,
            rules,
            device: None,
            ahead,
            composed,
        }
    }

    fn visit(&mut self, level: &mut Level<'_>, entry: &Entry<'_>) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        // The clock is asked now and then: it costs as much as looking at a name.
        let is_asked = self.entries_left.is_multiple_of(64) || self.skills_left == 0;
        if is_asked && self.is_at_a_bound(level.path) {
            return ControlFlow::Break(());
        }
        self.entries_left -= 1;
        if is_wrong_case(entry) && !is_package(level.directory, "") {
            self.names = None;
            self.prober.path.truncate(level.parent_length);
            self.prober.path.push_str(entry.name().unwrap_or_default());
            self.prober.problem(problem::file_misnamed(&self.prober.here()));
        }
        if !matches!(entry.kind(), Kind::Directory | Kind::Link) {
            self.visit_file(level, entry);
            return ControlFlow::Continue(());
        }
        if self.config.skips(entry.name_bytes()) {
            return ControlFlow::Continue(());
        }
        if level.depth >= self.config.max_depth {
            self.names = None;
            self.count_too_deep(level, entry);
            return ControlFlow::Continue(());
        }
        self.prober.path.truncate(level.parent_length);
        if let Some(hash) = batch::takes(level, entry) {
            self.gather(level, entry, hash);
            return ControlFlow::Continue(());
        }
        self.names = None;
        // In the order of the listing; and what was gathered may use up the bound on skills.
        self.probe_gathered(level);
        if self.skills_left == 0 && self.is_at_a_bound(level.path) {
            return ControlFlow::Break(());
        }
        self.prober.path.truncate(level.parent_length);
        match entry.name() {
            Some(name) => self.visit_named(level, entry, name),
            None => {
                let name = String::from_utf8_lossy(entry.name_bytes());
                self.prober.path.push_str(&name);
                self.unusable(level.directory, entry, codes::PATH_NOT_UTF8);
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_named(&mut self, level: &mut Level<'_>, entry: &Entry<'_>, name: &str) {
        self.prober.path.push_str(name);
        if !PackagePath::is_normal(&self.prober.path) {
            return self.unusable(level.directory, entry, codes::PATH_NOT_PORTABLE);
        }
        if level.rules.as_ref().is_some_and(|rules| self.is_left_out(rules, entry.kind())) {
            return;
        }
        if entry.kind() == Kind::Link {
            // What a `SKILL.md` is was told of when its package was probed, a link too.
            if !FILES.contains(&name) {
                self.links.push(self.prober.path.clone());
            }
            return;
        }
        if !name.is_ascii() {
            self.compare_composed(name, &mut level.composed);
        }
        self.keep_pace(level, name);
        let inode = entry.inode();
        let probe = self.prober.probe_below(level.directory, level.parent_length, inode);
        let package = self.prober.path.clone();
        self.take(level, &package, Origin::Listing(inode), probe);
    }

    /// Starts reading ahead of a name once the disk turns out to be slow.
    fn keep_pace(&mut self, level: &mut Level<'_>, name: &str) {
        if self.pace.turns_slow(self.clock) {
            level.ahead = ReadAhead::start(level.directory, Some(name), self.entries_left);
        }
    }

    /// Goes on from a directory that was probed.
    fn take(&mut self, level: &mut Level<'_>, path: &str, origin: Origin, probe: Probe) {
        if probe == Probe::Package {
            self.skills_left = self.skills_left.saturating_sub(1);
            if let (Origin::Listing(inode), Some(device)) = (origin, level.device()) {
                self.prober.seen.push((inode, device));
            }
        }
        match probe {
            Probe::Closed => {}
            Probe::Package if self.config.nested == Nested::Stop => {}
            Probe::Package => self.search_later(level, path, probe),
            Probe::Nothing if self.directories_left == 0 => {
                self.bounds.directories.get_or_insert_with(|| path.to_owned());
            }
            Probe::Nothing => {
                self.directories_left -= 1;
                self.search_later(level, path, probe);
            }
        }
    }

    /// Notes a directory to be listed.
    fn search_later(&mut self, level: &Level<'_>, path: &str, probe: Probe) {
        let (depth, rules) = (level.depth + 1, level.rules.clone());
        let within = level.within.below(probe);
        self.pending.push_back(Pending { path: path.into(), depth, rules, within });
    }

    fn unusable(&mut self, directory: &Dir, entry: &Entry<'_>, code: prowess_core::Code) {
        let file = FILES.into_iter().find(|file| directory.has_below(entry, file));
        let mut path = self.prober.here();
        if let Some(file) = file {
            path.push('/');
            path.push_str(file);
        }
        self.prober.problem(problem::unusable_name(code, &path, file.is_some()));
    }
}
