//! `prowess update`: newer versions of installed skills, and what they change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::Cancel;
use prowess_store::{Checked, FileChange, Growth, InstallError, Update as NewVersion};
use serde::Serialize;

use crate::args::Update;
use crate::commands::install::{Line, print, print_or};
use crate::commands::sync::checked_line;
use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::output::{DIM, ID, Output, counted};
use crate::terminal::plain;

const UP_TO_DATE: &str = "every skill is up to date";

/// The output of `update --format json`.
#[derive(Serialize)]
struct Answer {
    is_preview: bool,
    updates: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    id: String,
    from: String,
    to: String,
    /// The revisions of the source, which mean more to people than the digests of the files.
    #[serde(skip)]
    revisions: [String; 2],
    files: BTreeMap<String, &'static str>,
    gained: Vec<String>,
    lost: Vec<String>,
    /// The signer of the installed version.
    signer: String,
    /// The signer of the new version, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_signer: Option<String>,
}

pub(crate) fn run(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    if args.check {
        return outdated(args, output);
    }
    if args.rollback {
        return roll_back(args, output);
    }
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
    place.check_locked_sources()?;
    let cancel = Cancel::default();
    let growth = if args.accept { Growth::Accept } else { Growth::Refuse };
    let updates = if args.preview {
        place.installer().preview(&args.ids, &cancel)?
    } else {
        place.installer().update(&args.ids, growth, &cancel)?
    };
    let updates = updates.into_iter().map(shown).collect();
    let answer = Answer { is_preview: args.preview, updates };
    output.result(&answer, text)?;
    output.remark(&remark(&answer));
    Ok(ExitCode::SUCCESS)
}

/// Lists the skills whose source has another version.
fn outdated(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?;
    place.check_locked_sources()?;
    let checked = place.installer().check(&Cancel::default())?;
    let remote = |(id, checked): (&String, &Checked)| {
        checked_line(id, &Checked { stored: Ok(()), remote: checked.remote.clone() })
    };
    let lines = checked.iter().map(remote).filter(|line| line.state != "intact");
    print_or(lines.collect(), UP_TO_DATE, output)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns each skill to its previous version.
fn roll_back(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?;
    let change = place.store.begin()?;
    let mut lines = Vec::new();
    for id in &args.ids {
        let skill = change.roll_back(&place.lock, id).map_err(InstallError::from)?;
        lines.push(Line { id: id.clone(), state: "restored", detail: Some(skill.revision) });
    }
    print(lines, output)?;
    Ok(ExitCode::SUCCESS)
}

fn shown(update: NewVersion) -> Shown {
    let NewVersion { id, from, to, files, gained, lost } = update;
    let word = |change| match change {
        FileChange::Added => "added",
        FileChange::Changed => "changed",
        FileChange::Removed => "removed",
    };
    let files = files.into_iter().map(|(path, change)| (path, word(change))).collect();
    Shown {
        id,
        from: from.tree.to_string(),
        to: to.tree.to_string(),
        revisions: [from.revision, to.revision],
        files,
        gained,
        lost,
        new_signer: Some(to.signer).filter(|signer| *signer != from.signer),
        signer: from.signer,
    }
}

fn text(answer: &Answer) -> String {
    let mut text = String::new();
    for Shown { id, revisions, files, gained, lost, signer, new_signer, .. } in &answer.updates {
        let [from, to] = revisions.each_ref().map(|revision| plain(revision));
        let _ = writeln!(text, "{ID}{}{ID:#}\n  from     {from}\n  to       {to}", plain(id));
        if let Some(new) = new_signer {
            let _ = writeln!(text, "  signer   {} instead of {}", plain(new), plain(signer));
        }
        for (path, word) in files {
            let _ = writeln!(text, "  {word:7}  {}", plain(path));
        }
        for (word, facts) in [("gains", gained), ("loses", lost)] {
            for fact in facts {
                let _ = writeln!(text, "  {word:7}  {}", plain(fact));
            }
        }
    }
    text
}

/// Returns what was done, or the next step.
fn remark(answer: &Answer) -> String {
    let count = answer.updates.len();
    if count == 0 {
        return format!("{UP_TO_DATE}\n");
    }
    if !answer.is_preview {
        return format!("{} updated\n", counted(count, "skill"));
    }
    let grows = answer.updates.iter().any(|update| !update.gained.is_empty());
    let (option, reason) = if grows {
        (" --accept", "installs them, with what they gain")
    } else {
        ("", "installs them")
    };
    format!("  {DIM}help:{DIM:#} `prowess update{option}` {reason}\n")
}
