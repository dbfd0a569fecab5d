//! Limits of all processes together, kept by control groups or by resource limits.

use prowess_sandbox::{
    DemandedLevel, GroupLimit, Isolation, LimitKeeper, LimitKeepers, Limits, Running, SandboxError,
    SandboxErrorKind, Streams,
};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::UnshareFlags;

use crate::host::{native, output, plan};

const LEVELS: [DemandedLevel; 2] = [DemandedLevel::Floor, DemandedLevel::Namespaces];

fn shell(script: &str, level: DemandedLevel, limits: Limits) -> Result<Running, SandboxError> {
    let mut plan = plan(script, level);
    plan.confinement.limits = limits;
    native().spawn(&plan, &Streams::piped(), &[])
}

/// Eight processes inside each other, each of which keeps ten million bytes.
const KEEP_MEMORY: &str = r#"
keep='x=$(head -c 10000000 /dev/zero | tr "\0" x); echo kept ${#x}
    [ $1 = 1 ] || sh -c "$2" sh $(($1 - 1)) "$2"; exit 0'
sh -c "$keep" sh 8 "$keep""#;

/// Returns the number of processes that kept all of it.
fn processes_that_kept_it(running: &mut Running) -> usize {
    let printed = output(running);
    running.child.wait().unwrap();
    printed.matches("kept 10000000\n").count()
}

/// Each process stays far below the limit of its address space, and one alone below that of all.
#[test]
fn memory_of_all_processes_is_limited() {
    for level in LEVELS {
        for (memory_bytes, expected) in [(60 << 20, 1..8), (512 << 20, 8..9)] {
            let demanded = vec![GroupLimit::Memory];
            let limits = Limits { memory_bytes, demanded, ..Limits::default() };
            let mut running = match shell(KEEP_MEMORY, level, limits) {
                Ok(running) => running,
                Err(error) => {
                    assert_eq!(error.kind, SandboxErrorKind::Unavailable, "{error}");
                    continue;
                }
            };
            let keeper = running.report.limits.memory;
            assert_ne!(keeper, LimitKeeper::ResourceLimits, "a group counts the memory");
            let kept = processes_that_kept_it(&mut running);
            assert!(expected.contains(&kept), "{level:?}, {memory_bytes} bytes: {kept} processes");
        }
    }
}

/// Returns whether a process has a control group, also after its end.
fn has_group(process: u32) -> bool {
    let name = format!("prowess-{process}");
    let mut left = vec![std::path::PathBuf::from("/sys/fs/cgroup")];
    while let Some(directory) = left.pop() {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
        left.extend(directories.map(|entry| entry.path()));
        if left.iter().any(|directory| directory.ends_with(&name)) {
            return true;
        }
    }
    false
}

#[test]
fn ended_process_leaves_no_group() {
    for level in LEVELS {
        let mut running = shell("read line", level, Limits::default()).unwrap();
        let process = running.child.id();
        assert_eq!(has_group(process), running.report.limits != LimitKeepers::default());
        running.end().unwrap();
        assert!(!has_group(process), "{level:?}: its end removes the group");

        let mut left = shell("true", level, Limits::default()).unwrap();
        // As a host that was killed leaves it.
        left.child.wait().unwrap();
        prowess_sandbox::remove_ended_groups();
        assert!(!has_group(left.child.id()), "{level:?}: the next host removes the group");
    }
}

/// Hides the control groups from this thread and its processes.
fn hide_control_groups() {
    let flags = UnshareFlags::NEWNS | UnshareFlags::FS;
    // SAFETY: open files are not unshared.
    #[allow(unsafe_code, reason = "rustix cannot know that no thread shares open files")]
    unsafe { rustix::thread::unshare_unsafe(flags) }.unwrap();
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
    mount("tmpfs", "/sys/fs/cgroup", "tmpfs", MountFlags::empty(), None).unwrap();
}

/// Runs a test on a machine without control groups.
fn without_control_groups(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::spawn(|| {
        hide_control_groups();
        test();
    });
    thread.join().unwrap();
}

#[test]
fn limits_without_control_groups_are_resource_limits() {
    without_control_groups(|| {
        for level in LEVELS {
            let mut running = shell("true", level, Limits::default()).unwrap();
            assert_eq!(running.report.limits, LimitKeepers::default(), "{:?}", running.report);
            assert!(running.child.wait().unwrap().success(), "it runs, {level:?}");
            let layers = running.report.layers.join(", ");
            assert!(layers.contains("processes 256 (resource limits)"), "it is named: {layers}");
        }
    });
}

#[test]
fn demanded_limit_without_control_groups_starts_nothing() {
    without_control_groups(|| {
        for (limit, counted) in
            [(GroupLimit::Processes, "processes"), (GroupLimit::Memory, "memory")]
        {
            for level in LEVELS.into_iter().chain([DemandedLevel::Best, DemandedLevel::Unconfined])
            {
                let limits = Limits { demanded: vec![limit], ..Limits::default() };
                let error = shell("true", level, limits).unwrap_err();
                assert_eq!(error.kind, SandboxErrorKind::Unavailable, "{level:?}: {error}");
                assert_eq!(error.kind.as_str(), "sandbox-unavailable");
                let reason =
                    format!("no control group that this user may use counts the {counted}");
                assert!(error.reason.contains(&reason), "{level:?}: {error}");
                assert!(error.help.contains("systemd-run --user --scope"), "{error}");
            }
        }
    });
}
