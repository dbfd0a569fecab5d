//! A subscriber that collects the spans and events of prowess.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A span or an event of prowess.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The id of a span while it is open; `None` for an event.
    pub(crate) id: Option<u64>,
    pub(crate) name: &'static str,
    /// The name of the span around it.
    pub(crate) parent: Option<&'static str>,
    pub(crate) fields: BTreeMap<&'static str, String>,
}

/// Collects what prowess traces, in the order of its beginnings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector(Arc<Mutex<Vec<Seen>>>);

impl Collector {
    fn push(&self, seen: Seen) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }

    /// Returns every span and event with this name.
    pub(crate) fn all(&self, name: &str) -> Vec<Seen> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|seen| seen.name == name).cloned().collect()
    }

    /// Returns the causes of the reloads, in their order.
    pub(crate) fn causes(&self) -> Vec<String> {
        self.all("reload")
            .into_iter()
            .map(|mut seen| seen.fields.remove("cause").unwrap_or_default())
            .collect()
    }
}

impl tracing::field::Visit for Seen {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl<S: tracing::Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Collector {
    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        id: &tracing::Id,
        context: Context<'_, S>,
    ) {
        let metadata = attributes.metadata();
        if metadata.target() != "prowess" {
            return;
        }
        let parent = context.span(id).and_then(|span| Some(span.parent()?.name()));
        let mut seen =
            Seen { id: Some(id.into_u64()), name: metadata.name(), parent, ..Seen::default() };
        attributes.record(&mut seen);
        self.push(seen);
    }

    fn on_record(&self, id: &tracing::Id, values: &tracing::span::Record<'_>, _: Context<'_, S>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An id is used again after its span has closed, so the newest is meant.
        let span = seen.iter_mut().rev().find(|span| span.id == Some(id.into_u64()));
        if let Some(span) = span {
            values.record(span);
        }
    }

    fn on_event(&self, event: &tracing::Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() == "prowess" {
            let parent = context.event_span(event).map(|span| span.name());
            let mut seen = Seen { name: event.metadata().name(), parent, ..Seen::default() };
            event.record(&mut seen);
            self.push(seen);
        }
    }
}
