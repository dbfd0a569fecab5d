//! Metrics and spans, received by the exporters of OpenTelemetry's own SDK.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::{Status, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracer, SdkTracerProvider, SpanData};
use prowess_audit::{Metrics, OpenTelemetry};
use prowess_core::{AuditEvent, AuditSink, CallUsage, Code, CostTracker, Outcome};

use crate::fixture::{START, activated, by, denied, done, intent};

/// A host with the SDK, whose exporters keep what they receive.
struct Host {
    meters: SdkMeterProvider,
    tracers: SdkTracerProvider,
    metrics: InMemoryMetricExporter,
    spans: InMemorySpanExporter,
    telemetry: OpenTelemetry<SdkTracer>,
}

impl Host {
    fn new() -> Self {
        let metrics = InMemoryMetricExporter::default();
        let spans = InMemorySpanExporter::default();
        let reader = PeriodicReader::builder(metrics.clone()).build();
        let meters = SdkMeterProvider::builder().with_reader(reader).build();
        let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let telemetry = OpenTelemetry::new(&meters.meter("prowess"), tracers.tracer("prowess"));
        Self { meters, tracers, metrics, spans, telemetry }
    }

    /// Returns each exported value by the name and attributes that the Prometheus text has.
    fn exported(&self) -> BTreeMap<String, f64> {
        self.meters.force_flush().expect("the exporter is in memory");
        let metrics = self.metrics.get_finished_metrics().expect("the exporter is in memory");
        metrics.last().map(values).unwrap_or_default()
    }

    /// Returns the span of the only call.
    fn span(&self) -> SpanData {
        let [span] = <[_; 1]>::try_from(self.spans()).expect("one call has one span");
        span
    }

    fn spans(&self) -> Vec<SpanData> {
        self.tracers.force_flush().expect("the exporter is in memory");
        self.spans.get_finished_spans().expect("the exporter is in memory")
    }
}

fn values(metrics: &ResourceMetrics) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::new();
    let all = metrics.scope_metrics().flat_map(ScopeMetrics::metrics);
    for metric in all {
        let name = metric.name();
        match metric.data() {
            AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                for point in sum.data_points() {
                    values.insert(labelled(name, point.attributes()), point.value() as f64);
                }
            }
            AggregatedMetrics::F64(MetricData::Gauge(gauge)) => {
                for point in gauge.data_points() {
                    values.insert(labelled(name, point.attributes()), point.value());
                }
            }
            AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                for point in histogram.data_points() {
                    let mut count = 0;
                    for (limit, more) in point.bounds().zip(point.bucket_counts()) {
                        count += more;
                        let le = KeyValue::new("le", limit.to_string());
                        let labels = point.attributes().chain([&le]);
                        let name = labelled(&format!("{name}_bucket"), labels);
                        values.insert(name, count as f64);
                    }
                    let attributes = || point.attributes();
                    values.insert(labelled(&format!("{name}_sum"), attributes()), point.sum());
                    let count = point.count() as f64;
                    values.insert(labelled(&format!("{name}_count"), attributes()), count);
                }
            }
            other => panic!("{name} is of another kind: {other:?}"),
        }
    }
    values
}

fn labelled<'a>(name: &str, attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let labels: Vec<_> =
        attributes.map(|label| format!("{}=\"{}\"", label.key, label.value)).collect();
    format!("{name}{{{}}}", labels.join(","))
}

/// Returns the values of the Prometheus text, without the bucket that has no limit.
fn prometheus(metrics: &Metrics) -> BTreeMap<String, f64> {
    let text = metrics.render();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.contains("+Inf"));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    lines.map(|line| value(line).expect("a line has a name and a value")).collect()
}

fn failed(code: &'static str) -> AuditEvent {
    AuditEvent { outcome: Outcome::Failed(Code::new(code)), ..done(1) }
}

/// Feeds a sink that is a cost tracker too.
fn feed(sink: &(impl AuditSink + CostTracker)) {
    sink.report(&activated());
    for number in 0..70 {
        sink.record(&by(&format!("model-{number:02}"), done(number)));
    }
    sink.record(&by("model-00", denied(3)));
    sink.record(&failed("resource-not-found"));
    let mut run = done(4);
    run.intent.tool = "skills.run".to_owned();
    sink.record(&run);
    for result_tokens in [90, 180] {
        let intent = &intent(5);
        let duration = Duration::ZERO;
        sink.track(&CallUsage { intent, argument_tokens: 10, result_tokens, duration });
    }
}

#[test]
fn metrics_equal_the_prometheus_text() {
    let host = Host::new();
    let metrics = Metrics::new();
    feed(&host.telemetry);
    feed(&metrics);
    let expected = prometheus(&metrics);
    assert!(expected.len() > 500, "{} values", expected.len());
    // Prometheus shows an empty histogram for a model without calls, the SDK shows none.
    let exported = host.exported();
    for (name, value) in &expected {
        let found = exported.get(name).copied().unwrap_or_default();
        assert!((found - value).abs() < 1e-9, "{name} is {found} and not {value}");
    }
    let unknown: Vec<_> = exported.keys().filter(|name| !expected.contains_key(*name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn later_collections_have_later_counts() {
    let host = Host::new();
    host.telemetry.record(&done(1));
    let name = r#"tool_calls{model="unknown",outcome="done"}"#;
    assert_eq!(host.exported().get(name), Some(&1.0));
    host.telemetry.record(&done(2));
    assert_eq!(host.exported().get(name), Some(&2.0), "counters are cumulative");
}

#[test]
fn call_has_a_span_with_its_times() {
    let host = Host::new();
    host.telemetry.record(&by("one", done(1)));
    let span = host.span();
    assert_eq!(span.name, "execute_tool Read");
    let start = SystemTime::UNIX_EPOCH + Duration::from_millis(START.0 + 1_500);
    assert_eq!([span.start_time, span.end_time], [start, start + Duration::from_millis(12)]);
    assert_eq!(span.status, Status::Unset);
    let attributes: BTreeMap<_, _> =
        span.attributes.iter().map(|it| (it.key.as_str(), it.value.to_string())).collect();
    assert_eq!(attributes["gen_ai.operation.name"], "execute_tool");
    assert_eq!(attributes["gen_ai.tool.name"], "Read");
    assert_eq!(attributes["gen_ai.request.model"], "one");
    assert_eq!(attributes["prowess.skill"], "pdf");
    assert!(!attributes.contains_key("error.type"), "{attributes:?}");
}

#[test]
fn refused_call_has_an_error_without_its_message_or_a_name_that_a_model_made_up() {
    let unknown = Outcome::Refused(Code::new("unknown-tool"));
    let mut made_up = AuditEvent { outcome: unknown, ..done(1) };
    made_up.intent.tool = "made_up".to_owned();
    for (event, name, code, text) in [
        (denied(1), "execute_tool Write", "tool-not-allowed", "allowed-tools of"),
        (made_up, "execute_tool", "unknown-tool", "made_up"),
    ] {
        let host = Host::new();
        host.telemetry.record(&event);
        let span = host.span();
        assert_eq!((&*span.name, &span.status), (name, &Status::error(code)));
        assert!(!format!("{span:?}").contains(text), "it is not exported: {span:?}");
    }
}

#[test]
fn span_is_a_child_of_the_active_one() {
    let host = Host::new();
    let tracer = host.tracers.tracer("host");
    let context = Context::current_with_span(tracer.start("turn of the host"));
    let guard = context.clone().attach();
    host.telemetry.record(&done(1));
    drop(guard);
    context.span().end();
    let spans = host.spans();
    let [call, turn] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(call.parent_span_id, turn.span_context.span_id());
    assert_eq!(call.span_context.trace_id(), turn.span_context.trace_id());
}
