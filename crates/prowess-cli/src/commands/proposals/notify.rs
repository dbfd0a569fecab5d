//! `prowess proposals watch`: prints proposals, or delivers each to a command or a URL.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use prowess::SystemClock;
use prowess::governance::{Delivery, FileProposals, StoredProposal};

use super::shown::{Shown, Whole};
#[cfg(feature = "remotes")]
use super::webhook::Webhook;
use crate::args::Notify;
use crate::bounded::Started;
use crate::failure::Failure;
use crate::features;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::output::Output;
use crate::terminal::plain;

/// The time between two looks at the directory.
const PAUSE: Duration = Duration::from_millis(500);

/// For how long a delivery may take: longer than a mail server or a chat needs. One that hangs must
/// not keep the others from being delivered.
const LIMIT: Duration = Duration::from_secs(30);

/// Where proposals are delivered.
enum Receiver {
    Command(Vec<String>),
    #[cfg(feature = "remotes")]
    Webhook(Box<Webhook>),
}

impl Receiver {
    /// Returns the receiver of the arguments, with the name of its channel.
    fn of(args: &Notify) -> Result<Option<(Self, String)>, Failure> {
        if args.webhook.is_some() {
            features::require("remotes", "--webhook")?;
        }
        #[cfg(feature = "remotes")]
        if let Some(url) = &args.webhook {
            return Ok(Some((
                Self::Webhook(Box::new(Webhook::of(url, args, LIMIT)?)),
                url.clone(),
            )));
        }
        let named = (!args.run.is_empty()).then(|| channel(&args.run));
        Ok(named.map(|name| (Self::Command(args.run.clone()), name)))
    }

    /// Delivers a proposal, or returns why it was not received.
    fn deliver(&self, proposal: &StoredProposal, interrupt: &Interrupt) -> Result<(), String> {
        let line = Whole::line(proposal);
        match self {
            Self::Command(command) => {
                let is_wanted = || !interrupt.is_requested();
                match run_within(LIMIT, command, line, is_wanted).map_err(|it| it.to_string())? {
                    Some(status) if status.success() => Ok(()),
                    Some(status) => Err(status.to_string()),
                    None => Err(format!("it took more than {} seconds", LIMIT.as_secs())),
                }
            }
            #[cfg(feature = "remotes")]
            Self::Webhook(webhook) => {
                webhook.send(&proposal.digest.to_string(), super::now(), &line)
            }
        }
    }
}

/// Runs until a signal ends the program; with `--once`, delivers what is due, and ends.
pub(super) fn run(
    proposals: &FileProposals,
    args: &Notify,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let receiver = Receiver::of(args)?;
    if !args.once {
        output.remark("waiting for proposals; Ctrl-C ends this\n");
    }
    let Some((receiver, name)) = receiver else {
        return printed(proposals, args, output);
    };
    let Some(mut channel) = proposals.channel(&name)? else {
        output.remark("another program delivers proposals there, so this one ends\n");
        return Ok(ExitCode::SUCCESS);
    };
    output.diagnostics(channel.finding());
    let interrupt = Interrupt::watch();
    loop {
        let later = channel.deliver(&SystemClock::default(), |proposal| {
            let result = receiver.deliver(proposal, &interrupt);
            if interrupt.is_requested() && result.is_err() {
                return Delivery::Stopped;
            }
            let Err(reason) = result else { return Delivery::Received };
            let name = plain(&proposal.name);
            output.remark(&format!("`{name}` was not delivered: {}\n", plain(&reason)));
            Delivery::Failed
        })?;
        if interrupt.is_requested() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if args.once {
            return Ok(if later.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        sleep(PAUSE);
    }
}

/// Prints each proposal once in this run.
fn printed(proposals: &FileProposals, args: &Notify, output: &Output) -> Result<ExitCode, Failure> {
    let mut known = std::collections::BTreeSet::new();
    loop {
        for proposal in proposals.waiting()?.into_iter().flatten() {
            if known.insert(proposal.name.clone()) {
                output.data(&match output.is_text() {
                    true => Shown::waiting(&proposal).text(),
                    false => Whole::line(&proposal),
                })?;
            }
        }
        if args.once {
            return Ok(ExitCode::SUCCESS);
        }
        sleep(PAUSE);
    }
}

/// Returns the name of the channel of a command: the words, of which those that name a file here
/// count by its path. So the same words in another directory are another channel.
fn channel(command: &[String]) -> String {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let mut words = command.to_vec();
    for (at, word) in words.iter_mut().enumerate() {
        let path = Path::new(&*word);
        let found = match at {
            0 if !word.contains('/') => {
                std::env::split_paths(&places).map(|place| place.join(path)).find(|it| it.is_file())
            }
            _ => Some(path.to_owned()).filter(|path| path.is_relative() && path.is_file()),
        };
        if let Some(found) = found.and_then(|path| located(&path)) {
            *word = found.to_string_lossy().into_owned();
        }
    }
    words.join("\0")
}

/// Returns the absolute path of a file. A link at its end stays: it may lead to a newer program.
fn located(file: &Path) -> Option<PathBuf> {
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(directory.canonicalize().ok()?.join(file.file_name()?))
}

/// Runs a command with a text on its standard input. Returns `None` if it takes too long, or is no
/// longer wanted: then it ends, and with it what it has started.
fn run_within(
    limit: Duration,
    command: &[String],
    input: String,
    is_wanted: impl Fn() -> bool,
) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    let mut program = Command::new(&command[0]);
    program.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut started = Started::start(&mut program)?;
    if let Some(mut pipe) = started.0.stdin.take() {
        // A command that does not read is asked for its exit code all the same.
        thread::spawn(move || pipe.write_all(input.as_bytes()));
    }
    started.wait(end, is_wanted)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use super::*;

    #[test]
    fn command_that_hangs_ends_with_what_it_has_started() {
        let command = ["sh", "-c", "sleep 1000 & wait"].map(str::to_owned);
        let large = "x".repeat(1 << 20);
        let ended = run_within(Duration::from_millis(200), &command, large, || true);
        assert!(ended.expect("a shell starts").is_none(), "it would take longer");
        let mut program = Command::new("sh");
        program.args(["-c", "sleep 1000 & wait"]).stdout(Stdio::piped());
        let mut started = Started::start(&mut program).expect("a shell starts");
        let mut output = started.0.stdout.take().expect("it is a pipe");
        drop(started);
        // Once nothing is left that could write, the output ends.
        output.read_to_end(&mut Vec::new()).expect("it is a pipe");
        let ended = run_within(Duration::from_secs(600), &command, String::new(), || false);
        assert!(ended.expect("a shell starts").is_none(), "nobody waits for it");
        let ended = run_within(Duration::from_secs(600), &["true".to_owned()], "x".into(), || true);
        assert!(ended.expect("it starts").is_some_and(|it| it.success()));
    }

    #[test]
    fn file_of_a_command_counts_by_its_path() {
        let place = tempfile::tempdir().expect("there is room");
        let file = place.path().canonicalize().expect("it exists").join("notify.sh");
        fs::write(&file, "").expect("there is room");
        let name =
            |words: &[&str]| channel(&words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        let absolute = file.to_str().expect("it is text");
        assert_eq!(name(&[absolute, "a b"]), format!("{absolute}\0a b"));
        let here = std::env::current_dir().expect("it exists");
        let up = "../".repeat(here.components().count());
        let relative = format!("{up}{}", absolute.trim_start_matches('/'));
        assert_eq!(name(&[&relative]), absolute, "a relative path is that of its file");
        assert_eq!(name(&["sh", &relative]).split_once('\0').map(|it| it.1), Some(absolute));
        assert!(name(&["sh"]).starts_with('/'), "so is a program of the search path");
        assert_eq!(name(&["./nosuch", "x"]), "./nosuch\0x");
    }
}
