//! The `tracing` events of the libraries, as lines of the log.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::{Fields, active};

/// Events that repeat what another line says.
const REPEATED: [&str; 4] = ["swap", "finding", "tool_execution", "tool_restriction_violated"];

/// Receives the events of this project's crates, and their spans of the level `debug` as lines with
/// their duration. Others may have texts of messages in theirs.
#[derive(Default)]
pub(super) struct Events {
    /// Those that have not ended.
    spans: Mutex<HashMap<u64, (&'static str, Instant, Visited)>>,
    last: AtomicU64,
}

impl Events {
    fn spans(&self) -> MutexGuard<'_, HashMap<u64, (&'static str, Instant, Visited)>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        (metadata.is_event() || *metadata.level() == Level::DEBUG)
            && metadata.target().starts_with("prowess")
            && !REPEATED.contains(&metadata.name())
            && active().is_some_and(|log| log.shows(*metadata.level(), metadata.name()))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // The default level shows some events of `info`.
        active().map(|log| LevelFilter::from_level(log.least.max(Level::INFO)))
    }

    fn event(&self, event: &Event<'_>) {
        let Some(log) = active() else { return };
        let mut visited = Visited::default();
        event.record(&mut visited);
        let Visited { message, fields } = visited;
        let metadata = event.metadata();
        // An event without a name has that of its line of code.
        match metadata.name() {
            unnamed if unnamed.starts_with("event ") => {
                log.line(*metadata.level(), &message, "", fields);
            }
            name if name == message => log.line(*metadata.level(), name, "", fields),
            name => log.line(*metadata.level(), name, &message, fields),
        }
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let mut visited = Visited::default();
        attributes.record(&mut visited);
        self.spans().insert(id, (attributes.metadata().name(), Instant::now(), visited));
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        if let Some((_, _, visited)) = self.spans().get_mut(&id.into_u64()) {
            values.record(visited);
        }
    }

    fn try_close(&self, id: Id) -> bool {
        let ended = self.spans().remove(&id.into_u64());
        let Some(((name, start, Visited { mut fields, .. }), log)) = ended.zip(active()) else {
            return true;
        };
        let seconds = start.elapsed().as_secs_f64();
        fields.push(("ms", ((seconds * 1e6).round() / 1e3).into()));
        log.line(Level::DEBUG, name, "", fields);
        true
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Visited {
    message: String,
    fields: Fields,
}

impl Visited {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.fields.push((field.name(), value.into()));
    }
}

impl Visit for Visited {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        if field.name() == "message" {
            self.message = value;
        } else {
            self.put(field, value);
        }
    }
}
