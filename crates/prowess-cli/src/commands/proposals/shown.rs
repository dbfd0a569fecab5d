//! A proposal as a person sees it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::governance::{
    Conflict, Decision, Outlook, ReviewError, StoredProposal, package_digest,
};
use prowess::state::rfc3339;
use prowess::{Actor, Diagnostic, Digest};
use prowess_store::gained;
use prowess_text::{counted, marked_lines, quoted, terminal_json};
use serde::Serialize;

use crate::commands::difference::colored;
use crate::commands::skill_change::{short, surface};
use crate::output::{DIM, HEADING, ID};
use crate::terminal::{columns_behind, local_time, marked, one_line};

/// One proposal in a list.
#[derive(Serialize)]
pub(crate) struct Shown {
    pub(super) name: String,
    /// `waiting`, `accepted`, `rejected` or `withdrawn`.
    state: String,
    pub(super) skill: String,
    digest: Digest,
    /// The proposer or the reviewer.
    by: Option<Actor>,
    /// When.
    at: String,
    /// The reason of the proposal or of the decision.
    reason: Option<String>,
}

impl Shown {
    pub(super) fn waiting(proposal: &StoredProposal) -> Self {
        Self {
            name: proposal.name.clone(),
            state: "waiting".to_owned(),
            skill: proposal.skill.clone(),
            digest: proposal.digest,
            by: proposal.proposer.clone(),
            at: rfc3339(proposal.time),
            reason: Some(proposal.justification.trim_end().to_owned()),
        }
    }

    /// Creates the value for a file that is not as it was written, with the message about it.
    pub(super) fn tampered(file: &StoredProposal, reason: &str) -> Self {
        let (state, reason) = ("tampered".to_owned(), Some(reason.to_owned()));
        Self { state, reason, at: String::new(), ..Self::waiting(file) }
    }

    pub(super) fn decided(name: String, decision: &Decision) -> Self {
        let state = serde_json::to_value(decision.step).ok();
        Self {
            name,
            state: state.as_ref().and_then(|it| it.as_str()).unwrap_or("decided").to_owned(),
            skill: decision.skill.clone(),
            digest: decision.digest,
            by: Some(decision.by.clone()),
            at: rfc3339(decision.at),
            reason: decision.reason.clone(),
        }
    }

    /// Returns the proposal as two lines.
    pub(super) fn text(&self) -> String {
        let Self { name, state, skill, by, at, reason, .. } = self;
        let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        // The name in a list of decided ones is that of the reviewer.
        let step = if state == "waiting" { "proposed" } else { state };
        let details = match &**at {
            "" => skill.clone(),
            at => format!("{skill}, {step} {}{by}", local_time(at)),
        };
        let details = format!("{details}, digest {}", short(&self.digest));
        let mut text = format!("{ID}{}{ID:#}  {state}\n", marked(name));
        for line in [Some(&details), reason.as_ref()].into_iter().flatten() {
            let line = marked_lines(line.trim_start());
            let line = one_line(&line, columns_behind(2));
            let _ = writeln!(text, "  {DIM}{line}{DIM:#}");
        }
        text
    }
}

/// One proposal with everything that a reviewer needs.
#[derive(Serialize)]
pub(crate) struct Whole {
    #[serde(flatten)]
    proposal: StoredProposal,
    /// Whether the skill is what the proposal was made for: `same`, `moved` if the change still
    /// fits, `conflict`, `refused` if it cannot be accepted, `unknown` without the skill, or
    /// `tampered` if the file of the proposal is not as it was written, or `decided`.
    base_state: &'static str,
    /// The decision, if it does not wait any more.
    decision: Option<Shown>,
    /// The digest of the skill's files now: a person decides on these.
    pub(super) now: Option<Digest>,
    /// Why it is a conflict, refused or unknown.
    pub(super) reason: Option<String>,
    /// Why this user may not accept or reject it.
    barred: Option<String>,
    /// The changes of the skill since it was proposed, as a diff.
    moved: String,
    /// The parts that do not fit.
    conflicts: Vec<Conflict>,
    /// The paths of the files that change.
    files: Vec<String>,
    /// Those that become executable.
    executables: Vec<String>,
    /// The capabilities that the skill would gain, as `kind:value`.
    gains: Vec<String>,
    /// Those that it would lose.
    loses: Vec<String>,
    /// The id now and then, if it changes.
    new_id: Option<[String; 2]>,
    /// The findings that the change would bring.
    findings: Vec<Diagnostic>,
}

impl Whole {
    /// Creates the value, with what the proposal would make of the skill if that is here.
    pub(super) fn of(
        proposal: StoredProposal,
        outlook: Option<Result<Outlook, ReviewError>>,
        moved: String,
        barred: Option<String>,
    ) -> Self {
        let mut whole = Self {
            files: proposal.paths(),
            proposal,
            base_state: "unknown",
            decision: None,
            now: None,
            reason: None,
            barred,
            moved,
            conflicts: Vec::new(),
            executables: Vec::new(),
            gains: Vec::new(),
            loses: Vec::new(),
            new_id: None,
            findings: Vec::new(),
        };
        match outlook {
            None => {}
            Some(Ok(Outlook { before, after, has_moved, new_id, findings })) => {
                whole.base_state = if has_moved { "moved" } else { "same" };
                whole.now = Some(package_digest(&before));
                let is_executable = |files: &prowess::PackageFiles, path: &str| {
                    files.get(path).is_some_and(|file| file.is_executable)
                };
                let mut becoming = whole.files.clone();
                becoming.retain(|it| is_executable(&after, it) && !is_executable(&before, it));
                whole.executables = becoming;
                let [before, after]: [BTreeSet<_>; 2] = [&before, &after].map(surface);
                whole.gains = gained(&before, &after);
                whole.loses = gained(&after, &before);
                whole.new_id = new_id;
                whole.findings = findings;
            }
            Some(Err(error)) => {
                whole.base_state = match error.code.as_str() {
                    "proposal-conflict" => "conflict",
                    "proposal-tampered" => "tampered",
                    _ => "refused",
                };
                whole.reason = Some(error.message);
                whole.conflicts = error.conflicts;
            }
        }
        whole
    }

    /// Adds the decision. The change is shown as it was, and is compared with no skill.
    pub(super) fn decided(self, name: &str, decision: &Decision) -> Self {
        let decision = Some(Shown::decided(name.to_owned(), decision));
        let reason = self.reason.map(|_| "its file was not as it was written".to_owned());
        Self { base_state: "decided", decision, reason, ..self }
    }

    pub(super) fn text(&self) -> String {
        let Self { proposal, base_state, reason, conflicts, files, executables, .. } = self;
        let Self { gains, loses, new_id, barred, moved, .. } = self;
        if *base_state == "tampered" {
            return Shown::tampered(proposal, reason.as_deref().unwrap_or_default()).text();
        }
        let mut text = match &self.decision {
            Some(decision) => decision.text(),
            None => Shown { reason: None, ..Shown::waiting(proposal) }.text(),
        };
        let mut notes = Vec::new();
        if let Some(base) = &proposal.package {
            notes.push(format!("in {}, {}", base.path, counted(files.len(), "file")));
        }
        notes.push(match (*base_state, reason) {
            (_, Some(reason)) => reason.clone(),
            ("same", _) => "the skill is as it was proposed for".to_owned(),
            ("moved", _) => {
                let now = self.now.as_ref().map(short).unwrap_or_default();
                format!("the skill has changed since; the change still fits (`--rebase {now}`)")
            }
            ("decided", _) => {
                let by = proposal.proposer.as_ref().map(|by| format!(" by {by}"));
                let at = local_time(&rfc3339(proposal.time));
                format!("proposed {at}{}", by.unwrap_or_default())
            }
            _ => "the skill is not here to compare with".to_owned(),
        });
        notes.extend(self.decision.is_none().then(|| match &proposal.proposer {
            Some(person @ Actor::Person(_)) => format!("every person but {person} may decide"),
            _ => "every person may decide".to_owned(),
        }));
        notes.extend(barred.as_ref().map(|reason| format!("you may not: {reason}")));
        if let Some([old, new]) = new_id {
            notes.push(format!("the id changes from {} to {}", quoted(old), quoted(new)));
        }
        notes.extend(executables.iter().map(|path| format!("{} becomes executable", quoted(path))));
        notes.extend(self.findings.iter().map(ToString::to_string));
        for note in notes {
            let _ = writeln!(text, "  {DIM}{}{DIM:#}", marked(&note));
        }
        for (word, facts) in [("gains", gains), ("loses", loses)] {
            for fact in facts {
                let _ = writeln!(text, "  {word:7}  {}", marked(fact));
            }
        }
        let _ = writeln!(text, "\n{}", colored(&marked_lines(&proposal.diff)).trim_end());
        if !moved.is_empty() {
            let diff = colored(&marked_lines(moved));
            let heading = "Changed since it was proposed";
            let _ = writeln!(text, "\n{HEADING}{heading}{HEADING:#}\n{}", diff.trim_end());
        }
        text += &conflict_text(conflicts);
        let evidence = proposal.evidence.as_deref();
        for (heading, part) in
            [("Justification", Some(&*proposal.justification)), ("Evidence", evidence)]
        {
            let Some(part) = part else { continue };
            let _ = writeln!(text, "\n{HEADING}{heading}{HEADING:#}");
            // Behind a margin, no line of it looks like a heading or like another part.
            for line in marked_lines(part.trim_end()).lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    /// Returns the proposal as one line of JSON.
    pub(super) fn line(proposal: &StoredProposal) -> String {
        let line = serde_json::to_string(proposal).unwrap_or_default();
        terminal_json(&line).into_owned() + "\n"
    }
}

/// Returns the parts that do not fit as the three texts of a merge.
pub(super) fn conflict_text(conflicts: &[Conflict]) -> String {
    let mut text = String::new();
    for Conflict { path, hunk, base, proposed, now, reason } in conflicts {
        let _ = writeln!(text, "\n{HEADING}{}{HEADING:#}, part {hunk}: {reason}", marked(path));
        for (word, lines) in [("now", now), ("proposed for", base), ("proposed", proposed)] {
            let _ = writeln!(text, "  {DIM}{word}:{DIM:#}");
            for line in marked_lines(&lines.join("\n")).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}
