//! Control groups that limit all processes of a sandbox together.
//!
//! A resource limit of the kernel counts the memory of each process, and the processes of a user;
//! it does not count those of root at all. A real user id of its own would help there, but a
//! program that starts with two user ids runs in the secure mode of the C library, without
//! `TMPDIR`, and shells refuse to change it back with a warning.

use std::fs;
use std::io;
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

/// The limits of a group.
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
    value: u64,
    /// Whether a kernel without the file is no error.
    is_optional: bool,
}

/// The resources that a group can limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Controller {
    Pids,
    Memory,
}

/// Moves this process into groups of its own where this machine lets it, and returns what they
/// limit. It has a single thread.
pub(super) fn join(number: u32, limits: GroupLimits) -> LimitKeepers {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    join_below(Path::new(MOUNT), &groups, &format!("{PREFIX}{number}"), limits)
}

/// Prefers the second version of control groups.
fn join_below(mount: &Path, groups: &str, name: &str, limits: GroupLimits) -> LimitKeepers {
    let mut keepers = LimitKeepers::default();
    for (parent, controllers) in delegated(mount, groups) {
        let settings: Vec<_> =
            controllers.iter().flat_map(|one| one.settings_of_second(limits)).collect();
        if enter(&parent, name, &settings, PROCESSES).is_ok() {
            controllers.iter().for_each(|one| *one.of(&mut keepers) = LimitKeeper::ControlGroupV2);
            break;
        }
    }
    for one in [Controller::Pids, Controller::Memory] {
        let keeper = one.of(&mut keepers);
        let Some(parent) = of_first(mount, groups, one.name()) else { continue };
        let is_free = *keeper == LimitKeeper::ResourceLimits;
        if is_free && enter(&parent, name, &one.settings_of_first(limits), THREADS).is_ok() {
            *keeper = LimitKeeper::ControlGroupV1;
        }
    }
    keepers
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

    fn settings_of_first(self, limits: GroupLimits) -> Vec<Setting> {
        match self {
            Self::Pids => vec![Setting::required("pids.max", limits.processes)],
            Self::Memory => vec![
                Setting::required("memory.limit_in_bytes", limits.memory),
                // Memory and swap together.
                Setting::optional("memory.memsw.limit_in_bytes", limits.memory),
            ],
        }
    }

    fn settings_of_second(self, limits: GroupLimits) -> Vec<Setting> {
        match self {
            Self::Pids => vec![Setting::required("pids.max", limits.processes)],
            Self::Memory => vec![
                Setting::required("memory.max", limits.memory),
                Setting::optional("memory.swap.max", 0),
            ],
        }
    }
}

impl Setting {
    fn required(file: &'static str, value: u64) -> Self {
        Self { file, value, is_optional: false }
    }

    fn optional(file: &'static str, value: u64) -> Self {
        Self { file, value, is_optional: true }
    }

    fn write(&self, group: &Path) -> io::Result<()> {
        let path = group.join(self.file);
        if self.is_optional && !path.exists() {
            return Ok(());
        }
        write(&path, &self.value.to_string())
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

/// Moves this process into a group of its own below `parent`.
fn enter(parent: &Path, name: &str, settings: &[Setting], by: &str) -> io::Result<()> {
    remove_empty(parent)?;
    let group = parent.join(name);
    let mut entered = Err(io::ErrorKind::NotFound.into());
    for _ in 0..ATTEMPTS {
        entered = create(&group).and_then(|()| limit_and_enter(&group, settings, by));
        if !entered.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            break;
        }
    }
    if entered.is_err() {
        let _ = fs::remove_dir(&group);
    }
    entered
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

fn limit_and_enter(group: &Path, settings: &[Setting], by: &str) -> io::Result<()> {
    settings.iter().try_for_each(|setting| setting.write(group))?;
    // The one that writes it.
    write(&group.join(by), "0")
}

/// Writes to a file that exists.
fn write(file: &Path, text: &str) -> io::Result<()> {
    io::Write::write_all(&mut fs::OpenOptions::new().write(true).open(file)?, text.as_bytes())
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
        let joined = join_below(mount.path(), groups_of_process, "prowess-1", LIMITS);
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
