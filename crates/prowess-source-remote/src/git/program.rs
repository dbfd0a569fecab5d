//! Runs the git program within limits.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use prowess_core::{Cancel, RemoteError, RemoteErrorKind};
use prowess_dir::ScratchDir;
use rustix::process::{Pid, Signal, kill_process_group};

use super::error;
use crate::cancel::check;
use crate::git::options::GitOptions;

/// The longest wait between two checks of a running program.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// The maximum size of the messages of git that are read, in bytes.
const MAX_MESSAGES: u64 = 64 * 1024;

/// The file of certificates in the directory of a call.
const ROOTS: &str = "roots.pem";

/// The maximum size of lists that git prints, in bytes.
pub(crate) const MAX_LIST: u64 = 8 * 1024 * 1024;

/// The directory with the objects of a repository.
const PACKS: &str = "objects/pack";

/// The configuration that replaces the user's and that of the repository.
const CONFIGURATION: &str = include_str!("configuration.txt");

/// The variables that replace the user's.
const VARIABLES: &str = include_str!("variables.txt");

/// Returns the keys and values of a table.
fn pairs(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().filter_map(|line| line.split_once('='))
}

/// One call with a directory of its own, which is removed at its end.
pub(crate) struct GitCall<'c> {
    options: &'c GitOptions,
    cancel: &'c Cancel,
    directory: ScratchDir,
    end: Instant,
    protocol: String,
    /// The configuration of this call, such as credentials.
    configuration: Vec<(String, String)>,
}

impl<'c> GitCall<'c> {
    /// Creates the directory. Only one protocol may be used.
    pub(crate) fn new(
        options: &'c GitOptions,
        protocol: &str,
        configuration: Vec<(String, String)>,
        cancel: &'c Cancel,
    ) -> Result<Self, RemoteError> {
        check(cancel)?;
        let directory = ScratchDir::create(&std::env::temp_dir(), "prowess-git-");
        let directory = directory.map_err(|error| failed("no directory can be created", &error))?;
        let end = Instant::now() + options.timeout;
        let protocol = protocol.to_owned();
        Ok(Self { options, cancel, directory, end, protocol, configuration })
    }

    /// Sets the certificates of authorities that servers are checked with.
    pub(crate) fn trust(&mut self, roots: &[u8]) -> Result<(), RemoteError> {
        self.write(ROOTS, roots)?;
        let path = self.directory.path().join(ROOTS).to_string_lossy().into_owned();
        self.configuration.push(("http.sslCAInfo".to_owned(), path));
        Ok(())
    }

    /// Creates the file of a repository.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> Result<(), RemoteError> {
        let path = self.directory.path().join(path);
        let parent = path.parent().unwrap_or(self.directory.path());
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, content));
        written.map_err(|error| failed("the repository cannot be written", &error))
    }

    /// Reads a file of the repository.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, RemoteError> {
        let read = fs::read(self.directory.path().join(path));
        read.map_err(|error| failed("the repository cannot be read", &error))
    }

    /// Runs git, and returns its output of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// It fails, writes more, takes too long, uses too much of the disk, or is cancelled.
    pub(crate) fn run(&self, arguments: &[&str], limit: u64) -> Result<Vec<u8>, RemoteError> {
        self.run_with(arguments, b"", limit)
    }

    /// Runs git with an input, as [`Self::run`] does.
    pub(crate) fn run_with(
        &self,
        arguments: &[&str],
        input: &[u8],
        limit: u64,
    ) -> Result<Vec<u8>, RemoteError> {
        check(self.cancel)?;
        // Files and not pipes: a helper that outlives git cannot keep the caller waiting.
        let mut written = self.file("input")?;
        let rewound = written.write_all(input).and_then(|()| written.rewind());
        rewound.map_err(|error| failed("the input of git cannot be written", &error))?;
        let output = self.file("output")?;
        let messages = self.file("messages")?;
        let program = self.options.program.display();
        let streams = output.try_clone().and_then(|output| Ok((output, messages.try_clone()?)));
        let (own_output, own_messages) =
            streams.map_err(|error| failed("no file can be created", &error))?;
        let mut command = self.command(arguments);
        command.stdin(written).stdout(own_output).stderr(own_messages);
        let child = command.spawn();
        let child = child.map_err(|error| {
            let message = format!("`{program}` cannot be started: {error}; install git");
            RemoteError::new(RemoteErrorKind::Unsupported, message)
        })?;
        let status = self.wait(child, &output, limit)?;
        let unreadable = |error| failed("the output of git cannot be read", &error);
        if !status.success() {
            let messages = content(messages, MAX_MESSAGES).map_err(unreadable)?;
            return Err(error::read(&String::from_utf8_lossy(&messages)));
        }
        let bytes = content(output, limit.saturating_add(1)).map_err(unreadable)?;
        if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
    }

    /// Returns the program.
    pub(crate) fn program(&self) -> String {
        self.options.program.to_string_lossy().into_owned()
    }

    /// Returns the names of the files with objects.
    pub(crate) fn packs(&self) -> BTreeSet<OsString> {
        let packs = fs::read_dir(self.directory.path().join(PACKS));
        packs.into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
    }

    /// Removes the files with objects that are not among these, which a fetch has left behind.
    pub(crate) fn keep_packs(&self, known: &BTreeSet<OsString>) -> Result<(), RemoteError> {
        let packs = self.directory.path().join(PACKS);
        for name in self.packs().difference(known) {
            let removed = fs::remove_file(packs.join(name));
            removed.map_err(|error| failed("the repository cannot be written", &error))?;
        }
        Ok(())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.options.program);
        command.args(arguments).env_clear();
        command.envs(self.options.environment.iter().map(|(key, value)| (key, value)));
        command.envs(pairs(VARIABLES)).env("GIT_ALLOW_PROTOCOL", &self.protocol);
        // Neither a repository around the directory nor one of the caller is used.
        command.current_dir(self.directory.path());
        command.env("GIT_CEILING_DIRECTORIES", self.directory.path());
        let own = self.configuration.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let mut count = 0;
        for (key, value) in pairs(CONFIGURATION).chain(own) {
            command.env(format!("GIT_CONFIG_KEY_{count}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        command.process_group(0);
        command
    }

    fn file(&self, name: &str) -> Result<File, RemoteError> {
        let path = self.directory.path().join(name);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
        file.map_err(|error| failed("no file can be created", &error))
    }

    fn wait(&self, child: Child, output: &File, limit: u64) -> Result<ExitStatus, RemoteError> {
        let mut group = Group(child);
        let mut pause = Duration::from_millis(1);
        loop {
            let ended = group.0.try_wait();
            let ended = ended.map_err(|error| failed("git cannot be awaited", &error))?;
            check(self.cancel)?;
            if Instant::now() > self.end {
                let message = format!("git takes more than {:?}", self.options.timeout);
                return Err(RemoteError::new(RemoteErrorKind::Unavailable, message));
            }
            if output.metadata().is_ok_and(|it| it.len() > limit) {
                return Err(too_large(limit));
            }
            if size_of(self.directory.path(), 8) > self.options.bytes {
                return Err(too_large(self.options.bytes));
            }
            if let Some(status) = ended {
                return Ok(status);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_WAIT);
        }
    }
}

/// A program and the programs that it has started, which end with it.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // Also after git itself has ended: what it has started ends with it.
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Returns the size of the files below a directory of a call. Files that go away count nothing.
fn size_of(directory: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries.flatten().map(|entry| size_of_entry(&entry, depth)).sum()
}

fn size_of_entry(entry: &fs::DirEntry, depth: usize) -> u64 {
    match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth > 0 => size_of(&entry.path(), depth - 1),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

fn content(mut file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_large(limit: u64) -> RemoteError {
    let message = format!("the repository has more than {limit} bytes");
    RemoteError::new(RemoteErrorKind::TooLarge, message)
}

fn failed(what: &str, error: &io::Error) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Unavailable, format!("{what}: {error}"))
}
