//! The page for the operator: what commands print as JSON, and the decisions that they make.

use std::future::pending;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    let runtime = runtime::builder_with(global, policies, &loaded)?.build()?;
    let global = Global { format: Format::Json, quiet: true, ..global.clone() };
    let server = server.allow_hosts(hosts);
    let log = Kept::new(audit::located(&None)?);
    let desk = Commands {
        quiet: Output::new(&global),
        global: Mutex::new(global),
        runtime,
        log,
        prompt: Mutex::default(),
        health: Arc::default(),
    };
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
    health: Arc<Health>,
}

/// The last report of `doctor`, which reads every skill.
#[derive(Default)]
struct Health {
    last: Mutex<Option<Report>>,
    is_checking: AtomicBool,
}

#[derive(Clone)]
struct Report {
    value: Value,
    at: Timestamp,
    took: Duration,
}

/// The time in which a report is made for one answer. One that takes longer is made beside the
/// answers, which have the last one.
const QUICK: Duration = Duration::from_millis(200);

impl Report {
    fn of(global: &Global) -> Result<Self, Failure> {
        let begun = Instant::now();
        let value = doctor::with_checked(global, |checked| value(checked))?;
        Ok(Self { value, at: SystemClock::default().now(), took: begun.elapsed() })
    }
}

impl Health {
    fn report(self: &Arc<Self>, global: Global) -> Result<Report, Failure> {
        let mut last = lock(&self.last);
        let Some(known) = last.clone().filter(|last| last.took > QUICK) else {
            let report = Report::of(&global)?;
            *last = Some(report.clone());
            return Ok(report);
        };
        if !self.is_checking.swap(true, Ordering::Relaxed) {
            let health = Arc::clone(self);
            thread::spawn(move || {
                if let Ok(report) = Report::of(&global) {
                    *lock(&health.last) = Some(report);
                }
                health.is_checking.store(false, Ordering::Relaxed);
            });
        }
        Ok(known)
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
        let whole = match *view {
            View::Approvals { all } => {
                value(&approvals::answer(Some(&Approvals::List { all }), global, quiet)?)
            }
            View::Approval(id) => {
                let id = id.to_owned();
                value(&approvals::answer(Some(&Approvals::Show { id }), global, quiet)?)
            }
            View::Proposals { all } => {
                value(&proposals::answer(Some(&Proposals::List { all }), global, quiet)?)
            }
            View::Proposal(name) => {
                let id = name.to_owned();
                value(&proposals::answer(Some(&Proposals::Show { id }), global, quiet)?)
            }
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
                let (value, next) = list::part(global, runtime, &args, (from, MOST_SKILLS))?;
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
                let Report { value, at, .. } = self.health.report(self.global())?;
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
            Decision::Accept { name, digest, rebase } => {
                let (decide, digest) = (decide(name), Some(digest.to_owned()));
                let commit = Commit { commit: false };
                let accept = Proposals::Accept(Accept { decide, digest, rebase, commit });
                return value(&proposals::answer(Some(&accept), &self.global(), &self.quiet)?);
            }
            Decision::Reject(name) => {
                let reject = Proposals::Reject(decide(name));
                return value(&proposals::answer(Some(&reject), &self.global(), &self.quiet)?);
            }
            Decision::Distrust(name) => {
                let revoke = Some(name.to_owned());
                let revoke = Trust { revoke, ..Trust::default() };
                return value(&trust::answer(&self.global(), &revoke, &self.quiet)?);
            }
        };
        value(&approvals::answer(Some(&command), &self.global(), &self.quiet)?)
    }
}

fn decide(name: &str) -> Decide {
    Decide { id: name.to_owned(), reason: None }
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
        LOG_BEING_READ => RefusalKind::Busy,
        code if code.ends_with("-not-found") || code.ends_with("-missing") => RefusalKind::Missing,
        _ if exit == 2 => RefusalKind::Invalid,
        _ => RefusalKind::Failed,
    };
    Refusal { kind, code, message, help }
}
