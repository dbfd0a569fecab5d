//! `prowess approvals watch`: prints the calls that wait for a person as they come.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use prowess::{ApprovalEntry, ApprovalId};
use prowess_text::terminal_json;

use super::{Numbered, Shown, find, now, open, record_answer, shown, unusable};
use crate::args::Global;
use crate::failure::Failure;
use crate::output::{DIM, Output};
use crate::question::answer;

/// The time between two looks at the counter of the database's changes.
const PAUSE: Duration = Duration::from_millis(500);

/// Runs until a signal ends the program. Nothing is half done then.
pub(super) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    output.remark("waiting for tool calls that need your approval; Ctrl-C ends this\n");
    let asks = output.is_text() && io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut database = None;
    let mut changes = None;
    let mut known = BTreeSet::new();
    loop {
        if database.is_none() {
            database = open(global.store.as_ref())?;
        }
        if let Some(database) = &database {
            let now = Some(database.changes().map_err(|error| unusable(&error))?);
            if now != changes {
                for (entry, number) in news(&**database, &mut known)? {
                    let shown = print(entry.clone(), number, output)?;
                    match asks.then(|| shown.is_whole()) {
                        Some(true) => ask(&entry, global, output),
                        Some(false) => output.remark("it is too long for a question here\n"),
                        None => {}
                    }
                }
                changes = now;
            }
        }
        sleep(PAUSE);
    }
}

/// Returns the pending approvals that are not known yet.
fn news(
    database: &dyn Numbered,
    known: &mut BTreeSet<ApprovalId>,
) -> Result<Vec<(ApprovalEntry, Option<u64>)>, Failure> {
    let mut entries = find::all(database)?;
    entries
        .retain(|entry| shown::state(entry, now()) == "pending" && known.insert(entry.id.clone()));
    let ids: Vec<_> = entries.iter().map(|entry| entry.id.clone()).collect();
    let numbers = database.numbers(&ids).map_err(|error| unusable(&error))?;
    let with_number = |entry: ApprovalEntry| {
        let number = numbers.get(&entry.id).copied();
        (entry, number)
    };
    Ok(entries.into_iter().map(with_number).collect())
}

/// Prints an approval as text, or as one line of JSON.
fn print(entry: ApprovalEntry, number: Option<u64>, output: &Output) -> Result<Shown, Failure> {
    let shown = Shown::new(entry, number, now());
    let json = || serde_json::to_string(&shown).unwrap_or_default();
    let text = match output.is_text() {
        true => shown.text(),
        false => terminal_json(&json()).into_owned() + "\n",
    };
    output.data(&text).map(|()| shown)
}

/// Asks about a call. Without an answer, it stays pending.
fn ask(entry: &ApprovalEntry, global: &Global, output: &Output) {
    let question = "Allow it once? [y]es, [n]o, Enter decides later: ";
    let answer = answer(output, question);
    let word = answer.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
    let is_granted = match &*word {
        "y" | "yes" => true,
        "n" | "no" => false,
        _ => {
            let end = if answer.is_none() { "\n" } else { "" };
            output.remark(&format!("{end}{DIM}it stays pending{DIM:#}\n"));
            return;
        }
    };
    match record_answer(&entry.id, Some(is_granted), global, output) {
        Ok(decided) => output.remark(&format!("{DIM}{}{DIM:#}\n", decided.state.word())),
        // Another person has refused it, or too much time has passed.
        Err(failure) => drop(output.failure(&failure)),
    }
}
