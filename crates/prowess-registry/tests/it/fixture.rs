//! Sources for tests.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use prowess_core::{
    Cancel, ChangeListener, Code, Coverage, Diagnostic, Found, Layer, Listing, MemorySource,
    PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink, ScanSummary, Severity,
    SkillSource, SourceChange, SourceError, SourceErrorKind, Stamp, Trust, Watch,
};
use prowess_registry::{Registry, RegistryBuilder};

/// Returns a source in memory with these packages and descriptions.
pub(crate) fn memory(name: &str, skills: &[(&str, &str)]) -> Arc<MemorySource> {
    let file = |(package, description): &(&str, &str)| {
        let skill = package.rsplit('/').next().unwrap_or(package);
        (format!("{package}/SKILL.md"), skill_md(skill, description))
    };
    files(name, skills.iter().map(file))
}

/// Returns a source in memory with these files.
pub(crate) fn files<P: AsRef<str>, T: AsRef<[u8]>>(
    name: &str,
    files: impl IntoIterator<Item = (P, T)>,
) -> Arc<MemorySource> {
    let builder = files.into_iter().fold(MemorySource::builder(name), |builder, (path, text)| {
        builder.file(path.as_ref(), text)
    });
    Arc::new(builder.build().expect("the paths are valid"))
}

/// Returns a registry of one trusted layer, `user`, with this source.
pub(crate) fn user(source: Arc<dyn SkillSource>) -> RegistryBuilder {
    Registry::builder().layer(Layer::new("user", Trust::Trusted)).source("user", source)
}

/// Returns a valid `SKILL.md`.
pub(crate) fn skill_md(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}\n")
}

pub(crate) fn registry(layers: Vec<(&str, Trust, Arc<dyn SkillSource>)>) -> Registry {
    let mut builder = Registry::builder();
    for (name, trust, source) in layers {
        builder = builder.layer(Layer::new(name, trust)).source(name, source);
    }
    builder.build().expect("the layers are valid")
}

/// A source whose files a test changes, with a stamp for each version. It counts reads.
#[derive(Default)]
pub(crate) struct Changing {
    state: Mutex<State>,
    listener: Arc<Mutex<Listener>>,
}

#[derive(Default)]
enum Listener {
    /// The source does not support watches.
    #[default]
    Unsupported,
    /// No watch is active.
    None,
    /// Watches fail.
    Refused,
    Somebody(ChangeListener),
}

#[derive(Default)]
struct State {
    /// Package, text and stamp; a stamp of zero is racy.
    files: Vec<(String, Vec<u8>, u64)>,
    read: usize,
    /// The number of complete reads since the last query.
    bodies: usize,
    scans: Vec<(Scanned, Instant)>,
    is_broken: bool,
    /// The locations of problems that a complete scan reports.
    problems: Vec<String>,
    /// Directories that a scan cannot read.
    shut: Vec<String>,
}

/// The scope of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scanned {
    Everything,
    Packages(Vec<String>),
}

impl Changing {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the lock is not poisoned")
    }

    pub(crate) fn set(&self, package: &str, text: impl Into<Vec<u8>>, stamp: u64) {
        let mut state = self.state();
        state.files.retain(|(known, ..)| known != package);
        state.files.push((package.to_owned(), text.into(), stamp));
    }

    pub(crate) fn remove(&self, package: &str) {
        self.state().files.retain(|(known, ..)| known != package);
    }

    pub(crate) fn break_down(&self, is_broken: bool) {
        self.state().is_broken = is_broken;
    }

    /// Removes all problems.
    pub(crate) fn report_nothing(&self) {
        self.state().problems.clear();
    }

    /// Adds a problem at this location to complete scans.
    pub(crate) fn report(&self, place: &str) {
        self.state().problems.push(place.to_owned());
    }

    /// Sets the directories that a scan cannot read.
    pub(crate) fn shut(&self, directories: &[&str]) {
        self.state().shut = directories.iter().map(|&directory| directory.to_owned()).collect();
    }

    /// Creates a source that can be watched.
    pub(crate) fn watchable() -> Arc<Self> {
        Arc::new(Self { listener: Arc::new(Mutex::new(Listener::None)), ..Self::default() })
    }

    /// Creates a source whose watches fail.
    pub(crate) fn unwatchable() -> Arc<Self> {
        Arc::new(Self { listener: Arc::new(Mutex::new(Listener::Refused)), ..Self::default() })
    }

    /// Reports a change to the listener. Returns `false` if there is none.
    pub(crate) fn tell(&self, change: SourceChange) -> bool {
        match &*self.listener.lock().expect("the lock is not poisoned") {
            Listener::Somebody(listener) => listener(change),
            _ => return false,
        }
        true
    }

    /// Reports that these packages may have changed.
    pub(crate) fn tell_of(&self, packages: &[&str]) {
        let path = |path: &&str| PackagePath::new(path).expect("the paths are valid");
        let reported = self.tell(SourceChange::Packages(packages.iter().map(path).collect()));
        assert!(reported, "a watch is active");
    }

    /// Removes and returns the scopes of the scans since the last query.
    pub(crate) fn take_scans(&self) -> Vec<Scanned> {
        self.take_timed_scans().into_iter().map(|(scanned, _)| scanned).collect()
    }

    /// As [`Self::take_scans`], with the time of each scan.
    pub(crate) fn take_timed_scans(&self) -> Vec<(Scanned, Instant)> {
        std::mem::take(&mut self.state().scans)
    }

    fn scan_some(
        &self,
        asked: Scanned,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
    ) -> Result<(), SourceError> {
        let mut state = self.state();
        if state.is_broken {
            return Err(SourceError::new(SourceErrorKind::Unavailable, "the disk is gone"));
        }
        let is_asked = |package: &String| match &asked {
            Scanned::Everything => true,
            Scanned::Packages(packages) => packages.contains(package),
        };
        let mut read = 0;
        let is_shut = |package: &String| {
            let is_in = |shut: &String| shut.is_empty() || package.starts_with(&format!("{shut}/"));
            state.shut.iter().any(is_in)
        };
        for directory in &state.shut {
            let code = Code::new("permission-denied");
            let found = Diagnostic::new(code, Severity::Error, "it is shut", "open it");
            sink.unreadable(directory, found.in_file(format!("changing://{directory}")));
        }
        let files = state.files.iter().filter(|(package, ..)| is_asked(package));
        for (package, text, stamp) in files.filter(|(package, ..)| !is_shut(package)) {
            let stamp = NonZeroU64::new(*stamp).map(Stamp::from_bits);
            if stamp.is_some() && previous.stamp(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            read += 1;
            sink.found(Found {
                package,
                file: "SKILL.md",
                stamp,
                size: None,
                head: text,
                is_whole_file: true,
            });
        }
        for place in state.problems.iter().filter(|_| asked == Scanned::Everything) {
            let found =
                Diagnostic::new(Code::new("not-a-file"), Severity::Error, "it is no file", "none");
            sink.problem(found.in_file(place.as_str()));
        }
        state.read += read;
        state.scans.push((asked, Instant::now()));
        Ok(())
    }

    /// Returns the number of complete reads outside of scans since the last query.
    pub(crate) fn take_bodies(&self) -> usize {
        std::mem::take(&mut self.state().bodies)
    }

    /// Returns the number of reads in scans since the last query.
    pub(crate) fn take_reads(&self) -> usize {
        std::mem::take(&mut self.state().read)
    }
}

impl SkillSource for Changing {
    fn name(&self) -> &str {
        "changing"
    }

    fn root(&self) -> &str {
        "changing://"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.scan_some(Scanned::Everything, previous, sink)?;
        Ok(ScanSummary::default())
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let packages = packages.iter().map(ToString::to_string).collect();
        let asked = Scanned::Packages(packages);
        self.scan_some(asked, previous, sink).map(|()| Coverage::Asked)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let mut current = self.listener.lock().expect("the lock is not poisoned");
        match &*current {
            Listener::Unsupported => return Ok(None),
            Listener::Refused => {
                let message = "there are no watches left";
                return Err(SourceError::new(SourceErrorKind::Unavailable, message));
            }
            Listener::None | Listener::Somebody(_) => *current = Listener::Somebody(listener),
        }
        drop(current);
        Ok(Some(Watch::new(EndWatch(Arc::clone(&self.listener)))))
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let mut state = self.state();
        state.bodies += 1;
        let found = state.files.iter().find(|(known, ..)| known == package.as_str());
        let not_found = || SourceError::new(SourceErrorKind::NotFound, "there is no such file");
        found.map(|(_, text, _)| text.clone()).ok_or_else(not_found)
    }
}

struct EndWatch(Arc<Mutex<Listener>>);

impl Drop for EndWatch {
    fn drop(&mut self) {
        *self.0.lock().expect("the lock is not poisoned") = Listener::None;
    }
}
