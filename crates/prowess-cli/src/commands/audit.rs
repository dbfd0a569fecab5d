//! `prowess audit`: shows, checks and sums an audit log.

#[cfg(feature = "web")]
mod kept;
#[cfg(feature = "postgres")]
mod shared;
mod show;
mod stats;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::AuditLog;
#[cfg(feature = "web")]
use prowess::Timestamp;
use prowess_audit::{Head, Verified, VerifyError, verify, verify_against};
use prowess_text::counted;
use serde::Serialize;
use serde_json::json;

use crate::args::{Audit, AuditShow, Global, KeptHead};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::paths;
use crate::policies::policies;
use crate::store;
use crate::terminal::plain;

#[cfg(feature = "web")]
pub(crate) use kept::{Kept, LOG_BEING_READ};

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
    if let Some(store) = command.store() {
        store::check(Some(store), "audit")?;
        #[cfg(feature = "postgres")]
        return shared::run(command, store, output);
    }
    let (Audit::Verify { file, .. }
    | Audit::Stats { file, .. }
    | Audit::Show(AuditShow { file, .. })) = command
    else {
        unreachable!("sessions are in a database");
    };
    if file.is_none() && is_kept_and_empty(global, &located(file)?) {
        output.result(&nothing(), |_| "nothing is recorded yet\n".to_owned())?;
        return Ok(ExitCode::SUCCESS);
    }
    match command {
        Audit::Show(args) => show::run(args, &located(&args.file)?, output),
        Audit::Verify { head, file, .. } => check(kept(head)?, &located(file)?, output),
        _ => stats::run(&located(file)?, output),
    }
}

/// Returns the head that was kept of a log in a file.
fn kept(heads: &[KeptHead]) -> Result<Option<&Head>, Failure> {
    match heads {
        [] => Ok(None),
        [KeptHead { host: None, head }] => Ok(Some(head)),
        _ => Err(Failure::usage(
            "usage",
            "a log in a file has one `--head`, without a host",
            "add `--store`, or name one head",
        )),
    }
}

/// Returns what a command prints of a log without entries.
fn nothing() -> serde_json::Value {
    json!({ "entries": 0 })
}

/// Returns what a command prints of this user's log as JSON, and the time at which a log that is
/// kept was read.
#[cfg(feature = "web")]
pub(crate) fn value(
    command: &Audit,
    global: &Global,
    log: &Kept,
) -> Result<(serde_json::Value, Option<Timestamp>), Failure> {
    use crate::output::value;

    let path = log.path();
    if is_kept_and_empty(global, path) {
        return Ok((nothing(), None));
    }
    match command {
        Audit::Show(args) if args.session.is_some() => {
            log.read(|index| value(&show::of_session(args, path, index)?))
        }
        Audit::Show(args) => Ok((value(&show::part(args, path)?)?, None)),
        Audit::Verify { .. } => log.read(|index| {
            let verified = index.verified().map_err(|error| failure(path, &error))?;
            value(&Answer::new(&verified, path))
        }),
        Audit::Stats { .. } | Audit::Sessions { .. } => {
            log.read(|index| value(&index.statistics().map_err(|error| failure(path, &error))?))
        }
    }
}

/// Returns whether the configuration keeps a log, which has no entry yet.
fn is_kept_and_empty(global: &Global, path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        && policies(global).is_ok_and(|policies| policies.audit.log == AuditLog::Keep)
}

fn check(head: Option<&Head>, path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    let answer = Answer::new(&verified(head, path)?, path);
    output.result(&answer, text)?;
    let torn_bytes = answer.torn_bytes;
    if torn_bytes > 0 {
        output.remark("the last entry is unfinished; the next program that writes removes it\n");
    }
    Ok(if torn_bytes == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Answer {
    fn new(verified: &Verified, path: &Path) -> Self {
        let &Verified { entries, files, head, torn_bytes } = verified;
        Self { path: path.to_owned(), entries, files, head: head.to_string(), torn_bytes }
    }
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
