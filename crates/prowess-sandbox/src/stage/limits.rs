//! Limits on resources, and the user that processes are counted for.

use std::io;

use rustix::process::{Resource, Rlimit, Uid, geteuid, getpid, getuid, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_thread_groups, set_thread_res_uid};

use super::cgroup;
use crate::Limits;

/// Real user ids from here on belong to no user of a usual system.
const FIRST_UNUSED_UID: u32 = 0x7000_0000;
/// The user `nobody` of most systems.
const NOBODY: u32 = 65_534;

/// The user of the stage and how its processes are counted.
pub(super) struct Identity {
    /// The number of the outermost process, which makes the real user id of a sandbox unique.
    number: u32,
    /// Whether it is root with the right to change its real user id.
    is_root: bool,
    /// Threads that the user runs now and that count as well.
    running: u64,
    /// Whether a control group counts its processes.
    is_grouped: bool,
}

impl Identity {
    /// Returns the identity of this process before it enters namespaces.
    pub(super) fn of_this_process() -> Self {
        let number = getpid().as_raw_nonzero().get().cast_unsigned();
        let may_set =
            capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SETUID));
        let is_root = geteuid() == Uid::ROOT && may_set;
        let running = if is_root { 0 } else { threads_of(getuid()) };
        Self { number, is_root, running, is_grouped: false }
    }

    /// Lets a control group count the processes of root if there is one, with room for the
    /// processes around the confined one. The files of groups are not there in namespaces.
    pub(super) fn join_group(&mut self, limits: &Limits, around: u64) {
        let most = limits.processes.saturating_add(around);
        self.is_grouped = self.is_root && cgroup::join(self.number, most).is_ok();
    }

    /// Stops counting processes outside of the namespace.
    pub(super) fn enters_namespaces(&mut self) {
        self.running = 0;
    }

    /// Returns the sentence of the report.
    pub(super) fn describe(&self, limits: &Limits) -> String {
        let Limits { processes, file_bytes, cpu_seconds, address_space, open_files } = limits;
        format!(
            "limits: {processes} processes, {file_bytes} bytes of a file, {cpu_seconds} s of CPU, \
             {address_space} bytes of memory, {open_files} open files"
        )
    }
}

/// Forbids core files.
pub(super) fn no_core_files() -> rustix::io::Result<()> {
    limit(Resource::Core, 0)
}

/// Sets the limits of this process and its descendants.
pub(super) fn set(limits: &Limits, identity: &Identity) -> io::Result<()> {
    if identity.is_root {
        set_thread_groups(&[])?;
        if !identity.is_grouped {
            take_real_uid(identity.number)?;
        }
    }
    // In a user namespace only its own processes count; elsewhere all of the user's do.
    limit(Resource::Nproc, limits.processes.saturating_add(identity.running))?;
    Ok(set_of_process(limits)?)
}

/// Sets the limits that count for each process alone.
pub(super) fn set_of_process(limits: &Limits) -> rustix::io::Result<()> {
    limit(Resource::Fsize, limits.file_bytes)?;
    limit(Resource::Cpu, limits.cpu_seconds)?;
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

fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let most = Some(most.min(hard));
    setrlimit(resource, Rlimit { current: most, maximum: most })
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
