//! The installed skills as a source.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{
    Cancel, Diagnostic, Digest, Found, HostCommands, Listing, PackageDigest, PackagePath,
    PreviousScan, ReadFurther, ReadLimit, Resource, ResourcePath, SKILL_MD_FILES, ScanSink,
    ScanSummary, Severity, SkillSource, SourceError, SourceErrorKind, Stamp,
};
use prowess_dir::{Dir, ErrorKind, Kind, Links};
use prowess_text::quoted;

use crate::codes;
use crate::difference::Difference;
use crate::error::{StoreError, changed};
use crate::kept_lock::KeptLock;
use crate::lock_file::LockFile;
use crate::locked_skill::LockedSkill;
use crate::placement::{Altered, altered, intact_copy};
use crate::store::Store;
use crate::tree::{stored_digests, walk};

/// The maximum size of a `SKILL.md` that is read in a scan. A larger one is reported with its size,
/// and is no skill.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The skills of a lock file, from a store. The path of each package is its id.
#[derive(Clone)]
pub struct StoreSource {
    store: Store,
    /// The parts of a lock file share what was read.
    lock: Arc<KeptLock>,
    root: String,
    part: String,
    rule: Option<Arc<dyn Fn() -> PartRule + Send + Sync>>,
    next_step: Option<NextStep>,
    commands: HostCommands,
    /// The packages of which a reader found that they are not what was installed.
    changed: Arc<Mutex<BTreeSet<Digest>>>,
}

/// Returns the next step for a package that is not there, if it is another one than `sync`.
type NextStep = fn(&LockedSkill) -> Option<String>;

/// Decides which skills belong to a source.
pub type PartRule = Box<dyn Fn(&LockedSkill) -> bool>;

impl StoreSource {
    /// Creates a source of the skills that a lock file names.
    pub fn new(store: Store, lock: LockFile) -> Self {
        // People look for the lock of a project; that of the user is where it always is.
        let root = match lock.is_of_project() {
            true => format!("prowess-lock://{}", lock.path().display()),
            false => format!("prowess-lock://{}", lock.key()),
        };
        let lock = Arc::new(KeptLock::new(lock));
        let (part, changed) = (String::new(), Arc::default());
        let commands = HostCommands::default();
        Self { store, lock, root, part, rule: None, next_step: None, commands, changed }
    }

    /// Keeps the skills that a rule includes, as a part with this name, so that each part of a lock
    /// file can be in a layer. The rule is requested at each call of the source, so a skill that is
    /// no longer included can no longer be read.
    #[must_use]
    pub fn part(self, name: &str, rule: impl Fn() -> PartRule + Send + Sync + 'static) -> Self {
        let root = format!("{}/{name}", self.root);
        Self { root, part: name.to_owned(), rule: Some(Arc::new(rule)), ..self }
    }

    /// Sets the next step for a package that is not there, such as where the host cannot reach its
    /// source. By default, and for `None`, it is that of [`Self::commands`].
    #[must_use]
    pub fn next_step(self, step: fn(&LockedSkill) -> Option<String>) -> Self {
        Self { next_step: Some(step), ..self }
    }

    /// Sets the words for what a person does in the host. By default, they name no command.
    #[must_use]
    pub fn commands(self, commands: HostCommands) -> Self {
        Self { commands, ..self }
    }

    fn lock_changed(&self) -> MutexGuard<'_, BTreeSet<Digest>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a skill belongs to this part, now.
    fn includes(&self) -> PartRule {
        match &self.rule {
            Some(rule) => rule(),
            None => Box::new(|_: &LockedSkill| true),
        }
    }

    fn skill(&self, package: &PackagePath) -> Result<LockedSkill, SourceError> {
        let lock = self.lock.load().map_err(|error| unavailable(&error))?;
        let skill = lock.skills.get(package.as_str()).filter(|skill| self.includes()(skill));
        skill.cloned().ok_or_else(|| {
            let message = format!("the skill `{package}` is not in the lock file");
            SourceError::new(SourceErrorKind::NotFound, message)
        })
    }

    /// Opens a package if its files are those that were installed: others are not what the user has
    /// accepted.
    fn intact(&self, package: &PackagePath) -> Result<Dir, SourceError> {
        let skill = self.skill(package)?;
        let opened = self.store.packages().and_then(|packages| packages.intact(&skill.tree));
        opened.map_err(|error| {
            let StoreError::Changed(_, files) = &error else { return unavailable(&error) };
            // The next scan looks at it again.
            self.lock_changed().insert(skill.tree);
            let sentence = changed(&quoted(package.as_str()), files);
            let message = format!("{sentence}; {}", self.step(&skill));
            SourceError::new(SourceErrorKind::Changed, message)
        })
    }

    /// Returns what a person does to have a package again.
    fn step(&self, skill: &LockedSkill) -> String {
        let step = self.next_step.and_then(|step| step(skill));
        step.unwrap_or_else(|| self.commands.install.clone().into_owned())
    }

    /// Reports the places where other sources find a package whose files are not the locked ones.
    fn report_altered(&self, id: &str, skill: &LockedSkill, sink: &mut dyn ScanSink) {
        let file = &self.lock.file;
        for place in &skill.places {
            let Some(found) = altered(file, &self.store, id, place, &skill.tree) else { continue };
            let path = file.path().with_file_name(&place.directory).join(id).join(found.file);
            let step = match &found.difference {
                Some(it) if it.is_addition() => "keep what was added, or delete it".to_owned(),
                Some(it) if it.is_unchanged() => self.commands.install.clone().into_owned(),
                _ => format!("keep it, or move it away and {}", self.commands.install),
            };
            let (code, severity) = (codes::PACKAGE_CHANGED, Severity::Warning);
            let problem = Diagnostic::new(code, severity, altered_copy(id, &found), step);
            sink.problem(problem.in_file(path.display().to_string()));
        }
    }

    /// Reports one package, or the reason why it cannot be used.
    fn report(
        &self,
        package: &str,
        skill: &LockedSkill,
        opened: Result<Dir, StoreError>,
        sink: &mut dyn ScanSink,
    ) {
        let (mut code, mut severity) = (codes::PACKAGE_MISSING, Severity::Error);
        let mut step = self.step(skill);
        let problem = match opened.and_then(|directory| skill_md(&directory)) {
            Ok((file, bytes)) => {
                let found = Found {
                    package,
                    file,
                    stamp: Some(stamp(&skill.tree)),
                    size: Some(bytes.len() as u64),
                    head: &bytes,
                    is_whole_file: true,
                };
                let answer = sink.found(found);
                debug_assert_eq!(answer, ReadFurther::No, "there is no more than the whole file");
                return;
            }
            Err(StoreError::Missing(_)) => {
                let lock = self.lock.file.path().display();
                let mut copy = "";
                if intact_copy(&self.lock.file, package, skill).is_some() {
                    // A clone has it, and needs no more: `sync` takes it from there.
                    step = self.commands.install.clone().into_owned();
                    (severity, copy) =
                        (Severity::Hint, "; the copy that the lock places is intact");
                }
                format!("`{package}` is in `{lock}` and is not installed on this machine{copy}")
            }
            Err(StoreError::Changed(_, files)) => {
                code = codes::PACKAGE_CHANGED;
                changed(&quoted(package), &files)
            }
            Err(error) => {
                code = error.code();
                format!("`{package}`: {error}")
            }
        };
        let path = format!("{}/{package}/{}", self.root, SKILL_MD_FILES[0]);
        let problem = Diagnostic::new(code, severity, problem, step);
        sink.problem(problem.in_file(path));
    }
}

fn altered_copy(id: &str, found: &Altered) -> String {
    let clause = found.difference.as_ref().map(Difference::clause).unwrap_or_default();
    let colon = if clause.is_empty() { "" } else { ": " };
    format!("this copy of {} is not what its lock file names{colon}{clause}", quoted(id))
}

/// Returns the name and the content of the `SKILL.md` of a package.
fn skill_md(directory: &Dir) -> Result<(&'static str, Vec<u8>), StoreError> {
    let [first, second] = SKILL_MD_FILES;
    match directory.read(first, MAX_BYTES) {
        Ok(bytes) => Ok((first, bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            directory.read(second, MAX_BYTES).map(|bytes| (second, bytes)).map_err(Into::into)
        }
        Err(error) => Err(error.into()),
    }
}

impl fmt::Debug for StoreSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("StoreSource");
        shown.field("store", &self.store).field("lock", &self.lock.file).field("part", &self.part);
        shown.finish_non_exhaustive()
    }
}

impl SkillSource for StoreSource {
    fn name(&self) -> &str {
        "store"
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn cache_key(&self) -> Option<String> {
        let store = self.store.root().display();
        let lock = self.lock.file.path().display();
        Some(format!("{store}:{lock}:{}", self.part))
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        self.skill(package).ok().map(|skill| skill.tree.to_string())
    }

    fn places(&self, directory: &str) -> bool {
        let file = &self.lock.file;
        self.lock.load().is_ok_and(|lock| {
            file.place_at(&lock, directory).is_some() || file.comes_from(&lock, directory)
        })
    }

    fn altered(&self, id: &str, directory: &str) -> Option<String> {
        let (lock, file) = (self.lock.load().ok()?, &self.lock.file);
        // A directory of another name takes the place of the skill, too.
        let id = file.place_at(&lock, directory).map_or(id, |(id, _)| id);
        let skill = lock.skills.get(id)?;
        let (place, path) = file.place_around(skill, directory)?;
        let found = altered(file, &self.store, &path, place, &skill.tree)?;
        Some(altered_copy(id, &found))
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let lock = self.lock.load().map_err(|error| unavailable(&error))?;
        let includes = self.includes();
        let packages = LazyCell::new(|| self.store.packages());
        for (id, skill) in lock.skills.iter().filter(|(_, skill)| includes(skill)) {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "the scan was cancelled"));
            }
            self.report_altered(id, skill, sink);
            let is_changed = self.lock_changed().remove(&skill.tree);
            if !is_changed && previous.stamp(id) == Some(stamp(&skill.tree)) {
                sink.unchanged(id);
            } else {
                let packages = packages.as_ref().map_err(Clone::clone);
                let opened = packages.and_then(|packages| packages.intact(&skill.tree));
                self.report(id, skill, opened, sink);
            }
        }
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let opened = self.store.open(&self.skill(package)?.tree);
        let directory = opened.map_err(|error| unavailable(&error))?;
        let walk = walk(&directory).map_err(|error| unreadable(&error))?;
        let mut listing = Listing { resources: Vec::new(), is_complete: walk.is_complete };
        for walked in &walk.found {
            if walked.kind != Kind::File || SKILL_MD_FILES.contains(&walked.path.as_str()) {
                continue;
            }
            if listing.resources.len() == most {
                listing.is_complete = false;
                break;
            }
            let file = directory.open_file(&walked.path, Links::Refuse);
            let file = file.map_err(|error| unreadable(&error))?;
            let path = ResourcePath::new(&walked.path)
                .map_err(|error| SourceError::new(SourceErrorKind::Escape, error.to_string()))?;
            listing.resources.push(Resource { path, bytes: file.stat().size });
        }
        Ok(listing)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let directory = self.intact(package)?;
        let file = directory.open_file(resource.as_str(), Links::Refuse);
        file.and_then(|file| file.read_whole(limit.0)).map_err(|error| unreadable(&error))
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        _cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        let found = stored_digests(&self.intact(package)?).map_err(|error| unavailable(&error))?;
        found.ok_or_else(|| {
            SourceError::new(SourceErrorKind::Changing, "the package is being changed")
        })
    }
}

/// Returns the stamp of a package: equal digests mean equal files.
fn stamp(tree: &Digest) -> Stamp {
    let [a, b, c, d, e, f, g, h, ..] = *tree.as_bytes();
    Stamp::exact(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

fn unavailable(error: &StoreError) -> SourceError {
    let kind = match error {
        StoreError::Missing(_) => SourceErrorKind::NotFound,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, error.to_string())
}

fn unreadable(error: &prowess_dir::Error) -> SourceError {
    let kind = match error.kind() {
        ErrorKind::NotFound => SourceErrorKind::NotFound,
        ErrorKind::Escape | ErrorKind::Link | ErrorKind::Loop => SourceErrorKind::Escape,
        ErrorKind::NotRegular | ErrorKind::NotADirectory => SourceErrorKind::NotRegular,
        ErrorKind::TooLarge => SourceErrorKind::TooLarge,
        ErrorKind::Denied => SourceErrorKind::Denied,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, error.to_string())
}
