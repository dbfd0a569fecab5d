//! Facts about what skills depend on: the history of files by git, and the versions of programs.
//!
//! Each program is started without a shell, in an environment of its own, for a few seconds.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use prowess::lint::codes::{DEPENDENCY_MISSING, DEPENDENCY_VERSION, SKILL_STALE};
use prowess::lint::{Dependency, DependencyKind, Fact};
use prowess::{Caller, Catalog, Code};

use crate::bounded::Started;

/// The codes of what has changed around a skill.
pub(crate) const CODES: [Code; 3] = [SKILL_STALE, DEPENDENCY_MISSING, DEPENDENCY_VERSION];

/// For how long a program may run.
const LIMIT: Duration = Duration::from_secs(5);

/// The most bytes of its output that are read.
const MOST_BYTES: u64 = 64 * 1024;

/// Settings of git by which the configuration of a repository starts no program and no transfer.
const SETTINGS: [&str; 10] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
];

/// Returns what became of files since the instructions of a package, for anyone's skills: nothing
/// of the package is executed.
pub(crate) fn of_files(dependency: &Dependency<'_>) -> Option<Fact> {
    let package = Path::new(dependency.package);
    let name = dependency.name;
    let is_below = !name.starts_with('/') && !name.split('/').any(|part| part == "..");
    if dependency.kind != DependencyKind::Files || !package.is_absolute() || !is_below {
        return None;
    }
    match package.ancestors().find(|above| above.join(".git").exists()) {
        Some(root) => by_git(root, package, dependency),
        None => {
            let root = std::env::current_dir().ok().filter(|root| package.starts_with(root))?;
            by_time(&root.join(name), package, dependency)
        }
    }
}

/// Returns the first commit with a change of the files that is not in the history of the
/// instructions, or is later than the day on which they were verified.
fn by_git(root: &Path, package: &Path, dependency: &Dependency<'_>) -> Option<Fact> {
    let own = package.strip_prefix(root).ok()?.to_str()?;
    // In a repository that is one skill, other files may be what it depends on.
    let own = if own.is_empty() { "SKILL.md" } else { own };
    let files = format!(":(top,glob){}", dependency.name);
    let others = format!(":(top,exclude,literal){own}");
    let range = match dependency.verified.filter(|day| is_day(day)) {
        Some(day) => vec![format!("--since={day}T23:59:59Z"), "HEAD".to_owned()],
        None => {
            let own = format!(":(top,literal){own}");
            let last = git(root, &["log", "-1", "--format=%H", "--", &own])?;
            // Instructions that are in no commit are newer than all.
            let last = last.trim();
            if last.is_empty() { Vec::new() } else { vec![format!("{last}..HEAD")] }
        }
    };
    if !range.is_empty() {
        let mut arguments = vec!["log", "--reverse", "--no-merges", "--name-only"];
        arguments.push("--format=%x01%cs%x09%h (%s)");
        arguments.extend(range.iter().map(String::as_str));
        arguments.extend(["--", &files, &others]);
        if let Some(changed) = git(root, &arguments)?.split('\u{1}').nth(1).and_then(commit) {
            return Some(changed);
        }
    }
    let is_there = root.join(dependency.name).exists();
    let is_there = is_there || !git(root, &["ls-files", "--", &files])?.is_empty();
    (!is_there).then_some(Fact::Missing)
}

/// Reads an entry of the log: the day, the commit, and the files.
fn commit(entry: &str) -> Option<Fact> {
    let mut lines = entry.lines().filter(|line| !line.is_empty());
    let (since, commit) = lines.next()?.split_once('\t')?;
    let (file, commit) = (lines.next()?.to_owned(), Some(commit.to_owned()));
    Some(Fact::Changed { since: since.to_owned(), file, commit })
}

/// Compares the times of a file and of the instructions, outside of a repository.
fn by_time(file: &Path, package: &Path, dependency: &Dependency<'_>) -> Option<Fact> {
    if dependency.name.contains(['*', '?', '[']) {
        return None;
    }
    let changed = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    let Some(time) = changed(file) else { return Some(Fact::Missing) };
    let since = day(time)?;
    let is_later = match dependency.verified.filter(|day| is_day(day)) {
        Some(verified) => *since > *verified,
        None => time > changed(&package.join("SKILL.md"))?,
    };
    let file = dependency.name.to_owned();
    is_later.then_some(Fact::Changed { since, file, commit: None })
}

fn day(time: SystemTime) -> Option<String> {
    Some(jiff::Timestamp::try_from(time).ok()?.strftime("%Y-%m-%d").to_string())
}

/// Returns whether a text has the form of `2026-03-01`.
fn is_day(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok() && text.len() == "2026-03-01".len()
}

/// Returns what is known of any dependency of a skill that the user trusts. Other skills are those
/// that a model may load.
pub(crate) fn of_trusted(dependency: &Dependency<'_>, catalog: &Catalog) -> Option<Fact> {
    match dependency.kind {
        DependencyKind::Command => of_command(dependency.name),
        DependencyKind::Skill => {
            let Some(found) = catalog.find(dependency.name, Caller::Model).found() else {
                return Some(Fact::Missing);
            };
            found.version().map(|version| Fact::Version(version.to_owned()))
        }
        _ => of_files(dependency),
    }
}

/// Returns what a program prints about its version.
fn of_command(name: &str) -> Option<Fact> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if name.is_empty() || name.starts_with(['-', '.']) || !name.chars().all(is_plain) {
        return None;
    }
    let places = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&places).filter(|place| place.is_absolute());
    let Some(program) = places.map(|place| place.join(name)).find(|path| path.is_file()) else {
        return Some(Fact::Missing);
    };
    bounded(command(&program).arg("--version").current_dir("/")).map(Fact::Version)
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = command(&PathBuf::from("git"));
    git.args(SETTINGS).args(arguments).current_dir(root);
    // A clone without all objects asks no server for the others.
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "").env("GIT_TERMINAL_PROMPT", "0");
    bounded(&mut git)
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

/// Returns the output of a program that succeeds in time, or its start if there is very much.
fn bounded(command: &mut Command) -> Option<String> {
    let end = Instant::now() + LIMIT;
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut started = Started::start(command).ok()?;
    let output = started.0.stdout.take()?;
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(MOST_BYTES).read_to_end(&mut bytes);
        let _ = send.send(read.map(|_| bytes));
    });
    let bytes = receive.recv_timeout(LIMIT).ok()?.ok()?;
    let is_whole = (bytes.len() as u64) < MOST_BYTES;
    let is_good = !is_whole || started.wait(end, || true).ok()??.success();
    is_good.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
