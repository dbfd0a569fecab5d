//! Control groups that limit all processes of a sandbox together.
//!
//! A resource limit of the kernel counts the memory of each process, and the processes of a user;
//! it does not count those of root at all. A real user id of its own would help there, but a
//! program that starts with two user ids runs in the secure mode of the C library, without
//! `TMPDIR`, and shells refuse to change it back with a warning.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::{LimitKeeper, LimitKeepers};

/// Where control groups are mounted.
const MOUNT: &str = "/sys/fs/cgroup";
/// The beginning of the names of groups.
const PREFIX: &str = "prowess-";
/// How often a group is created that another stage has removed meanwhile.
const ATTEMPTS: usize = 10;

/// The file by which a single thread enters a group of the first version. The kernel waits for no
/// other processor then, as it does for [`PROCESSES`]: that takes up to ten milliseconds.
const THREADS: &str = "tasks";
/// The file by which a process enters a group of the second version.
const PROCESSES: &str = "cgroup.procs";

#[derive(Clone, Copy)]
pub(super) struct GroupLimits {
    /// Processes and threads, with those around the confined one.
    pub(super) processes: u64,
    /// Bytes of memory.
    pub(super) memory: u64,
}

/// A file of a group and the value for it.
struct Setting {
    file: &'static str,
    value: fn(GroupLimits) -> u64,
    /// Whether a kernel without the file is no error.
    is_optional: bool,
}

/// The resources that a group can limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Controller {
    Pids,
    Memory,
}

/// The effect of the groups that this process has entered.
#[derive(Default)]
pub(super) struct Groups {
    /// The keeper of each limit.
    pub(super) keepers: LimitKeepers,
    /// Where the kernel counts the processes that it kills for the memory of all.
    pub(super) memory_kills: Option<MemoryKills>,
}

/// The number of processes that the kernel has killed because a group's memory was used up.
pub(super) struct MemoryKills(fs::File);

impl AsRawFd for MemoryKills {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl MemoryKills {
    pub(super) fn is_any(&self) -> bool {
        let mut counts = [0; 512];
        let read = self.0.read_at(&mut counts, 0).unwrap_or_default();
        let counts = String::from_utf8_lossy(&counts[..read]);
        counts.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|count| count != "0"))
    }
}

/// Moves this process into groups of its own, with limits, where this machine lets it. It has a
/// single thread.
pub(super) fn join(number: u32, limits: GroupLimits) -> Groups {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    join_below(Path::new(MOUNT), &groups, &format!("{PREFIX}{number}"), limits)
}

/// Removes the groups next to which a stage of this process would create its own, as far as their
/// sandboxes have ended: also those of hosts that were killed.
pub fn remove_ended_groups() {
    parents().for_each(|parent| drop(remove_empty(&parent)));
}

/// Removes the groups of a stage with this process number, which has ended.
pub(crate) fn remove_groups_of(number: u32) {
    parents().for_each(|parent| drop(fs::remove_dir(parent.join(format!("{PREFIX}{number}")))));
}

/// Returns the groups below which a stage of this process would create its own.
fn parents() -> impl Iterator<Item = PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mount = Path::new(MOUNT);
    let of_second = delegated(mount, &groups).into_iter().map(|(parent, _)| parent);
    let both = [Controller::Pids, Controller::Memory];
    of_second.chain(both.into_iter().filter_map(move |one| of_first(mount, &groups, one.name())))
}

/// Prefers the second version of control groups.
fn join_below(mount: &Path, groups: &str, name: &str, limits: GroupLimits) -> Groups {
    let mut all = Groups::default();
    for (parent, controllers) in delegated(mount, groups) {
        let of_second = LimitKeeper::ControlGroupV2;
        if all.enter(&parent, name, &controllers, of_second, limits).is_ok() {
            break;
        }
    }
    for one in [Controller::Pids, Controller::Memory] {
        if *one.of(&mut all.keepers) == LimitKeeper::ResourceLimits
            && let Some(parent) = of_first(mount, groups, one.name())
        {
            // Otherwise resource limits keep it.
            let _ = all.enter(&parent, name, &[one], LimitKeeper::ControlGroupV1, limits);
        }
    }
    all
}

impl Groups {
    /// Moves this process into a group of its own below `parent`.
    fn enter(
        &mut self,
        parent: &Path,
        name: &str,
        controllers: &[Controller],
        keeper: LimitKeeper,
        limits: GroupLimits,
    ) -> io::Result<()> {
        remove_empty(parent)?;
        let group = parent.join(name);
        let mut entered = Err(io::ErrorKind::NotFound.into());
        for _ in 0..ATTEMPTS {
            entered =
                create(&group).and_then(|()| enter_group(&group, controllers, keeper, limits));
            // The second number is that of a file whose group was removed while it was open.
            let is_removed = |error: &io::Error| {
                error.kind() == io::ErrorKind::NotFound
                    || error.raw_os_error() == Some(libc::ENODEV)
            };
            if !entered.as_ref().is_err_and(is_removed) {
                break;
            }
        }
        if entered.is_err() {
            let _ = fs::remove_dir(&group);
        }
        for controller in entered? {
            *controller.of(&mut self.keepers) = keeper;
            let kills = controller.kills(keeper).map(|file| fs::File::open(group.join(file)));
            self.memory_kills =
                kills.and_then(Result::ok).map(MemoryKills).or(self.memory_kills.take());
        }
        Ok(())
    }
}

impl Controller {
    fn name(self) -> &'static str {
        match self {
            Self::Pids => "pids",
            Self::Memory => "memory",
        }
    }

    fn of(self, keepers: &mut LimitKeepers) -> &mut LimitKeeper {
        match self {
            Self::Pids => &mut keepers.processes,
            Self::Memory => &mut keepers.memory,
        }
    }

    /// Returns the file that counts the processes that are killed for their memory.
    fn kills(self, keeper: LimitKeeper) -> Option<&'static str> {
        match (self, keeper) {
            (Self::Pids, _) => None,
            (Self::Memory, LimitKeeper::ControlGroupV2) => Some("memory.events"),
            (Self::Memory, _) => Some("memory.oom_control"),
        }
    }

    fn settings(self, keeper: LimitKeeper) -> Vec<Setting> {
        let is_second = keeper == LimitKeeper::ControlGroupV2;
        match self {
            Self::Pids => vec![Setting::required("pids.max", |limits| limits.processes)],
            Self::Memory if is_second => vec![
                Setting::required("memory.max", |limits| limits.memory),
                Setting::optional("memory.swap.max", |_| 0),
            ],
            Self::Memory => vec![
                Setting::required("memory.limit_in_bytes", |limits| limits.memory),
                // Memory and swap together.
                Setting::optional("memory.memsw.limit_in_bytes", |limits| limits.memory),
            ],
        }
    }
}

impl Setting {
    fn required(file: &'static str, value: fn(GroupLimits) -> u64) -> Self {
        Self { file, value, is_optional: false }
    }

    fn optional(file: &'static str, value: fn(GroupLimits) -> u64) -> Self {
        Self { file, value, is_optional: true }
    }

    /// Writes the value, unless the kernel does not have the file.
    fn set(&self, group: &Path, limits: GroupLimits) -> io::Result<()> {
        match open(&group.join(self.file)) {
            Err(error) if self.is_optional && error.kind() == io::ErrorKind::NotFound => Ok(()),
            file => file?.write_all((self.value)(limits).to_string().as_bytes()),
        }
    }
}

/// Returns the groups of the second version in which a group can have controllers of its own, the
/// nearest one first: this process's group, which can only be the topmost one, and those above.
fn delegated(mount: &Path, groups: &str) -> Vec<(PathBuf, Vec<Controller>)> {
    let Some(own) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
        return Vec::new();
    };
    let own = below(mount, own);
    let above = own.ancestors().take_while(|group| group.starts_with(mount));
    let found = above.filter_map(|group| {
        let enabled = fs::read_to_string(group.join("cgroup.subtree_control")).ok()?;
        let is_enabled = |one: &Controller| enabled.split_whitespace().any(|on| on == one.name());
        let mut both = vec![Controller::Pids, Controller::Memory];
        both.retain(is_enabled);
        (!both.is_empty()).then(|| (group.to_owned(), both))
    });
    found.collect()
}

/// Returns this process's group of the first version for a controller.
fn of_first(mount: &Path, groups: &str, controller: &str) -> Option<PathBuf> {
    groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let counts = controllers.split(',').any(|one| one == controller);
        counts.then(|| below(&mount.join(controller), path))
    })
}

fn below(mount: &Path, path: &str) -> PathBuf {
    mount.join(path.trim_start_matches('/'))
}

/// Removes the groups of sandboxes that have ended: the kernel keeps those with a process.
fn remove_empty(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)?.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
    Ok(())
}

fn create(group: &Path) -> io::Result<()> {
    match fs::create_dir(group) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Sets the limits of a group and moves this process into it. Returns the controllers that keep
/// them.
fn enter_group(
    group: &Path,
    controllers: &[Controller],
    keeper: LimitKeeper,
    limits: GroupLimits,
) -> io::Result<Vec<Controller>> {
    let keeps = |one: &Controller| {
        one.settings(keeper).iter().try_for_each(|setting| setting.set(group, limits)).is_ok()
    };
    let keepers = controllers.iter().copied().filter(keeps).collect();
    let by = if keeper == LimitKeeper::ControlGroupV2 { PROCESSES } else { THREADS };
    // The one that writes it.
    open(&group.join(by))?.write_all(b"0")?;
    Ok(keepers)
}

/// Opens a file that exists, to write to it.
fn open(file: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).open(file)
}

#[cfg(test)]
mod tests {
    use LimitKeeper::{ControlGroupV1, ControlGroupV2, ResourceLimits};

    use super::*;

    /// The files of a group, as the kernel creates them with the group.
    const FILES: [&str; 5] =
        [PROCESSES, THREADS, "pids.max", "memory.max", "memory.limit_in_bytes"];
    const LIMITS: GroupLimits = GroupLimits { processes: 12, memory: 4_096 };

    /// Creates directories that look like control groups, each with a group for a sandbox.
    fn groups(mount: &Path, directories: &[(&str, &str)]) {
        for (directory, controllers) in directories {
            let group = mount.join(directory).join("prowess-1");
            fs::create_dir_all(&group).expect("it can be created");
            let enabled = group.with_file_name("cgroup.subtree_control");
            fs::write(enabled, controllers).expect("it can be written");
            for file in FILES {
                fs::write(group.join(file), "").expect("it can be written");
            }
        }
    }

    #[track_caller]
    fn check(
        groups_of_process: &str,
        directories: &[(&str, &str)],
        keepers: [LimitKeeper; 2],
        written: &[(&str, &str)],
    ) {
        let mount = tempfile::tempdir().expect("a directory can be created");
        groups(mount.path(), directories);
        let joined = join_below(mount.path(), groups_of_process, "prowess-1", LIMITS).keepers;
        assert_eq!([joined.processes, joined.memory], keepers, "{groups_of_process}");
        for (file, expected) in written {
            let text = fs::read_to_string(mount.path().join(file)).expect("it exists");
            assert_eq!(text, *expected, "{file}");
        }
    }

    #[test]
    fn nearest_delegated_group_is_used() {
        let directories = [("user", "cpu pids"), ("user/app", "memory pids"), ("user/app/own", "")];
        let written = [
            ("user/app/prowess-1/pids.max", "12"),
            ("user/app/prowess-1/memory.max", "4096"),
            ("user/app/prowess-1/cgroup.procs", "0"),
            ("user/prowess-1/cgroup.procs", ""),
        ];
        check("0::/user/app/own\n", &directories, [ControlGroupV2; 2], &written);
    }

    #[test]
    fn controllers_may_be_of_two_versions() {
        let of_process = "5:memory:/job\n3:cpu,pids:/\n0::/own\n";
        let both = [("", "pids"), ("own", ""), ("memory/job", ""), ("pids", "")];
        let written = [
            ("prowess-1/pids.max", "12"),
            ("memory/job/prowess-1/memory.limit_in_bytes", "4096"),
            ("memory/job/prowess-1/tasks", "0"),
            ("pids/prowess-1/tasks", ""),
        ];
        check(of_process, &both, [ControlGroupV2, ControlGroupV1], &written);
        let first = [("", ""), ("pids", "")];
        let written = [("pids/prowess-1/pids.max", "12")];
        check(of_process, &first, [ControlGroupV1, ResourceLimits], &written);
    }

    #[test]
    fn machine_without_groups_has_none() {
        for of_process in ["", "7:cpu:/\n", "0::/a/group/that/is/not/there\n", "pids"] {
            check(of_process, &[], [ResourceLimits; 2], &[]);
        }
    }
}
