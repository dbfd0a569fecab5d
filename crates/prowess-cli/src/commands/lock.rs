//! The options of `prowess sync` about lock files and the quarantine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::Cancel;
use prowess_store::{ForeignLock, InstallError, LockFile, Merge, heal, merge, to_skills_lock};
use prowess_text::terminal_json;
use serde::Serialize;

use crate::args::{InstallOptions, SignerOption};
use crate::commands::install::{Line, added_line, print, print_or};
use crate::commands::publish::unwritable;
use crate::failure::Failure;
use crate::install_place::{InstallPlace, lock_file, store};
use crate::output::Output;
use crate::paths::absolute;
use crate::terminal::plain;

/// The output of `sync --merge --format json`.
#[derive(Serialize)]
struct Merged {
    skills: usize,
    conflicts: Vec<String>,
}

/// Prints the installed skills as the lock file of another tool.
pub(crate) fn export(options: &InstallOptions, output: &Output) -> Result<ExitCode, Failure> {
    let text = to_skills_lock(&lock_file(options.lock.as_ref())?.load()?, &store()?)?;
    output.data(&terminal_json(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Installs what the lock file of another tool names.
pub(crate) fn import(
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
    skills.iter().try_for_each(|skill| InstallPlace::check_source(&skill.source))?;
    let place = InstallPlace::new(options)?.signed_by(signer)?;
    let added = place.installer().import(&skills, &Cancel::default())?;
    print(added.into_iter().map(added_line).collect(), output)?;
    Ok(ExitCode::SUCCESS)
}

/// Merges three versions of a lock file, or repairs one with conflict markers.
pub(crate) fn merge_locks(
    files: &[PathBuf],
    options: &InstallOptions,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let (target, merged) = match files {
        [base, ours, theirs] => {
            let [base, ours, theirs] = [base, ours, theirs].map(LockFile::new);
            let merged = merge(Some(&loaded(&base)?), &loaded(&ours)?, &loaded(&theirs)?);
            (ours, merged)
        }
        [] => {
            let file = lock_file(options.lock.as_ref())?;
            let text = file.read()?.unwrap_or_default();
            let healed = heal(&text).map_err(InstallError::from)?;
            (file, healed)
        }
        _ => {
            let message = "`--merge` takes three files, or none to repair a lock file";
            let help = "name the common version, ours and theirs";
            return Err(Failure::usage("lock-invalid", message, help));
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

/// Lists the artifacts in quarantine.
pub(crate) fn quarantined(output: &Output) -> Result<ExitCode, Failure> {
    let line = |note: prowess_store::Quarantined| {
        let detail = format!("{} from {}", note.artifact, note.source);
        Line { id: note.id, state: "quarantined", detail: Some(detail) }
    };
    let lines = store()?.quarantined()?.into_iter().map(line).collect();
    print_or(lines, "nothing is in quarantine", output)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes an artifact out of quarantine and writes it to a new file. `names` are its digest and the
/// file.
pub(crate) fn release(names: &[String], output: &Output) -> Result<ExitCode, Failure> {
    let [digest, file] = names else { return Err(not_a_digest("nothing")) };
    let digest = digest.parse().map_err(|_| not_a_digest(digest))?;
    let file = Path::new(file);
    // Nothing is lost if the file cannot be created.
    let mut target = fs::File::create_new(file).map_err(|error| unwritable(file, &error))?;
    let (note, bytes) = store()?.begin()?.release(&digest)?;
    std::io::Write::write_all(&mut target, &bytes).map_err(|error| unwritable(file, &error))?;
    let detail = Some(file.display().to_string());
    print(vec![Line { id: note.id, state: "released", detail }], output)?;
    Ok(ExitCode::SUCCESS)
}

fn not_a_digest(written: &str) -> Failure {
    let message = format!("`{}` is not the digest of an artifact", plain(written));
    Failure::usage("digest-invalid", message, "`prowess sync --quarantine` lists the artifacts")
}
