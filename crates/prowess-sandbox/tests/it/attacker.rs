//! The attacker: a program that tries what a confined process must not be able to do.

mod calls;
mod files;
mod kernel;
mod namespaces;
mod processes;
mod sockets;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use rustix::process::Pid;

/// The word on the command line of an attacker.
pub(crate) const AS_ATTACKER: &str = "as-the-attacker";

/// The name of a program that runs with the rights of its owner, another user.
pub(crate) const SETUID: &str = "setuid";

/// The name of a program whose file has a capability, which a process gets that starts it.
pub(crate) const CAPABLE: &str = "capable";
/// The word on the command line of that program.
const AS_CAPABLE: &str = "as-the-capable";

/// The attacker's knowledge of its host.
pub(crate) struct Target {
    pub(crate) host: i32,
    /// The address of the host's secret in its memory.
    address: u64,
    /// A directory of the host's with files, which the attacker was not granted.
    pub(crate) directory: PathBuf,
}

/// The users who can carry out an attack where there is no sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Anyone,
    Root,
}

/// A name, who can carry it out, and a function that succeeds if it is possible.
pub(crate) type Attack = (&'static str, By, fn(&Target) -> io::Result<()>);

/// Returns every attack. The last ones change the attacker itself.
pub(crate) fn attacks() -> impl Iterator<Item = &'static Attack> {
    let lists: [&'static [Attack]; 5] = [
        files::ATTACKS,
        processes::ATTACKS,
        sockets::ATTACKS,
        kernel::ATTACKS,
        namespaces::ATTACKS,
    ];
    lists.into_iter().flatten()
}

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

/// Not a test, but the program that attacks: it prints one line for each attack.
#[test]
fn attacker() {
    if !std::env::args().any(|word| word == AS_ATTACKER) {
        return;
    }
    let target = Target::of_environment();
    let mut report = String::new();
    for (name, _, attack) in attacks() {
        let line = match attack(&target) {
            Ok(()) => format!("possible: {name}\n"),
            Err(error) => format!("refused: {name}: {error}\n"),
        };
        report.push_str(&line);
    }
    report.push_str(&surroundings());
    io::stdout().write_all(report.as_bytes()).unwrap();
}

/// Not a test, but the program whose file has a capability: it prints those that it has.
#[test]
fn capable() {
    if std::env::args().any(|word| word == AS_CAPABLE) {
        let sets = rustix::thread::capabilities(None).unwrap();
        println!("effective: {:?}", sets.effective);
    }
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
