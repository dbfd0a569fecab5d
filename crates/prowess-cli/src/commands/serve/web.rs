//! The page for the operator: what commands print as JSON, and the decisions that they make.

use std::future::pending;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use prowess::Runtime;
use prowess::registry::RefreshMode;
use prowess_web::{Decision, Desk, Refusal, RefusalKind, Scope, Shown, View, WebError, WebServer};
use serde_json::{Value, json};

use crate::args::{
    Accept, ApprovalGrant, Approvals, Audit, AuditShow, Commit, Decide, Diff, Format, Global,
    GrantScope, List, Proposals, SkillOrder, Trust,
};
use crate::commands::conversation::Conversation;
use crate::commands::{
    approvals, audit, doctor, explain, history, install, list, lock, proposals, show, trust,
};
use crate::failure::Failure;
use crate::output::{Output, value};
use crate::policies::policies;
use crate::{plugins, runtime};

/// The maximum number of skills of one part.
const MOST_SKILLS: usize = 50;

/// The maximum number of events of one part.
const MOST_EVENTS: NonZeroUsize = NonZeroUsize::new(50).expect("it is not zero");

/// Serves until a signal ends the program. A decision is one transaction, so none is half done.
pub(super) fn run(
    address: SocketAddr,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let server = WebServer::bind(address).map_err(|error| match error {
        WebError::NotLoopback(_) => {
            let help = format!(
                "name `127.0.0.1:{}`, and reach it from another machine through `ssh -L`",
                address.port()
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
    let desk = Commands { quiet: Output::new(&global), global: Mutex::new(global), runtime };
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
    global: Mutex<Global>,
    quiet: Output,
    /// Its catalog follows the files.
    runtime: Runtime,
}

impl Commands {
    fn global(&self) -> Global {
        self.global.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn part(&self, view: &View<'_>) -> Result<(Value, Option<u64>), Failure> {
        let Self { runtime, quiet, .. } = self;
        let global = &self.global();
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
                return list::part(global, runtime, &args, (from, MOST_SKILLS));
            }
            View::Skill(id) => value(&show::shown(&runtime.catalog(), id)?),
            View::Explanation(query) => {
                let conversation = Conversation::open(runtime)?;
                let turn = conversation.turn()?;
                value(&explain::explained(global, runtime, &turn, query)?)
            }
            View::Audit { session, before } => {
                let session = Some(session.to_owned()).filter(|session| !session.is_empty());
                let last = Some(MOST_EVENTS);
                let show = AuditShow { session, before, last, ..AuditShow::default() };
                let part = audit::value(&Audit::Show(show), global)?;
                let next = part["before"].as_u64();
                return Ok((part, next));
            }
            View::Chain => {
                audit::value(&Audit::Verify { head: None, store: None, file: None }, global)
            }
            View::Statistics => audit::value(&Audit::Stats { file: None }, global),
            View::Health => doctor::with_checked(global, |checked| value(checked)),
            View::Trust => {
                let list = Trust { list: true, ..Trust::default() };
                value(&trust::answer(global, &list, quiet)?)
            }
        };
        Ok((whole?, None))
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
        let (value, next) = self.part(view).map_err(refusal)?;
        Ok(Shown { value, next })
    }

    fn decide(&self, decision: &Decision<'_>) -> Result<Value, Refusal> {
        self.decided(decision).map_err(refusal)
    }
}

fn refusal(failure: Failure) -> Refusal {
    let Failure { code, message, help, exit, .. } = failure;
    let kind = match &*code {
        "approval-state" | "approval-expired" | "proposal-conflict" | "proposal-changed" => {
            RefusalKind::Conflict
        }
        code if code.ends_with("-not-found") || code.ends_with("-missing") => RefusalKind::Missing,
        _ if exit == 2 => RefusalKind::Invalid,
        _ => RefusalKind::Failed,
    };
    Refusal { kind, code, message, help }
}
