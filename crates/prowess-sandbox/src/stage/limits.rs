//! Limits on resources, and the user that processes are counted for.

use std::io;

use rustix::process::{Resource, Rlimit, Uid, geteuid, getpid, getuid, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_thread_groups, set_thread_res_uid};

use super::cgroup::{self, GroupLimits, Groups, MemoryKills};
use super::{Failed, failed};
use crate::{GroupLimit, Level, LimitKeeper, LimitKeepers, Limits};

/// The most processes of the stage around the confined one.
const PROCESSES_AROUND: u64 = 2;
/// Real user ids from here on belong to no user of a usual system.
const FIRST_UNUSED_UID: u32 = 0x7000_0000;
/// The user `nobody` of most systems.
const NOBODY: u32 = 65_534;

/// The user of the stage and what keeps the limits of its processes.
pub(super) struct Identity {
    /// The number of the outermost process, which makes the real user id of a sandbox unique.
    number: u32,
    /// Whether it is root with the right to change its real user id.
    is_root: bool,
    groups: Groups,
}

impl Identity {
    /// Returns the identity of this process, which enters control groups with these limits where it
    /// can. Call it before it enters namespaces: the files of groups are not there. Fails if a
    /// limit that is demanded for all processes together is not kept.
    pub(super) fn grouped(limits: &Limits) -> Result<Self, Failed> {
        let number = getpid().as_raw_nonzero().get().cast_unsigned();
        let may_set =
            capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SETUID));
        let is_root = geteuid() == Uid::ROOT && may_set;
        let processes = limits.processes.saturating_add(PROCESSES_AROUND);
        let of_groups = GroupLimits { processes, memory: limits.memory_bytes };
        let groups = cgroup::join(number, of_groups);
        check_demanded(limits, &groups.keepers)?;
        Ok(Self { number, is_root, groups })
    }

    /// Takes the count of processes that are killed for their memory, where the kernel has one.
    pub(super) fn take_memory_kills(&mut self) -> Option<MemoryKills> {
        self.groups.memory_kills.take()
    }

    /// Returns whether no group counts the processes.
    fn is_ungrouped(&self) -> bool {
        self.groups.keepers.processes == LimitKeeper::ResourceLimits
    }

    /// Gives root a user id that its processes are counted for, and no groups of users.
    pub(super) fn take_user(&self) -> io::Result<()> {
        if !self.is_root {
            return Ok(());
        }
        set_thread_groups(&[])?;
        if self.is_ungrouped() {
            take_real_uid(self.number)?;
        }
        Ok(())
    }

    /// Limits the processes of this user where no group counts them.
    pub(super) fn limit_user(&self, limits: &Limits, level: Level) -> rustix::io::Result<()> {
        if !self.is_ungrouped() {
            return Ok(());
        }
        // In a user namespace only its own processes count; elsewhere all of the user's do.
        let is_shared = level == Level::Floor && !self.is_root;
        let running = if is_shared { threads_of(getuid()) } else { 0 };
        limit(Resource::Nproc, limits.processes.saturating_add(running))
    }

    /// Returns what keeps the limits.
    pub(super) fn keepers(&self) -> LimitKeepers {
        self.groups.keepers
    }

    /// Returns the sentence of the report.
    pub(super) fn describe(&self, limits: &Limits) -> String {
        let Limits { processes, memory_bytes, file_bytes, cpu_seconds, .. } = limits;
        let Limits { address_space, open_files, .. } = limits;
        let counted = self.groups.keepers.processes.as_str();
        let memory = match self.groups.keepers.memory {
            LimitKeeper::ResourceLimits => format!("{address_space} bytes (of each process)"),
            group => format!("{memory_bytes} bytes ({})", group.as_str()),
        };
        format!(
            "limits: processes {processes} ({counted}), memory {memory}, CPU {cpu_seconds} s, \
             size of a file {file_bytes} bytes, open files {open_files}"
        )
    }
}

/// Fails if a limit that is demanded is not kept.
fn check_demanded(limits: &Limits, keepers: &LimitKeepers) -> Result<(), Failed> {
    for demanded in &limits.demanded {
        let (keeper, counted) = match demanded {
            GroupLimit::Processes => (keepers.processes, "processes"),
            GroupLimit::Memory => (keepers.memory, "memory of all processes"),
        };
        if keeper == LimitKeeper::ResourceLimits {
            let reason = format!("no control group that this user may use counts the {counted}");
            return Err(failed("control-groups")(reason));
        }
    }
    Ok(())
}

/// Forbids core files.
pub(super) fn no_core_files() -> rustix::io::Result<()> {
    limit(Resource::Core, 0)
}

/// Sets the limits that count for each process alone.
pub(super) fn set_of_process(limits: &Limits) -> rustix::io::Result<()> {
    limit(Resource::Fsize, limits.file_bytes)?;
    // The signal of the lower limit says which one it was; a process may ignore it for a second.
    limit_with_grace(Resource::Cpu, limits.cpu_seconds, 1)?;
    limit(Resource::As, limits.address_space)?;
    limit(Resource::Nofile, limits.open_files)
}

/// Gives root a real user id of its own: the kernel does not limit the processes of user 0. Files
/// are opened with the effective user id, which stays.
fn take_real_uid(number: u32) -> rustix::io::Result<()> {
    let unused = Uid::from_raw(FIRST_UNUSED_UID.saturating_add(number));
    let take = |uid| set_thread_res_uid(uid, Uid::ROOT, Uid::ROOT);
    // A container may have fewer users.
    take(unused).or_else(|_| take(Uid::from_raw(NOBODY)))
}

pub(super) fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    limit_with_grace(resource, most, 0)
}

/// Sets a limit that a process may exceed by `grace` after a signal.
fn limit_with_grace(resource: Resource, most: u64, grace: u64) -> rustix::io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let current = Some(most.min(hard));
    let maximum = Some(most.saturating_add(grace).min(hard));
    setrlimit(resource, Rlimit { current, maximum })
}

/// Returns how many threads a user runs; processes that end meanwhile do not count.
fn threads_of(user: Uid) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let status = |entry: io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(entry.ok()?.path().join("status")).ok()
    };
    processes.filter_map(status).filter_map(|status| threads_in(&status, user)).sum()
}

/// Returns the number of threads in a process's status, if the process is the user's.
fn threads_in(status: &str, user: Uid) -> Option<u64> {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let is_the_users = field("Uid:")? == u64::from(user.as_raw());
    if is_the_users { field("Threads:") } else { None }
}
