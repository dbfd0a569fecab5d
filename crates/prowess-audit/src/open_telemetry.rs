//! Metrics and spans of calls for OpenTelemetry.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter};
use opentelemetry::trace::{Span as _, SpanBuilder, Status, Tracer};
use prowess_core::{
    AuditEvent, AuditSink, CallIntent, CallUsage, CostTracker, Outcome, RuntimeEvent, Timestamp,
};

use crate::Metrics;
use crate::metrics::{BUCKETS, render};

/// The code of a call whose tool is a name that a model made up.
const UNKNOWN_TOOL: &str = "unknown-tool";

/// Records the metrics of [`Metrics`] by the same names, and a span for each call.
///
/// It is an audit sink and a cost tracker; a host that uses it as both gets every metric. The
/// instruments are those of the host's meter, and read the counters when the host's reader
/// collects them. Each span has the times of its call, is a child of the span that is active where
/// the call is made, and has the attributes of OpenTelemetry's conventions for tools of models. No
/// attribute has a text of a skill, or an argument or a result of a call. The program
/// `open_telemetry` of `examples/extension-points` has the SDK and exporters of a host.
///
/// ```
/// use std::sync::Arc;
///
/// use opentelemetry::global;
/// use prowess_audit::OpenTelemetry;
///
/// let telemetry = OpenTelemetry::new(&global::meter("prowess"), global::tracer("prowess"));
/// let sink: Arc<dyn prowess_core::AuditSink> = Arc::new(telemetry);
/// ```
#[derive(Debug)]
pub struct OpenTelemetry<T> {
    metrics: Arc<Metrics>,
    durations: Histogram<f64>,
    tracer: T,
}

impl<T: Tracer> OpenTelemetry<T> {
    /// Creates the instruments.
    pub fn new(meter: &Meter, tracer: T) -> Self {
        let metrics = Arc::new(Metrics::new());
        observe(meter, &metrics);
        let seconds = BUCKETS.map(|milliseconds| milliseconds as f64 / 1000.0);
        let durations = meter
            .f64_histogram(render::DURATIONS.0)
            .with_description(render::DURATIONS.1)
            .with_unit("s")
            .with_boundaries(seconds.into())
            .build();
        Self { metrics, durations, tracer }
    }

    fn add_span(&self, event: &AuditEvent) {
        let intent = &event.intent;
        let code = match &event.outcome {
            Outcome::Done => None,
            Outcome::Refused(code) | Outcome::Failed(code) => Some(code.as_str()),
        };
        let mut name = "execute_tool".to_owned();
        if code != Some(UNKNOWN_TOOL) {
            name = format!("{name} {}", intent.tool);
        }
        let start = system_time(intent.at);
        let builder = SpanBuilder::from_name(name).with_start_time(start);
        let mut span = self.tracer.build(builder.with_attributes(attributes(intent, code)));
        if let Some(code) = code {
            span.set_status(Status::error(code.to_owned()));
        }
        span.end_with_timestamp(start + event.duration);
    }
}

/// Creates the instruments that read the counters.
fn observe(meter: &Meter, metrics: &Arc<Metrics>) {
    for (name, help, value) in render::COUNTERS {
        let metrics = Arc::clone(metrics);
        let counter = meter.u64_observable_counter(name).with_description(help);
        let counter = counter.with_callback(move |observer| {
            for (model, counters) in metrics.lock().iter() {
                observer.observe(value(counters), &[labelled(model)]);
            }
        });
        counter.build();
    }
    for (name, help, fraction) in render::GAUGES {
        let metrics = Arc::clone(metrics);
        let gauge = meter.f64_observable_gauge(name).with_description(help);
        let gauge = gauge.with_callback(move |observer| {
            for (model, counters) in metrics.lock().iter() {
                if let Some(value) = render::value(fraction(counters)) {
                    observer.observe(value, &[labelled(model)]);
                }
            }
        });
        gauge.build();
    }
    let metrics = Arc::clone(metrics);
    let calls = meter.u64_observable_counter(render::CALLS.0).with_description(render::CALLS.1);
    let calls = calls.with_callback(move |observer| {
        for (model, counters) in metrics.lock().iter() {
            for (outcome, count) in counters.outcomes() {
                observer.observe(count, &[labelled(model), KeyValue::new("outcome", outcome)]);
            }
        }
    });
    calls.build();
}

fn labelled(model: &str) -> KeyValue {
    KeyValue::new("model", model.to_owned())
}

/// Returns the attributes of a call's span, by the names of the conventions as far as they have
/// one.
fn attributes(intent: &CallIntent, code: Option<&str>) -> Vec<KeyValue> {
    let mut attributes = vec![
        KeyValue::new("gen_ai.operation.name", "execute_tool"),
        KeyValue::new("prowess.correlation", intent.correlation.as_str().to_owned()),
    ];
    let mut add = |name: &'static str, value: Option<&str>| {
        attributes.extend(value.map(|value| KeyValue::new(name, value.to_owned())));
    };
    let tool = Some(intent.tool.as_str()).filter(|_| code != Some(UNKNOWN_TOOL));
    add("gen_ai.tool.name", tool);
    add("gen_ai.agent.id", intent.origin.agent.as_deref());
    add("gen_ai.request.model", intent.origin.model.as_deref());
    add("prowess.skill", intent.skill.as_deref());
    add("error.type", code);
    attributes
}

fn system_time(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(at.0)
}

impl<T: Tracer + Send + Sync> AuditSink for OpenTelemetry<T> {
    fn record(&self, event: &AuditEvent) {
        self.metrics.record(event);
        let model = self.metrics.label(event.intent.origin.model.as_deref());
        self.durations.record(event.duration.as_secs_f64(), &[labelled(&model)]);
        self.add_span(event);
    }

    fn report(&self, event: &RuntimeEvent) {
        self.metrics.report(event);
    }
}

impl<T: Tracer + Send + Sync> CostTracker for OpenTelemetry<T> {
    fn track(&self, usage: &CallUsage<'_>) {
        self.metrics.track(usage);
    }
}
