//! `prowess proposals watch`: prints proposals as they come, or runs a command for each.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

use prowess::governance::{FileProposals, StoredProposal};

use super::now;
use super::shown::{Shown, Whole};
use crate::args::Notify;
use crate::failure::Failure;
use crate::output::Output;

/// The time between two looks at the directory.
const PAUSE: Duration = Duration::from_millis(500);

/// Runs until a signal ends the program; with `--once`, delivers what is due, and ends.
pub(super) fn run(
    proposals: &FileProposals,
    args: &Notify,
    output: &Output,
) -> Result<ExitCode, Failure> {
    if !args.once {
        output.remark("waiting for proposals; Ctrl-C ends this\n");
    }
    if args.run.is_empty() {
        return printed(proposals, args, output);
    }
    let mut channel = proposals.channel(&args.run.join("\0"))?;
    loop {
        let later = channel.deliver(now(), |proposal| is_received(&args.run, proposal, output))?;
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

/// Runs a command with a proposal on its standard input, and returns whether it has succeeded.
fn is_received(command: &[String], proposal: &StoredProposal, output: &Output) -> bool {
    let mut program = Command::new(&command[0]);
    program.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null());
    let ended = program.spawn().and_then(|mut child| {
        if let Some(mut input) = child.stdin.take() {
            // A command that does not read is asked for its exit code all the same.
            let _ = input.write_all(Whole::line(proposal).as_bytes());
        }
        child.wait()
    });
    match ended {
        Ok(status) if status.success() => true,
        Ok(status) => {
            output.remark(&format!("`{}` was not delivered: {status}\n", proposal.name));
            false
        }
        Err(error) => {
            output.remark(&format!("`{}` was not delivered: {error}\n", proposal.name));
            false
        }
    }
}
