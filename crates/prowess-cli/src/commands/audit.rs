//! `prowess audit`: shows, checks and sums an audit log.

#[cfg(feature = "postgres")]
mod shared;
mod show;
mod stats;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::AuditLog;
use prowess_audit::{Head, Verified, VerifyError, verify, verify_against};
use prowess_text::counted;
use serde::Serialize;
use serde_json::json;

use crate::args::{Audit, AuditShow, Global};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::paths;
use crate::policies::policies;
use crate::store;
use crate::terminal::plain;

/// The output of `audit verify --format json`.
#[derive(Serialize)]
struct Answer {
    path: PathBuf,
    entries: u64,
    files: usize,
    head: String,
    torn_bytes: usize,
}

pub(crate) fn run(command: &Audit, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    if let Audit::Verify { store: Some(store), .. } = command {
        store::check(Some(store), "audit verify")?;
        #[cfg(feature = "postgres")]
        return shared::run(store, output);
    }
    let (Audit::Verify { file, .. } | Audit::Stats { file } | Audit::Show(AuditShow { file, .. })) =
        command;
    if file.is_none() && is_kept_and_empty(global, &located(file)?) {
        output.result(&nothing(), |_| "nothing is recorded yet\n".to_owned())?;
        return Ok(ExitCode::SUCCESS);
    }
    match command {
        Audit::Show(args) => show::run(args, &located(&args.file)?, output),
        Audit::Verify { head, file, .. } => check(head.as_ref(), &located(file)?, output),
        Audit::Stats { file } => stats::run(&located(file)?, output),
    }
}

/// Returns what a command prints of a log without entries.
fn nothing() -> serde_json::Value {
    json!({ "entries": 0 })
}

/// Returns what a command prints as JSON.
#[cfg(feature = "web")]
pub(crate) fn value(command: &Audit, global: &Global) -> Result<serde_json::Value, Failure> {
    let path = located(&None)?;
    if is_kept_and_empty(global, &path) {
        return Ok(nothing());
    }
    match command {
        Audit::Show(args) => crate::output::value(&show::part(args, &path)?),
        Audit::Verify { head, .. } => crate::output::value(&checked(head.as_ref(), &path)?),
        Audit::Stats { .. } => crate::output::value(&stats::sums(&path)?),
    }
}

/// Returns whether the configuration keeps a log, which has no entry yet.
fn is_kept_and_empty(global: &Global, path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        && policies(global).is_ok_and(|policies| policies.audit.log == AuditLog::Keep)
}

fn check(head: Option<&Head>, path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    let answer = checked(head, path)?;
    output.result(&answer, text)?;
    let torn_bytes = answer.torn_bytes;
    if torn_bytes > 0 {
        output.remark("the last entry is unfinished; the next program that writes removes it\n");
    }
    Ok(if torn_bytes == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn checked(head: Option<&Head>, path: &Path) -> Result<Answer, Failure> {
    let Verified { entries, files, head, torn_bytes } = verified(head, path)?;
    Ok(Answer { path: path.to_owned(), entries, files, head: head.to_string(), torn_bytes })
}

/// Reads a log, and compares it with a head that was kept.
pub(crate) fn verified(head: Option<&Head>, path: &Path) -> Result<Verified, Failure> {
    let verified = match head {
        Some(head) => verify_against(path, head),
        None => verify(path),
    };
    verified.map_err(|error| failure(path, &error))
}

/// Returns the file, by default the one of this user.
pub(crate) fn located(file: &Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(file) = file {
        return Ok(file.clone());
    }
    let home = paths::surroundings()?.state_home();
    let home = home.ok_or_else(|| {
        let message = "the audit log cannot be located: the user has no home directory";
        Failure::usage("state-directory-unknown", message, "name the file")
    })?;
    Ok(home.join("prowess/audit.jsonl"))
}

fn failure(path: &Path, error: &VerifyError) -> Failure {
    let message = error.to_string();
    match error {
        VerifyError::Unreadable(_, error) if error.kind() == ErrorKind::NotFound => Failure::new(
            "audit-log-unreadable",
            format!("there is no audit log at `{}`", path.display()),
            "set `audit: { log: keep }` in the configuration, or name the log of another host",
        ),
        VerifyError::Unreadable(..) => Failure::new(
            "audit-log-unreadable",
            message,
            format!("name the log that a host writes; `{}` is the default", path.display()),
        ),
        VerifyError::HeadMissing(_) => Failure::new(
            "audit-log-replaced",
            message,
            "compare it with a copy from before; what it says is not proven",
        ),
        _ => Failure::new(
            "audit-log-broken",
            message,
            "compare it with a copy from before; nothing from that line on is proven: `prowess \
             audit show` has a `?` there",
        ),
    }
}

fn text(answer: &Answer) -> String {
    let Answer { path, entries, files, head, .. } = answer;
    let path = path.to_string_lossy();
    format!(
        "{HEADING}verified{HEADING:#} {}: {} in {}\n{DIM}head {head}{DIM:#}\n",
        plain(&path),
        counted(*entries, "entry"),
        counted(*files, "file"),
    )
}
