//! Reports of a log for people: the events of each session as sentences, and statistics.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp as Instant};
use prowess_core::{CallOrigin, SessionId, Timestamp};
use prowess_text::quoted;
use serde::Serialize;
use serde_json::Value;

use crate::VerifyError;
use crate::chains::walk_chains;
use crate::verify::{Found, walk};

mod lines;
mod part;
mod statistics;

pub use part::StoryPart;
pub use statistics::Statistics;
pub(crate) use statistics::Sums;

/// The story of each session in a log. Its texts come from the log: a program that shows them on a
/// terminal has to encode them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Story {
    /// The sessions, in the order of their first events. Events of no session, such as reloads,
    /// are under an empty name.
    pub sessions: Vec<SessionStory>,
    /// The number of reloads that were left out.
    pub reloads: usize,
}

/// The events that a story has. By default, all but reloads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryFilter {
    /// Only this session: its id, or what the log shows instead ([`SessionId::log_name`]). If there
    /// is none, those whose names in the log begin so.
    pub session: Option<String>,
    /// Only events from this time on.
    pub since: Option<Timestamp>,
    /// Only events of this tool, in any spelling: `skills.load` or `skills_load`.
    pub tool: Option<String>,
    /// Only calls and connections that were refused, and approvals that a person refused.
    pub denied: bool,
    /// Reloads, too.
    pub all: bool,
}

/// The events of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SessionStory {
    /// The id of the session, as the log has it.
    pub session: String,
    /// The first known agent, task, tenant and model. A line from which on one is another says so.
    #[serde(flatten)]
    pub origin: CallOrigin,
    /// The events, in the order of the chain. A call is where it began.
    pub lines: Vec<StoryLine>,
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoryLine {
    /// The number of the entry.
    pub seq: u64,
    /// The time, as ISO 8601 in UTC.
    pub timestamp: String,
    /// The event as a sentence.
    pub text: String,
    /// Whether it is behind a break of the chain, so that nothing proves it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unproven: bool,
}

impl Story {
    /// Reads a story from a log.
    ///
    /// # Errors
    ///
    /// Returns an error if the chain of the log is broken, or a file cannot be read.
    pub fn read(path: &Path, filter: &StoryFilter) -> Result<Self, VerifyError> {
        let (story, read) = Self::read_all(path, filter);
        read.map(|()| story)
    }

    /// Like [`Self::read`], with what can be read of a broken log. The events from the first break
    /// on are marked as unproven.
    pub fn read_all(path: &Path, filter: &StoryFilter) -> (Self, Result<(), VerifyError>) {
        Self::collect(filter, |visit| walk(path, visit).map(drop))
    }

    /// Like [`Self::read_all`], from the chains of several hosts: the name of each, and its lines.
    pub fn read_chains<L: Iterator<Item = String>>(
        chains: impl IntoIterator<Item = (String, L)>,
        filter: &StoryFilter,
    ) -> (Self, Result<(), VerifyError>) {
        Self::collect(filter, |visit| walk_chains(chains, visit))
    }

    fn collect(
        filter: &StoryFilter,
        walk: impl FnOnce(&mut dyn FnMut(Found)) -> Result<(), VerifyError>,
    ) -> (Self, Result<(), VerifyError>) {
        let mut reader = StoryReader::default();
        let session = filter.log_name();
        let walked = walk(&mut |found| {
            reader.decide(&found);
            if !filter.matches(session.as_deref(), &found.entry) {
                return;
            }
            let is_reload = found.entry["event"] == "catalog_reloaded";
            if is_reload && !filter.all {
                reader.story.reloads += 1;
            } else {
                reader.add(&found);
            }
        });
        let mut story = reader.finish();
        if story.sessions.iter().any(|it| Some(&it.session) == session.as_ref()) {
            story.sessions.retain(|it| Some(&it.session) == session.as_ref());
        }
        (story, walked)
    }
}

impl StoryFilter {
    /// Returns what the log shows instead of the session's id.
    pub(crate) fn log_name(&self) -> Option<String> {
        self.session.as_deref().map(|session| match SessionId::new(session) {
            Ok(id) => id.log_name().into_owned(),
            Err(_) => session.to_owned(),
        })
    }

    /// Returns whether an entry is one of those that the story has a line for.
    pub(crate) fn shows(&self, session: Option<&str>, entry: &Value) -> bool {
        (entry["event"] != "catalog_reloaded" || self.all) && self.matches(session, entry)
    }

    fn matches(&self, session: Option<&str>, entry: &Value) -> bool {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let is_same = |tool: &String| canonical(tool) == canonical(text("tool_name"));
        let is_later = |since: Timestamp| time(entry).is_some_and(|time| time >= since.into());
        let is_denied = text("outcome") == "refused"
            || text("event") == "script_host_refused"
            || text("event") == "approval" && text("action") == "refused";
        let begins = |named: &String| text("session_id").starts_with(named.as_str());
        let is_meant = session.is_none_or(|session| session == text("session_id"));
        (is_meant || self.session.as_ref().is_some_and(begins))
            && self.since.is_none_or(is_later)
            && self.tool.as_ref().is_none_or(is_same)
            && (is_denied || !self.denied)
    }
}

/// Returns a tool's name as each spelling of it has it.
fn canonical(tool: &str) -> String {
    tool.replace(['_', '-'], ".").to_ascii_lowercase()
}

/// Returns the time of an entry; that of a call is its start.
fn time(entry: &Value) -> Option<Instant> {
    entry["timestamp"].as_str()?.parse().ok()
}

/// Returns the time at which what an entry is about had happened.
fn end(entry: &Value) -> Option<Instant> {
    let milliseconds = entry["duration_ms"].as_i64().unwrap_or_default();
    time(entry)?.checked_add(SignedDuration::from_millis(milliseconds)).ok()
}

/// The code of a call that a person has to approve first.
const WAITS: &str = "approval-required";

/// Collects the lines, and the intents whose outcomes have not come yet.
#[derive(Default)]
pub(crate) struct StoryReader {
    pub(crate) story: Story,
    positions: BTreeMap<String, usize>,
    /// The origin of the last call of each session.
    origins: Vec<CallOrigin>,
    /// The lines of the intents without outcomes, by session, time and number of the call.
    pending: BTreeMap<(String, String, u64), Pending>,
    /// The lines of the calls that wait for an approval, by its id.
    waiting: BTreeMap<String, Vec<Pending>>,
}

/// The position of a line.
struct Pending {
    session: usize,
    line: usize,
    /// The change of the origin in front of the text.
    change: String,
}

impl StoryReader {
    pub(crate) fn add(&mut self, Found { head, entry, is_proven, .. }: &Found) {
        let unproven = !is_proven;
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let [name, timestamp] = [text("session_id"), text("timestamp")];
        let sessions = &mut self.story.sessions;
        let session = *self.positions.entry(name.clone()).or_insert_with(|| {
            sessions.push(SessionStory { session: name.clone(), ..SessionStory::default() });
            self.origins.push(CallOrigin::default());
            sessions.len() - 1
        });
        let SessionStory { origin, lines, .. } = &mut sessions[session];
        let call = (name, timestamp.clone(), entry["call"].as_u64().unwrap_or_default());
        if let Some(intended) = self.pending.remove(&call).filter(|_| call_has_ended(entry)) {
            // The outcome takes the place of the intent, which is behind what led to it.
            let before = intended.line.checked_sub(1).map(|before| lines[before].timestamp.clone());
            let line = &mut lines[intended.line];
            line.text = intended.change + &lines::sentence(entry);
            line.unproven |= unproven;
            let moment = |text: &str| text.parse::<Instant>().ok();
            let is_inside = |before: &String| {
                moment(before) > moment(&line.timestamp) && moment(before) <= end(entry)
            };
            line.timestamp = before.filter(is_inside).unwrap_or_else(|| line.timestamp.clone());
            return;
        }
        let change = changed(origin, &mut self.origins[session], entry);
        let line_text = change.clone() + &lines::sentence(entry);
        let pending = Pending { session, line: lines.len(), change };
        if let Some(id) = entry["decision"]["approval"].as_str().filter(|_| text("code") == WAITS) {
            self.waiting.entry(id.to_owned()).or_default().push(pending);
        } else if text("event") == "tool_call_intended" {
            self.pending.insert(call, pending);
        }
        // A call that did not run has one entry, which follows those of its refusal.
        let timestamp = end(entry).map_or(timestamp, |end| end.to_string());
        lines.push(StoryLine { seq: head.seq, timestamp, text: line_text, unproven });
    }

    /// Says of the calls that wait for an approval what a person has decided, also where the
    /// decision itself is not asked for.
    pub(crate) fn decide(&mut self, Found { entry, is_proven, .. }: &Found) {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        if text("event") != "approval" || !["granted", "refused"].contains(&text("action")) {
            return;
        }
        let (id, action) = (text("approval_id"), text("action"));
        for Pending { session, line, .. } in self.waiting.get(id).into_iter().flatten() {
            let line = &mut self.story.sessions[*session].lines[*line];
            line.unproven |= !is_proven;
            let waited = line.text.replace(" waits for", " waited for");
            let before = waited.strip_suffix(" later").map(|before| format!("{before}, then"));
            line.text = format!("{} {action} later", before.unwrap_or_else(|| waited + ","));
        }
        // A refusal may be taken back.
        if action == "granted" {
            self.waiting.remove(id);
        }
    }

    pub(crate) fn finish(mut self) -> Story {
        for Pending { session, line, .. } in self.pending.into_values() {
            self.story.sessions[session].lines[line].text.push_str(", and no outcome was recorded");
        }
        self.story
    }
}

/// Returns what an entry says of its origin that is not as in the last call, with a colon behind
/// it. `first` takes what was not known.
fn changed(first: &mut CallOrigin, last: &mut CallOrigin, entry: &Value) -> String {
    let parts = [
        ("agent", "agent_id", &mut first.agent, &mut last.agent),
        ("model", "model", &mut first.model, &mut last.model),
        ("task", "task_id", &mut first.task, &mut last.task),
        ("tenant", "tenant_id", &mut first.tenant, &mut last.tenant),
    ];
    let changed = parts.into_iter().filter_map(|(word, key, first, last)| {
        let name = entry[key].as_str()?.to_owned();
        first.get_or_insert_with(|| name.clone());
        let said = format!("{word} {}", quoted(&name));
        last.replace(name.clone()).is_some_and(|before| before != name).then_some(said)
    });
    let changed: Vec<_> = changed.collect();
    if changed.is_empty() { String::new() } else { format!("now {}: ", changed.join(", ")) }
}

fn call_has_ended(entry: &Value) -> bool {
    entry["outcome"].is_string()
}
