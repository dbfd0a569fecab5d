//! The text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{BUCKETS, Counters};

type Models = BTreeMap<String, Counters>;

/// A counter: its name, its meaning, its value.
pub(crate) type Counter = (&'static str, &'static str, fn(&Counters) -> u64);

/// The counter of calls by outcome: its name and its meaning.
pub(crate) const CALLS: (&str, &str) = ("tool_calls", "Calls of tools, by how they ended.");

/// The histogram of durations: its name and its meaning.
pub(crate) const DURATIONS: (&str, &str) =
    ("tool_call_duration_seconds", "The durations of calls.");

pub(crate) const COUNTERS: [Counter; 8] = [
    ("skill_path_resolution_failures", "Calls whose skill or file was not found.", |it| {
        it.unresolved_paths
    }),
    ("script_read_attempts", "Calls that read a script instead of running it.", |it| {
        it.script_reads
    }),
    ("script_read_attempts_blocked", "Of these, calls that were refused.", |it| {
        it.script_reads_blocked
    }),
    ("tool_restriction_violations", "Calls that the gate denied.", |it| it.violations),
    ("skill_activations", "Skills that were loaded.", |it| it.activations),
    ("script_executions", "Scripts that ran.", |it| it.scripts_done + it.scripts_failed),
    ("skill_executions", "Calls in the run of a skill whose tokens were counted.", |it| {
        it.executions
    }),
    ("skill_execution_tokens", "The tokens of these calls.", |it| it.tokens),
];

/// A gauge: its name, its meaning, and the fraction that it shows.
pub(crate) type Gauge = (&'static str, &'static str, fn(&Counters) -> [u64; 2]);

pub(crate) const GAUGES: [Gauge; 2] = [
    ("average_tokens_per_skill_execution", "Tokens by call in the run of a skill.", |it| {
        [it.tokens, it.executions]
    }),
    ("script_execution_success_rate", "The fraction of scripts that succeeded.", |it| {
        [it.scripts_done, it.scripts_done + it.scripts_failed]
    }),
];

pub(super) fn all(models: &Models) -> String {
    let mut text = String::new();
    for (name, help, value) in COUNTERS {
        heading(&mut text, name, help, "counter");
        for (model, counters) in models {
            let _ = writeln!(text, "{name}{{model=\"{}\"}} {}", escaped(model), value(counters));
        }
    }
    for (name, help, fraction) in GAUGES {
        heading(&mut text, name, help, "gauge");
        for (model, counters) in models {
            if let Some(value) = value(fraction(counters)) {
                let _ = writeln!(text, "{name}{{model=\"{}\"}} {value}", escaped(model));
            }
        }
    }
    calls(&mut text, models);
    durations(&mut text, models);
    text
}

/// Returns the value of a gauge; `None` if there is nothing to divide by.
pub(crate) fn value([part, whole]: [u64; 2]) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn heading(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn calls(text: &mut String, models: &Models) {
    let (name, help) = CALLS;
    heading(text, name, help, "counter");
    for (model, counters) in models {
        for (outcome, count) in counters.outcomes() {
            let model = escaped(model);
            let _ = writeln!(text, "{name}{{model=\"{model}\",outcome=\"{outcome}\"}} {count}");
        }
    }
}

fn durations(text: &mut String, models: &Models) {
    let (name, help) = DURATIONS;
    heading(text, name, help, "histogram");
    for (model, counters) in models {
        let model = escaped(model);
        let mut count = 0;
        for (limit, more) in BUCKETS.iter().zip(counters.durations) {
            count += more;
            let limit = *limit as f64 / 1000.0;
            let _ = writeln!(text, "{name}_bucket{{model=\"{model}\",le=\"{limit}\"}} {count}");
        }
        let all = counters.done + counters.refused + counters.failed;
        let seconds = counters.total_duration.as_secs_f64();
        let _ = writeln!(text, "{name}_bucket{{model=\"{model}\",le=\"+Inf\"}} {all}");
        let _ = writeln!(text, "{name}_sum{{model=\"{model}\"}} {seconds}");
        let _ = writeln!(text, "{name}_count{{model=\"{model}\"}} {all}");
    }
}

/// Returns a label's value with the three characters escaped that end it or a line.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
