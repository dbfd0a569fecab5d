//! `prowess trust`: lists and changes the trusted folders.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::state::{TrustError, TrustFile, TrustedFolder, TrustedState};
use prowess::{Clock, SystemClock};
use serde::Serialize;

use crate::args::Trust;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::paths;
use crate::terminal::plain;

/// The output of `trust --format json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Trusted(Folder),
    Revoked(Folder),
    Folders(Vec<Folder>),
}

#[derive(Serialize)]
struct Folder {
    path: PathBuf,
    since: String,
    state: TrustedState,
}

pub(crate) fn run(args: &Trust, output: &Output) -> Result<ExitCode, Failure> {
    let surroundings = paths::surroundings()?;
    let file = paths::trust_file(&surroundings).ok_or_else(without_home)?;
    let answer = match (&args.revoke, args.list) {
        (Some(path), _) => Answer::Revoked(folder(&file.revoke(path).map_err(refused)?)),
        (None, true) => list(&file)?,
        (None, false) => {
            let project = args.path.as_deref().or_else(|| surroundings.project());
            let trusted =
                file.trust(project.unwrap_or(Path::new(".")), SystemClock::default().now());
            Answer::Trusted(folder(&trusted.map_err(refused)?))
        }
    };
    output.result(&answer, text)?;
    Ok(ExitCode::SUCCESS)
}

fn list(file: &TrustFile) -> Result<Answer, Failure> {
    let trusted = file.load();
    match trusted.finding() {
        Some(finding) => Err(refused(TrustError::Invalid(Box::new(finding.clone())))),
        None => Ok(Answer::Folders(trusted.folders().iter().map(folder).collect())),
    }
}

fn folder(trusted: &TrustedFolder) -> Folder {
    Folder { path: trusted.path().into(), since: trusted.since(), state: trusted.state() }
}

fn without_home() -> Failure {
    let message =
        "the file of trusted directories cannot be located: the user has no home directory";
    Failure::new("state-directory-unknown", message, "set `HOME` or `XDG_STATE_HOME`")
}

fn refused(error: TrustError) -> Failure {
    let message = error.to_string();
    match error {
        TrustError::NoFolder(_) => {
            Failure::usage("folder-not-found", message, "name a directory that exists")
        }
        TrustError::NotUtf8(_) => Failure::new("path-not-utf8", message, "rename the directory"),
        TrustError::TooWide => {
            Failure::usage("folder-too-wide", message, "name the directory of one project")
        }
        TrustError::PartOf(_, above) => {
            let help = format!("run `prowess trust --revoke {}`", above.display());
            Failure::new("folder-not-trusted", message, help)
        }
        TrustError::NotTrusted(_) => {
            Failure::new("folder-not-trusted", message, "see `prowess trust --list`")
        }
        TrustError::Invalid(finding) => Failure::new(
            finding.code.as_str().to_owned(),
            format!("{message} ({})", finding.path.unwrap_or_default()),
            finding.help,
        ),
        _ => Failure::new(
            "trust-file-unwritable",
            message,
            "make the file and its directory writable for your user",
        ),
    }
}

fn text(answer: &Answer) -> String {
    let path = |folder: &Folder| plain(&folder.path.to_string_lossy()).into_owned();
    match answer {
        Answer::Trusted(folder) => format!("{HEADING}trusted{HEADING:#} {}\n", path(folder)),
        Answer::Revoked(folder) => {
            format!("{HEADING}no longer trusted{HEADING:#} {}\n", path(folder))
        }
        Answer::Folders(folders) if folders.is_empty() => {
            "no directory is trusted; run `prowess trust PATH` to trust one\n".to_owned()
        }
        Answer::Folders(folders) => folders.iter().fold(String::new(), |mut text, folder| {
            let remark = match folder.state {
                TrustedState::Trusted => "",
                TrustedState::Replaced => "  replaced by another directory, which is not trusted",
                TrustedState::Missing => "  no longer exists",
            };
            let since = &folder.since;
            let _ = writeln!(text, "{}  {DIM}since {since}{remark}{DIM:#}", path(folder));
            text
        }),
    }
}
