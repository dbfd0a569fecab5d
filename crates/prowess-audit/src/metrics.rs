//! Counters and histograms in the text format of Prometheus.

pub(crate) mod render;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_core::{
    AuditEvent, AuditSink, CallUsage, CostTracker, Outcome, ResourcePath, RuntimeEvent, Verdict,
    is_script_file, parse_virtual_uri,
};

/// The number of models with labels of their own. All others share the label `other`.
const MOST_MODELS: usize = 64;

/// The longest label, in characters.
const LONGEST_LABEL: usize = 64;

/// The upper limits of the histogram of durations, in milliseconds.
pub(crate) const BUCKETS: [u64; 8] = [1, 5, 10, 50, 100, 500, 1_000, 10_000];

/// The codes of a call whose skill or file was not found by the name that the model wrote.
const UNRESOLVED: [&str; 5] =
    ["skill-not-found", "invalid-path", "path-not-allowed", "resource-not-found", "path-escape"];

/// The code of a call that would have read a script.
const SCRIPT_READ: &str = "script-read-blocked";

/// The canonical name of the tool that runs scripts.
const RUN: &str = "skills.run";

/// The name of the runs of hooks.
const HOOK: &str = "skills.hook";

/// Counts calls, by the model that made them. It is an audit sink and a cost tracker; a host that
/// uses it as both gets every metric.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<BTreeMap<String, Counters>>);

/// The counters of one model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    done: u64,
    refused: u64,
    failed: u64,
    unresolved_paths: u64,
    script_reads: u64,
    script_reads_blocked: u64,
    violations: u64,
    scripts_done: u64,
    scripts_failed: u64,
    executions: u64,
    tokens: u64,
    activations: u64,
    /// The number of calls up to each limit of [`BUCKETS`], each counted once.
    durations: [u64; BUCKETS.len()],
    total_duration: Duration,
}

impl Metrics {
    /// Creates metrics without a count.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all metrics in the text format of Prometheus.
    pub fn render(&self) -> String {
        render::all(&self.lock())
    }

    fn count(&self, model: Option<&str>, add: impl FnOnce(&mut Counters)) {
        let mut models = self.lock();
        let label = label(&models, model);
        add(models.entry(label).or_default());
    }

    #[cfg(feature = "opentelemetry")]
    pub(crate) fn label(&self, model: Option<&str>) -> String {
        label(&self.lock(), model)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Counters>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditSink for Metrics {
    fn record(&self, event: &AuditEvent) {
        self.count(event.intent.origin.model.as_deref(), |counters| counters.add(event));
    }

    fn report(&self, event: &RuntimeEvent) {
        if let RuntimeEvent::SkillActivated(event) = event {
            self.count(event.origin.model.as_deref(), |counters| counters.activations += 1);
        }
    }
}

impl CostTracker for Metrics {
    fn track(&self, usage: &CallUsage<'_>) {
        if usage.intent.skill.is_some() {
            let tokens = (usage.argument_tokens + usage.result_tokens) as u64;
            self.count(usage.intent.origin.model.as_deref(), |counters| {
                counters.executions += 1;
                counters.tokens += tokens;
            });
        }
    }
}

impl Counters {
    /// Returns the number of calls by how they ended.
    pub(crate) fn outcomes(&self) -> [(&'static str, u64); 3] {
        [("done", self.done), ("refused", self.refused), ("failed", self.failed)]
    }

    fn add(&mut self, event: &AuditEvent) {
        let AuditEvent { intent, outcome, duration, .. } = event;
        let code = match outcome {
            Outcome::Done => None,
            Outcome::Refused(code) | Outcome::Failed(code) => Some(code.as_str()),
        };
        match outcome {
            Outcome::Done => self.done += 1,
            Outcome::Refused(_) => self.refused += 1,
            Outcome::Failed(_) => self.failed += 1,
        }
        self.unresolved_paths += u64::from(code.is_some_and(|it| UNRESOLVED.contains(&it)));
        if intent.tool == RUN {
            self.scripts_done += u64::from(*outcome == Outcome::Done);
            // One that never started had no process.
            let has_run = event.isolation.is_some();
            self.scripts_failed += u64::from(matches!(outcome, Outcome::Failed(_)) && has_run);
        }
        // The gate names what it blocks; of what was done, a run is no read.
        let blocked = match (code, &event.error) {
            (Some(code), _) => usize::from(code == SCRIPT_READ),
            // A command in the sandbox has those of its files.
            (None, files) => files.as_ref().map_or(0, |it| it.matches(SCRIPT_READ).count()),
        };
        let is_run = [RUN, HOOK].contains(&intent.tool.as_str());
        let is_read = code.is_none() && !is_run;
        let is_script = is_read && intent.resource.as_deref().is_some_and(is_script);
        self.script_reads += blocked as u64 + u64::from(is_script && blocked == 0);
        self.script_reads_blocked += blocked as u64;
        let is_denied = intent.decision.as_ref().is_some_and(|it| it.verdict == Verdict::Denied);
        self.violations += u64::from(is_denied);
        self.total_duration += *duration;
        let is_within = |limit: &u64| *duration <= Duration::from_millis(*limit);
        if let Some(bucket) = BUCKETS.iter().position(is_within) {
            self.durations[bucket] += 1;
        }
    }
}

fn label(models: &BTreeMap<String, Counters>, model: Option<&str>) -> String {
    let label: String = model.unwrap_or("unknown").chars().take(LONGEST_LABEL).collect();
    let has_room = models.len() < MOST_MODELS || models.contains_key(&label);
    if has_room { label } else { "other".to_owned() }
}

/// Returns whether a path, as it was written, leads to a script of a package.
fn is_script(written: &str) -> bool {
    let uri = parse_virtual_uri(written).map(|(_, path)| path);
    let path = uri.as_deref().unwrap_or(written);
    ResourcePath::new(path).is_ok_and(|path| is_script_file(&path))
}
