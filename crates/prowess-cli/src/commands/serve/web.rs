//! The page for the operator: what commands print as JSON, and the decisions that they make.

mod health;

use std::collections::BTreeMap;
use std::future::pending;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess::prompt::Prompt;
use prowess::registry::RefreshMode;
use prowess::state::rfc3339;
use prowess::{Catalog, Runtime};
use prowess_web::{Decision, Desk, Refusal, RefusalKind, Scope, Shown, View, WebError, WebServer};
use serde_json::{Value, json};

use crate::args::{
    Accept, ApprovalGrant, Approvals, Audit, AuditShow, Commit, Decide, Diff, Format, Global,
    GrantScope, List, Proposals, SkillOrder, Trust,
};
use crate::commands::audit::{Kept, LOG_BEING_READ};
use crate::commands::conversation::Conversation;
use crate::commands::{
    approvals, audit, explain, history, install, list, lock, proposals, show, trust,
};
use crate::failure::Failure;
use crate::output::{Output, value};
use crate::policies::policies;
use crate::running::Running;
use crate::{plugins, runtime};

use health::{Health, Report, SETUP_BEING_CHECKED};

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
        kept: Mutex::default(),
    };
    desk.searches.texts(&desk.runtime.catalog());
    // Both are made beside the answers where that takes long.
    for view in [View::Statistics, View::Health { last: true }] {
        let _ = desk.part(&view);
    }
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
    kept: Mutex<BTreeMap<String, KeptValue>>,
}

/// A value with the states of the files that it is of.
type KeptValue = (Vec<FileState>, Shown);

/// The path of a file, its inode, its size, and the time of its last change.
type FileState = (PathBuf, u64, u64, (i64, i64));

/// The maximum number of values that are kept: of the last part of the log, and some before it.
const MOST_KEPT: usize = 16;

/// Returns the states of the files in some directories, or of files.
fn states(paths: &[PathBuf]) -> Vec<FileState> {
    let inside = paths.iter().flat_map(|path| path.read_dir().into_iter().flatten().flatten());
    let all = inside.map(|entry| entry.path()).chain(paths.iter().cloned());
    let state = |path: PathBuf| {
        let found = path.symlink_metadata().ok()?;
        Some((path, found.ino(), found.len(), (found.ctime(), found.ctime_nsec())))
    };
    all.filter_map(state).collect()
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

    /// Returns the value of a view, which is not made again of files that stay as they are.
    fn kept(&self, view: &View<'_>) -> Result<Shown, Failure> {
        let files = match view {
            View::Proposals { .. } => {
                let directory = policies(&self.global())?.proposals.directory;
                directory.into_iter().flat_map(|it| [it.join("decided"), it]).collect()
            }
            View::Audit { session: "", .. } => vec![self.log.path().to_owned()],
            _ => return self.part(view),
        };
        let (key, now) = (format!("{view:?}"), states(&files));
        if let Some((_, shown)) = lock(&self.kept).get(&key).filter(|(of, _)| *of == now) {
            return Ok(shown.clone());
        }
        let shown = self.part(view)?;
        let mut kept = lock(&self.kept);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, (now, shown.clone()));
        Ok(shown)
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
            View::Catalog { text, hidden, layer, from } => {
                let [text, layer] = [text, layer].map(str::to_owned);
                let (text, layer) = (Some(text), Some(layer).filter(|layer| !layer.is_empty()));
                let args = List { text, hidden, layer, sort: SkillOrder::Name };
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
            View::Health { last } => {
                let serial = runtime.catalog().serial();
                let Report { value, at, .. } = self.health.report(self.global(), serial, last)?;
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
            Decision::Trust(name) => {
                let skill = Trust { skill: Some(name.to_owned()), ..Trust::default() };
                return value(&trust::answer(global, &skill, quiet)?);
            }
            Decision::Distrust(name) => {
                let revoke = Trust { revoke: Some(name.to_owned()), ..Trust::default() };
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
        self.kept(view).map_err(refusal)
    }

    fn decide(&self, decision: &Decision<'_>) -> Result<Value, Refusal> {
        self.decided(decision).map_err(refusal)
    }
}

fn refusal(failure: Failure) -> Refusal {
    let Failure { code, message, help, exit, .. } = failure;
    let kind = match &*code {
        "approval-state" | "approval-expired" | "folder-not-trusted" | "proposal-changed"
        | "proposal-conflict" | "proposal-tampered" | "review-outdated" | "skill-changed" => {
            RefusalKind::Conflict
        }
        "proposal-invalid"
        | "reviewer-not-allowed"
        | "skill-ambiguous"
        | "skill-not-writable"
        | "skill-unreadable" => RefusalKind::Denied,
        LOG_BEING_READ | SETUP_BEING_CHECKED => RefusalKind::Busy,
        // A setting that is not made is no fault.
        "audit-log-unreadable" | "proposals-unavailable" => RefusalKind::Missing,
        code if code.ends_with("-not-found") || code.ends_with("-missing") => RefusalKind::Missing,
        _ if exit == 2 => RefusalKind::Invalid,
        _ => RefusalKind::Failed,
    };
    Refusal { kind, code, message, help }
}
