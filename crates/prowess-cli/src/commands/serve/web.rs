//! The page for the operator: what commands print as JSON, and the decisions that they make.

use std::future::pending;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess::prompt::Prompt;
use prowess::registry::RefreshMode;
use prowess::state::rfc3339;
use prowess::{Catalog, Clock as _, Runtime, SystemClock, Timestamp};
use prowess_web::{Decision, Desk, Refusal, RefusalKind, Scope, Shown, View, WebError, WebServer};
use serde_json::{Value, json};

use crate::args::{
    Accept, ApprovalGrant, Approvals, Audit, AuditShow, Commit, Decide, Diff, Format, Global,
    GrantScope, List, Proposals, SkillOrder, Trust,
};
use crate::commands::audit::{Kept, LOG_BEING_READ};
use crate::commands::conversation::Conversation;
use crate::commands::{
    approvals, audit, doctor, explain, history, install, list, lock, proposals, show, trust,
};
use crate::failure::Failure;
use crate::output::{Output, value};
use crate::policies::policies;
use crate::running::Running;
use crate::{plugins, runtime};

/// The maximum number of skills of one part.
const MOST_SKILLS: usize = 50;

/// The code of a setup that has not been checked since the server started.
const SETUP_BEING_CHECKED: &str = "setup-being-checked";

/// The maximum number of events of one part.
const MOST_EVENTS: NonZeroUsize = NonZeroUsize::new(50).expect("it is not zero");

/// Serves until a signal ends the program. A decision is one transaction, so none is half done.
pub(super) fn run(
    address: SocketAddr,
    hosts: Vec<String>,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let server = WebServer::bind(address).map_err(|error| match error {
        WebError::NotLoopback(_) => {
            let port = address.port();
            let help = format!(
                "name `127.0.0.1:{port}`, and reach it from another machine through \
                 `ssh -L {port}:127.0.0.1:{port} HOST`, or a proxy that signs people in, with its \
                 name in `--allow-host`"
            );
            Failure::usage("serve-failed", error.to_string(), help)
        }
        _ => failed(address, &error),
    })?;
    let mut policies = policies(global)?;
    policies.refresh.mode.get_or_insert(RefreshMode::Watch);
    let loaded = plugins::load(global, &policies)?;
    let runtime = runtime::built(global, runtime::builder_with(global, policies, &loaded)?)?;
    let global = Global { format: Format::Json, quiet: true, ..global.clone() };
    let server = server.allow_hosts(hosts);
    let log = Kept::new(audit::located(&None)?);
    let desk = Commands {
        quiet: Output::new(&global),
        global: Mutex::new(global),
        runtime,
        log,
        prompt: Mutex::default(),
        searches: list::Searches::default(),
        health: Arc::default(),
    };
    desk.searches.texts(&desk.runtime.catalog());
    output.result(&json!({ "url": server.entrance() }), |_| {
        format!("open this page, which works once: {}\n", server.entrance())
    })?;
    server.serve_until(Arc::new(desk), pending()).map_err(|error| failed(address, &error))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(address: SocketAddr, error: &WebError) -> Failure {
    let help = "name another port; 0 is any free one";
    Failure::new("serve-failed", format!("`{address}` cannot be used: {error}"), help)
}

/// The commands as a desk.
struct Commands {
    /// Without the running catalog: a decision is about the files as they are now.
    global: Mutex<Global>,
    quiet: Output,
    /// Its catalog follows the files.
    runtime: Runtime,
    log: Kept,
    /// The prompt of the catalog with this generation.
    prompt: Mutex<Option<(u64, Arc<Prompt>)>>,
    searches: list::Searches,
    health: Arc<Health>,
}

/// The last report of `doctor`, which reads every skill.
#[derive(Default)]
struct Health {
    state: Mutex<Checks>,
    is_checked: Condvar,
}

#[derive(Default)]
struct Checks {
    is_checking: bool,
    last: Option<Report>,
    /// Why the last check has made no report, for one answer.
    failure: Option<Failure>,
}

#[derive(Clone)]
struct Report {
    value: Value,
    /// The number of the catalog.
    serial: u64,
    at: Timestamp,
    begun: Instant,
    took: Duration,
}

/// The time for which an answer waits for a report. If the last one took longer, it is the answer,
/// and the next one is made beside the answers.
const QUICK: Duration = Duration::from_millis(200);

/// The share of the time in which reports are made of a catalog that stays the same.
const SHARE: u32 = 10;

impl Report {
    fn of(global: &Global, serial: u64) -> Result<Self, Failure> {
        let begun = Instant::now();
        let value = doctor::with_checked(global, |checked| value(checked))?;
        let (at, took) = (SystemClock::default().now(), begun.elapsed());
        Ok(Self { value, serial, at, begun, took })
    }

    fn is_old(&self, serial: u64, now: Instant) -> bool {
        let is_of_now = self.serial == serial && self.took > QUICK;
        !is_of_now || now.duration_since(self.begun) > self.took * SHARE
    }
}

impl Health {
    /// Returns the report about a catalog, or the last one.
    fn report(self: &Arc<Self>, global: Global, serial: u64) -> Result<Report, Failure> {
        let mut state = lock(&self.state);
        let is_old = state.last.as_ref().is_none_or(|it| it.is_old(serial, Instant::now()));
        if is_old && !state.is_checking {
            state.is_checking = true;
            let health = Arc::clone(self);
            thread::spawn(move || health.check(&global, serial));
        }
        if state.last.as_ref().is_none_or(|last| last.took <= QUICK) {
            let waited = self.is_checked.wait_timeout_while(state, QUICK, |it| it.is_checking);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match (state.failure.take(), &state.last) {
            (Some(failure), _) => Err(failure),
            (None, Some(last)) => Ok(last.clone()),
            (None, None) => {
                let message = "the setup is new to this page, which is checking it";
                Err(Failure::new(SETUP_BEING_CHECKED, message, "load the page again in a moment"))
            }
        }
    }

    fn check(&self, global: &Global, serial: u64) {
        let made = catch_unwind(AssertUnwindSafe(|| Report::of(global, serial)));
        let mut state = lock(&self.state);
        state.is_checking = false;
        match made {
            Ok(Ok(report)) => state.last = Some(report),
            Ok(Err(failure)) => state.failure = Some(failure),
            Err(_) => {}
        }
        self.is_checked.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Commands {
    fn global(&self) -> Global {
        lock(&self.global).clone()
    }

    /// Returns what a model sees of a catalog.
    fn prompt(&self, catalog: &Catalog) -> Result<Arc<Prompt>, Failure> {
        let mut known = lock(&self.prompt);
        if let Some((_, prompt)) = known.as_ref().filter(|it| it.0 == catalog.generation()) {
            return Ok(Arc::clone(prompt));
        }
        let turn = Conversation::open(&self.runtime)?.turn()?;
        *known = Some((turn.catalog().generation(), turn.prompt()));
        Ok(turn.prompt())
    }

    /// Returns a part of the log, with the time at which it was read.
    fn audit(&self, command: &Audit) -> Result<Shown, Failure> {
        let (value, at) = audit::value(command, &self.global(), &self.log)?;
        let next = value["before"].as_u64();
        Ok(Shown { value, next, as_of: at.map(rfc3339) })
    }

    fn part(&self, view: &View<'_>) -> Result<Shown, Failure> {
        let Self { runtime, quiet, .. } = self;
        let running = Some(Running(runtime.clone()));
        let global = &Global { running, ..self.global() };
        let of_approvals = |command| value(&approvals::answer(Some(&command), global, quiet)?);
        let of_proposals = |command| value(&proposals::answer(Some(&command), global, quiet)?);
        let whole = match *view {
            View::Approvals { all } => of_approvals(Approvals::List { all }),
            View::Approval(id) => of_approvals(Approvals::Show { id: id.to_owned() }),
            View::Proposals { all } => of_proposals(Proposals::List { all }),
            View::Proposal(name) => of_proposals(Proposals::Show { id: name.to_owned() }),
            View::History(id) => history::value(id, global),
            View::Difference { id, from, to } => {
                let [id, from] = [id, from].map(str::to_owned);
                let to = Some(to.to_owned());
                let diff = history::difference(&Diff { id, from, to }, global)?;
                Ok(json!({ "diff": diff }))
            }
            View::Quarantine => value(&install::lines_of(lock::in_quarantine()?, None)),
            View::Catalog { text, hidden, from } => {
                let text = Some(text.to_owned());
                let args = List { text, hidden, layer: None, sort: SkillOrder::Name };
                let part = (from, MOST_SKILLS);
                let (value, next) = list::part(global, runtime, &args, part, &self.searches)?;
                return Ok(Shown { value, next, as_of: None });
            }
            View::Skill(id) => value(&show::shown(&runtime.catalog(), id)?),
            View::Explanation(query) => {
                let catalog = &runtime.catalog();
                let prompt = &self.prompt(catalog)?;
                value(&explain::explained(global, runtime, (catalog, prompt), query)?)
            }
            View::Audit { session, before } => {
                let session = Some(session.to_owned()).filter(|session| !session.is_empty());
                let last = Some(MOST_EVENTS);
                let show = AuditShow { session, before, last, ..AuditShow::default() };
                return self.audit(&Audit::Show(show));
            }
            View::Chain => {
                let verify = Audit::Verify { head: Vec::new(), store: None, file: None };
                return self.audit(&verify);
            }
            View::Statistics => return self.audit(&Audit::Stats { store: None, file: None }),
            View::Health => {
                let serial = runtime.catalog().serial();
                let Report { value, at, .. } = self.health.report(self.global(), serial)?;
                return Ok(Shown { value, as_of: Some(rfc3339(at)), next: None });
            }
            View::Trust => {
                let list = Trust { list: true, ..Trust::default() };
                value(&trust::answer(global, &list, quiet)?)
            }
        };
        Ok(Shown { value: whole?, ..Shown::default() })
    }

    fn decided(&self, decision: &Decision<'_>) -> Result<Value, Failure> {
        let (global, quiet) = (&self.global(), &self.quiet);
        let of_proposals = |command| value(&proposals::answer(Some(&command), global, quiet)?);
        let command = match *decision {
            Decision::Grant(id, scope) => {
                let scope = match scope {
                    Scope::Once => GrantScope::Once,
                    Scope::Session => GrantScope::Session,
                    Scope::Always => GrantScope::Always,
                };
                Approvals::Grant(ApprovalGrant { id: id.to_owned(), scope, lifetime: None })
            }
            Decision::Deny(id) => Approvals::Deny { id: id.to_owned() },
            Decision::Revoke(id) => Approvals::Revoke { id: id.to_owned() },
            Decision::Accept { name, digest, rebase, reason } => {
                let (decide, digest) = (decide(name, reason), Some(digest.to_owned()));
                let rebase = rebase.map(str::to_owned);
                let commit = Commit { commit: false };
                return of_proposals(Proposals::Accept(Accept { decide, digest, rebase, commit }));
            }
            Decision::Reject(name, reason) => {
                return of_proposals(Proposals::Reject(decide(name, reason)));
            }
            Decision::Withdraw(name, reason) => {
                return of_proposals(Proposals::Withdraw(decide(name, reason)));
            }
            Decision::Distrust(name) => {
                let revoke = Some(name.to_owned());
                let revoke = Trust { revoke, ..Trust::default() };
                return value(&trust::answer(global, &revoke, quiet)?);
            }
        };
        value(&approvals::answer(Some(&command), global, quiet)?)
    }
}

fn decide(name: &str, reason: Option<&str>) -> Decide {
    Decide { id: name.to_owned(), reason: reason.map(str::to_owned) }
}

impl Desk for Commands {
    fn view(&self, view: &View<'_>) -> Result<Shown, Refusal> {
        self.part(view).map_err(refusal)
    }

    fn decide(&self, decision: &Decision<'_>) -> Result<Value, Refusal> {
        self.decided(decision).map_err(refusal)
    }
}

fn refusal(failure: Failure) -> Refusal {
    let Failure { code, message, help, exit, .. } = failure;
    let kind = match &*code {
        "approval-state" | "approval-expired" | "folder-not-trusted" | "proposal-changed"
        | "proposal-conflict" | "proposal-tampered" => RefusalKind::Conflict,
        "proposal-invalid" | "reviewer-not-allowed" | "skill-ambiguous" | "skill-not-writable" => {
            RefusalKind::Denied
        }
        LOG_BEING_READ | SETUP_BEING_CHECKED => RefusalKind::Busy,
        // A setting that is not made is no fault.
        "audit-log-unreadable" | "proposals-unavailable" => RefusalKind::Missing,
        code if code.ends_with("-not-found") || code.ends_with("-missing") => RefusalKind::Missing,
        _ if exit == 2 => RefusalKind::Invalid,
        _ => RefusalKind::Failed,
    };
    Refusal { kind, code, message, help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_that_takes_long_is_made_once_of_a_catalog() {
        let begun = Instant::now();
        let seconds = Duration::from_secs;
        for (took, ago, serial, is_old) in [
            (QUICK, seconds(0), 1, true),
            (seconds(78), seconds(100), 1, false),
            (seconds(78), seconds(100), 2, true),
            (seconds(78), seconds(800), 1, true),
        ] {
            let report = Report { value: Value::Null, serial: 1, at: Timestamp(0), begun, took };
            assert_eq!(report.is_old(serial, begun + ago), is_old, "{took:?} {ago:?} {serial}");
        }
    }
}
