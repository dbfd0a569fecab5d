//! `prowess update`: newer versions of installed skills, and what they change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::Cancel;
use prowess_store::{FileChange, Growth, Update as NewVersion};
use serde::Serialize;

use super::install::UP_TO_DATE;
use crate::args::Update;
use crate::failure::Failure;
use crate::install_place::InstallPlace;
use crate::output::{DIM, ID, Output, counted};
use crate::terminal::plain;

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
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
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
