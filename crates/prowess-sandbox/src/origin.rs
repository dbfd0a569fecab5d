//! The rights and limits that a stage inherits from its host, and the file of its program.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::Program;

/// The lines of a thread's status about what its children inherit.
const INHERITED: [&str; 10] = [
    "Umask:",
    "Uid:",
    "Gid:",
    "Groups:",
    "Cap",
    "NoNewPrivs:",
    "Seccomp",
    "Cpus_allowed:",
    "Mems_allowed:",
    "Speculation_",
];
/// Further files of a thread about it.
const FILES: [&str; 3] =
    ["/proc/thread-self/limits", "/proc/thread-self/cgroup", "/proc/thread-self/oom_score_adj"];
/// The namespaces of a thread's children.
const NAMESPACES: [&str; 7] = ["cgroup", "ipc", "mnt", "net", "pid_for_children", "user", "uts"];

/// The rights, limits and namespaces that a stage inherits, and the file that it runs.
///
/// Landlock is missing: the kernel does not report the rules of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    program: [i128; 5],
    root: (u64, u64),
    namespaces: Vec<PathBuf>,
    inherited: String,
}

impl Origin {
    /// Returns the origin of a stage that this thread starts.
    pub(crate) fn of_thread(program: &Program) -> io::Result<Self> {
        let file = fs::metadata(&program.path)?;
        let root = fs::metadata("/")?;
        let namespace = |name| fs::read_link(format!("/proc/thread-self/ns/{name}"));
        let status = read("/proc/thread-self/status")?;
        let is_inherited = |line: &&str| INHERITED.iter().any(|name| line.starts_with(name));
        let mut inherited: String = status.lines().filter(is_inherited).collect();
        for path in FILES {
            inherited += &read(path)?;
        }
        Ok(Self {
            program: [
                file.dev().into(),
                file.ino().into(),
                file.size().into(),
                file.mtime().into(),
                file.mtime_nsec().into(),
            ],
            root: (root.dev(), root.ino()),
            namespaces: NAMESPACES.into_iter().map(namespace).collect::<io::Result<_>>()?,
            inherited,
        })
    }
}

/// Reads a file of `/proc` with few calls: what fits into the buffer comes with the first read, and
/// no length is asked for.
fn read(path: &str) -> io::Result<String> {
    let file = File::open(path)?;
    let mut text = vec![0; 4_096];
    let first = (&file).read(&mut text)?;
    let is_whole = first < text.len();
    text.truncate(first);
    if !is_whole {
        (&file).read_to_end(&mut text)?;
    }
    String::from_utf8(text).map_err(io::Error::other)
}

/// The mounts of the host. A stage in namespaces sees those that were there when it was started.
#[derive(Debug)]
pub(crate) struct Mounts(File);

impl Mounts {
    pub(crate) fn of_thread() -> io::Result<Self> {
        File::open("/proc/thread-self/mountinfo").map(Self)
    }

    /// Returns whether something was mounted or unmounted since.
    pub(crate) fn have_changed(&self) -> bool {
        let mut events = [PollFd::new(&self.0, PollFlags::PRI)];
        poll(&mut events, Some(&Timespec::default())) != Ok(0)
    }
}
