//! Reports of a log for people: the events of each session as sentences, and statistics.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use prowess_core::SessionId;
use serde::Serialize;
use serde_json::Value;

use crate::VerifyError;
use crate::verify::walk;

mod lines;
mod statistics;

pub use statistics::Statistics;

/// The story of each session in a log. Its texts come from the log: a program that shows them on a
/// terminal has to encode them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Story {
    /// The sessions, in the order of their first events. Events of no session, such as reloads,
    /// are under an empty name.
    pub sessions: Vec<SessionStory>,
}

/// The events of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SessionStory {
    /// The id of the session, as the log has it.
    pub session: String,
    /// The events, in their order.
    pub lines: Vec<StoryLine>,
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoryLine {
    /// The time, as ISO 8601 in UTC.
    pub timestamp: String,
    /// The event as a sentence.
    pub text: String,
}

impl Story {
    /// Reads the story of every session, or only of the named one, from a log. Its name is its id,
    /// or what the log shows instead ([`SessionId::log_name`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the chain of the log is broken, or a file cannot be read.
    pub fn read(path: &Path, session: Option<&str>) -> Result<Self, VerifyError> {
        let mut reader = StoryReader::default();
        let id = session.and_then(|session| SessionId::new(session).ok());
        let session = match &id {
            Some(id) => Some(id.log_name()),
            None => session.map(Cow::Borrowed),
        };
        walk(path, &mut |_, entry| {
            let of = entry["session_id"].as_str().unwrap_or_default();
            if session.as_deref().is_none_or(|session| session == of) {
                reader.add(&entry);
            }
        })?;
        Ok(reader.finish())
    }
}

/// Collects the lines, and the intents whose outcomes have not come yet.
#[derive(Default)]
struct StoryReader {
    story: Story,
    positions: BTreeMap<String, usize>,
    /// The lines of the intents without outcomes, by session, time and number of the call.
    pending: BTreeMap<(String, String, u64), Pending>,
}

/// The position of an intent's line.
struct Pending {
    session: usize,
    line: usize,
}

impl StoryReader {
    fn add(&mut self, entry: &Value) {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let [name, timestamp] = [text("session_id"), text("timestamp")];
        let sessions = &mut self.story.sessions;
        let session = *self.positions.entry(name.clone()).or_insert_with(|| {
            sessions.push(SessionStory { session: name.clone(), lines: Vec::new() });
            sessions.len() - 1
        });
        let lines = &mut sessions[session].lines;
        let call = (name, timestamp.clone(), entry["call"].as_u64().unwrap_or_default());
        if text("event") == "tool_call_intended" {
            self.pending.insert(call, Pending { session, line: lines.len() });
        } else if let Some(intended) = self.pending.remove(&call).filter(|_| call_has_ended(entry))
        {
            // The outcome takes the place of the intent.
            lines[intended.line].text = lines::sentence(entry);
            return;
        }
        lines.push(StoryLine { timestamp, text: lines::sentence(entry) });
    }

    fn finish(mut self) -> Story {
        for Pending { session, line } in self.pending.into_values() {
            self.story.sessions[session].lines[line].text.push_str(", and no outcome was recorded");
        }
        self.story
    }
}

fn call_has_ended(entry: &Value) -> bool {
    entry["outcome"].is_string()
}
