//! `prowess audit --store`: the chains of all hosts in a database, and their sessions.

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use jiff::Timestamp as Instant;
use prowess::session::{SessionPolicy, Sessions};
use prowess::{SessionId, SystemClock};
use prowess_audit::{Statistics, Story, VerifyError};
use prowess_postgres::{AuditProblem, Database, HostLog, PostgresError};
use prowess_text::counted;
use serde::Serialize;

use super::{failure, show, stats};
use crate::args::{Audit, KeptHead};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::store::{self, StoreUrl};
use crate::terminal::plain;

/// The number of sessions that are read at once.
const PAGE: usize = 1000;

/// The output of `audit verify --store --format json`.
#[derive(Serialize)]
struct Answer {
    hosts: Vec<Host>,
}

#[derive(Serialize)]
struct Host {
    host: String,
    entries: u64,
    head: String,
}

/// A session in the output of `audit sessions`.
#[derive(Serialize)]
struct Session {
    id: String,
    /// The number of its changes.
    version: u64,
    touched: String,
    expires: Option<String>,
}

pub(super) fn run(command: &Audit, store: &StoreUrl, output: &Output) -> Result<ExitCode, Failure> {
    let database = store::database(store)?;
    match command {
        Audit::Verify { head, .. } => verify(&database, head, output),
        Audit::Show(args) => {
            let filter = show::filter(args, &show::zone(args))?;
            let (story, read) = read(&database, |chains| Story::read_chains(chains, &filter))?;
            show::print(
                args,
                &story,
                read.map_err(|error| unproven(&error)),
                "the database",
                output,
            )
        }
        Audit::Stats { .. } => {
            let sums = read(&database, |chains| Statistics::read_chains(chains))?;
            stats::print(&sums.map_err(|error| unproven(&error))?, output)
        }
        Audit::Sessions { end: None, .. } => list(&database, output),
        Audit::Sessions { end: Some(id), .. } => end(id, &database, store, output),
    }
}

fn unproven(error: &VerifyError) -> Failure {
    failure(Path::new("the database"), error)
}

/// The name of a host, and its lines.
type Lines<'d> = (String, Box<dyn Iterator<Item = String> + 'd>);

/// Reads the chains of all hosts, page by page.
fn read<T>(database: &Database, read: impl FnOnce(Vec<Lines<'_>>) -> T) -> Result<T, Failure> {
    let failed = RefCell::new(None);
    let hosts = database.audit_hosts().map_err(|error| store::failure(&error))?;
    let chain = |host: String| -> Lines<'_> {
        let (of_host, failed) = (host.clone(), &failed);
        let mut after = Some(0);
        let pages = std::iter::from_fn(move || {
            let page = database.audit_lines(&of_host, after?);
            let page = page.map_err(|error: PostgresError| failed.replace(Some(error))).ok()?;
            after = page.last().map(|(seq, _)| *seq);
            Some(page.into_iter().map(|(_, line)| line))
        });
        (host, Box::new(pages.flatten()))
    };
    let result = read(hosts.into_iter().map(chain).collect());
    failed.into_inner().map_or(Ok(result), |error| Err(store::failure(&error)))
}

/// Checks each chain, and that no approval for one call was used twice.
fn verify(database: &Database, heads: &[KeptHead], output: &Output) -> Result<ExitCode, Failure> {
    let kept = |KeptHead { host, head }: &KeptHead| {
        let host = host.clone().ok_or_else(|| {
            let message = format!("`--head {head}` has no host, and the database has several logs");
            Failure::usage("usage", message, "write `--head HOST=HEAD`")
        })?;
        Ok(HostLog { host, head: *head })
    };
    let kept = heads.iter().map(kept).collect::<Result<Vec<_>, Failure>>()?;
    let logs = database.verify_audit(&kept).map_err(|problem| match problem {
        AuditProblem::Database(error) => store::failure(&error),
        missing @ AuditProblem::HeadMissing(_) => Failure::new(
            "audit-log-replaced",
            missing.to_string(),
            "compare it with a backup of the database; nothing of this host is proven",
        ),
        broken => Failure::new(
            "audit-log-broken",
            broken.to_string(),
            "compare it with a backup of the database; nothing of this host from there on is proven",
        ),
    })?;
    let twice = database.approvals_spent_twice().map_err(|error| store::failure(&error))?;
    if let Some(id) = twice.first() {
        let message = format!("approval `{id}` for one call was used more often than once");
        let help = "somebody has changed the tables: compare them with a backup";
        return Err(Failure::new("audit-log-broken", message, help));
    }
    let host = |log: HostLog| {
        let head = log.head.to_string();
        Host { host: log.host, entries: log.head.seq, head }
    };
    let answer = Answer { hosts: logs.into_iter().map(host).collect() };
    output.result(&answer, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the sessions in the order of their ids.
fn list(database: &Database, output: &Output) -> Result<ExitCode, Failure> {
    let time = |at| Instant::from(at).to_string();
    let mut sessions = Vec::new();
    let mut after = None;
    loop {
        let page = prowess::SessionStore::list(database, after.as_ref(), PAGE);
        let page = page.map_err(|error| unavailable(&error))?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        sessions.extend(page.into_iter().map(|it| Session {
            id: it.id.to_string(),
            version: it.version,
            touched: time(it.touched),
            expires: it.expires.map(time),
        }));
    }
    output.result(&serde_json::json!({ "sessions": sessions }), |_| {
        let line = |Session { id, touched, expires, .. }: &Session| {
            let expires = expires.as_deref().unwrap_or("never");
            format!("{HEADING}{}{HEADING:#}  used {touched}, expires {expires}\n", plain(id))
        };
        sessions.iter().map(line).collect()
    })?;
    if sessions.is_empty() {
        output.remark("there are no sessions\n");
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends a session. The chain of this host has the skills that were loaded in it.
fn end(
    id: &str,
    database: &Arc<Database>,
    store: &StoreUrl,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let none = || {
        let message = format!("there is no session `{id}`");
        let help = "see `prowess audit sessions` for all";
        Failure::new("session-not-found", message, help)
    };
    let known = SessionId::new(id).map_err(|_| none())?;
    let audit = store::audit(store)?;
    let sessions = Sessions::audited(
        Arc::clone(database) as _,
        Arc::new(SystemClock::default()),
        SessionPolicy::default(),
        Arc::clone(&audit) as _,
    );
    if !sessions.close(&known).map_err(|error| unavailable(&error))? {
        return Err(none());
    }
    if audit.finish() > 0 {
        output.remark("the end of the session is not in the audit log\n");
    }
    let answer = serde_json::json!({ "ended": id });
    output.result(&answer, |_| format!("ended {}\n", plain(id)))?;
    Ok(ExitCode::SUCCESS)
}

fn unavailable(error: &prowess::StoreError) -> Failure {
    Failure::new("store-unavailable", error.to_string(), "run the command again")
}

fn text(answer: &Answer) -> String {
    if answer.hosts.is_empty() {
        return "nothing is recorded yet\n".to_owned();
    }
    let line = |Host { host, entries, head }: &Host| {
        let entries = counted(*entries, "entry");
        format!(
            "{HEADING}verified{HEADING:#} {}: {entries}\n{DIM}head {head}{DIM:#}\n",
            plain(host)
        )
    };
    answer.hosts.iter().map(line).collect()
}
