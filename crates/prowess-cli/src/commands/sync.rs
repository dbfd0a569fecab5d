//! `prowess sync`: the skills of the lock file.

use std::collections::BTreeMap;
use std::process::ExitCode;

use prowess::Cancel;
use prowess_store::{Checked, RemoteState, Synced};

use crate::args::{LockWork, Sync};
use crate::commands::install::{Line, NOTHING_INSTALLED, print_or};
use crate::commands::lock;
use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::output::Output;

/// The exit code of a sync that found other bytes than the locked ones.
const OTHER_BYTES: u8 = 3;

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
    let place = InstallPlace::new(&args.options)?;
    if args.frozen && place.lock.read()?.is_none() {
        let message = format!("there is no lock file `{}`", place.lock.path().display());
        return Err(Failure::new(
            "lock-invalid",
            message,
            "run `prowess add`, or name another one",
        ));
    }
    place.check_locked_sources()?;
    if args.check {
        return check(&place.installer().check(&Cancel::default())?, output);
    }
    let synced = place.installer().sync(&Cancel::default())?;
    let has_other = synced.values().any(|state| matches!(state, Synced::Quarantined(_)));
    let has_failed = synced.values().any(|state| matches!(state, Synced::Failed(_)));
    print_or(synced.into_iter().map(synced_line).collect(), NOTHING_INSTALLED, output)?;
    Ok(match (has_other, has_failed) {
        (true, _) => ExitCode::from(OTHER_BYTES),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
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

fn check(checked: &BTreeMap<String, Checked>, output: &Output) -> Result<ExitCode, Failure> {
    let lines: Vec<_> = checked.iter().map(|(id, checked)| checked_line(id, checked)).collect();
    let is_same = lines.iter().all(|line| line.state == "intact");
    print_or(lines, NOTHING_INSTALLED, output)?;
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
        (Ok(()), RemoteState::Gone) => ("gone", Some("the source has no such skill".to_owned())),
        (Ok(()), RemoteState::Unavailable(error)) => ("unavailable", Some(error.to_string())),
    };
    Line { id: id.to_owned(), state, detail }
}
