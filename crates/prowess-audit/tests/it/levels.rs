//! The levels of the `tracing` events.

use prowess_audit::TracedAudit;
use prowess_core::{AuditSink, DeactivationCause};
use prowess_testkit::{Traced, traced};

use crate::fixture::{activated, deactivated, denied, done};

/// Returns each event of `work` as a line.
fn lines(work: impl FnOnce()) -> String {
    let ((), collector) = traced(work);
    let line = |Traced { level, fields, .. }: Traced| {
        let fields = fields.iter().filter(|(name, _)| **name != "correlation");
        let fields: String = fields.map(|(name, value)| format!(" {name}={value}")).collect();
        format!("{level}{fields}\n")
    };
    collector.all().into_iter().map(line).collect()
}

#[test]
fn run_is_info_violation_is_warning_execution_is_debug() {
    let lines = lines(|| {
        TracedAudit.report(&activated());
        TracedAudit.record(&done(1));
        TracedAudit.record(&denied(2));
        TracedAudit.report(&deactivated(DeactivationCause::TaskCompleted));
    });
    expect_test::expect_file!["../data/levels.txt"].assert_eq(&lines);
}

#[test]
fn each_cause_has_its_words() {
    use DeactivationCause::{
        Replaced, Revoked, SessionClosed, SessionEvicted, SessionExpired, Unloaded,
    };
    for (cause, words) in [
        (Unloaded, "unloaded"),
        (Replaced, "replaced"),
        (SessionClosed, "session closed"),
        (SessionExpired, "session expired"),
        (SessionEvicted, "session evicted"),
        (Revoked, "revoked"),
    ] {
        let lines = lines(|| TracedAudit.report(&deactivated(cause)));
        assert!(lines.contains(&format!(" cause={words} ")), "{words}: {lines}");
    }
}
