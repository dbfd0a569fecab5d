//! A runner of scripts for tests.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{
    ApprovedPackage, Cancel, Code, OutputStream, ProgressEvent, ReadLimit, ResourcePath,
    ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner, SourceError,
};
use tempfile::TempDir;

/// The number of bytes of each output that are kept.
const KEPT_BYTES: u64 = 64 * 1024;

/// The number of files of a package that are copied.
const MOST_FILES: usize = 100;

/// Runs files that end in `.sh` with `sh`, in a copy of their package and without any
/// isolation: for scripts that a test wrote.
///
/// The environment has `PATH` and what the call sets. Lines are reported when the script has ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShellRunner;

impl ScriptRunner for ShellRunner {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        if !request.path.as_str().ends_with(".sh") {
            return Err(refused("script-not-supported", "only `.sh` files can be run"));
        }
        if cancel.is_cancelled() {
            return Err(refused("cancelled", "the turn was cancelled, so nothing was run"));
        }
        let begun = Instant::now();
        let failed = |error: io::Error| refused("script-not-started", &error.to_string());
        let package = staged(request, cancel)?;
        let mut child = command(request, package.path())?.spawn().map_err(failed)?;
        let ended = wait(&mut child, begun + time_limit, cancel).map_err(failed)?;
        for (stream, text) in
            [(OutputStream::Stdout, &ended.stdout), (OutputStream::Stderr, &ended.stderr)]
        {
            for line in text.split_inclusive('\n') {
                request.progress.report(ProgressEvent::Output { stream, line });
            }
        }
        Ok(ScriptOutcome { duration: begun.elapsed(), ..ended })
    }
}

fn refused(code: &'static str, message: &str) -> ScriptError {
    ScriptError::new(Code::new(code), message)
}

/// Copies the package of a script into a directory.
fn staged(request: &ScriptRequest<'_>, cancel: &Cancel) -> Result<TempDir, ScriptError> {
    let approved = ApprovedPackage::of(request, cancel)?;
    let ScriptRequest { catalog, record, .. } = *request;
    let failed = |error: io::Error| refused("script-not-started", &error.to_string());
    let directory = tempfile::tempdir().map_err(failed)?;
    let listing = catalog.list(record, MOST_FILES).map_err(|error| unreadable(&error))?;
    for resource in listing.resources {
        let bytes = catalog.read(record, &resource.path, ReadLimit::default());
        let bytes = bytes.map_err(|error| unreadable(&error))?;
        approved.check(&resource.path, &bytes)?;
        let file = directory.path().join(resource.path.as_str());
        let parent = file.parent().unwrap_or(directory.path());
        std::fs::create_dir_all(parent).map_err(failed)?;
        std::fs::write(&file, bytes).map_err(failed)?;
    }
    Ok(directory)
}

fn unreadable(error: &SourceError) -> ScriptError {
    refused(error.kind.as_str(), "the script cannot be read")
}

fn command(request: &ScriptRequest<'_>, package: &Path) -> Result<Command, ScriptError> {
    let ScriptRequest { catalog, record, path, arguments, environment, working_directory, .. } =
        *request;
    // A script that is not in the list of files is refused with the reason of its source.
    catalog.read(record, path, ReadLimit::default()).map_err(|error| unreadable(&error))?;
    let mut directory = package.to_owned();
    if let Some(below) = working_directory.filter(|below| *below != ".") {
        let below =
            ResourcePath::new(below).map_err(|error| refused("path-escape", &error.to_string()))?;
        directory.push(below.as_str());
    }
    let mut command = Command::new("sh");
    command.arg(package.join(path.as_str())).args(arguments);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.envs(environment).current_dir(directory);
    let input = input_file(request.input);
    let input = input.map_err(|error| refused("script-not-started", &error.to_string()))?;
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn input_file(content: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// Waits until a script ends, and ends it at the deadline or when the call is cancelled.
fn wait(child: &mut Child, deadline: Instant, cancel: &Cancel) -> io::Result<ScriptOutcome> {
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    thread::scope(|scope| {
        let stdout = scope.spawn(|| kept(stdout));
        let stderr = scope.spawn(|| kept(stderr));
        let mut timed_out = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            timed_out = Instant::now() >= deadline;
            if timed_out || cancel.is_cancelled() {
                child.kill()?;
                break child.wait()?;
            }
            thread::yield_now();
        };
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        Ok(ScriptOutcome {
            exit_code: status.code(),
            truncated: stdout.is_cut || stderr.is_cut,
            stdout: stdout.text,
            stderr: stderr.text,
            timed_out,
            ..ScriptOutcome::default()
        })
    })
}

/// The kept part of an output.
#[derive(Default)]
struct Kept {
    text: String,
    is_cut: bool,
}

/// Reads an output to its end and keeps its beginning.
fn kept(output: Option<impl Read>) -> Kept {
    let Some(mut output) = output else { return Kept::default() };
    let mut bytes = Vec::new();
    // A script that was ended has no more output.
    let _ = output.by_ref().take(KEPT_BYTES).read_to_end(&mut bytes);
    let dropped = io::copy(&mut output, &mut io::sink()).unwrap_or_default();
    Kept { text: String::from_utf8_lossy(&bytes).into_owned(), is_cut: dropped > 0 }
}
