//! Metrics in the text format of Prometheus.

use std::time::Duration;

use prowess_audit::Metrics;
use prowess_core::{AuditEvent, AuditSink, CallIntent, CallUsage, Code, CostTracker, Outcome};

use crate::fixture::{activated, by, denied, done, intent};

fn read(path: &str, outcome: Outcome) -> AuditEvent {
    let isolation = Some("strict".to_owned());
    let mut event = AuditEvent { outcome, isolation, ..done(1) };
    event.intent.tool = "skills.read".to_owned();
    event.intent.resource = Some(path.to_owned());
    event
}

fn run(outcome: Outcome) -> AuditEvent {
    let mut event = read("scripts/fill.py", outcome);
    event.intent.tool = "skills.run".to_owned();
    event
}

/// Returns the lines with these metrics, without comments.
fn lines(metrics: &Metrics, names: &[&str]) -> Vec<String> {
    let text = metrics.render();
    let is_named = |line: &&str| names.iter().any(|name| line.split('{').next() == Some(name));
    text.lines().filter(is_named).map(str::to_owned).collect()
}

#[test]
fn calls_are_counted_by_model() {
    let metrics = Metrics::new();
    let failed = |code: &'static str| Outcome::Failed(Code::new(code));
    metrics.report(&activated());
    metrics.record(&by("one", read("references/guide.md", Outcome::Done)));
    metrics.record(&by("one", read("references/gone.md", failed("resource-not-found"))));
    metrics.record(&by("one", read("./scripts/fill.py", Outcome::Done)));
    metrics.record(&by("two", read("skill://pdf/scripts/fill.py", failed("path-not-allowed"))));
    let blocked = || Outcome::Refused(Code::new("script-read-blocked"));
    for (tool, path, outcome) in [
        ("skills.read", "bin/go.sh", blocked()),
        ("Read", "/elsewhere/jobs/run", blocked()),
        ("skills.read", "lib/../tools/a.rb", Outcome::Done),
        ("skills.read", "scripts/data.json", Outcome::Done),
        ("skills.read", "scripts/gone.sh", failed("resource-not-found")),
        ("skills.hook", "scripts/pre.sh", Outcome::Done),
        ("skills.hook", "scripts/pre.sh", failed("hook-failed")),
    ] {
        let mut event = by("reader", read(path, outcome));
        event.intent.tool = tool.to_owned();
        metrics.record(&event);
    }
    metrics.record(&by("two", denied(3)));
    for outcome in [Outcome::Done, Outcome::Done, Outcome::Done, failed("script-failed")] {
        metrics.record(&by("two", run(outcome)));
    }
    let never_started = AuditEvent { isolation: None, ..run(failed("skill-not-active")) };
    metrics.record(&by("two", never_started));
    expect_test::expect_file!["metrics.txt"].assert_eq(&metrics.render());
}

#[test]
fn tokens_are_averaged() {
    let metrics = Metrics::new();
    for (argument_tokens, result_tokens) in [(10, 90), (20, 180)] {
        let (intent, duration) = (&intent(1), Duration::ZERO);
        metrics.track(&CallUsage { intent, argument_tokens, result_tokens, duration });
    }
    let without_skill = CallIntent { skill: None, ..intent(2) };
    metrics.track(&CallUsage {
        intent: &without_skill,
        argument_tokens: 1_000,
        result_tokens: 0,
        duration: Duration::ZERO,
    });
    let shown = lines(&metrics, &["average_tokens_per_skill_execution", "skill_executions"]);
    let expected = [
        r#"skill_executions{model="unknown"} 2"#,
        r#"average_tokens_per_skill_execution{model="unknown"} 150"#,
    ];
    assert_eq!(shown, expected, "only calls in the run of a skill count");
}

#[test]
fn labels_are_limited_and_escaped() {
    let metrics = Metrics::new();
    metrics.record(&by("a\"b\\c\nd", done(1)));
    for number in 0..1_000 {
        metrics.record(&by(&format!("model-{number}"), done(1)));
    }
    let shown = lines(&metrics, &["skill_activations"]);
    assert_eq!(shown.len(), 65, "64 models and all others");
    assert_eq!(shown[0], r#"skill_activations{model="a\"b\\c\nd"} 0"#);
    let text = metrics.render();
    assert!(text.contains(r#"tool_calls{model="other",outcome="done"} 937"#), "{text}");
    metrics.record(&by(&"x".repeat(1_000), done(1)));
    assert!(!metrics.render().contains(&"x".repeat(65)), "a label has a limit");
}
