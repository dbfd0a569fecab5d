//! The output of the reference tool `skills-ref`, byte for byte, with its exit codes.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use prowess::prompt::{SkillEntry, reference_available_skills};
use prowess_lint::reference::{Crash, Error, Properties, file_not_found, not_a_directory};

use crate::failure::Failure;
use crate::output::Output;
use crate::package::{Package, directory_of};

pub(crate) fn validate(paths: &[PathBuf], output: &Output) -> Result<ExitCode, Failure> {
    let mut is_valid = true;
    for path in paths {
        let shown = shown(path);
        let messages = messages(path)?;
        if messages.is_empty() {
            output.data(&format!("Valid skill: {shown}\n"))?;
            continue;
        }
        is_valid = false;
        let lines: String = messages.iter().map(|message| format!("  - {message}\n")).collect();
        output.error_text(&format!("Validation failed for {shown}:\n{lines}"));
    }
    Ok(ExitCode::from(u8::from(!is_valid)))
}

pub(crate) fn read_properties(path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    match properties(path) {
        Ok((properties, _)) => output.data(&(properties.to_json() + "\n"))?,
        Err(error) => return refused(error, output),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn to_prompt(paths: &[PathBuf], output: &Output) -> Result<ExitCode, Failure> {
    let mut entries = Vec::new();
    for path in paths {
        match properties(path) {
            Ok((Properties { name, description, .. }, package)) => {
                let directory = package.directory.canonicalize().unwrap_or(package.directory);
                let location = directory.join(package.file).to_string_lossy().into_owned();
                let name = name.into();
                let description = description.into();
                entries.push(SkillEntry { name, description, location: Some(location.into()) });
            }
            Err(error) => return refused(error, output),
        }
    }
    output.data(&(reference_available_skills(entries) + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The reason why there are no properties: the tool's message, or an error without one.
enum Refused {
    Message(String),
    Failure(Failure),
}

fn refused(refused: Refused, output: &Output) -> Result<ExitCode, Failure> {
    match refused {
        Refused::Message(message) => {
            output.error_text(&format!("Error: {message}\n"));
            Ok(ExitCode::FAILURE)
        }
        Refused::Failure(failure) => Err(failure),
    }
}

fn properties(path: &Path) -> Result<(Properties, Package), Refused> {
    let package = Package::read(path).map_err(|failure| match failure.code.as_str() {
        "skill-md-missing" => Refused::Message(file_not_found(&shown(path))),
        _ => Refused::Failure(failure),
    })?;
    match prowess_lint::reference::read_properties(&package.text) {
        Ok(properties) => Ok((properties, package)),
        Err(Error::Message(message)) => Err(Refused::Message(message)),
        Err(Error::Crash(crash)) => Err(Refused::Failure(crashed(&crash))),
    }
}

fn messages(path: &Path) -> Result<Vec<String>, Failure> {
    let package = match Package::read(path) {
        Ok(package) => package,
        Err(failure) => {
            return match failure.code.as_str() {
                "skill-md-missing" => Ok(vec![prowess_lint::reference::MISSING_FILE.to_owned()]),
                "root-not-a-directory" => Ok(vec![not_a_directory(&shown(path))]),
                _ => Err(failure),
            };
        }
    };
    prowess_lint::reference::validate(&package.text, &package.name).map_err(|crash| crashed(&crash))
}

/// Returns a failure with a code where the reference tool ends with a traceback.
fn crashed(crash: &Crash) -> Failure {
    let help = "see `prowess validate --profile spec` for what is wrong with the file";
    Failure::new("skills-ref-crash", crash.to_string(), help)
}

/// Returns a path as the reference tool shows it: without `.` parts and trailing slashes.
fn shown(path: &Path) -> String {
    let directory = directory_of(path);
    let parts = directory.components().filter(|part| *part != Component::CurDir);
    let plain: PathBuf = parts.collect();
    if plain.as_os_str().is_empty() { ".".to_owned() } else { plain.to_string_lossy().into_owned() }
}
