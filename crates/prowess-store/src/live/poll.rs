//! One look at the versions of remote sources.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::{Cancel, Diagnostic, RemoteArtifact, RemoteRequest, Severity, Timestamp};
use prowess_dir::{Dir, Permissions};
use prowess_format::duration_text;

use super::LiveOptions;
use crate::candidate::{Candidate, Fetched, LeftOut, Wanted, fetch};
use crate::codes;
use crate::error::{InstallError, StoreError};
use crate::installer::{Installer, check_replacement};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;
use crate::signers::{Signatures, check_signer};
use crate::store::Store;
use crate::update::Growth;

/// The file with the time at which each source was last read, next to the packages.
const READ: &str = "read.toml";
const TEMPORARY: &str = ".read.tmp";

/// The maximum size of that file, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The result of a poll.
#[derive(Default)]
pub(crate) struct Polled {
    /// Whether a skill was added, replaced or removed.
    pub(crate) has_changed: bool,
    /// The reasons why skills are not the newest ones.
    pub(crate) reports: Vec<Diagnostic>,
    /// The reason why there is no skill at all.
    pub(crate) failure: Option<String>,
}

/// The times at which sources were last read, in milliseconds, by source.
type Times = BTreeMap<String, u64>;

/// Installs the newest versions of each source, as far as they may replace the installed ones.
pub(crate) fn poll(
    installer: &Installer<'_>,
    options: &LiveOptions,
    now: Timestamp,
    cancel: &Cancel,
) -> Polled {
    let mut polled = Polled::default();
    let mut times = read_times(installer.store);
    let mut failures = Vec::new();
    for source in &options.sources {
        match follow(installer, options.growth, source, &mut polled, cancel) {
            Ok(()) => drop(times.insert(source.clone(), now.0)),
            Err(error) => {
                polled.reports.push(stale(source, times.get(source), now, &error));
                failures.push(error.to_string());
            }
        }
    }
    if let Err(error) = write_times(installer.store, &times) {
        failures.push(error.to_string());
    }
    let has_skills = installer.lock.load().is_ok_and(|lock| !lock.skills.is_empty());
    polled.failure = failures.into_iter().next().filter(|_| !has_skills);
    polled
}

/// Installs the newest versions of one source.
fn follow(
    installer: &Installer<'_>,
    growth: Growth,
    source: &str,
    polled: &mut Polled,
    cancel: &Cancel,
) -> Result<(), InstallError> {
    let request = RemoteRequest::latest(source);
    let artifacts = installer.remote.resolve(&request, cancel)?;
    let lock = installer.lock.load()?;
    let new = artifacts.iter();
    let new = new.filter(|artifact| !is_installed(installer.store, &lock, source, artifact));
    let new: Vec<_> = new.collect();
    // An artifact without a name has to be fetched to know what is in it.
    let names: Option<Vec<_>> = new.iter().map(|artifact| artifact.name.clone()).collect();
    let signatures = Signatures::known(installer.signers, &lock);
    let Fetched { mut candidates, left_out, found, .. } = match names {
        Some(names) if names.is_empty() => Fetched::default(),
        names => {
            let names = names.unwrap_or_default();
            fetch(installer.remote, &request, Wanted::Named(&names), &signatures, &lock, cancel)?
        }
    };
    let gone = gone(&lock, source, &artifacts, &found, &left_out);
    for LeftOut { name, error } in &left_out {
        polled.reports.push(kept(name, error));
    }
    installer.find_steps_back(&mut candidates, &lock, cancel);
    let mut accepted = Vec::new();
    for candidate in candidates {
        let known = lock.skills.get(&candidate.id);
        match check(installer, growth, &candidate, known) {
            Ok(()) => accepted.push(candidate),
            Err(error) => polled.reports.push(kept(&candidate.id, &error)),
        }
    }
    if !accepted.is_empty() {
        installer.install(&mut accepted, &|candidate, known| {
            check(installer, growth, candidate, known)
        })?;
    }
    if !gone.is_empty() {
        installer.remove(&gone)?;
    }
    polled.has_changed |= !accepted.is_empty() || !gone.is_empty();
    Ok(())
}

/// Returns whether the skills of an artifact are installed.
fn is_installed(store: &Store, lock: &Lock, source: &str, artifact: &RemoteArtifact) -> bool {
    let mut installed = lock.skills.iter().filter(|(id, skill)| {
        let is_named = artifact.name.as_ref().is_none_or(|name| name == *id);
        let is_same = artifact.digest == Some(skill.artifact)
            || artifact.revision.as_ref() == Some(&skill.revision);
        is_named && skill.source == source && is_same
    });
    installed.clone().next().is_some()
        && installed.all(|(_, skill)| store.open(&skill.tree).is_ok())
}

/// Returns the installed skills that the source no longer has.
fn gone(
    lock: &Lock,
    source: &str,
    artifacts: &[RemoteArtifact],
    found: &BTreeMap<String, String>,
    left_out: &[LeftOut],
) -> Vec<String> {
    let named = artifacts.iter().filter_map(|artifact| artifact.name.as_ref());
    let present: BTreeSet<_> = named.chain(found.keys()).collect();
    // A skill that cannot be read any more is not gone.
    let broken: BTreeSet<_> = left_out.iter().map(|left_out| &left_out.name).collect();
    let served: BTreeSet<_> = artifacts.iter().filter_map(|artifact| artifact.digest).collect();
    let gone = lock.skills.iter().filter(|(id, skill)| {
        let is_broken =
            broken.contains(id) || skill.path.as_ref().is_some_and(|it| broken.contains(it));
        let is_there = present.contains(id) || served.contains(&skill.artifact) || is_broken;
        skill.source == source && !is_there
    });
    gone.map(|(id, _)| id.clone()).collect()
}

fn check(
    installer: &Installer<'_>,
    growth: Growth,
    candidate: &Candidate,
    known: Option<&LockedSkill>,
) -> Result<(), InstallError> {
    check_signer(&candidate.id, &candidate.skill, known, installer.signers)?;
    match (known.map(|known| check_replacement(candidate, known)), growth) {
        (
            Some(Err(InstallError::SurfaceGrown { .. } | InstallError::StepBack { .. })),
            Growth::Accept,
        )
        | (None, _) => Ok(()),
        (Some(checked), _) => checked,
    }
}

/// Reports a source that cannot be used, with the age of what is installed from it.
fn stale(source: &str, read: Option<&u64>, now: Timestamp, error: &InstallError) -> Diagnostic {
    let source = prowess_text::quoted(source);
    let age = match read {
        Some(read) => format!("was last read {} ago", duration_text(now.since(Timestamp(*read)))),
        None => "was never read".to_owned(),
    };
    let problem = format!("{source} {age}, and cannot be read now: {error}");
    let help = "what was read last keeps working; check the network and the source";
    Diagnostic::new(codes::SOURCE_STALE, Severity::Warning, problem, help)
}

/// Reports a new version that does not replace the installed one.
fn kept(id: &str, error: &InstallError) -> Diagnostic {
    let problem = format!("the new version of {} is not used: {error}", prowess_text::quoted(id));
    let help = "look at it; if you accept it, change `growth` or `signer` in the configuration";
    Diagnostic::new(error.code(), Severity::Warning, problem, help)
}

/// Returns the times of earlier polls, also of other processes. A damaged file has none.
fn read_times(store: &Store) -> Times {
    let read = Dir::open(store.root()).and_then(|root| root.read(READ, MAX_BYTES));
    let text = read.unwrap_or_default();
    toml::from_str(&String::from_utf8_lossy(&text)).unwrap_or_default()
}

fn write_times(store: &Store, times: &Times) -> Result<(), StoreError> {
    let change = store.begin()?;
    let text = toml::to_string(times).map_err(|error| StoreError::Unusable(error.to_string()))?;
    Ok(change.root.put_file(READ, TEMPORARY, text.as_bytes(), Permissions::Private)?)
}
