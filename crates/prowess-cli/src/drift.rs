//! Facts about dependencies of skills: the history of files, the versions of programs and skills,
//! and pages. Nothing of a skill is executed, and programs are asked for trusted skills alone.

mod files;
mod git;
mod page;

use std::collections::{BTreeSet, HashMap};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use prowess::format::SkillName;
use prowess::lint::codes::{
    DEPENDENCY_INVALID, DEPENDENCY_MISSING, DEPENDENCY_VERSION, SKILL_STALE,
};
use prowess::lint::{Dependency, DependencyKind, Fact};
use prowess::script::ScriptPolicy;
use prowess::state::TrustedFolders;
use prowess::{
    Caller, Catalog, Code, Diagnostic, FolderAnswer, FolderTrust as _, Runtime, Severity,
};

use crate::bounded::Started;
use crate::features;
use crate::output::counted;
use git::{Removed, Repository};

/// The code of dependencies that were not compared.
pub(crate) const DEPENDENCY_UNCHECKED: Code = Code::new("dependency-unchecked");

/// The codes of what has changed around a skill, or cannot be compared.
pub(crate) const CODES: [Code; 5] =
    [SKILL_STALE, DEPENDENCY_MISSING, DEPENDENCY_VERSION, DEPENDENCY_INVALID, DEPENDENCY_UNCHECKED];

/// For how long a program or a server may work on one answer.
const LIMIT: Duration = Duration::from_secs(5);

/// The most bytes of an answer that are read.
const MOST_BYTES: u64 = 64 * 1024;

/// The difference of the easternmost time of day on Earth and of UTC.
const AHEAD: Duration = Duration::from_secs(14 * 3600);

/// The skills and the policies of this machine.
pub(crate) struct Machine {
    /// The skills that a model may load.
    pub(crate) catalog: Arc<Catalog>,
    /// Whether the operator or the user trusts each of its sources.
    pub(crate) trusted: Vec<bool>,
    /// The folders that the user trusts, for skills that no source has.
    pub(crate) folders: Option<TrustedFolders>,
    /// Skills that are checked and need not be among them.
    pub(crate) checked: Vec<Arc<Catalog>>,
    /// The policy of the hosts that skills may reach.
    pub(crate) scripts: ScriptPolicy,
}

/// Returns the skills and the policies of this machine, once they are needed.
type Lazy<'c> = Box<dyn FnOnce() -> Option<Machine> + Send + 'c>;

/// Answers what a skill depends on. One value decides for `validate`, `doctor` and annotations what
/// may be looked at.
pub(crate) struct Facts<'c> {
    machine: LazyLock<Option<Machine>, Lazy<'c>>,
    answers: Mutex<HashMap<String, Answer>>,
    removed: Mutex<HashMap<PathBuf, Arc<Removed>>>,
    unchecked: Mutex<BTreeSet<(Unchecked, String)>>,
}

/// A kind of facts that were not looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unchecked {
    History,
    Program,
    Page,
}

/// The answer of a program or a server about itself.
#[derive(Clone, PartialEq, Eq)]
enum Answer {
    Nothing,
    Missing,
    /// A text with a version, or the time of the last change in seconds since 1970.
    Text(String),
}

impl<'c> Facts<'c> {
    pub(crate) fn new(machine: impl FnOnce() -> Option<Machine> + Send + 'c) -> Self {
        let machine: Lazy<'c> = Box::new(machine);
        Self {
            machine: LazyLock::new(machine),
            answers: Mutex::default(),
            removed: Mutex::default(),
            unchecked: Mutex::default(),
        }
    }

    /// Returns what is known of a dependency.
    pub(crate) fn of(&self, dependency: &Dependency<'_>) -> Option<Fact> {
        let package = Path::new(dependency.package);
        match dependency.kind {
            _ if !package.is_absolute() => None,
            DependencyKind::Files => {
                let found = match Repository::around(package) {
                    Some(repository) => repository.change(package, dependency),
                    None => files::change(files::project(package), package, dependency),
                };
                found.unwrap_or_else(|| self.leave(Unchecked::History, dependency.package))
            }
            DependencyKind::Mention => self.removed(package, dependency),
            DependencyKind::Skill => self.skill(package, dependency.name),
            DependencyKind::Command => {
                if !self.is_trusted(package) {
                    return self.leave(Unchecked::Program, dependency.name);
                }
                match self.answer(dependency.name, || version(dependency.name)) {
                    Answer::Missing => Some(Fact::Missing),
                    Answer::Text(text) => Some(Fact::Version(text)),
                    Answer::Nothing => Some(Fact::Version(String::new())),
                }
            }
            DependencyKind::Url => self.page(package, dependency),
            _ => None,
        }
    }

    /// Returns one finding for each kind of thing that was not looked at.
    pub(crate) fn unchecked(&self) -> Vec<Diagnostic> {
        let unchecked = lock(&self.unchecked);
        let finding = |kind: Unchecked| {
            let number = unchecked.iter().filter(|(it, _)| *it == kind).count();
            (number > 0).then(|| kind.finding(number))
        };
        [Unchecked::History, Unchecked::Program, Unchecked::Page]
            .into_iter()
            .filter_map(finding)
            .collect()
    }

    fn leave(&self, kind: Unchecked, name: &str) -> Option<Fact> {
        lock(&self.unchecked).insert((kind, name.to_owned()));
        None
    }

    fn answer(&self, name: &str, ask: impl FnOnce() -> Answer) -> Answer {
        lock(&self.answers).entry(name.to_owned()).or_insert_with(ask).clone()
    }

    /// Returns whether programs may be asked for a skill: its directory is one of a source that the
    /// operator or the user trusts, or it is in no source and in a folder that the user trusts.
    fn is_trusted(&self, package: &Path) -> bool {
        let Some(Machine { catalog, trusted, folders, .. }) = &*self.machine else { return false };
        let sources = catalog.sources().iter().zip(trusted);
        let around = sources.filter(|(source, _)| package.starts_with(source.source.root()));
        let nearest = around.max_by_key(|(source, _)| source.source.root().len());
        let in_folder = || {
            let answer = folders.as_ref().map(|folders| folders.answer(package));
            answer == Some(FolderAnswer::Trusted)
        };
        nearest.map_or_else(in_folder, |(_, is_trusted)| *is_trusted)
    }

    /// Returns what is known of another skill: of those that are checked too, or next to this one,
    /// or that a model may load.
    fn skill(&self, package: &Path, id: &str) -> Option<Fact> {
        let Machine { catalog, checked, .. } = self.machine.as_ref()?;
        let sibling = package.parent().filter(|_| SkillName::new(id).is_ok());
        let sibling = sibling.and_then(|above| {
            let built = Runtime::builder().tree("user", above.join(id)).build();
            built.ok().map(|runtime| runtime.catalog())
        });
        let beside = checked.iter().chain(&sibling).find_map(|catalog| catalog.get(id));
        let Some(found) = beside.or_else(|| catalog.find(id, Caller::Model).found()) else {
            return Some(Fact::Missing);
        };
        Some(Fact::Version(found.version().unwrap_or_default().to_owned()))
    }

    /// Returns when a file that the body names was removed, if its repository had it.
    fn removed(&self, package: &Path, dependency: &Dependency<'_>) -> Option<Fact> {
        let repository = Repository::around(package)?;
        let mut known = lock(&self.removed);
        let removed = known
            .entry(repository.root().to_owned())
            .or_insert_with(|| Arc::new(repository.removed()));
        let removed = Arc::clone(removed);
        drop(known);
        removed.find(repository.root(), package, dependency.name)
    }

    fn page(&self, package: &Path, dependency: &Dependency<'_>) -> Option<Fact> {
        let url = dependency.name;
        let is_trusted = self.is_trusted(package);
        let machine = self.machine.as_ref().filter(|_| is_trusted);
        let head = machine.and_then(|machine| page::head(url, &machine.scripts));
        let Some(head) = head else { return self.leave(Unchecked::Page, url) };
        let time = match self.answer(url, head) {
            Answer::Missing => return Some(Fact::Missing),
            Answer::Text(time) => time.parse().ok()?,
            Answer::Nothing => return None,
        };
        let since = day(SystemTime::UNIX_EPOCH + Duration::from_secs(time))?;
        let is_later = match dependency.verified {
            Some(verified) => *since > *verified,
            None => match Repository::around(package) {
                Some(repository) => time > repository.own_time(package)?,
                None => time > seconds(files::own_time(package)?),
            },
        };
        is_later.then(|| Fact::Changed { since, file: url.to_owned(), commit: None })
    }
}

impl Unchecked {
    fn finding(self, number: usize) -> Diagnostic {
        let (noun, reason, help) = match self {
            Self::History => (
                "skill",
                "the history of its repository is not here or cannot be read",
                "fetch the whole history, such as by `fetch-depth: 0` in a workflow".to_owned(),
            ),
            Self::Program => (
                "program",
                "programs are asked only for skills that you trust",
                "if you trust who wrote the skills, run `prowess trust` in their project"
                    .to_owned(),
            ),
            Self::Page if !features::is_on("remotes") => {
                ("URL", "requests need the feature `remotes`", features::install_step(&["remotes"]))
            }
            Self::Page => (
                "URL",
                "only granted hosts are asked, for skills that you trust",
                "name the hosts in `scripts.network`, if skills may reach them".to_owned(),
            ),
        };
        let message = format!("{} not compared: {reason}", counted(number, noun));
        Diagnostic::new(DEPENDENCY_UNCHECKED, Severity::Hint, message, help)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each entry is inserted as a whole, so a poisoned lock holds valid ones.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the latest day that it is anywhere now.
pub(crate) fn today() -> Option<String> {
    day(SystemTime::now() + AHEAD)
}

fn day(time: SystemTime) -> Option<String> {
    Some(jiff::Timestamp::try_from(time).ok()?.strftime("%Y-%m-%d").to_string())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns what a program prints about its version.
fn version(name: &str) -> Answer {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&places).filter(|place| place.is_absolute());
    let Some(program) = places.map(|place| place.join(name)).find(|path| path.is_file()) else {
        return Answer::Missing;
    };
    let printed = bounded(command(&program).arg("--version").current_dir("/"), MOST_BYTES);
    printed.map_or(Answer::Nothing, Answer::Text)
}

/// Returns a program with the variables that it needs to find itself and its settings.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C");
    for name in ["PATH", "HOME", "XDG_CONFIG_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command
}

/// Returns the output of a program that succeeds in time, or its start if there is very much. It is
/// started without a shell.
fn bounded(command: &mut Command, most: u64) -> Option<String> {
    let end = Instant::now() + LIMIT;
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut started = Started::start(command).ok()?;
    let output = started.0.stdout.take()?;
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(most).read_to_end(&mut bytes);
        let _ = send.send(read.map(|_| bytes));
    });
    let bytes = receive.recv_timeout(LIMIT).ok()?.ok()?;
    let is_whole = (bytes.len() as u64) < most;
    let is_good = !is_whole || started.wait(end, || true).ok()??.success();
    is_good.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
