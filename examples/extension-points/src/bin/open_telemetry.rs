//! OpenTelemetry: a span for each call, and the counters of each model, by the SDK of the host.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::data::{Metric, ResourceMetrics, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use prowess::ToolCall;
use prowess::audit::OpenTelemetry;
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A host has the exporters of its collector in the place of these two.
    let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
    let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
    let meters = SdkMeterProvider::builder().with_periodic_exporter(metrics.clone()).build();
    let telemetry = OpenTelemetry::new(&meters.meter("kitchen"), tracers.tracer("kitchen"));
    let telemetry = Arc::new(telemetry);
    let runtime = kitchen().audit(telemetry.clone()).cost_tracker(telemetry).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["tea"] })));
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["coffee"] })));
    // The end of a host exports what is left.
    tracers.force_flush()?;
    meters.force_flush()?;
    for span in spans.get_finished_spans()? {
        println!("{}: {:?}", span.name, span.status);
    }
    let exported = metrics.get_finished_metrics()?;
    let scopes = exported.iter().flat_map(ResourceMetrics::scope_metrics);
    let names = scopes.flat_map(ScopeMetrics::metrics).map(Metric::name);
    let mut names: Vec<_> = names.filter(|name| name.starts_with("tool_call")).collect();
    names.sort_unstable();
    names.dedup();
    println!("{}", names.join(" "));
    Ok(())
}
