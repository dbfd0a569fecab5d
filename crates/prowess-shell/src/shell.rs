//! The sandboxes of all sessions.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Catalog, Record, SessionId, ShellError, ShellOutcome, ShellRequest, VirtualShell,
};

use crate::lost::LostCommands;
use crate::mounts::{MountedSkill, Mounts, mount_path};
use crate::sandbox::Sandbox;
use crate::{ShellPolicy, codes};

/// How often a waiting call looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(20);

/// Runs commands over files in memory, with a sandbox for each session.
pub struct InMemoryShell {
    policy: Arc<ShellPolicy>,
    sandboxes: Mutex<Sandboxes>,
    ended: Condvar,
    lost: LostCommands,
}

#[derive(Default)]
struct Sandboxes {
    by_session: HashMap<SessionId, Slot>,
    /// The number of commands so far.
    commands: u64,
}

/// The place of a session's sandbox.
enum Slot {
    /// A command runs in it.
    Busy,
    /// It waits for the next command; the number is that of the last one.
    Idle(Box<Sandbox>, u64),
}

impl InMemoryShell {
    /// Creates a shell without any sandbox.
    pub fn new(policy: ShellPolicy) -> Self {
        let sandboxes = Mutex::default();
        let lost = LostCommands::default();
        Self { policy: Arc::new(policy), sandboxes, ended: Condvar::new(), lost }
    }

    /// Returns the policy.
    pub fn policy(&self) -> &ShellPolicy {
        &self.policy
    }

    /// Describes the skills that are mounted with a catalog, in mount order: that of the sources,
    /// and of the packages in each.
    pub fn mounted_skills(&self, catalog: &Arc<Catalog>) -> Vec<MountedSkill> {
        Mounts::new(catalog, &self.policy).describe()
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
        let sandbox = match sandboxes.by_session.insert(session.clone(), Slot::Busy) {
            Some(Slot::Idle(sandbox, _)) => Some(*sandbox),
            _ => None,
        };
        Ok(Lease { shell: self, session: session.clone(), sandbox })
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
            Some(sandbox) => sandbox,
            None => Sandbox::new(request.catalog, &self.policy)?,
        };
        sandbox.mount(request.catalog);
        let ran = sandbox.run(request.command, cancel, &self.lost);
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
        if self.by_session.len() <= most.max(1) {
            return None;
        }
        let idle = self.by_session.iter().filter_map(|(session, slot)| match slot {
            Slot::Idle(_, used) => Some((*used, session.clone())),
            Slot::Busy => None,
        });
        let (_, oldest) = idle.min_by_key(|(used, _)| *used)?;
        self.by_session.remove(&oldest)
    }
}
