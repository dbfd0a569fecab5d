//! Stages that wait for the next plan.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess_sandbox::{DemandedLevel, Isolation, Native, Plan, Program, Running, Streams};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::UnshareFlags;
use tempfile::TempDir;

use crate::host::{copy_program, stage, until};

const LEVELS: [DemandedLevel; 2] = [DemandedLevel::Floor, DemandedLevel::Namespaces];
/// Names the directory of the stage to a program that is a host.
const AS_HOST: &str = "READY_HOST_DIRECTORY";

/// An isolation with a stage of its own, whose processes can be distinguished from others.
struct Host {
    native: Native,
    stage: PathBuf,
    level: DemandedLevel,
    _directory: TempDir,
}

impl Host {
    fn new(level: DemandedLevel) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap().join("stage");
        copy_program(&stage().path, &path);
        let native = Native::new(Program::new(&path)).keep_ready();
        Self { native, stage: path, level, _directory: directory }
    }

    /// Returns one with a stage that waits.
    fn ready(level: DemandedLevel) -> Self {
        let host = Self::new(level);
        host.make_ready();
        host
    }

    fn make_ready(&self) {
        assert!(self.shell("true").child.wait().unwrap().success());
        until("a stage is ready", || self.native.is_ready());
    }

    fn plan(&self, script: &str) -> Plan {
        let shell = Program::new("/bin/sh").argument("-c").argument(script);
        let mut plan = Plan::run(self.native.stage(), shell);
        plan.confinement.level = self.level;
        plan.confinement.rights.execute = vec!["/bin".into(), "/usr/bin".into()];
        plan.confinement.rights.processes = true;
        plan
    }

    fn shell(&self, script: &str) -> Running {
        self.native.spawn(&self.plan(script), &Streams::piped(), &[]).unwrap()
    }

    fn waiting(&self) -> Vec<u32> {
        processes_of(&self.stage)
    }
}

/// Returns the processes that run a program.
fn processes_of(program: &Path) -> Vec<u32> {
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let runs = |number: &u32| {
        fs::read_link(format!("/proc/{number}/exe")).is_ok_and(|file| file.starts_with(program))
    };
    numbers.filter(runs).collect()
}

fn output(mut running: Running) -> String {
    let mut printed = String::new();
    running.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    running.child.wait().unwrap();
    printed
}

#[test]
fn next_plan_takes_the_waiting_stage() {
    for level in LEVELS {
        let host = Host::ready(level);
        let waiting = host.waiting();
        let running = host.shell("echo started");
        assert!(waiting.contains(&running.child.id()), "{level:?}: it was started before");
        assert_eq!(output(running), "started\n", "{level:?}");
        until("another one is ready", || host.native.is_ready());
    }
}

#[test]
fn waiting_stage_gets_all_of_the_plan() {
    for level in LEVELS {
        let host = Host::new(level);
        let mut plan = host.plan("echo $NAME $PWD; env | wc -l; cat; echo error >&2");
        plan.environment = vec![("NAME".into(), "a value".into())];
        plan.directory = "/usr".into();
        plan.confinement.rights.read = vec!["/usr".into()];
        let mut outputs = Vec::new();
        for _ in 0..2 {
            let (stdin, mut writer) = std::io::pipe().unwrap();
            std::io::Write::write_all(&mut writer, b"input\n").unwrap();
            drop(writer);
            let files = [std::os::fd::AsFd::as_fd(&stdin)];
            let mut running = host.native.spawn(&plan, &Streams::piped(), &files).unwrap();
            let mut errors = String::new();
            running.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            assert_eq!(errors, "error\n", "{level:?}");
            outputs.push(output(running));
            until("a stage is ready", || host.native.is_ready());
        }
        // `PWD` and `OLDPWD` or `_` are the shell's.
        assert!(outputs[0].starts_with("a value /usr\n"), "{level:?}: {outputs:?}");
        assert!(outputs[0].ends_with("\ninput\n"), "{level:?}: {outputs:?}");
        assert_eq!(outputs[0], outputs[1], "{level:?}: it is the same for a stage that was ready");
    }
}

#[test]
fn plan_with_another_level_starts_its_own_stage() {
    let mut host = Host::ready(DemandedLevel::Namespaces);
    let waiting = host.waiting();
    host.level = DemandedLevel::Floor;
    let running = host.shell("echo started");
    assert!(!waiting.contains(&running.child.id()), "the waiting one is in namespaces");
    assert_eq!(output(running), "started\n");
}

#[test]
fn missing_directory_is_an_error() {
    for level in LEVELS {
        let host = Host::ready(level);
        let mut plan = host.plan("echo started");
        plan.directory = "/nowhere/at/all".into();
        let error = host.native.spawn(&plan, &Streams::piped(), &[]).unwrap_err();
        assert_eq!(error.kind.as_str(), "sandbox-not-started", "{level:?}: {error}");
        assert!(error.reason.contains("in `/nowhere/at/all`: No such file"), "{error}");
    }
}

#[test]
fn stage_that_has_ended_is_replaced() {
    for level in LEVELS {
        let host = Host::ready(level);
        for process in host.waiting() {
            let process = Pid::from_raw(process.cast_signed()).unwrap();
            let _ = kill_process(process, Signal::KILL);
        }
        assert_eq!(output(host.shell("echo started")), "started\n", "{level:?}");
    }
}

#[test]
fn stage_of_a_replaced_program_is_not_used() {
    for level in LEVELS {
        let host = Host::ready(level);
        let waiting = host.waiting();
        let other = host.stage.with_extension("new");
        copy_program(&stage().path, &other);
        fs::rename(&other, &host.stage).unwrap();
        let running = host.shell("echo started");
        assert!(!waiting.contains(&running.child.id()), "{level:?}: the file is another one");
        assert_eq!(output(running), "started\n", "{level:?}");
    }
}

#[test]
fn thread_with_fewer_rights_starts_its_own_stage() {
    for level in LEVELS {
        let host = Host::ready(level);
        let waiting = host.waiting();
        let child = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                rustix::thread::set_no_new_privs(true).unwrap();
                let mut running = host.shell("true");
                assert!(running.child.wait().unwrap().success(), "{level:?}");
                running.child.id()
            });
            thread.join().unwrap()
        });
        assert!(!waiting.contains(&child), "{level:?}: the waiting one may do more");
    }
}

/// Gives this thread mounts of its own.
fn unshare_mounts() {
    let flags = UnshareFlags::NEWNS | UnshareFlags::FS;
    // SAFETY: open files are not unshared.
    #[allow(unsafe_code, reason = "rustix cannot know that no thread shares open files")]
    unsafe { rustix::thread::unshare_unsafe(flags) }.unwrap();
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
}

#[test]
fn later_mount_is_seen() {
    let thread = std::thread::spawn(|| {
        unshare_mounts();
        let host = Host::ready(DemandedLevel::Namespaces);
        let waiting = host.waiting();
        let directory = tempfile::tempdir().unwrap();
        mount("tmpfs", directory.path(), "tmpfs", MountFlags::empty(), None).unwrap();
        fs::write(directory.path().join("mounted"), "").unwrap();
        let mut plan = host.plan(&format!("ls {}", directory.path().display()));
        plan.confinement.rights.read = vec![directory.path().to_owned()];
        // Once for a stage that can read files, so that one waits that fits but for the mount.
        let running = host.native.spawn(&plan, &Streams::piped(), &[]).unwrap();
        assert!(!waiting.contains(&running.child.id()), "the waiting one reads nothing");
        assert_eq!(output(running), "mounted\n");
        until("a stage is ready", || host.native.is_ready());
        let waiting = host.waiting();
        let below = directory.path().join("below");
        fs::create_dir(&below).unwrap();
        mount("tmpfs", &below, "tmpfs", MountFlags::empty(), None).unwrap();
        fs::write(below.join("later"), "").unwrap();
        let mut again = host.plan(&format!("ls {}", below.display()));
        again.confinement.rights = plan.confinement.rights;
        let running = host.native.spawn(&again, &Streams::piped(), &[]).unwrap();
        assert!(!waiting.contains(&running.child.id()), "the waiting one has the older mounts");
        assert_eq!(output(running), "later\n");
    });
    thread.join().unwrap();
}

#[test]
fn waiting_stage_ends_with_the_isolation() {
    for level in LEVELS {
        let host = Host::ready(level);
        assert!(!host.waiting().is_empty(), "{level:?}");
        let Host { native, stage, _directory, .. } = host;
        drop(native);
        until("no process of the stage is left", || processes_of(&stage).is_empty());
    }
}

/// Not a test, but a host that is killed while a stage waits.
#[test]
fn host_that_is_killed() {
    let Some(level) = std::env::var_os(AS_HOST) else { return };
    let level = if level == "floor" { DemandedLevel::Floor } else { DemandedLevel::Namespaces };
    let host = Host::ready(level);
    assert!(host.native.is_ready());
    eprintln!("ready: {}", host.stage.display());
    loop {
        std::thread::park();
    }
}

#[test]
fn waiting_stage_ends_with_a_killed_host() {
    for level in ["floor", "namespaces"] {
        let mut host = Command::new(std::env::current_exe().unwrap())
            .args(["ready::host_that_is_killed", "--exact", "--nocapture", "--quiet"])
            .env(AS_HOST, level)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = std::io::BufReader::new(host.stderr.take().unwrap());
        let mut lines = std::io::BufRead::lines(stderr).map_while(Result::ok);
        let line = lines.find_map(|line| Some(line.strip_prefix("ready: ")?.to_owned()));
        let stage = PathBuf::from(line.unwrap());
        assert!(!processes_of(&stage).is_empty(), "{level}: a stage waits");
        host.kill().unwrap();
        host.wait().unwrap();
        until("no process of the stage is left", || processes_of(&stage).is_empty());
        fs::remove_dir_all(stage.parent().unwrap()).unwrap();
    }
}
