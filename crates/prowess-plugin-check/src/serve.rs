//! One check in a process of its own, as that process.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use prowess_sandbox::{EXIT_NOT_CONFINED, Inside};

use super::messages::{Ask, CheckJudges, Say};
use super::probe::{Broken, Probe};
use super::report::CheckOutcome;
use super::rules::RULES;
use prowess_plugin_host::kit::{frame, open_library};

/// The most bytes of a reason.
const MOST_TEXT: usize = 8 << 10;

/// Runs one check for [`check`](super::check()), which has started this process. This is all that
/// the program of a check's process does.
///
/// Call it before anything else: the process must have one thread, and its open files are closed,
/// except the standard streams.
pub fn run_check(judges: CheckJudges) -> ExitCode {
    let inside = match prowess_sandbox::enter() {
        Ok(inside) => inside,
        Err(error) => {
            // The kit has the reason already, unless there is none.
            let _ = writeln!(io::stderr(), "prowess plugin check: {error}");
            return EXIT_NOT_CONFINED.into();
        }
    };
    match serve(inside, judges) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is no other stream if this one is closed.
            let _ = writeln!(io::stderr(), "prowess plugin check: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(inside: Inside, judges: CheckJudges) -> io::Result<()> {
    let Inside { mut socket, files, .. } = inside;
    let library = files.into_iter().next().ok_or_else(|| io::Error::other("no library"))?;
    // The kit has made standard output a file, which no other process has open for reading.
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let Some((ask, _)) = frame::read::<Ask>(&mut socket, frame::REQUEST_BYTES, 0)? else {
        return Ok(());
    };
    let outcome = match open_library(library, Path::new(&ask.file)) {
        Ok(image) => {
            let steps = socket.try_clone()?;
            let tell = move |step: String| send(&steps, &Say::Step(cut(&step).to_owned()));
            look(&ask.rule.clone(), &Probe::new(image, ask, judges, stdout, Box::new(tell)))
        }
        Err(error) => super::file::refused(&error),
    };
    frame::write(&mut socket, &Say::Done(outcome), &[])
}

/// The start of a text, as long as a report shows.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_TEXT)]
}

fn send(socket: &UnixStream, what: &Say) {
    // A host that has gone is noticed at the end.
    let _ = frame::write(&mut &*socket, what, &[]);
}

fn look(name: &str, probe: &Probe) -> CheckOutcome {
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        return CheckOutcome::skipped(format!("there is no check `{name}`"));
    };
    match (rule.check)(probe) {
        Ok(notes) => CheckOutcome::Passed { notes },
        // A plugin writes parts of both, at any length.
        Err(Broken::Rule { reason, help }) => CheckOutcome::failed(cut(&reason), cut(&help)),
        Err(Broken::Nothing(reason)) => CheckOutcome::skipped(reason),
    }
}

/// Returns the start of the plugin's output.
pub(super) fn printed(stdout: &File) -> io::Result<String> {
    use std::os::unix::fs::FileExt;
    let mut bytes = [0; 200];
    let count = stdout.read_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes[..count]).into_owned())
}
