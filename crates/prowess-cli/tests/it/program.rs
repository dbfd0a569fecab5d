//! Runs of the binary with nothing of the machine that they do not get.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::dynamic::{self, Trusted};

/// How long a run may take on a busy machine before it counts as hung.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The binary with an empty home, an empty working directory and no environment else.
pub(crate) struct Program {
    place: TempDir,
    command: Command,
    /// The options that choose the skills.
    roots: Vec<String>,
    /// The options that choose the policies.
    configs: Vec<String>,
    is_linked: bool,
}

/// Commands that refuse the options that choose the skills.
const WITHOUT_SKILLS: [&str; 3] = ["approvals", "tour", "validate"];

/// Commands that refuse those that choose the policies, too.
const WITHOUT_POLICIES: [&str; 3] = ["audit", "read-properties", "to-prompt"];

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().expect("a temporary directory");
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        for directory in ["home", "work"] {
            std::fs::create_dir(place.path().join(directory)).expect("a directory can be made");
        }
        command
            .env_clear()
            // An instrumented program writes there which lines ran.
            .envs(std::env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)))
            .env("HOME", place.path().join("home"))
            .current_dir(place.path().join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { place, command, roots: Vec::new(), configs: Vec::new(), is_linked: false }
    }

    /// Gives it a root in a layer, unless its command uses none.
    pub(crate) fn root(mut self, layer: &str, root: &Path) -> Self {
        self.roots.extend(["--root".to_owned(), format!("{layer}={}", root.display())]);
        self
    }

    /// Gives it a file of policies, unless its command uses none.
    pub(crate) fn config(mut self, file: &Path) -> Self {
        self.configs.extend(["--config".to_owned(), file.display().to_string()]);
        self
    }

    /// Sets a variable of its environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Lets it stand in another directory.
    pub(crate) fn working_in(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Gives it a text on standard input.
    pub(crate) fn with_input(mut self, text: &str) -> Self {
        let path = self.place.path().join("input");
        std::fs::write(&path, text).expect("a file can be written");
        self.command.stdin(std::fs::File::open(path).expect("it is there"));
        self
    }

    /// Gives it another home.
    pub(crate) fn at_home_in(mut self, home: &Path) -> Self {
        self.command.env("HOME", home);
        self
    }

    /// Lets it take its built-in sources from plugins, if the tests are run so.
    fn trust(&mut self) -> Option<Trusted<'static>> {
        let dynamic = dynamic::plugins().filter(|_| !self.is_linked)?;
        let home = self.command.get_envs().find(|(name, _)| *name == "HOME");
        let home = home.and_then(|(_, home)| home).expect("each run has a home").to_owned();
        self.command.env("PROWESS_DYNAMIC", &dynamic.directory);
        dynamic.trust_in(Path::new(&home))
    }

    /// Lets it use the sources that are linked in, however the tests are run.
    pub(crate) fn linked(mut self) -> Self {
        self.is_linked = true;
        self
    }

    /// The command itself, and the directory that must live as long as it runs.
    pub(crate) fn into_command(mut self) -> (Command, TempDir) {
        self.command.args(self.roots.iter().chain(&self.configs));
        // Its home goes with the directory.
        self.trust().into_iter().for_each(std::mem::forget);
        (self.command, self.place)
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(mut self, args: &[&str]) -> Ran {
        let _trusted = self.trust();
        let is_one_of = |commands: &[&str]| args.iter().any(|word| commands.contains(word));
        if !is_one_of(&WITHOUT_POLICIES) {
            self.command.args(&self.configs);
            if !is_one_of(&WITHOUT_SKILLS) {
                self.command.args(&self.roots);
            }
        }
        let child = self.command.args(args).spawn().expect("the program starts");
        let pid = child.id();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(PATIENCE) else {
            kill(pid);
            panic!("`prowess {}` does not end", args.join(" "));
        };
        let output = output.expect("the program can be waited for");
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

fn kill(pid: u32) {
    // It may have ended by itself after all.
    let _ = signal(pid, Signal::KILL);
}

/// Sends a signal to a process.
pub(crate) fn signal(pid: u32, signal: Signal) -> rustix::io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process has a number");
    kill_process(pid, signal)
}

impl Ran {
    /// The one JSON document on standard output, from a run that did what it was asked.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stderr, "", "with JSON asked for, nothing else is said");
        serde_json::from_str(&self.stdout).expect("standard output is one JSON document")
    }

    /// The standard output of a run that did what it was asked.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.code, Some(0), "the run succeeds: {}", self.stderr);
        &self.stdout
    }

    /// The failure that is printed on standard error as JSON.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        assert_eq!(self.stdout, "", "a failure leaves no data");
        let document: Value =
            serde_json::from_str(&self.stderr).expect("standard error is one JSON document");
        document["error"].clone()
    }
}
