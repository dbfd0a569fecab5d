//! The trace spans of calls, with a real subscriber.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillSource;
use prowess_testkit::ScanRecorder;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use crate::loaded::faulty_file;
use crate::running::{Where, read};

type Fields = BTreeMap<&'static str, String>;

/// Collects the fields of each `plugin_call` span, in the order of their starts.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<(u64, Fields)>>>);

struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl<S: tracing::Subscriber> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let metadata = attributes.metadata();
        if (metadata.target(), metadata.name()) == ("prowess", "plugin_call") {
            let mut fields = Fields::new();
            attributes.record(&mut Reader(&mut fields));
            let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            spans.push((id.into_u64(), fields));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The id of a closed span is reused, so take the newest one.
        if let Some((_, fields)) = spans.iter_mut().rfind(|(own, _)| *own == id.into_u64()) {
            values.record(&mut Reader(fields));
        }
    }
}

/// Scans, reads and fails to read, and returns `isolation operation error` of each call.
fn traced(source: &dyn SkillSource) -> Vec<String> {
    let collector = Collector::default();
    let subscriber = tracing_subscriber::registry().with(collector.clone());
    prowess_testkit::with_subscriber(subscriber, || {
        ScanRecorder::scan(source).unwrap();
        read(source, "good").unwrap();
        read(source, "missing").unwrap_err();
    });
    let spans = collector.0.lock().unwrap();
    let line = |(_, fields): &(u64, Fields)| {
        assert_eq!(fields["plugin"], "prowess-plugin-sdk", "the span names the plugin");
        let error = fields.get("error").map_or("", |error| &**error);
        format!("{} {} {error}", fields["isolation"], fields["operation"])
    };
    spans.iter().map(line).collect()
}

#[test]
fn call_has_a_span_in_both_isolations() {
    for (place, isolation) in [(Where::InTheHost, "in-process"), (Where::InAProcess, "process")] {
        let expected = ["scan ", "read ", "read resource-not-found"];
        let expected = expected.map(|rest| format!("{isolation} {rest}"));
        assert_eq!(traced(&*place.source(&faulty_file(), &json!({}))), expected);
    }
}
