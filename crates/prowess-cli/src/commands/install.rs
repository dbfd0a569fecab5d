//! `prowess add`, `remove` and `verify`, and the lines of every command that installs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use prowess::{Cancel, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::WrittenSource;
use prowess_store::{Added, PlaceForm};
use prowess_text::enumerated;
use serde::Serialize;

use super::placement;
use crate::args::{Add, InstallOptions, Remove};
use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::output::{DIM, ID, Output};
use crate::paths::absolute;
use crate::terminal::{plain, width};

/// What to do about skills in some states.
const NEXT_STEPS: [(&str, &str); 3] = [
    ("damaged", "`prowess sync` installs damaged packages again"),
    ("changed", "`prowess update --preview` shows what the new version changes"),
    ("quarantined", "`prowess sync --release` writes other bytes to a file, to look at them"),
];

/// The remark of a command that has no skill to report.
pub(crate) const NOTHING_INSTALLED: &str = "no skill is installed";

/// One skill with what was done or found.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

/// The output with `--format json`.
#[derive(Serialize)]
struct Lines {
    skills: Vec<Line>,
}

pub(crate) fn add(args: &Add, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
    let mut request = request(&args.source)?;
    InstallPlace::check_source(&request.source)?;
    if args.reference.is_some() {
        request.reference.clone_from(&args.reference);
    }
    let added = place.installer().add(&request, &args.names, &Cancel::default())?;
    if let Some(form) = form(args) {
        placement::place(&place, &added, args.into.as_deref(), form)?;
    }
    print(added.into_iter().map(added_line).collect(), output)?;
    Ok(ExitCode::SUCCESS)
}

fn form(args: &Add) -> Option<PlaceForm> {
    let copy = args.copy.then_some(PlaceForm::Copy);
    args.link.then_some(PlaceForm::Link).or(copy)
}

pub(crate) fn added_line(added: Added) -> Line {
    let facts: Vec<_> = added.skill.surface.into_iter().collect();
    let state = if added.was_installed { "unchanged" } else { "added" };
    let mut signer = added.skill.signer;
    if !added.unverified.is_empty() {
        let kinds = enumerated(added.unverified.iter().map(String::as_str), "and");
        signer = format!("{signer} (not verified: {kinds})");
    }
    let detail = if facts.is_empty() { signer } else { format!("{signer}; {}", facts.join(", ")) };
    Line { id: added.id, state, detail: Some(detail) }
}

/// Returns the request for a source as the lock file has it: a path does not depend on the working
/// directory.
pub(crate) fn request(written: &str) -> Result<RemoteRequest, Failure> {
    match WrittenSource::read(written) {
        WrittenSource::Path(path) => Ok(RemoteRequest::latest(absolute_text(&path)?)),
        WrittenSource::Short(_) if Path::new(written).exists() => {
            let message = format!("`{written}` is a path here, and may be a repository");
            let help = format!("write `./{written}` for the path or `github:{written}`");
            Err(Failure::new(RemoteErrorKind::Unsupported.as_str(), message, help))
        }
        WrittenSource::Short(request) | WrittenSource::Remote(request) => Ok(request),
    }
}

fn absolute_text(path: &str) -> Result<String, Failure> {
    Ok(absolute(Path::new(path))?.to_string_lossy().into_owned())
}

pub(crate) fn remove(args: &Remove, output: &Output) -> Result<ExitCode, Failure> {
    InstallPlace::new(&args.options)?.installer().remove(&args.ids)?;
    let line = |id: &String| Line { id: id.clone(), state: "removed", detail: None };
    print(args.ids.iter().map(line).collect(), output)?;
    Ok(ExitCode::SUCCESS)
}

/// Compares each package with the lock file, without the network.
pub(crate) fn verify(options: &InstallOptions, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(options)?;
    let mut is_intact = true;
    let lines = place.lock.load()?.skills.into_iter().map(|(id, skill)| {
        let found = place.store.verify(&skill.tree);
        is_intact &= found.is_ok();
        let state = if found.is_ok() { "intact" } else { "damaged" };
        Line { id, state, detail: found.err().map(|error| error.to_string()) }
    });
    print_or(lines.collect(), NOTHING_INSTALLED, output)?;
    Ok(if is_intact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints one line for each skill, or a remark if there are none.
pub(crate) fn print_or(skills: Vec<Line>, none: &str, output: &Output) -> Result<(), Failure> {
    if skills.is_empty() {
        output.remark(&format!("{none}\n"));
    }
    print(skills, output)
}

/// Prints one line for each skill, and the next step for some states.
pub(crate) fn print(skills: Vec<Line>, output: &Output) -> Result<(), Failure> {
    let lines = Lines { skills };
    output.result(&lines, lines_text)?;
    for (state, help) in NEXT_STEPS {
        if lines.skills.iter().any(|line| line.state == state) {
            output.remark(&format!("  {DIM}help:{DIM:#} {help}\n"));
        }
    }
    Ok(())
}

fn lines_text(lines: &Lines) -> String {
    let ids = lines.skills.iter().map(|line| width(&plain(&line.id))).max().unwrap_or(0);
    let mut text = String::new();
    for Line { id, state, detail } in &lines.skills {
        let id = plain(id);
        let _ = write!(text, "{state:11}  {ID}{id}{ID:#}");
        if let Some(detail) = detail {
            let gap = ids - width(&id) + 2;
            let _ = write!(text, "{:gap$}{DIM}{}{DIM:#}", "", plain(detail));
        }
        text.push('\n');
    }
    text
}
