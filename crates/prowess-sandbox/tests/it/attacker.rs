//! The attacker: a program that tries what a confined process must not be able to do.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use rustix::process::{Pid, Resource, Rlimit, Signal};

/// The word on the command line of an attacker.
pub(crate) const AS_ATTACKER: &str = "as-the-attacker";

/// The attacker's knowledge of its host.
pub(crate) struct Target {
    pub(crate) host: i32,
    /// The address of the host's secret in its memory.
    address: u64,
    /// A directory of the host's with a file `secret`, which the attacker was not granted.
    pub(crate) directory: PathBuf,
}

/// A name, and a function that succeeds if the attack is possible.
type Attack = (&'static str, fn(&Target) -> io::Result<()>);

/// The attacks that work without a sandbox for any user.
pub(crate) const ATTACKS: [Attack; 18] = [
    ("reads the host's environment", |target| {
        contains(&fs::read(target.of_host("environ"))?, b"hidden-in-the-environment")
    }),
    ("writes to the host's standard output", |target| {
        let mut stdout = OpenOptions::new().append(true).open(target.of_host("fd/1"))?;
        stdout.write_all(b"written by the attacker\n")
    }),
    ("reads the host's memory", |target| {
        let mut bytes = [0; 16];
        File::open(target.of_host("mem"))?.read_exact_at(&mut bytes, target.address)?;
        contains(&bytes, b"hidden-in-memory")
    }),
    ("writes to the host's memory", |target| {
        let memory = OpenOptions::new().write(true).open(target.of_host("mem"))?;
        memory.write_all_at(b"written-by-other", target.address)
    }),
    ("reads the host's command line", |target| fs::read(target.of_host("cmdline")).map(drop)),
    ("reads the users of the machine", |_| fs::read("/etc/passwd").map(drop)),
    ("lists the root directory", |_| fs::read_dir("/").map(drop)),
    ("reads a file of the host's", |target| fs::read(target.directory.join("secret")).map(drop)),
    ("writes a file of the host's", |target| {
        fs::write(target.directory.join("secret"), "written by the attacker")
    }),
    ("creates a file", |target| fs::write(target.directory.join("created"), "")),
    ("changes the mode of a file", |target| {
        fs::set_permissions(target.directory.join("secret"), fs::Permissions::from_mode(0o666))
    }),
    ("watches a directory", |target| {
        let watcher = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::empty())?;
        let events = rustix::fs::inotify::WatchFlags::CREATE;
        rustix::fs::inotify::add_watch(watcher, &*target.directory, events)?;
        Ok(())
    }),
    ("opens a network socket", |_| std::net::UdpSocket::bind("127.0.0.1:0").map(drop)),
    ("signals the host", |target| Ok(rustix::process::kill_process(target.pid(), Signal::CONT)?)),
    ("limits the host", |target| {
        let none = Rlimit { current: None, maximum: None };
        Ok(rustix::process::prlimit(Some(target.pid()), Resource::Cpu, none).map(drop)?)
    }),
    ("starts a program", |_| Command::new("/bin/true").status().map(drop)),
    ("opens a handle to the host", |target| {
        let flags = rustix::process::PidfdFlags::empty();
        Ok(rustix::process::pidfd_open(target.pid(), flags).map(drop)?)
    }),
    ("starts 2,000 threads", |_| threads(2_000)),
];

impl Target {
    fn of_environment() -> Self {
        let number = |name: &str| std::env::var(name).unwrap();
        Self {
            host: number("ATTACK_HOST").parse().unwrap(),
            address: number("ATTACK_ADDRESS").parse().unwrap(),
            directory: number("ATTACK_DIRECTORY").into(),
        }
    }

    fn of_host(&self, file: &str) -> PathBuf {
        format!("/proc/{}/{file}", self.host).into()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.host).unwrap()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> io::Result<()> {
    let found = bytes.windows(part.len()).any(|window| window == part);
    if found { Ok(()) } else { Err(io::Error::other("the secret is not there")) }
}

/// Starts threads that wait for each other's end.
fn threads(count: usize) -> io::Result<()> {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = std::sync::Arc::new(std::sync::Mutex::new(receiver));
    let mut started = Vec::new();
    let mut outcome = Ok(());
    for _ in 0..count {
        let receiver = std::sync::Arc::clone(&receiver);
        let wait = move || drop(receiver.lock().map(|receiver| receiver.recv()));
        match thread::Builder::new().stack_size(16 << 10).spawn(wait) {
            Ok(thread) => started.push(thread),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    drop(sender);
    started.into_iter().for_each(|thread| drop(thread.join()));
    outcome
}

/// Not a test, but the program that attacks: it prints one line for each attack.
#[test]
fn attacker() {
    if !std::env::args().any(|word| word == AS_ATTACKER) {
        return;
    }
    let target = Target::of_environment();
    let mut report = String::new();
    for (name, attack) in ATTACKS {
        let line = match attack(&target) {
            Ok(()) => format!("possible: {name}\n"),
            Err(error) => format!("refused: {name}: {error}\n"),
        };
        report.push_str(&line);
    }
    report.push_str(&surroundings());
    io::stdout().write_all(report.as_bytes()).unwrap();
}

/// Returns the kernel's description of this process.
fn surroundings() -> String {
    let mut status = String::new();
    let read =
        File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut status));
    let is_of_interest = |line: &&str| {
        ["CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp:"]
            .iter()
            .any(|name| line.starts_with(name))
    };
    let lines: Vec<_> = status.lines().filter(is_of_interest).collect();
    let files = fs::read_dir("/proc/self/fd").map(|files| {
        let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.join(",")
    });
    format!("status {read:?}: {}\nfiles: {files:?}\n", lines.join(" "))
}
