//! `prowess lock` and `prowess quarantine`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::Cancel;
use prowess_store::{ForeignLock, InstallError, LockFile, Merge, heal, merge, to_skills_lock};
use prowess_text::terminal_json;
use serde::Serialize;

use crate::args::{InstallOptions, LockCommand, Quarantine, SignerOption};
use crate::commands::install::{Line, added_line, print, print_or};
use crate::commands::publish::unwritable;
use crate::failure::Failure;
use crate::install_place::{InstallPlace, lock_file, store};
use crate::output::Output;
use crate::paths::absolute;

/// The output of `lock merge --format json`.
#[derive(Serialize)]
struct Merged {
    skills: usize,
    conflicts: Vec<String>,
}

pub(crate) fn lock(command: &LockCommand, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        LockCommand::Merge { files, lock } => merge_locks(files, lock.as_ref(), output),
        LockCommand::Import { file, signer, options } => import(file, signer, options, output),
        LockCommand::Export { lock } => {
            let text = to_skills_lock(&lock_file(lock.as_ref())?.load()?, &store()?)?;
            output.data(&terminal_json(&text))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Installs what the lock file of another tool names.
fn import(
    file: &Path,
    signer: &SignerOption,
    options: &InstallOptions,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let format = ForeignLock::of(&name).ok_or_else(|| {
        let names = ForeignLock::ALL.map(|format| format!("`{}`", format.file_name()));
        let message = format!("`{name}` is not the name of a lock file");
        Failure::usage("lock-invalid", message, format!("name a file {}", names.join(", ")))
    })?;
    let text = fs::read_to_string(file).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Failure::new("lock-invalid", message, "check the path")
    })?;
    let mut skills = format.read(&text).map_err(InstallError::from)?;
    let directory = absolute(file)?;
    for skill in &mut skills {
        if skill.source.starts_with('.') {
            let path = directory.with_file_name(&skill.source);
            skill.source = absolute(&path)?.to_string_lossy().into_owned();
        }
    }
    let place = InstallPlace::new(options)?.signed_by(signer)?;
    let added = place.installer().import(&skills, &Cancel::default())?;
    print(added.into_iter().map(added_line).collect(), output)?;
    Ok(ExitCode::SUCCESS)
}

fn merge_locks(
    files: &[PathBuf],
    lock: Option<&PathBuf>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let (target, merged) = match files {
        [base, ours, theirs] => {
            let [base, ours, theirs] = [base, ours, theirs].map(LockFile::new);
            let merged = merge(Some(&loaded(&base)?), &loaded(&ours)?, &loaded(&theirs)?);
            (ours, merged)
        }
        _ => {
            let file = lock_file(lock)?;
            let text = file.read()?.unwrap_or_default();
            let healed = heal(&text).map_err(InstallError::from)?;
            (file, healed)
        }
    };
    target.write(&merged.to_text())?;
    report(&merged, output)
}

/// Reads a version of a lock; git gives an empty file for one that does not exist.
fn loaded(file: &LockFile) -> Result<prowess_store::Lock, Failure> {
    let is_empty = file.read()?.is_none_or(|text| text.is_empty());
    if is_empty { Ok(prowess_store::Lock::default()) } else { Ok(file.load()?) }
}

fn report(merged: &Merge, output: &Output) -> Result<ExitCode, Failure> {
    let conflicts: Vec<_> = merged.conflicts.keys().cloned().collect();
    let is_merged = conflicts.is_empty();
    let answer = Merged { skills: merged.lock.skills.len(), conflicts };
    output.result(&answer, |answer| {
        let conflicts: Vec<_> =
            answer.conflicts.iter().map(|id| format!("conflict: {id}\n")).collect();
        conflicts.concat()
    })?;
    Ok(if is_merged { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) fn quarantine(command: &Quarantine, output: &Output) -> Result<ExitCode, Failure> {
    let store = store()?;
    let lines: Vec<_> = match command {
        Quarantine::List => {
            let line = |note: prowess_store::Quarantined| {
                let detail = format!("{} from {}", note.artifact, note.source);
                Line { id: note.id, state: "quarantined", detail: Some(detail) }
            };
            store.quarantined()?.into_iter().map(line).collect()
        }
        Quarantine::Release { digest, file } => {
            // Nothing is lost if the file cannot be created.
            let mut target =
                fs::File::create_new(file).map_err(|error| unwritable(file, &error))?;
            let (note, bytes) = store.begin()?.release(digest)?;
            std::io::Write::write_all(&mut target, &bytes)
                .map_err(|error| unwritable(file, &error))?;
            vec![Line { id: note.id, state: "released", detail: Some(file.display().to_string()) }]
        }
    };
    print_or(lines, "nothing is in quarantine", output)?;
    Ok(ExitCode::SUCCESS)
}
