//! Counters of calls, reloads and scripts, which the audit of a runtime reports.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess::audit::Metrics;
use prowess::tools::codes;
use prowess::{
    AuditError, AuditEvent, AuditSink, CallIntent, Outcome, ReloadEvent, RuntimeEvent, SessionId,
};

use super::exposition::Exposition;

/// The upper limits of the histogram of durations, in seconds: from a lookup to a long script.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The number of tools, and of codes, with labels of their own. All others share `other`.
const MOST_LABELS: usize = 64;

/// The canonical name of the tool that runs scripts.
const RUN: &str = "skills.run";

/// Counts what the audit of a runtime reports.
#[derive(Default)]
pub(super) struct Calls {
    counters: Mutex<Counters>,
    /// The counters of each model, as clients name theirs.
    pub(super) models: Arc<Metrics>,
}

#[derive(Default)]
pub(super) struct Counters {
    tools: BTreeMap<String, OfTool>,
    refusals: BTreeMap<String, u64>,
    reloads: BTreeMap<String, u64>,
    /// The scripts that run, by the session and the number of their call.
    scripts: HashSet<(SessionId, u64)>,
    pub(super) last_reload: Option<ReloadEvent>,
}

/// The counters of one tool.
#[derive(Default)]
struct OfTool {
    outcomes: BTreeMap<&'static str, u64>,
    /// The number of calls up to each limit of [`BUCKETS`], each counted once.
    durations: [u64; BUCKETS.len()],
    total: Duration,
}

impl AuditSink for Calls {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        if intent.tool == RUN {
            self.lock().scripts.insert((intent.session.clone(), intent.call));
        }
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        self.models.record(event);
        let AuditEvent { intent, outcome, duration, .. } = event;
        let mut counters = self.lock();
        if intent.tool == RUN {
            counters.scripts.remove(&(intent.session.clone(), intent.call));
        }
        let (outcome, refused) = match outcome {
            Outcome::Done => ("done", None),
            Outcome::Refused(code) => ("refused", Some(code)),
            Outcome::Failed(_) => ("failed", None),
        };
        // A model may make up any number of names.
        let is_unknown = refused.is_some_and(|code| *code == codes::UNKNOWN_TOOL);
        let tool = if is_unknown { "unknown" } else { &intent.tool };
        let of_tool = counted(&mut counters.tools, tool);
        *of_tool.outcomes.entry(outcome).or_default() += 1;
        of_tool.total += *duration;
        let seconds = duration.as_secs_f64();
        if let Some(bucket) = BUCKETS.iter().position(|limit| seconds <= *limit) {
            of_tool.durations[bucket] += 1;
        }
        if let Some(code) = refused {
            *counted(&mut counters.refusals, code.as_str()) += 1;
        }
    }

    fn report(&self, event: &RuntimeEvent) {
        self.models.report(event);
        if let RuntimeEvent::CatalogReloaded(event) = event {
            let mut counters = self.lock();
            *counted(&mut counters.reloads, &event.cause) += 1;
            counters.last_reload = Some(event.clone());
        }
    }
}

/// Returns the counter of a label, or that of all others if there are too many.
fn counted<'m, T: Default>(counters: &'m mut BTreeMap<String, T>, label: &str) -> &'m mut T {
    let has_room = counters.len() < MOST_LABELS || counters.contains_key(label);
    counters.entry(if has_room { label } else { "other" }.to_owned()).or_default()
}

impl Calls {
    pub(super) fn lock(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the metrics.
    pub(super) fn write(&self, text: &mut Exposition) {
        let counters = self.lock();
        let name = "prowess_tool_calls_total";
        text.family(name, "counter", "Calls of tools, by how they ended.");
        for (tool, of_tool) in &counters.tools {
            for (outcome, count) in &of_tool.outcomes {
                text.value(name, &[("tool", tool), ("outcome", outcome)], *count as f64);
            }
        }
        let name = "prowess_tool_call_duration_seconds";
        text.family(name, "histogram", "The durations of calls of tools.");
        for (tool, of_tool) in &counters.tools {
            of_tool.write(text, name, tool);
        }
        let families = [
            (
                "prowess_tool_refusals_total",
                "reason",
                "Calls that were refused.",
                &counters.refusals,
            ),
            (
                "prowess_reloads_total",
                "cause",
                "Reloads that replaced the catalog.",
                &counters.reloads,
            ),
        ];
        for (name, label, help, counts) in families {
            text.family(name, "counter", help);
            for (reason, count) in counts {
                text.value(name, &[(label, reason)], *count as f64);
            }
        }
        let running = counters.scripts.len() as f64;
        text.single("prowess_scripts_running", "gauge", "Scripts that are running.", running);
        text.append(&self.models.render());
    }
}

impl OfTool {
    fn write(&self, text: &mut Exposition, name: &str, tool: &str) {
        let bucket = format!("{name}_bucket");
        let mut count = 0;
        for (limit, more) in BUCKETS.iter().zip(self.durations) {
            count += more;
            text.value(&bucket, &[("tool", tool), ("le", &limit.to_string())], count as f64);
        }
        let all = self.outcomes.values().sum::<u64>() as f64;
        text.value(&bucket, &[("tool", tool), ("le", "+Inf")], all);
        text.value(&format!("{name}_sum"), &[("tool", tool)], self.total.as_secs_f64());
        text.value(&format!("{name}_count"), &[("tool", tool)], all);
    }
}
