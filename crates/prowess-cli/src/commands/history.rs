//! `prowess history`: the versions of a skill, their differences, and the return to one.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::governance::{package_diff, package_digest};
use prowess::state::{TrustFile, rfc3339};
use prowess::{Actor, Clock as _, Digest, ReviewEvent, ReviewStep, RuntimeEvent, SystemClock};
use prowess_store::{Author, Version};
use prowess_text::shell_word;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Diff, Global, History, HistoryCommand, Restore};
use crate::audit_log::{audit_sink, decided};
use crate::commands::commit::Commit;
use crate::commands::difference::colored;
use crate::commands::install::{OTHER_BYTES, lines_text, place_lines, remark_on_states};
use crate::commands::skill_change::{Made, Target, short, stored};
use crate::commands::trust::keep_reviewed;
use crate::failure::Failure;
use crate::install_place::store;
use crate::lock_place::described;
use crate::output::{DIM, ID, Output};
use crate::policies::policies;
use crate::terminal::{columns_behind, local_time, one_line, plain, plain_lines};
use crate::user::user;

/// A version, with what stands for it in commands.
#[derive(Serialize)]
struct Shown {
    /// From 1 on, the oldest first.
    number: usize,
    #[serde(flatten)]
    version: Version,
    time: String,
    /// Whether the files are these now.
    is_current: bool,
}

pub(crate) fn run(args: &History, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    match (&args.command, &args.id) {
        (Some(HistoryCommand::Diff(args)), _) => diff(args, global, output),
        (Some(HistoryCommand::Restore(args)), _) => restore(args, global, output),
        (None, id) => list(id.as_deref().unwrap_or_default(), global, output),
    }
}

fn list(id: &str, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let Some(target) = found(id, global)? else {
        return output.result(&document(&[]), |_| text(&[])).map(|()| ExitCode::SUCCESS);
    };
    let now = target.now()?;
    let shown = versions(&target, now)?;
    output.result(&document(&shown), |_| text(&shown))?;
    if now.is_none() {
        let help =
            format!("`prowess history restore {} NUMBER` returns it", plain(&shell_word(id)));
        output.remark(&format!("it was removed; {help}\n"));
    } else if !shown.is_empty() && shown.iter().all(|version| !version.is_current) {
        output.remark("the files are none of these versions: they were changed in another way\n");
    }
    let origins = if shown.is_empty() { target.moved_from()? } else { Vec::new() };
    for origin in origins {
        let help = format!("see `prowess history {}`", plain(&shell_word(&origin)));
        output.remark(&format!("a directory that is gone had such a skill: {help}\n"));
    }
    remark_on_lock(&target, output);
    Ok(ExitCode::SUCCESS)
}

/// Returns what the command prints of a skill.
#[cfg(feature = "web")]
pub(crate) fn value(id: &str, global: &Global) -> Result<Value, Failure> {
    let versions = found(id, global)?.map(|target| versions(&target, target.now()?));
    Ok(document(&versions.transpose()?.unwrap_or_default()))
}

/// Returns a skill; `None` for one whose files this program cannot have changed.
fn found(id: &str, global: &Global) -> Result<Option<Target>, Failure> {
    match Target::of(global, id) {
        Err(failure) if failure.code == "skill-not-writable" => Ok(None),
        found => found.map(Some),
    }
}

fn document(versions: &[Shown]) -> Value {
    json!({ "versions": versions })
}

/// Returns the versions of a skill that has these files now, the newest first.
fn versions(target: &Target, now: Option<Digest>) -> Result<Vec<Shown>, Failure> {
    let versions = target.versions()?;
    let current = versions.iter().rposition(|version| Some(version.package) == now);
    let shown = versions.into_iter().enumerate().map(|(at, version)| Shown {
        number: at + 1,
        time: rfc3339(version.at),
        is_current: current == Some(at),
        version,
    });
    let mut shown: Vec<_> = shown.collect();
    shown.reverse();
    Ok(shown)
}

/// Names the lock file of an installed skill: another one may have a skill of that name, too.
fn remark_on_lock(target: &Target, output: &Output) {
    if let Target::Installed(lock, _) = target {
        output.remark(&format!("  {DIM}lock file:{DIM:#} {}\n", plain(&described(lock))));
    }
}

fn text(versions: &[Shown]) -> String {
    if versions.is_empty() {
        return "this program has not changed the skill\n".to_owned();
    }
    let mut text = String::new();
    for Shown { number, version, time, is_current } in versions {
        let Version { package, action, by, reason, proposal, .. } = version;
        let mark = if *is_current { ", now" } else { "" };
        let time = local_time(time);
        let digits = short(package);
        let line = format!("{action}{mark}  {digits}  {time}  {by}");
        let margin = number.to_string().len() + 2;
        let line = one_line(&line, columns_behind(margin));
        let _ = writeln!(text, "{ID}{number}{ID:#}  {line}");
        for part in [reason, proposal].into_iter().flatten() {
            let part = one_line(part, columns_behind(margin));
            let _ = writeln!(text, "{:margin$}{DIM}{part}{DIM:#}", "");
        }
    }
    text
}

/// Returns the version that a person names, by its number or the start of its digest.
fn named(id: &str, target: &Target, named: &str) -> Result<Digest, Failure> {
    let versions = target.versions()?;
    let digits = named.trim_start_matches("sha256:");
    let number = named.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let found = number.and_then(|at| versions.get(at));
    let is_meant = |it: &Digest| it.to_string().trim_start_matches("sha256:").starts_with(digits);
    let mut begins: Vec<_> = versions.iter().map(|it| it.package).filter(is_meant).collect();
    begins.sort_unstable();
    begins.dedup();
    match (found, &begins[..]) {
        (Some(found), _) => Ok(found.package),
        (None, [only]) if digits.len() >= 4 => Ok(*only),
        _ => {
            let message = format!("`{}` has no version `{}`", plain(id), plain(named));
            let help = format!("see `prowess history {}` for the numbers", plain(&shell_word(id)));
            Err(Failure::usage("version-not-found", message, help))
        }
    }
}

pub(crate) fn diff(args: &Diff, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let diff = difference(args, global)?;
    output.result(&json!({ "diff": diff }), |_| match output.is_for_a_terminal() {
        true => colored(&plain_lines(&diff)),
        false => plain_lines(&diff).into_owned(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the difference of two versions as a unified diff.
pub(crate) fn difference(args: &Diff, global: &Global) -> Result<String, Failure> {
    let target = Target::of(global, &args.id)?;
    let before = stored(&named(&args.id, &target, &args.from)?)?;
    let after = match &args.to {
        Some(to) => stored(&named(&args.id, &target, to)?)?,
        None => target.files()?,
    };
    Ok(package_diff(&before, &after))
}

pub(crate) fn restore(
    args: &Restore,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let target = Target::of(global, &args.id)?;
    let tree = named(&args.id, &target, &args.version)?;
    let at = SystemClock::default().now();
    let policies = policies(global)?;
    let audit = audit_sink(&policies, output)?;
    let event = ReviewEvent {
        at,
        step: ReviewStep::Restored,
        skill: args.id.clone(),
        by: Actor::Person(user()),
        session: None,
        proposal: None,
        digest: Some(tree),
        reason: args.reason.clone(),
    };
    let event = |step| RuntimeEvent::Review(ReviewEvent { step, ..event.clone() });
    let events = [ReviewStep::Restored, ReviewStep::NotMade].map(event);
    let policy = policies.audit.policy;
    let restored = json!({ "restored": { "skill": args.id, "package": tree } });
    let text = format!("restored: {} {}\n", plain(&args.id), short(&tree));
    match &target {
        Target::Directory(package) => {
            let (before, after) = (package.files()?, stored(&tree)?);
            let made = Made {
                package,
                before: &before,
                after: &after,
                author: Author { by: user(), at },
                action: "restored",
                reason: args.reason.clone(),
                proposal: None,
            };
            let is_same = before == after && package.path().is_dir();
            let commit = args.commit.commit && !is_same;
            let commit = commit.then(|| Commit::of(package, &before, &after)).transpose()?;
            if is_same {
                // Removes what a program that was killed has left.
                package.replace(&before, &after)?;
            } else {
                decided(&*audit, policy, events, || {
                    made.make(|| package.replace(&before, &after))
                })?;
            }
            output.result(&restored, |_| text)?;
            // These files may have been reviewed before others were.
            let digest = package_digest(&after);
            let was_reviewed = |file: &TrustFile, id: &str| file.was_reviewed(id, &digest);
            keep_reviewed(package, &after, was_reviewed, global, output)?;
            if is_same && args.commit.commit {
                output.remark("the files were these already, so nothing was committed\n");
            }
            if let Some(commit) = commit {
                commit.make(&format!("{}: return to {}", args.id, short(&tree)))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Target::Installed(lock, id) => {
            if args.commit.commit {
                let message = format!("nothing was changed: `{}` is installed", plain(&args.id));
                let help = "leave out `--commit`, and commit its lock file and its copies by hand";
                return Err(Failure::new("commit-refused", message, help));
            }
            let change = store()?.begin()?.because(args.reason.clone());
            if lock.load()?.skills.get(id).is_none_or(|skill| skill.tree != tree) {
                decided(&*audit, policy, events, || {
                    Ok(change.roll_back(lock, id, Some(&tree.to_string()))?)
                })?;
            }
            // A copy that a person has changed stays.
            let mut places = place_lines(change.check_places(lock)?);
            places.retain(|line| line.id == *id);
            let code = if places.is_empty() { 0 } else { OTHER_BYTES };
            let mut restored = restored;
            if !places.is_empty() {
                restored["places"] = json!(places);
            }
            output.result(&restored, |_| text + &lines_text(&places))?;
            remark_on_states(&places, output);
            remark_on_lock(&target, output);
            Ok(ExitCode::from(code))
        }
    }
}
