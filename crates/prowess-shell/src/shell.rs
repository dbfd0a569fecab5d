//! The sandboxes of all sessions.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Catalog, Record, SessionId, ShellError, ShellOutcome, ShellRequest, VirtualShell,
};

use prowess_sandbox::{Native, Program};

use crate::lost::LostCommands;
use crate::memory::{OF_ALL, Share};
use crate::mounts::{MountedSkill, describe, mount_path};
use crate::sandbox::Sandbox;
use crate::{ShellPolicy, codes};

/// How often a waiting call looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(20);

/// The number of sessions without their sandboxes that are remembered.
const MOST_DROPPED: usize = 16_384;

/// Runs commands over files in memory, with a sandbox for each session.
pub struct InMemoryShell {
    policy: Arc<ShellPolicy>,
    /// Starts the processes of sandboxes; `None` if the commands run in this one.
    native: Option<Arc<Native>>,
    sandboxes: Mutex<Sandboxes>,
    ended: Condvar,
    lost: LostCommands,
}

#[derive(Default)]
struct Sandboxes {
    by_session: HashMap<SessionId, Slot>,
    /// The number of commands so far.
    commands: u64,
    /// The sessions whose sandboxes had to make room, and which do not know it yet.
    dropped: VecDeque<SessionId>,
}

/// The place of a session's sandbox.
enum Slot {
    /// A command runs in it.
    Busy,
    /// It waits for the next command; the number is that of the last one.
    Idle(Box<Sandbox>, u64),
}

impl InMemoryShell {
    /// Creates a shell whose commands run in this process. Their memory is limited as far as the
    /// interpreter counts it: prefer [`in_processes`](Self::in_processes).
    pub fn new(policy: ShellPolicy) -> Self {
        Self::of(policy, None)
    }

    /// Creates a shell with a confined process for each sandbox. `worker` is a program that calls
    /// [`run_worker`](crate::run_worker) at its start, such as `prowess-shell-worker`. On systems
    /// without the sandbox of `prowess-sandbox`, commands run in this process.
    pub fn in_processes(policy: ShellPolicy, worker: Program) -> Self {
        Self::of(policy, Some(Arc::new(Native::new(worker))))
    }

    fn of(policy: ShellPolicy, native: Option<Arc<Native>>) -> Self {
        let sandboxes = Mutex::default();
        let lost = LostCommands::default();
        Self { policy: Arc::new(policy), native, sandboxes, ended: Condvar::new(), lost }
    }

    /// Returns the policy.
    pub fn policy(&self) -> &ShellPolicy {
        &self.policy
    }

    /// Describes the skills that are mounted with a catalog, in mount order: that of the sources,
    /// and of the packages in each. The example `mounted_skills` of `examples/virtual-shell` prints
    /// them.
    pub fn mounted_skills(&self, catalog: &Arc<Catalog>) -> Vec<MountedSkill> {
        describe(catalog, &self.policy)
    }

    /// Takes the sandbox of a session, which is returned when the lease is dropped. Waits while a
    /// command of the session runs.
    fn take(&self, session: &SessionId, cancel: &Cancel) -> Result<Lease<'_>, ShellError> {
        let deadline = Instant::now() + self.policy.limits.time();
        let mut sandboxes = self.sandboxes();
        while let Some(Slot::Busy) = sandboxes.by_session.get(session) {
            if cancel.is_cancelled() || Instant::now() >= deadline {
                let message = "another command of this session runs; wait for its result";
                return Err(ShellError::new(codes::SHELL_BUSY, message));
            }
            let waited = self.ended.wait_timeout(sandboxes, CHECK);
            (sandboxes, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(at) = sandboxes.dropped.iter().position(|dropped| dropped == session) {
            sandboxes.dropped.remove(at);
            return Err(ShellError::new(codes::SANDBOX_DROPPED, self.dropped_message()));
        }
        let sandbox = match sandboxes.by_session.insert(session.clone(), Slot::Busy) {
            Some(Slot::Idle(sandbox, _)) => Some(*sandbox),
            _ => None,
        };
        Ok(Lease { shell: self, session: session.clone(), sandbox })
    }

    /// Returns what a session has to know before it goes on without its files.
    fn dropped_message(&self) -> String {
        let most = self.policy.limits.sandboxes.max(1);
        let gibibytes = OF_ALL >> 30;
        format!(
            "nothing ran: the files and variables of this sandbox were dropped, because other \
             sessions needed the room ({most} sandboxes, or {gibibytes} GiB, at most); the next \
             command starts in a new sandbox"
        )
    }

    /// Reserves the memory of a command. Sandboxes that wait are dropped for it, those whose last
    /// commands are the oldest first, if that makes the room, and if there is none without it when
    /// the commands that run have ended, or these take half of the time.
    fn reserve(&self, share: &mut Share, cancel: &Cancel) -> Result<(), ShellError> {
        let deadline = Instant::now() + self.policy.limits.time();
        let bytes = self.policy.limits.memory_bytes;
        while let missing @ 1.. = share.set(bytes) {
            let mut sandboxes = self.sandboxes();
            let idle = sandboxes.idle_bytes();
            let is_late = Instant::now() + self.policy.limits.time() / 2 >= deadline;
            if missing <= idle
                && (is_late || idle.saturating_add(bytes) > OF_ALL)
                && let Some(dropped) = sandboxes.take_oldest()
            {
                drop(sandboxes);
                drop(dropped);
                continue;
            }
            if cancel.is_cancelled() || Instant::now() >= deadline {
                let message = format!(
                    "the commands of other sessions use the {} GiB that all have; try again later",
                    OF_ALL >> 30
                );
                return Err(ShellError::new(codes::SHELL_EXHAUSTED, message));
            }
            drop(self.ended.wait_timeout(sandboxes, CHECK));
        }
        Ok(())
    }

    fn sandboxes(&self) -> MutexGuard<'_, Sandboxes> {
        self.sandboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VirtualShell for InMemoryShell {
    fn mount_path(&self, catalog: &Catalog, record: Record<'_>) -> Result<String, ShellError> {
        mount_path(catalog, record, &self.policy)
    }

    fn execute(
        &self,
        request: &ShellRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ShellOutcome, ShellError> {
        let most = self.policy.limits.command_bytes;
        if request.command.len() > most {
            let message = format!(
                "the command has {} bytes and may have {most}; write a long text in parts",
                request.command.len()
            );
            return Err(ShellError::new(codes::COMMAND_TOO_LONG, message));
        }
        self.lost.check(self.policy.limits.lost_commands)?;
        let mut lease = self.take(request.session, cancel)?;
        let sandbox = match lease.sandbox.take() {
            Some(mut sandbox) => {
                let reserved = self.reserve(&mut sandbox.share, cancel);
                if let Err(error) = reserved {
                    lease.sandbox = Some(sandbox);
                    return Err(error);
                }
                sandbox
            }
            None => {
                let mut share = Share::default();
                self.reserve(&mut share, cancel)?;
                Sandbox::new(request.catalog, &self.policy, self.native.as_ref(), share)?
            }
        };
        let ran = sandbox.run(request, cancel, &self.lost);
        lease.sandbox = ran.sandbox;
        ran.result
    }
}

/// The sandbox of a session, in use until this is dropped.
struct Lease<'s> {
    shell: &'s InMemoryShell,
    session: SessionId,
    sandbox: Option<Sandbox>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut sandboxes = self.shell.sandboxes();
        sandboxes.commands += 1;
        let number = sandboxes.commands;
        let dropped = match self.sandbox.take() {
            Some(sandbox) => {
                let slot = Slot::Idle(Box::new(sandbox), number);
                sandboxes.by_session.insert(self.session.clone(), slot);
                sandboxes.drop_oldest(self.shell.policy.limits.sandboxes)
            }
            None => sandboxes.by_session.remove(&self.session),
        };
        drop(sandboxes);
        self.shell.ended.notify_all();
        // Its files are freed without the lock.
        drop(dropped);
    }
}

impl Sandboxes {
    /// Removes the sandbox that was used the longest time ago, if there are too many.
    fn drop_oldest(&mut self, most: usize) -> Option<Slot> {
        if self.by_session.len() <= most.max(1) { None } else { self.take_oldest() }
    }

    /// Returns the memory of the sandboxes that can be dropped.
    fn idle_bytes(&self) -> u64 {
        let bytes = self.by_session.values().map(|slot| match slot {
            Slot::Idle(sandbox, _) => sandbox.share.0,
            Slot::Busy => 0,
        });
        bytes.sum()
    }

    fn take_oldest(&mut self) -> Option<Slot> {
        let idle = self.by_session.iter().filter_map(|(session, slot)| match slot {
            Slot::Idle(_, used) => Some((*used, session.clone())),
            Slot::Busy => None,
        });
        let (_, oldest) = idle.min_by_key(|(used, _)| *used)?;
        let slot = self.by_session.remove(&oldest);
        self.dropped.push_back(oldest);
        if self.dropped.len() > MOST_DROPPED {
            self.dropped.pop_front();
        }
        slot
    }
}
