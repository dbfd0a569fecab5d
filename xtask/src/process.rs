//! Starting other programs.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Why a task did not succeed, as a sentence.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Returns a failure that names each item of a list, unless it is empty.
pub(crate) fn fail_for<T: AsRef<str>>(what: &str, names: &[T]) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
    Err(Failure(format!("{what}: {}", names.join(", "))))
}

/// Runs cargo in the workspace, its output on ours.
pub(crate) fn cargo(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<(), Failure> {
    cargo_with(&[], arguments)
}

/// Runs cargo in the workspace with these variables in its environment, its output on ours.
pub(crate) fn cargo_with(
    variables: &[(&str, &str)],
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<(), Failure> {
    let mut command = cargo_command(arguments);
    command.envs(variables.iter().copied());
    eprintln!("$ {}", display(&command));
    run(&mut command)
}

/// Runs a program that must succeed, its output on ours.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let name = display(command);
    let status =
        command.status().map_err(|error| Failure(format!("cannot start `{name}`: {error}")))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("`{name}` failed: {status}"))) }
}

/// Runs a program for at most this long, and returns how it ended, or nothing if it was ended with
/// all that it had started.
pub(crate) fn ended_within(
    command: &mut Command,
    limit: Duration,
) -> std::io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= limit {
            kill(&family(&child.id().to_string()))?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends processes by the command of the shell: the program of this name is not on each machine.
fn kill(processes: &[String]) -> std::io::Result<ExitStatus> {
    Command::new("sh").args(["-c", "kill -s KILL \"$@\"", "sh"]).args(processes).status()
}

/// Returns a process and those that it has started, by their numbers; on systems without `/proc`,
/// itself alone. A group of processes would name them too, but would not end with the terminal.
fn family(process: &str) -> Vec<String> {
    // Each thread has its own children.
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let children = |thread: std::fs::DirEntry| {
        let listed = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        listed.split_whitespace().flat_map(family).collect::<Vec<_>>()
    };
    let children = threads.flatten().flat_map(children);
    std::iter::once(process.to_owned()).chain(children).collect()
}

/// Runs cargo in the workspace and gives what it printed.
pub(crate) fn cargo_output(arguments: &[impl AsRef<OsStr>]) -> Result<Vec<u8>, Failure> {
    succeed(&mut cargo_command(arguments))
}

/// Writes these files of text below a directory, which is emptied first.
pub(crate) fn write_files(directory: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    for (path, text) in files {
        let file = directory.join(path);
        std::fs::create_dir_all(file.parent().expect("it is below the directory"))?;
        std::fs::write(file, text)?;
    }
    Ok(())
}

/// Builds something with cargo and returns the message of each artifact. `--message-format` must be
/// among the arguments, with a form of JSON.
pub(crate) fn artifacts(arguments: &[impl AsRef<OsStr>]) -> Result<Vec<Value>, Failure> {
    let mut command = cargo_command(arguments);
    command.stderr(Stdio::inherit());
    eprintln!("$ {}", display(&command));
    let printed = succeed(&mut command)?;
    let printed = String::from_utf8_lossy(&printed);
    let messages = printed.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
    let messages: Vec<Value> = messages.collect::<Result<_, _>>()?;
    Ok(messages.into_iter().filter(|it| it["reason"] == "compiler-artifact").collect())
}

/// A server, which ends when it is dropped.
pub(crate) struct Server(pub(crate) Child);

impl Server {
    /// Starts a program without output, and waits until it accepts connections.
    pub(crate) fn listening(command: &mut Command, host: &str) -> Result<Self, Failure> {
        let name = display(command);
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let failed = |why: String| Failure(format!("`{name}` does not start: {why}"));
        let mut server = Self(started.map_err(|error| failed(error.to_string()))?);
        while TcpStream::connect(host).is_err() {
            if let Some(status) = server.0.try_wait()? {
                return Err(failed(status.to_string()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }
}

pub(crate) fn first_line(output: Option<impl Read>) -> Result<String, Failure> {
    line_with(output, "")
}

/// Returns the first line with `part`. Nothing is read beyond the lines that are needed to find it,
/// but for what a buffer holds.
pub(crate) fn line_with(output: Option<impl Read>, part: &str) -> Result<String, Failure> {
    for line in BufReader::new(output.expect("it is piped")).lines() {
        let line = line?;
        if line.contains(part) {
            return Ok(line.trim().to_owned());
        }
    }
    Err(Failure(format!("it has ended without a line with `{part}`")))
}

/// Runs a program until a line of its standard error has `part`, ends its standard input then, and
/// returns what it has written to standard error. It must succeed.
pub(crate) fn errors_until(command: &mut Command, part: &str) -> Result<String, Failure> {
    let name = display(command);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = Server(command.spawn()?);
    let input = server.0.stdin.take();
    let mut errors = BufReader::new(server.0.stderr.take().expect("it is piped"));
    let mut printed = String::new();
    while !printed.contains(part) {
        if errors.read_line(&mut printed)? == 0 {
            return Err(Failure(format!("`{name}` has ended without `{part}`: {printed}")));
        }
    }
    drop(input);
    errors.read_to_string(&mut printed)?;
    let status = server.0.wait()?;
    if status.success() { Ok(printed) } else { Err(Failure(format!("`{name}` failed: {status}"))) }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Builds these targets optimized, with the dependencies that the command line's release build has,
/// and returns the directory of the programs.
///
/// The command line is selected in each such build, because the features of a dependency depend on
/// the selected packages: otherwise hundreds of crates would be compiled twice.
pub(crate) fn build_optimized(targets: &[&str]) -> Result<PathBuf, Failure> {
    cargo(["build", "--release", "--package", "prowess-cli"].iter().chain(targets))?;
    built("release", "")
}

pub(crate) fn built(profile: &str, program: &str) -> Result<PathBuf, Failure> {
    Ok(built_in(profile)?.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}

pub(crate) fn built_in(folder: &str) -> Result<PathBuf, Failure> {
    let metadata = cargo_output(&["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    Ok(PathBuf::from(target).join(folder))
}

/// The machine's own target. With it named, cargo keeps the flags from build scripts.
pub(crate) fn host() -> Result<String, Failure> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure(format!("`rustc -vV` names no host: {said}")))
}

/// Runs a program to its end and gives all that came of it, whatever its exit code.
pub(crate) fn output(command: &mut Command) -> Result<Output, Failure> {
    let name = display(command);
    let started = command.output();
    started.map_err(|error| Failure(format!("cannot start `{name}`: {error}")))
}

/// Runs a program that must succeed and gives what it printed.
pub(crate) fn succeed(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let done = output(command)?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(Failure(format!("`{}` failed: {said}", display(command))))
}

/// Returns a command that runs cargo in the workspace.
pub(crate) fn cargo_command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    // Cargo names itself to what it runs; a copy of xtask that is started by hand takes the usual
    // one.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(crate::root());
    without_own_variables(&mut command);
    command
}

/// Removes the variables that name xtask itself. Build scripts that depend on them would run again,
/// and each crate above would be compiled again, whenever cargo is started by hand and by xtask in
/// turn.
pub(crate) fn without_own_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
}

fn display(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn family_is_a_process_with_what_it_started() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo $!; wait"]).stdout(Stdio::piped());
        let mut shell = Server(shell.spawn().expect("it starts"));
        let sleep = first_line(shell.0.stdout.take()).expect("it says its number");
        let parent = shell.0.id().to_string();
        assert_eq!(family(&parent), [parent, sleep.clone()]);
        assert!(kill(&[sleep]).expect("it starts").success());
    }
}
