//! The process of a sandbox, as its host sees it.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use prowess_core::{
    Catalog, OpenedFile, ReadLimit, ReadRule, Record, ResourcePath, SourceError, SourceErrorKind,
};
use prowess_sandbox::{
    Confinement, DemandedLevel, Isolation as _, Limits, Native, Plan, Rights, Running,
    SandboxError, SandboxErrorKind, Streams, receive, send,
};

use crate::ShellPolicy;
use crate::interpreter::STACK;
use crate::messages::{Command, End, Hello, Listing, Said, Undone, answer_read};
use crate::mounts::{may_be_mounted, mountable};
use crate::output::Output;
use crate::tree::Tree;

/// How long a process may take beyond its time to report that a command is undone. It ends the
/// command by then, which takes a while on a busy machine, and else its files are lost.
pub(crate) const REPORT: Duration = Duration::from_secs(20);
/// The processes of a sandbox: the copies before and during a command, with a parser, and those
/// around them.
const PROCESSES: u64 = 64;

/// A confined process that has the files, variables and functions of one sandbox.
pub(crate) struct Process {
    control: UnixStream,
    /// The catalog whose skills the process knows.
    mounted: Option<u64>,
    /// Dropping it ends the process.
    _keeper: Sender<()>,
}

/// How a command ended, and the memory that the process had in it.
pub(crate) struct Ended {
    pub(crate) end: End,
    pub(crate) memory: u64,
}

impl Process {
    /// Starts a process.
    pub(crate) fn start(native: &Arc<Native>, policy: &ShellPolicy) -> Result<Self, SandboxError> {
        let limits = &policy.limits;
        let mut plan = Plan::enter(native.stage().clone());
        plan.stage.arguments.push((limits.memory_bytes + STACK as u64).to_string().into());
        // Each arena of the C library takes address space, which is limited.
        plan.environment = vec![("MALLOC_ARENA_MAX".into(), "1".into())];
        plan.confinement = Confinement {
            rights: Rights { processes: true, ..Rights::default() },
            limits: Limits {
                processes: PROCESSES,
                memory_bytes: limits.memory_bytes.saturating_mul(3),
                cpu_seconds: limits.time().as_secs() + 10,
                ..Limits::default()
            },
            ..Confinement::default()
        };
        let (keeper, ended) = channel();
        let (started, starting) = sync_channel(1);
        let (native, policy) = (Arc::clone(native), policy.clone());
        let keep = move || match spawn(&native, plan, &policy) {
            Ok(running) => keep(running, &started, &ended),
            Err(error) => drop(started.send(Err(error))),
        };
        let thread = thread::Builder::new().name("prowess-shell".to_owned()).spawn(keep);
        thread.map_err(|error| not_started(&error))?;
        let control = starting.recv().map_err(|error| not_started(&io::Error::other(error)))??;
        Ok(Self { control, mounted: None, _keeper: keeper })
    }

    /// Runs a command until it ends. It is cancelled when the other end of `cancel` is closed.
    pub(crate) fn run(
        &mut self,
        catalog: &Catalog,
        policy: &ShellPolicy,
        (command, rule): (&str, Option<&Arc<ReadRule>>),
        cancel: UnixStream,
        output: &Output,
    ) -> io::Result<Ended> {
        let (talk, theirs) = UnixStream::pair()?;
        let is_mounted = self.mounted.replace(catalog.serial()) == Some(catalog.serial());
        let skills = || mountable(catalog, policy).map(|record| record.id().to_owned()).collect();
        let mounted = (!is_mounted).then(skills);
        let command = Command { text: command.to_owned(), mounted, is_ruled: rule.is_some() };
        send(&self.control, &command, &[theirs.as_fd(), cancel.as_fd()])?;
        drop((theirs, cancel));
        // A process that has ended hears no answer, and says why to the other connection.
        while let Ok((said, _)) = receive(&talk) {
            let _ = match said {
                Said::Output(more) => {
                    output.add(&more);
                    Ok(())
                }
                Said::List(skill) => send(&talk, &list(catalog, policy, &skill), &[]),
                Said::Read { skill, path, most } => {
                    answer_read(&talk, read(catalog, policy, &skill, &path, most))
                }
                Said::Open { skill, path, bytes, is_run } => {
                    let path = ResourcePath::new(&path).ok();
                    let closed = rule.zip(path.as_ref()).and_then(|(rule, path)| {
                        rule(&OpenedFile { skill: &skill, path, bytes, is_run })
                    });
                    send(&talk, &closed, &[])
                }
                Said::Ended { end, output: whole, memory } => {
                    output.replace(&whole);
                    return Ok(Ended { end, memory });
                }
            };
        }
        self.mounted = None;
        self.control.set_read_timeout(Some(REPORT))?;
        let (undone, _) = receive(&self.control)?;
        Ok(Ended { end: undone_end(&undone, policy), memory: 0 })
    }
}

fn undone_end(undone: &Undone, policy: &ShellPolicy) -> End {
    let limits = &policy.limits;
    End::Stopped(match undone {
        Undone::Broken => format!(
            "the command needed more than {} MiB of memory, or broke the shell; what it changed \
             is undone",
            limits.memory_bytes >> 20
        ),
        Undone::Late => format!(
            "the time limit of {} s was reached; what the command changed is undone",
            limits.time().as_secs()
        ),
        Undone::NotStarted => "too many processes run; try again later".to_owned(),
    })
}

/// Starts the process at the highest level, or with limits alone: what runs in it reaches nothing.
fn spawn(native: &Native, mut plan: Plan, policy: &ShellPolicy) -> Result<Running, SandboxError> {
    let running = match native.spawn(&plan, &Streams::null(), &[]) {
        Err(error) if error.kind == SandboxErrorKind::Unavailable => {
            plan.confinement.level = DemandedLevel::Unconfined;
            native.spawn(&plan, &Streams::null(), &[])?
        }
        running => running?,
    };
    let hello = Hello { policy: policy.clone(), limits: policy.limits.clone() };
    send(&running.socket, &hello, &[]).map_err(|error| not_started(&error))?;
    Ok(running)
}

/// Keeps the thread that a process ends with, until nothing uses the process any more.
fn keep(
    mut running: Running,
    started: &std::sync::mpsc::SyncSender<Result<UnixStream, SandboxError>>,
    ended: &Receiver<()>,
) {
    let socket = running.socket.try_clone().map_err(|error| not_started(&error));
    if started.send(socket).is_ok() {
        let _ = ended.recv();
    }
    let _ = running.end();
}

fn not_started(error: &io::Error) -> SandboxError {
    SandboxError {
        kind: SandboxErrorKind::NotStarted,
        reason: error.to_string(),
        help: "try again later".into(),
    }
}

/// Returns the record of a skill that is mounted.
fn mounted<'c>(catalog: &'c Catalog, policy: &ShellPolicy, skill: &str) -> Option<Record<'c>> {
    catalog.get(skill).filter(|record| may_be_mounted(*record, policy).is_ok())
}

fn list(catalog: &Catalog, policy: &ShellPolicy, skill: &str) -> Listing {
    let record = mounted(catalog, policy, skill).ok_or_else(|| "it is gone".to_owned())?;
    let tree = Tree::new(catalog, record, &policy.limits).map_err(|error| error.message)?;
    Ok(tree.files().map(|file| (file.path().as_str().to_owned(), file.bytes())).collect())
}

fn read(
    catalog: &Catalog,
    policy: &ShellPolicy,
    skill: &str,
    path: &str,
    most: u64,
) -> Result<Vec<u8>, SourceError> {
    let gone = || SourceError::new(SourceErrorKind::NotFound, "it is gone");
    let record = mounted(catalog, policy, skill).ok_or_else(gone)?;
    let path = ResourcePath::new(path).map_err(|_| gone())?;
    let most = usize::try_from(most.min(policy.limits.file_bytes)).unwrap_or(usize::MAX);
    catalog.read_public(record, &path, ReadLimit(most))
}
