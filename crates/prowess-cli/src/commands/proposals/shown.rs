//! A proposal as a person sees it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::Digest;
use prowess::governance::{Conflict, Decision, StoredProposal};
use prowess::state::rfc3339;
use prowess_text::terminal_json;
use serde::Serialize;

use crate::args::Global;
use crate::commands::difference::colored;
use crate::commands::skill_change::{Target, short, surface};
use crate::output::{DIM, HEADING, ID};
use crate::terminal::{columns_behind, local_time, one_line, plain, plain_lines};

/// One proposal in a list.
#[derive(Serialize)]
pub(super) struct Shown {
    pub(super) name: String,
    /// `waiting`, `accepted`, `rejected` or `withdrawn`.
    state: String,
    pub(super) skill: String,
    digest: Digest,
    /// The proposer or the reviewer.
    by: Option<String>,
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
        let by = by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
        let details = format!("{skill}, {}{by}, digest {}", local_time(at), short(&self.digest));
        let mut text = format!("{ID}{}{ID:#}  {state}\n", plain(name));
        for line in [Some(&details), reason.as_ref()].into_iter().flatten() {
            let line = one_line(line, columns_behind(2));
            let _ = writeln!(text, "  {DIM}{line}{DIM:#}");
        }
        text
    }
}

/// One proposal with everything that a reviewer needs.
#[derive(Serialize)]
pub(super) struct Whole {
    #[serde(flatten)]
    proposal: StoredProposal,
    /// Whether the skill is what the proposal was made for: `same`, `moved` if the change still
    /// fits, `conflict`, or `unknown` without the skill.
    base_state: &'static str,
    /// The parts that do not fit.
    conflicts: Vec<Conflict>,
    /// The capabilities that the skill would gain, as `kind:value`.
    gains: Vec<String>,
    /// Those that it would lose.
    loses: Vec<String>,
}

impl Whole {
    /// Compares a proposal with the skill as it is now.
    pub(super) fn of(proposal: StoredProposal, global: &Global) -> Self {
        let package =
            Target::of(global, &proposal.skill).and_then(|it| it.package(&proposal.skill));
        let files = package.and_then(|package| Ok(package.files()?));
        let (gains, loses) = (Vec::new(), Vec::new());
        let mut whole =
            Self { proposal, base_state: "unknown", conflicts: Vec::new(), gains, loses };
        let Ok(before) = files else { return whole };
        match whole.proposal.applied_to(&before) {
            Ok(after) => {
                let is_same = whole.proposal.is_for(&before);
                whole.base_state = if is_same { "same" } else { "moved" };
                let [before, after]: [BTreeSet<_>; 2] = [&before, &after].map(surface);
                whole.gains = after.difference(&before).cloned().collect();
                whole.loses = before.difference(&after).cloned().collect();
            }
            Err(error) => {
                whole.base_state = "conflict";
                whole.conflicts = error.conflicts;
            }
        }
        whole
    }

    pub(super) fn text(&self) -> String {
        let Self { proposal, base_state, gains, loses, conflicts } = self;
        let mut text = Shown { reason: None, ..Shown::waiting(proposal) }.text();
        let note = match *base_state {
            "same" => "the skill is as it was proposed for",
            "moved" => "the skill has changed since; the change still fits (`--rebase`)",
            "conflict" => "the skill has changed where the proposal changes it",
            _ => "the skill is not here to compare with",
        };
        let _ = writeln!(text, "  {DIM}{note}{DIM:#}");
        for (word, facts) in [("gains", gains), ("loses", loses)] {
            for fact in facts {
                let _ = writeln!(text, "  {word:7}  {}", plain(fact));
            }
        }
        let _ = writeln!(text, "\n{}", colored(&proposal.diff).trim_end());
        text += &conflict_text(conflicts);
        let evidence = proposal.evidence.as_deref();
        for (heading, part) in
            [("Justification", Some(&*proposal.justification)), ("Evidence", evidence)]
        {
            if let Some(part) = part {
                let part = plain_lines(part.trim_end());
                let _ = writeln!(text, "\n{HEADING}{heading}{HEADING:#}\n{part}");
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
        let _ = writeln!(text, "\n{HEADING}{}{HEADING:#}, part {hunk}: {reason}", plain(path));
        for (word, lines) in [("now", now), ("proposed for", base), ("proposed", proposed)] {
            let _ = writeln!(text, "  {DIM}{word}:{DIM:#}");
            for line in lines {
                let _ = writeln!(text, "    {}", plain(line));
            }
        }
    }
    text
}
