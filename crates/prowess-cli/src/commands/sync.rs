//! `prowess sync`: the skills of the lock file.

use std::process::ExitCode;

use prowess::RemoteErrorKind;
use prowess_store::{Checked, InstallError, RemoteState, Synced};

use crate::args::{LockWork, Sync};
use crate::commands::install::{
    EDITED, Line, NOTHING_INSTALLED, OTHER_BYTES, UNTRUSTED, agents_md, explain, place_lines,
    print_or,
};
use crate::commands::lock;
use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::interrupt::cancelling;
use crate::output::Output;

/// Runs the command: installs, unless an option names other work on the lock file.
pub(crate) fn run(args: &Sync, output: &Output) -> Result<ExitCode, Failure> {
    let Sync { work, signer, options, .. } = args;
    match work {
        LockWork { import: Some(file), .. } => lock::import(file, signer, options, output),
        LockWork { export: true, .. } => lock::export(options, output),
        LockWork { quarantine: true, .. } => lock::quarantined(output),
        LockWork { release: Some(names), .. } => lock::release(names, output),
        _ => install(args, output),
    }
}

fn install(args: &Sync, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
    output.diagnostics(&place.lock.file.findings());
    if args.frozen || args.check {
        place.lock.require(&args.options, args.frozen)?;
    }
    if args.check {
        return check(&place, output);
    }
    agents_md::check(&place.lock, false)?;
    let synced = cancelling(|cancel| place.installer().sync(cancel))?;
    let has_other = synced.values().any(|state| matches!(state, Synced::Quarantined(_)));
    let mut unreachable = place.unreachable()?;
    unreachable.retain(|id, _| matches!(synced.get(id), Some(Synced::Failed(_))));
    if unreachable.len() == synced.len()
        && let Some((_, error)) = unreachable.pop_first()
    {
        return Err(error.into());
    }
    let failed: Vec<_> = synced.values().filter_map(failure).cloned().collect();
    let has_failed = failed.len() > unreachable.len();
    let is_part = failed.len() < synced.len();
    let has_other = has_other || !unreachable.is_empty();
    let mut lines: Vec<_> = synced.into_iter().map(synced_line).collect();
    explain(&mut lines, &unreachable);
    if place.lock.file.read()?.is_some() {
        lines.extend(place_lines(place.store.begin()?.restore_places(&place.lock.file)?));
    }
    let is_other = |line: &Line| line.state == UNTRUSTED || EDITED.contains(&line.state);
    let is_edited = lines.iter().any(is_other);
    print_or(lines, NOTHING_INSTALLED, Some(&place.lock), output)?;
    place.lock.remark_on_trust(&failed, output);
    if place.lock.is_trusted {
        agents_md::update(&place.lock, false)?;
    }
    Ok(match (has_other || is_edited, has_failed) {
        (true, _) => ExitCode::from(OTHER_BYTES),
        (false, true) if is_part => ExitCode::from(OTHER_BYTES),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
}

fn failure(synced: &Synced) -> Option<&InstallError> {
    if let Synced::Failed(error) = synced { Some(error) } else { None }
}

fn synced_line((id, synced): (String, Synced)) -> Line {
    let (state, detail) = match synced {
        Synced::Intact => ("intact", None),
        Synced::Installed => ("installed", None),
        Synced::Quarantined(artifact) => ("quarantined", Some(artifact.to_string())),
        Synced::Failed(error) => ("failed", Some(error.to_string())),
    };
    Line { id, state, detail }
}

fn check(place: &InstallPlace, output: &Output) -> Result<ExitCode, Failure> {
    let (_, unreachable) = place.reachable(&[])?;
    let checked = cancelling(|cancel| place.installer().check(cancel))?;
    let mut lines: Vec<_> = checked.iter().map(|(id, checked)| checked_line(id, checked)).collect();
    explain(&mut lines, &unreachable);
    if !lines.is_empty() {
        lines.extend(place_lines(place.store.begin()?.check_places(&place.lock.file)?));
    }
    let is_same = lines.iter().all(|line| line.state == "intact");
    print_or(lines, NOTHING_INSTALLED, Some(&place.lock), output)?;
    place.lock.remark_on_trust(checked.values().filter_map(unavailable), output);
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) fn checked_line(id: &str, checked: &Checked) -> Line {
    let (state, detail) = match (&checked.stored, &checked.remote) {
        (Err(error), _) => ("damaged", Some(error.to_string())),
        (Ok(()), RemoteState::Same) => ("intact", None),
        (Ok(()), RemoteState::SameFiles) => {
            ("intact", Some("the source has another archive or revision of these files".to_owned()))
        }
        (Ok(()), RemoteState::Changed) => {
            ("changed", Some("the source has another version".to_owned()))
        }
        (Ok(()), RemoteState::WentBack(reasons)) => {
            ("changed", Some(format!("the source has another version: {}", reasons.join("; "))))
        }
        (Ok(()), RemoteState::Gone) => ("gone", Some("`prowess remove` takes it away".to_owned())),
        (Ok(()), RemoteState::Unavailable(error)) => (unchecked(error), Some(error.to_string())),
    };
    Line { id: id.to_owned(), state, detail }
}

/// Returns the reason why a source cannot be compared.
pub(crate) fn unavailable(checked: &Checked) -> Option<&InstallError> {
    if let RemoteState::Unavailable(error) = &checked.remote { Some(error) } else { None }
}

/// Returns the word for a source that cannot be compared.
fn unchecked(error: &InstallError) -> &'static str {
    use RemoteErrorKind::{Denied, NotFound, Unavailable, Unsupported};
    match error {
        InstallError::Remote(error) => match error.kind {
            Unavailable => "unreachable",
            Denied | Unsupported => "refused",
            NotFound => "gone",
            _ => "unreadable",
        },
        _ => "unreadable",
    }
}

/// Returns whether a state says that a source could not be compared.
pub(crate) fn is_unchecked(state: &str) -> bool {
    matches!(state, "unreachable" | "refused" | "unreadable")
}
