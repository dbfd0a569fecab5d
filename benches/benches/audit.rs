//! The cost of the audit of a tool call: through the toolbox into memory, and onto a disk.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use prowess_audit::{Fanout, JsonLinesLog, LogOptions, MemoryLog, Redactor, TracedAudit};
use prowess_core::{
    AuditPolicy, AuditSink, Boundary, CallIntent, Caller, Cancel, Catalog, CorrelationId, NoAudit,
    SessionId, Timestamp, Tool, ToolCall, ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use prowess_session::{MemoryStore, SessionPolicy, Sessions};
use prowess_testkit::ManualClock;
use prowess_tools::{ToolNaming, Toolbox};
use serde_json::{Value, json};

/// A tool that does nothing.
struct Nothing;

impl Tool for Nothing {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "nothing".to_owned(),
            description: "Does nothing.".to_owned(),
            input_schema: json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
        }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        ToolResult::text("")
    }
}

impl ToolProvider for Nothing {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Self)]
    }
}

fn toolbox(audit: Arc<dyn AuditSink>) -> Toolbox {
    let builder = Toolbox::builder(ToolNaming::default()).provider(&Nothing).audit(audit);
    builder.audit_policy(AuditPolicy::Required).build().expect("one tool fits")
}

fn calls(criterion: &mut Criterion) {
    let clock = Arc::new(ManualClock::default());
    let store = Arc::new(MemoryStore::new());
    let sessions = Sessions::new(store, clock.clone(), SessionPolicy::default());
    let session = sessions.open().expect("memory takes a session");
    let catalog = Arc::new(Catalog::empty());
    let context = ToolContext {
        catalog: &catalog,
        session: &session,
        caller: Caller::Model,
        origin: &Arc::default(),
        clock: &*clock,
        cancel: &Cancel::default(),
        approved: None,
        progress: prowess_core::Progress::default(),
        boundary: &Boundary::new("5f3a9c1e77b04d28"),
    };
    let call = ToolCall::new("nothing", json!({ "a": "b" }));
    let mut group = criterion.benchmark_group("call");
    let log = || Arc::new(MemoryLog::new(1_000)) as Arc<dyn AuditSink>;
    let sinks: [(&str, Arc<dyn AuditSink>); 3] = [
        ("without audit", Arc::new(NoAudit)),
        ("memory audit", log()),
        // As a runtime has it.
        ("traced memory audit", Arc::new(Fanout(vec![Arc::new(TracedAudit), log()]))),
    ];
    for (name, sink) in sinks {
        let toolbox = toolbox(sink);
        group.bench_function(name, |bencher| {
            bencher.iter(|| toolbox.dispatch(&context, black_box(&call)));
        });
    }
    group.finish();
}

fn intent() -> CallIntent {
    let session = SessionId::new("session").expect("a valid id");
    CallIntent {
        at: Timestamp(1_767_225_600_000),
        call: 1,
        correlation: CorrelationId::of_session(&session),
        session,
        origin: Arc::default(),
        tool: "skills.read".to_owned(),
        caller: Caller::Model,
        skill: Some("pdf".to_owned()),
        skills: Vec::new(),
        resource: Some("references/guide.md".to_owned()),
        decision: None,
        generation: 1,
    }
}

/// Intents that are on disk when they are acknowledged, from many threads at once.
fn durable(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("durable intent");
    group.throughput(Throughput::Elements(1));
    for threads in [1, 16, 64, 256] {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let path = directory.path().join("audit.jsonl");
        let clock = Arc::new(ManualClock::default());
        let log = JsonLinesLog::open(&path, LogOptions::default(), Redactor::default(), clock);
        let log = log.expect("the log can be opened");
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter_custom(|iterations| in_threads(&log, threads, iterations));
        });
    }
    group.finish();
}

fn in_threads(log: &JsonLinesLog, threads: u64, iterations: u64) -> Duration {
    let left = AtomicU64::new(0);
    let intent = intent();
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while left.fetch_add(1, Ordering::Relaxed) < iterations {
                    log.intend(&intent).expect("there is room");
                }
            });
        }
    });
    start.elapsed()
}

fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(10).warm_up_time(second / 2).measurement_time(second)
}

criterion_group! { name = audit; config = brief(); targets = calls, durable }
criterion_main!(audit);
