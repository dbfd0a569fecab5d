//! `prowess new`: the first `SKILL.md` of a skill.

mod place;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::format::SkillName;
use prowess::format::write::{ScaffoldError, scaffold};
use prowess::governance::SkillPackage;
use prowess::{Clock as _, PackageFiles, SystemClock};
use prowess_store::Author;
use prowess_text::shell_path;
use serde::Serialize;

use crate::args::{Global, New};
use crate::commands::skill_change::Made;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::terminal::plain;
use crate::user::user;
use place::Place;

/// The placeholder for a description.
const DESCRIPTION: &str =
    "Says in one sentence what the skill does. Use when a request, a file or a word calls for it.";

#[derive(Serialize)]
struct Created {
    name: SkillName,
    path: PathBuf,
    next: Vec<String>,
}

pub(crate) fn run(global: &Global, args: &New, output: &Output) -> Result<ExitCode, Failure> {
    let refused = |error: ScaffoldError| refused(&error);
    let name = SkillName::new(&args.name).map_err(|error| refused(error.into()))?;
    let description = args.description.as_deref().unwrap_or(DESCRIPTION);
    let text = scaffold(name.as_str(), description).map_err(refused)?;
    let place = Place::of(global, args)?;
    let package = place.directory.join(name.as_str());
    let path = package.join("SKILL.md");
    let files = |package: &Path| SkillPackage::new(package).and_then(|it| it.files());
    let before = files(&package).unwrap_or_default();
    create(&package, &path, &text).map_err(|error| not_written(&path, &error))?;
    if let Err(Failure { message, help, .. }) = record(&package, &before) {
        let message = format!("warning: it is not in the history: {message}\n  help: {help}\n");
        output.remark(&message);
    }
    let mut next = Vec::new();
    if args.description.is_none() {
        next.push(format!("edit the description in {}", path.display()));
    }
    next.push(format!("prowess validate {}", shell_path(&package)));
    next.extend(place.next);
    output.result(&Created { name, path, next }, text_of)?;
    Ok(ExitCode::SUCCESS)
}

/// Records the first version of the skill in its history.
fn record(package: &Path, before: &PackageFiles) -> Result<(), Failure> {
    let package = &SkillPackage::new(package)?;
    let author = Author { by: user(), at: SystemClock::default().now() };
    let (after, action) = (&package.files()?, "created");
    let made = Made { package, before, after, author, action, reason: None, proposal: None };
    made.record().map(drop)
}

/// Creates the package and its file. A file that already exists is never changed, not even one that
/// another program creates at the same time.
fn create(package: &Path, path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(package)?;
    // On a case-insensitive file system, `create_new` finds `skill.md`; elsewhere the new file
    // would shadow it.
    if package.join("skill.md").symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // On a full disk, an empty file would stop the next try.
        let _ = fs::remove_file(path);
        let _ = fs::remove_dir(package);
    }
    written
}

fn refused(error: &ScaffoldError) -> Failure {
    match error {
        ScaffoldError::Invalid(found) => {
            Failure::usage(found.code.as_str(), found.message.as_str(), found.help.as_str())
        }
        ScaffoldError::Name(_) => Failure::usage(
            "name-invalid",
            error.to_string(),
            "use `a` to `z`, `0` to `9` and single hyphens between them: `pdf-forms`",
        ),
        _ => Failure::usage("skill-invalid", error.to_string(), "use a shorter, plainer text"),
    }
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        let message = format!("`{path}` already exists; nothing was written");
        return Failure::new("skill-exists", message, "choose another name, or edit that file");
    }
    let help = "free some space, or choose another place with `--directory`";
    Failure::new("output-failed", format!("`{path}` could not be written: {error}"), help)
}

fn text_of(created: &Created) -> String {
    let path = plain(&created.path.display().to_string()).into_owned();
    let mut text = format!("Created {ID}{path}{ID:#}\n");
    for step in &created.next {
        text += &format!("  {DIM}next:{DIM:#} {}\n", plain(step));
    }
    text
}
