//! `prowess audit verify --store`: the chains of all hosts in a database.

use std::process::ExitCode;

use prowess_postgres::AuditProblem;
use prowess_text::counted;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::store::{self, StoreUrl};
use crate::terminal::plain;

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

/// Checks each chain, and that no approval for one call was used twice.
pub(super) fn run(store: &StoreUrl, output: &Output) -> Result<ExitCode, Failure> {
    let database = store::database(store)?;
    let unavailable = |message: String| {
        Failure::new("store-unavailable", message, "start the database, and run the command again")
    };
    let logs = database.verify_audit().map_err(|problem| match problem {
        AuditProblem::Database(error) => unavailable(error.to_string()),
        broken => Failure::new(
            "audit-log-broken",
            broken.to_string(),
            "compare it with a backup of the database; nothing of this host from there on is proven",
        ),
    })?;
    let twice = database.approvals_spent_twice().map_err(|error| unavailable(error.to_string()))?;
    if let Some(id) = twice.first() {
        let message = format!("approval `{id}` for one call was used more often than once");
        let help = "somebody has changed the tables: compare them with a backup";
        return Err(Failure::new("audit-log-broken", message, help));
    }
    let host = |log: prowess_postgres::HostLog| {
        let head = log.head.to_string();
        Host { host: log.host, entries: log.head.seq, head }
    };
    let answer = Answer { hosts: logs.into_iter().map(host).collect() };
    output.result(&answer, text)?;
    Ok(ExitCode::SUCCESS)
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
