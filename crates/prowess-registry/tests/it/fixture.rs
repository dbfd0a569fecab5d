//! Sources that a test holds in its hand.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use prowess_core::{
    Cancel, ChangeListener, Code, Coverage, Diagnostic, Found, Layer, Listing, MemorySource,
    PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink, ScanSummary, Severity,
    SkillSource, SourceChange, SourceError, SourceErrorKind, Stamp, Trust, Watch,
};
use prowess_registry::Registry;

/// A source in memory with these packages and descriptions.
pub(crate) fn memory(name: &str, skills: &[(&str, &str)]) -> Arc<MemorySource> {
    let add = |builder: prowess_core::MemorySourceBuilder,
               (package, description): &(&str, &str)| {
        let skill = package.rsplit('/').next().unwrap_or(package);
        builder.file(&format!("{package}/SKILL.md"), skill_md(skill, description))
    };
    let builder = skills.iter().fold(MemorySource::builder(name), add);
    Arc::new(builder.build().expect("the fixture's paths are good"))
}

/// A well-formed file.
pub(crate) fn skill_md(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}\n")
}

/// A registry over layers, the lowest first, each with one source.
pub(crate) fn registry(layers: Vec<(&str, Trust, Arc<dyn SkillSource>)>) -> Registry {
    let mut builder = Registry::builder();
    for (name, trust, source) in layers {
        builder = builder.layer(Layer::new(name, trust)).source(name, source);
    }
    builder.build().expect("the fixture's layers are good")
}

/// A source whose files a test changes, with a stamp for each version, and that counts its reads.
#[derive(Default)]
pub(crate) struct Changing {
    state: Mutex<State>,
    listener: Arc<Mutex<Listener>>,
}

/// Who hears of changes, and whether anybody may.
#[derive(Default)]
enum Listener {
    /// There is no word to be had.
    #[default]
    Deaf,
    /// There is none so far.
    Nobody,
    /// There may not be any.
    Refused,
    Somebody(ChangeListener),
}

#[derive(Default)]
struct State {
    /// Package, text, stamp; a stamp of zero cannot be relied on.
    files: Vec<(String, Vec<u8>, u64)>,
    read: usize,
    /// How many files were read whole since the last question.
    bodies: usize,
    scans: Vec<(Scanned, Instant)>,
    is_broken: bool,
    /// Places of which a whole scan has something to say.
    problems: Vec<String>,
    /// Directories into which a scan cannot look.
    shut: Vec<String>,
}

/// What a scan was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scanned {
    Everything,
    Packages(Vec<String>),
}

impl Changing {
    pub(crate) fn set(&self, package: &str, text: impl Into<Vec<u8>>, stamp: u64) {
        let mut state = self.state.lock().expect("no test panics here");
        state.files.retain(|(known, ..)| known != package);
        state.files.push((package.to_owned(), text.into(), stamp));
    }

    pub(crate) fn remove(&self, package: &str) {
        self.state
            .lock()
            .expect("no test panics here")
            .files
            .retain(|(known, ..)| known != package);
    }

    pub(crate) fn break_down(&self, is_broken: bool) {
        self.state.lock().expect("no test panics here").is_broken = is_broken;
    }

    /// From now on a whole scan has nothing to say of any place.
    pub(crate) fn report_nothing(&self) {
        self.state.lock().expect("no test panics here").problems.clear();
    }

    /// From now on a whole scan has something to say of this place.
    pub(crate) fn report(&self, place: &str) {
        self.state.lock().expect("no test panics here").problems.push(place.to_owned());
    }

    /// From now on no scan can look into these directories.
    pub(crate) fn shut(&self, directories: &[&str]) {
        let directories = directories.iter().map(|&directory| directory.to_owned()).collect();
        self.state.lock().expect("no test panics here").shut = directories;
    }

    /// A source that can be watched.
    pub(crate) fn watchable() -> Arc<Self> {
        Arc::new(Self { listener: Arc::new(Mutex::new(Listener::Nobody)), ..Self::default() })
    }

    /// A source that could be watched, were there watches left.
    pub(crate) fn unwatchable() -> Arc<Self> {
        Arc::new(Self { listener: Arc::new(Mutex::new(Listener::Refused)), ..Self::default() })
    }

    /// Tells whoever listens; false if nobody does.
    pub(crate) fn tell(&self, change: SourceChange) -> bool {
        match &*self.listener.lock().expect("no test panics here") {
            Listener::Somebody(listener) => listener(change),
            _ => return false,
        }
        true
    }

    /// Tells that these packages may have changed.
    pub(crate) fn tell_of(&self, packages: &[&str]) {
        let path = |path: &&str| PackagePath::new(path).expect("the fixture's paths are good");
        let told = self.tell(SourceChange::Packages(packages.iter().map(path).collect()));
        assert!(told, "somebody listens");
    }

    /// What the scans since the last question were asked for.
    pub(crate) fn take_scans(&self) -> Vec<Scanned> {
        self.take_timed_scans().into_iter().map(|(scanned, _)| scanned).collect()
    }

    /// The same, each with when it was.
    pub(crate) fn take_timed_scans(&self) -> Vec<(Scanned, Instant)> {
        std::mem::take(&mut self.state.lock().expect("no test panics here").scans)
    }

    fn scan_some(
        &self,
        asked: Scanned,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
    ) -> Result<(), SourceError> {
        let mut state = self.state.lock().expect("no test panics here");
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

    /// How many files were read whole since the last question, outside of scans.
    pub(crate) fn take_bodies(&self) -> usize {
        std::mem::take(&mut self.state.lock().expect("no test panics here").bodies)
    }

    /// How many files were read since the last question.
    pub(crate) fn take_reads(&self) -> usize {
        std::mem::take(&mut self.state.lock().expect("no test panics here").read)
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
        let mut current = self.listener.lock().expect("no test panics here");
        match &*current {
            Listener::Deaf => return Ok(None),
            Listener::Refused => {
                let message = "there are no watches left";
                return Err(SourceError::new(SourceErrorKind::Unavailable, message));
            }
            Listener::Nobody | Listener::Somebody(_) => *current = Listener::Somebody(listener),
        }
        drop(current);
        Ok(Some(Watch::new(Deafen(Arc::clone(&self.listener)))))
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
        let mut state = self.state.lock().expect("no test panics here");
        state.bodies += 1;
        let found = state.files.iter().find(|(known, ..)| known == package.as_str());
        let not_found = || SourceError::new(SourceErrorKind::NotFound, "there is no such file");
        found.map(|(_, text, _)| text.clone()).ok_or_else(not_found)
    }
}

/// Ends a watch when it is dropped.
struct Deafen(Arc<Mutex<Listener>>);

impl Drop for Deafen {
    fn drop(&mut self) {
        *self.0.lock().expect("no test panics here") = Listener::Nobody;
    }
}
