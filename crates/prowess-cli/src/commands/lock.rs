//! The options of `prowess sync` about lock files and the quarantine.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use prowess_source_remote::LocalSource;
use prowess_store::{Addition, ForeignLock, InstallError, LeftOut, StoreError, to_skills_lock};
use prowess_text::{quoted, terminal_json};

use crate::args::{InstallOptions, SignerOption};
use crate::commands::install::{Line, added_line, help, print, print_addition, print_or};
use crate::commands::publish::unwritable;
use crate::failure::Failure;
use crate::install_place::{InstallPlace, store, unreachable};
use crate::interrupt::cancelling;
use crate::lock_place::LockPlace;
use crate::named_file;
use crate::output::Output;
use crate::paths::absolute;
use crate::terminal::plain;

/// Prints the installed skills as the lock file of another tool.
pub(crate) fn export(options: &InstallOptions, output: &Output) -> Result<ExitCode, Failure> {
    let text = to_skills_lock(&LockPlace::of(options)?.file.load()?, &store()?)?;
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
    let format = ForeignLock::from_code(&name).ok_or_else(|| {
        let names = ForeignLock::ALL.map(|format| format!("`{}`", format.as_str()));
        let message = format!("`{name}` is not the name of a lock file");
        Failure::usage("lock-invalid", message, format!("name a file {}", names.join(", ")))
    })?;
    let text = named_file::text(file).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", file.display());
        Failure::new("lock-invalid", message, "check the path")
    })?;
    let mut read = format.read(&text).map_err(StoreError::from)?;
    let names = read.skills.iter().map(|it| it.name.as_ref().unwrap_or(&it.source));
    let names: Vec<_> = names.chain(read.left_out.iter().map(|it| &it.name)).cloned().collect();
    // A failure of the only line stands for the whole command.
    let named = |error: InstallError| match (&names[..], Failure::from(error)) {
        ([name], failure) => {
            let message = format!("{}: {}", quoted(name), failure.message);
            Failure { message, ..failure }
        }
        (_, failure) => failure,
    };
    let directory = absolute(file)?;
    for skill in &mut read.skills {
        if skill.source.starts_with('.') {
            let path = directory.with_file_name(&skill.source);
            skill.source = absolute(&path)?.to_string_lossy().into_owned();
        }
    }
    let mut others = Vec::new();
    read.skills.retain(|skill| match unreachable(&skill.source) {
        Some(error) => {
            let name = skill.name.as_ref().unwrap_or(&skill.source).clone();
            others.push(LeftOut { name, error });
            false
        }
        None => true,
    });
    read.left_out.extend(others);
    let place = InstallPlace::to_add(options)?.signed_by(signer)?;
    if place.lock.folder.is_some() {
        for skill in &mut read.skills {
            let local = LocalSource::read(&skill.source);
            let relative = local.map(|local| local.relative_to(place.lock.directory()));
            skill.source = relative.unwrap_or_else(|| std::mem::take(&mut skill.source));
        }
    }
    let imported = cancelling(|cancel| place.installer().import(&read, cancel));
    let Addition { added, left_out } = imported.map_err(named)?;
    let lines = added.into_iter().map(|it| added_line(it, output)).collect();
    print_addition(lines, left_out, |error| help(error, ""), Some(&place.lock), output)
}

/// Lists the artifacts in quarantine.
pub(crate) fn quarantined(output: &Output) -> Result<ExitCode, Failure> {
    print_or(in_quarantine()?, "nothing is in quarantine", None, output)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a line for each artifact in quarantine.
pub(crate) fn in_quarantine() -> Result<Vec<Line>, Failure> {
    let line = |note: prowess_store::Quarantined| {
        let detail = format!("{} from {}", note.artifact, note.source);
        Line { id: note.id, state: "quarantined", detail: Some(detail) }
    };
    Ok(store()?.quarantined()?.into_iter().map(line).collect())
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
    print(vec![Line { id: note.id, state: "released", detail }], None, output)?;
    Ok(ExitCode::SUCCESS)
}

fn not_a_digest(written: &str) -> Failure {
    let message = format!("`{}` is not the digest of an artifact", plain(written));
    Failure::usage("digest-invalid", message, "`prowess sync --quarantine` lists the artifacts")
}
