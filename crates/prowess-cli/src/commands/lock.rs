//! `prowess lock`, `prowess quarantine` and `prowess publish`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::{Cancel, Remote as _, RemoteRequest};
use prowess_archive::File;
use prowess_signature::SecretKey;
use prowess_source_remote::LocalRemote;
use prowess_store::{
    ForeignLock, InstallError, LockFile, Merge, heal, merge, publish as published, publish_signed,
    to_skills_lock,
};
use prowess_text::terminal_json;
use serde::Serialize;

use crate::args::{InstallOptions, LockCommand, Publish, Quarantine, SignerOption};
use crate::commands::install::{Line, added_line, print};
use crate::failure::Failure;
use crate::install_place::{InstallPlace, lock_file, store};
use crate::output::Output;
use crate::paths::absolute;

/// The maximum size of a published folder, in bytes: that of an archive that is read.
const MAX_BYTES: usize = 64 * 1024 * 1024;

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
    let lines = match command {
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
    print(lines, output)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn publish(args: &Publish, output: &Output) -> Result<ExitCode, Failure> {
    let folder = absolute(&args.folder)?.to_string_lossy().into_owned();
    let cancel = Cancel::default();
    let resolved = LocalRemote.resolve(&RemoteRequest::latest(folder), &cancel);
    let artifacts = resolved.map_err(InstallError::from)?;
    let mut lines = Vec::new();
    for artifact in &artifacts {
        let bytes = LocalRemote.fetch(artifact, MAX_BYTES, &cancel).map_err(InstallError::from)?;
        for file in files(&bytes, args.sign.as_deref())? {
            let path = args.site.join(&file.path);
            write(&path, &file.content)?;
            let detail = Some(path.display().to_string());
            lines.push(Line { id: file.path, state: "written", detail });
        }
    }
    print(lines, output)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the files of the site, signed if there is a key.
fn files(archive: &[u8], key: Option<&Path>) -> Result<Vec<File>, Failure> {
    let Some(path) = key else { return Ok(published(archive)?) };
    let invalid = |reason: String| {
        let help = "name the file written by `minisign -G`";
        let message = format!("`{}` cannot sign: {reason}", path.display());
        Failure::new("signer-invalid", message, help)
    };
    let text = fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    let key = SecretKey::parse(&text).map_err(|error| invalid(error.to_string()))?;
    // The trusted comment says what was signed, and no time: equal packages give equal comments.
    Ok(publish_signed(archive, key.public_key(), &|name, bytes| key.sign(bytes, name))?)
}

fn write(path: &PathBuf, content: &[u8]) -> Result<(), Failure> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(parent).and_then(|()| fs::write(path, content));
    written.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Failure::new("output-failed", message, "check the folder and its permissions")
}
