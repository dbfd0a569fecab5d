//! Messages in a stream of events, by the format of server-sent events.

use std::ops::ControlFlow;

use prowess_source_remote::HttpAnswer;
use serde_json::Value;

use crate::error::CallError;
use crate::message::Incoming;

/// The maximum number of events before a response.
const MOST_EVENTS: usize = 10_000;

/// Looks for the response to one request in a stream, as far as it was received.
pub(crate) struct EventStream {
    id: u64,
    /// Where the current event, its last line and the part that was not searched start.
    event: usize,
    line: usize,
    searched: usize,
    events: usize,
    response: Option<Result<Value, CallError>>,
}

impl EventStream {
    /// Creates a reader that looks for the response to the request with this number.
    pub(crate) fn new(id: u64) -> Self {
        Self { id, event: 0, line: 0, searched: 0, events: 0, response: None }
    }

    /// Reads on in the stream. Returns whether more is needed.
    pub(crate) fn read(&mut self, stream: &[u8]) -> bool {
        while self.response.is_none() && self.events < MOST_EVENTS {
            let Some(event) = self.next_event(stream) else { return true };
            self.events += 1;
            match Incoming::read(&data(event)) {
                Some(Incoming::Response(id, response)) if id == self.id => {
                    self.response = Some(response);
                }
                _ => {}
            }
        }
        false
    }

    /// Returns the next whole event, which ends with an empty line. No byte is searched twice.
    fn next_event<'s>(&mut self, stream: &'s [u8]) -> Option<&'s [u8]> {
        while let Some(length) = stream[self.searched..].iter().position(|&byte| byte == b'\n') {
            let line = self.line..self.searched + length;
            self.searched = line.end + 1;
            self.line = self.searched;
            if matches!(stream[line.clone()], [] | [b'\r']) {
                let event = &stream[self.event..line.start];
                self.event = self.searched;
                return Some(event);
            }
        }
        self.searched = stream.len();
        None
    }

    /// Returns the response, if the stream has it.
    pub(crate) fn into_response(self) -> Option<Result<Value, CallError>> {
        self.response
    }
}

/// The maximum size of an event of a [`ChangeStream`], in bytes.
const MAX_EVENT_BYTES: usize = 64 << 10;

/// Looks for reports of changes in a stream without an end.
#[derive(Default)]
pub(crate) struct ChangeStream {
    /// The current event, as far as it was received.
    event: Vec<u8>,
    has_reported: bool,
}

impl ChangeStream {
    /// Reads the next part of the stream, and calls `report` for each change. Ends a stream with
    /// an event that is too long.
    pub(crate) fn read(&mut self, part: &[u8], report: &impl Fn()) -> ControlFlow<()> {
        for line in part.split_inclusive(|&byte| byte == b'\n') {
            // An empty line ends an event, also if it came in two parts.
            let is_start = self.event.is_empty() || self.event.ends_with(b"\n");
            let is_rest = self.event.ends_with(b"\n\r") && line == b"\n";
            if is_rest || is_start && matches!(line, b"\n" | b"\r\n") {
                self.end_event(report);
            } else {
                self.event.extend(line);
            }
            if self.event.len() > MAX_EVENT_BYTES {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn end_event(&mut self, report: &impl Fn()) {
        let event = std::mem::take(&mut self.event);
        if Incoming::read(&data(&event)).is_some_and(|message| message.is_change()) {
            self.has_reported = true;
            report();
        }
    }

    /// Returns whether there was a report.
    pub(crate) fn has_reported(&self) -> bool {
        self.has_reported
    }
}

/// Returns whether an answer is a stream of events.
pub(crate) fn is_stream(answer: &HttpAnswer) -> bool {
    let kind = answer.header("content-type").unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// Returns the data of an event, whose lines are joined.
fn data(event: &[u8]) -> Vec<u8> {
    let lines = event.split(|&byte| byte == b'\n');
    let lines = lines.filter_map(|line| line.strip_prefix(b"data:"));
    let lines = lines.map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_prefix(b" ").unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join(&b'\n')
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{ChangeStream, EventStream, MAX_EVENT_BYTES};

    fn response(stream: &str) -> Option<String> {
        let mut events = EventStream::new(7);
        // In parts of one byte, as a slow server sends it.
        for end in 0..=stream.len() {
            if !events.read(&stream.as_bytes()[..end]) {
                break;
            }
        }
        events.into_response().map(|response| response.expect("it is a result").to_string())
    }

    #[test]
    fn response_is_found_among_other_events() {
        let result = "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n\n";
        let others = [
            "",
            "\n",
            ": comment\n\n",
            "event: message\nid: 1\ndata: {\"method\":\"notifications/progress\"}\n\n",
            "data: {\"id\":8,\"result\":2}\n\n",
            "data: garbage\r\n\r\n",
            "data:\n\n",
        ];
        for other in others {
            let stream = format!("{other}{result}data: {{\"id\":7,\"result\":3}}\n\n");
            assert_eq!(response(&stream), Some("1".to_owned()), "{other:?}");
        }
        let split = "data: {\"id\":7,\ndata: \"result\":1}\r\n\r\n";
        assert_eq!(response(split), Some("1".to_owned()), "data of several lines are one message");
    }

    #[test]
    fn unfinished_event_is_no_response() {
        for stream in ["", "data: {\"id\":7,\"result\":1}", "data: {\"id\":7,\"result\":1}\n"] {
            assert_eq!(response(stream), None, "{stream:?}");
        }
    }

    /// Returns the number of reports in a stream that comes in parts of this size, and whether it
    /// is read to its end.
    fn reports(stream: &str, size: usize) -> (usize, bool) {
        let reports = Cell::new(0);
        let mut changes = ChangeStream::default();
        let mut parts = stream.as_bytes().chunks(size);
        let report = || reports.set(reports.get() + 1);
        let is_whole = parts.all(|part| changes.read(part, &report).is_continue());
        (reports.get(), is_whole)
    }

    #[test]
    fn changes_are_reported_in_any_parts() {
        let change = "data: {\"method\":\"notifications/resources/list_changed\"}\n\n";
        let others = [
            "",
            "\n\n\n",
            ": comment\n\n",
            "id: 1\ndata:\n\n",
            "data: {\"id\":1,\"method\":\"notifications/resources/list_changed\"}\n\n",
            "data: {\"method\":\"notifications/tools/list_changed\"}\r\n\r\n",
            "data: garbage\n\n",
        ];
        for other in others {
            let ended = change.replace('\n', "\r\n");
            let unfinished = change.trim_end();
            let stream = format!("{other}{change}{other}{ended}{other}{unfinished}");
            for size in [1, 2, 3, 7, stream.len()] {
                assert_eq!(reports(&stream, size), (2, true), "{stream:?} in parts of {size}");
            }
        }
    }

    #[test]
    fn endless_events_end_the_stream() {
        for line in ["data: x\n", "x"] {
            let stream = line.repeat(MAX_EVENT_BYTES + 1);
            assert_eq!(reports(&stream, 1000), (0, false), "{line:?} without an end");
        }
    }
}
