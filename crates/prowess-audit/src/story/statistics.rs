//! Sums over a log.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::VerifyError;
use crate::chains::walk_chains;
use crate::verify::Found;

/// Sums over the entries of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// The number of entries.
    pub entries: u64,
    /// The number of sessions.
    pub sessions: usize,
    /// The number of calls that the gate denied.
    pub violations: u64,
    /// The calls of each tool.
    pub tools: BTreeMap<String, ToolStatistics>,
    /// The runs of each skill.
    pub skills: BTreeMap<String, SkillStatistics>,
}

/// The calls of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolStatistics {
    /// Calls that returned a result.
    pub done: u64,
    /// Calls that were not run.
    pub refused: u64,
    /// Calls that ran and failed.
    pub failed: u64,
    /// The sum of their durations.
    pub total_ms: u64,
}

/// The runs of one skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SkillStatistics {
    /// The number of times that it was loaded.
    pub activations: u64,
    /// The number of times that its end is not in the log: the session still runs, or its process
    /// ended first.
    pub unfinished: u64,
    /// The sum of its runs. One without an end counts until the last entry of its session.
    pub seconds: f64,
    /// The calls while it was the skill that was loaded last.
    pub calls: u64,
}

impl Statistics {
    /// Sums over the chains of several hosts: the name of each, and its lines.
    ///
    /// # Errors
    ///
    /// Returns an error if a chain is broken.
    pub fn read_chains<L: Iterator<Item = String>>(
        chains: impl IntoIterator<Item = (String, L)>,
    ) -> Result<Self, VerifyError> {
        let (mut sums, mut sessions) = (Sums::default(), BTreeSet::new());
        walk_chains(chains, &mut |Found { entry, .. }| {
            let session = entry["session_id"].as_str();
            sums.add(&entry, session);
            sessions.extend(session.map(str::to_owned));
        })?;
        Ok(sums.statistics(sessions.len()))
    }

    fn add(&mut self, entry: &Value) {
        self.entries += 1;
        let skill = entry["skill_name"].as_str().map(str::to_owned);
        match entry["event"].as_str().unwrap_or_default() {
            "skill_activated" => {
                self.skills.entry(skill.unwrap_or_default()).or_default().activations += 1;
            }
            "skill_deactivated" => {
                let seconds = entry["duration_seconds"].as_f64().unwrap_or_default().max(0.0);
                self.skills.entry(skill.unwrap_or_default()).or_default().seconds += seconds;
            }
            event => {
                self.violations += u64::from(event == "tool_restriction_violated");
                self.add_call(entry, skill);
            }
        }
    }

    fn add_call(&mut self, entry: &Value, skill: Option<String>) {
        let Some(outcome) = entry["outcome"].as_str() else { return };
        let tool = entry["tool_name"].as_str().unwrap_or_default().to_owned();
        let tool = self.tools.entry(tool).or_default();
        match outcome {
            "done" => tool.done += 1,
            "refused" => tool.refused += 1,
            _ => tool.failed += 1,
        }
        tool.total_ms += entry["duration_ms"].as_u64().unwrap_or_default();
        if let Some(skill) = skill {
            self.skills.entry(skill).or_default().calls += 1;
        }
    }
}

/// The sums of the entries that were read.
#[derive(Default)]
pub(crate) struct Sums {
    ended: Statistics,
    /// The sessions with runs that have not ended.
    open: BTreeMap<String, SessionRuns>,
}

impl Sums {
    /// Adds an entry of a session.
    pub(crate) fn add(&mut self, entry: &Value, session: Option<&str>) {
        self.ended.add(entry);
        let Some(session) = session else { return };
        if entry["event"] == "skill_activated" {
            self.open.entry(session.to_owned()).or_default();
        }
        if let Some(runs) = self.open.get_mut(session) {
            runs.add(entry);
            if runs.started.is_empty() {
                self.open.remove(session);
            }
        }
    }

    /// Returns the sums, with the runs that have not ended.
    pub(crate) fn statistics(&self, sessions: usize) -> Statistics {
        let mut statistics = Statistics { sessions, ..self.ended.clone() };
        for (skill, seconds) in self.open.values().flat_map(SessionRuns::unfinished) {
            let skill = statistics.skills.entry(skill).or_default();
            skill.unfinished += 1;
            skill.seconds += seconds;
        }
        statistics
    }
}

/// The runs of a session that have not ended, as far as the log was read.
#[derive(Default)]
struct SessionRuns {
    /// The start of each, by skill.
    started: BTreeMap<String, Timestamp>,
    /// The time of the last entry.
    last: Timestamp,
}

impl SessionRuns {
    fn add(&mut self, entry: &Value) {
        // The entry of a call has its start, which may be before that of an earlier entry.
        self.last = super::end(entry).map_or(self.last, |end| end.max(self.last));
        let skill = entry["skill_name"].as_str().unwrap_or_default();
        match entry["event"].as_str() {
            Some("skill_activated") => {
                let start = super::time(entry).unwrap_or(self.last);
                self.started.entry(skill.to_owned()).or_insert(start);
            }
            Some("skill_deactivated") => {
                self.started.remove(skill);
            }
            _ => {}
        }
    }

    /// Returns the skills that were still loaded at the last entry, with the seconds until then.
    fn unfinished(&self) -> impl Iterator<Item = (String, f64)> {
        let seconds = |started: &Timestamp| self.last.duration_since(*started).as_secs_f64();
        self.started.iter().map(move |(skill, started)| (skill.clone(), seconds(started)))
    }
}
