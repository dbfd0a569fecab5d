//! `prowess update`: newer versions of installed skills, and what they change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use prowess_store::{Checked, FileChange, Growth, InstallError, LockedSkill, Update as NewVersion};
use prowess_text::{marked_lines, shell_word};
use serde::Serialize;
use similar::TextDiff;

use crate::args::Update;
use crate::commands::difference::colored;
use crate::commands::install::{
    Line, NOTHING_INSTALLED, OTHER_BYTES, agents_md, edited_lines, explain, lines_text,
    place_lines, print, print_or, remark_on_states,
};
use crate::commands::sync::{checked_line, is_unchecked, unavailable};
use crate::failure::Failure;
use crate::install_place::{InstallPlace, reason};
use crate::interrupt::cancelling;
use crate::lock_place::LockPlace;
use crate::output::{DIM, ID, Output, counted};
use crate::terminal::{fitted, marked, plain};

/// The maximum number of lines of differences that are shown of one skill.
const MAX_LINES: usize = 120;

/// The time after which the rest of a text counts as replaced: an author may choose the worst case.
const LONGEST_DIFF: Duration = Duration::from_millis(200);

const UP_TO_DATE: &str = "every skill is up to date";

/// The output of `update --format json`.
#[derive(Serialize)]
struct Answer {
    is_preview: bool,
    updates: Vec<Shown>,
    /// The failure of each skill that has no newer version because of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    failed: BTreeMap<String, Failure>,
    /// The placed copies that are no longer what was installed, and so are not updated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edited: Vec<Line>,
}

#[derive(Serialize)]
struct Shown {
    id: String,
    from: String,
    to: String,
    /// The revisions of the source, which mean more to people than the digests of the files.
    revisions: [String; 2],
    files: BTreeMap<String, &'static str>,
    /// The differences of changed text files, and the texts of added ones, as a unified diff.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    /// Why the new version may be a step back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps_back: Vec<String>,
    gained: Vec<String>,
    lost: Vec<String>,
    /// The signer of the installed version.
    signer: String,
    /// The signer of the new version, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_signer: Option<String>,
}

pub(crate) fn run(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let ids = LockPlace::of(&args.options)?.meant(&args.ids)?;
    let args = &Update { ids, ..args.clone() };
    if args.check {
        return outdated(args, output);
    }
    if args.versions {
        return versions(args, output);
    }
    if args.rollback {
        return roll_back(args, output);
    }
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
    let (ids, unreachable) = place.reachable(&args.ids)?;
    // A refusal is the error of the command if it is about the only skill.
    let ids = if unreachable.is_empty() && ids.len() == 1 { args.ids.clone() } else { ids };
    agents_md::check(&place.lock, false)?;
    let growth = if args.accept { Growth::Accept } else { Growth::Refuse };
    let updates = cancelling(|cancel| match args.preview {
        true => place.installer().preview(&ids, cancel),
        false => place.installer().update(&ids, growth, cancel),
    });
    let mut updates = updates.map_err(|error| place.lock.explained(error))?;
    updates.failed.extend(unreachable);
    let errors: Vec<_> = updates.failed.values().cloned().collect();
    let failed = updates.failed.into_iter().map(|(id, error)| {
        let message = reason(&error);
        (id, Failure { message, ..place.lock.explained(error) })
    });
    let failed = failed.collect();
    let updates = updates.found.into_iter().map(shown).collect();
    let answer =
        Answer { is_preview: args.preview, updates, failed, edited: edited_lines(&place)? };
    output.result(&answer, text)?;
    if place.lock.file.load()?.skills.is_empty() {
        output.remark(&format!("{NOTHING_INSTALLED}\n"));
    } else {
        output.remark(&remark(&answer, if args.options.user { " --user" } else { "" }));
    }
    remark_on_states(&answer.edited, output);
    for (id, Failure { code, message, help, .. }) in &answer.failed {
        let (id, message) = (plain(id), plain(message));
        output.remark(&format!("not updated: {ID}{id}{ID:#}: {message} [{code}]\n"));
        output.remark(&format!("  {DIM}help:{DIM:#} {help}\n"));
    }
    place.lock.remark_on_trust(&errors, output);
    if !args.preview {
        agents_md::update(&place.lock, false)?;
    }
    let is_whole = answer.failed.is_empty() && (args.preview || answer.edited.is_empty());
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(OTHER_BYTES) })
}

/// Lists the skills whose source has another version.
fn outdated(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?.signed_by(&args.signer)?;
    let (_, unreachable) = place.reachable(&args.ids)?;
    let mut checked = cancelling(|cancel| place.installer().check(cancel))?;
    if let Some(unknown) = args.ids.iter().find(|id| !checked.contains_key(*id)) {
        return Err(place.lock.explained(InstallError::NotInstalled(unknown.clone())));
    }
    let is_meant = |id: &String| args.ids.is_empty() || args.ids.contains(id);
    checked.retain(|id, _| is_meant(id));
    let remote = |(id, checked): (&String, &Checked)| {
        checked_line(id, &Checked { stored: Ok(()), remote: checked.remote.clone() })
    };
    let lines = checked.iter().map(remote).filter(|line| line.state != "intact");
    let mut lines: Vec<_> = lines.collect();
    explain(&mut lines, &unreachable);
    let mut edited = edited_lines(&place)?;
    edited.retain(|line| is_meant(&line.id));
    let is_complete = edited.is_empty() && !lines.iter().any(|line| is_unchecked(line.state));
    lines.extend(edited);
    let none = if checked.is_empty() { NOTHING_INSTALLED } else { UP_TO_DATE };
    print_or(lines, none, Some(&place.lock), output)?;
    place.lock.remark_on_trust(checked.values().filter_map(unavailable), output);
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(OTHER_BYTES) })
}

/// Returns each skill to its previous version.
fn roll_back(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?;
    agents_md::check(&place.lock, false)?;
    let change = place.store.begin()?;
    let mut lines = Vec::new();
    for id in &args.ids {
        let to = args.to.as_deref();
        let skill = change.roll_back(&place.lock.file, id, to).map_err(InstallError::from)?;
        lines.push(Line { id: id.clone(), state: "restored", detail: Some(skill.revision) });
    }
    let placed = place_lines(change.check_places(&place.lock.file)?).into_iter();
    let placed: Vec<_> = placed.filter(|line| args.ids.contains(&line.id)).collect();
    let code = if placed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(OTHER_BYTES) };
    lines.extend(placed);
    drop(change);
    print(lines, Some(&place.lock), output)?;
    agents_md::update(&place.lock, false)?;
    Ok(code)
}

/// Lists the versions to which skills can return, the newest first.
fn versions(args: &Update, output: &Output) -> Result<ExitCode, Failure> {
    let place = InstallPlace::new(&args.options)?;
    let lock = place.lock.file.load()?;
    let ids =
        if args.ids.is_empty() { lock.skills.keys().cloned().collect() } else { args.ids.clone() };
    let change = place.store.begin()?;
    let mut lines = Vec::new();
    let line = |id: &str, state, skill: &LockedSkill| {
        let detail = Some(format!("{}, files {}", skill.revision, skill.tree));
        Line { id: id.to_owned(), state, detail }
    };
    for id in &ids {
        lines.extend(lock.skills.get(id).map(|skill| line(id, "installed", skill)));
        let earlier = change.versions(&place.lock.file, id).map_err(InstallError::from)?;
        if earlier.is_empty() && !lock.skills.contains_key(id) {
            return Err(place.lock.explained(InstallError::NotInstalled(id.clone())));
        }
        lines.extend(earlier.iter().map(|skill| line(id, "earlier", skill)));
    }
    drop(change);
    print_or(lines, NOTHING_INSTALLED, Some(&place.lock), output)?;
    Ok(ExitCode::SUCCESS)
}

fn shown(update: NewVersion) -> Shown {
    let NewVersion { id, from, to, files, texts, steps_back, gained, lost } = update;
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
        diff: texts.iter().map(|(path, texts)| diff(path, texts)).collect(),
        steps_back,
        gained,
        lost,
        new_signer: Some(to.signer).filter(|signer| *signer != from.signer),
        signer: from.signer,
    }
}

fn diff(path: &str, [before, after]: &[String; 2]) -> String {
    let diff = TextDiff::configure().timeout(LONGEST_DIFF).diff_lines(before, after);
    let installed = format!("installed/{path}");
    let installed = if before.is_empty() { "/dev/null" } else { &installed };
    diff.unified_diff().header(installed, &format!("new/{path}")).to_string()
}

/// Returns the first lines of a diff for a terminal.
fn shown_diff(diff: &str) -> String {
    let mut lines = diff.lines();
    let first: Vec<_> = lines.by_ref().take(MAX_LINES).collect();
    let mut text = colored(&marked_lines(&first.join("\n")));
    let further = lines.count();
    if further > 0 {
        let further = counted(further, "further line");
        let _ = writeln!(text, "{DIM}… and {further}: `--format json` has them{DIM:#}");
    }
    text
}

/// The number of columns in front of a value.
const MARGIN: usize = 11;

fn text(answer: &Answer) -> String {
    let mut text = String::new();
    for update in &answer.updates {
        let Shown { id, revisions, files, gained, lost, signer, new_signer, .. } = update;
        let [from, to] =
            revisions.each_ref().map(|revision| fitted(&marked(revision), MARGIN).into_owned());
        let _ = writeln!(text, "{ID}{}{ID:#}\n  from     {from}\n  to       {to}", marked(id));
        if let Some(new) = new_signer {
            let _ = writeln!(text, "  signer   {} instead of {}", marked(new), marked(signer));
        }
        for reason in &update.steps_back {
            let _ = writeln!(text, "  back     {}", marked(reason));
        }
        for (path, word) in files {
            let _ = writeln!(text, "  {word:7}  {}", marked(path));
        }
        for (word, facts) in [("gains", gained), ("loses", lost)] {
            for fact in facts {
                let _ = writeln!(text, "  {word:7}  {}", marked(fact));
            }
        }
        if answer.is_preview {
            text.push_str(&shown_diff(&update.diff));
        }
    }
    text + &lines_text(&answer.edited)
}

/// Returns what was done, or the next step, for this choice of the lock file.
fn remark(answer: &Answer, lock: &str) -> String {
    let count = answer.updates.len();
    if count == 0 {
        let others = "every other skill is up to date";
        return format!("{}\n", if answer.failed.is_empty() { UP_TO_DATE } else { others });
    }
    if !answer.is_preview {
        return format!("{} updated\n", counted(count, "skill"));
    }
    let asks = |update: &Shown| !update.gained.is_empty() || !update.steps_back.is_empty();
    if !answer.updates.iter().any(asks) {
        return format!("  {DIM}help:{DIM:#} `prowess update{lock}` installs them\n");
    }
    let shown = |it: &Shown| format!(" {}", plain(&shell_word(&format!("{}@{}", it.id, it.to))));
    let shown: String = answer.updates.iter().map(shown).collect();
    format!(
        "  {DIM}help:{DIM:#} `prowess update --accept{lock}{shown}` installs exactly these, with what \
         they gain and where they go back\n"
    )
}
