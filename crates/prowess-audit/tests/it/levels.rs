//! The levels of the `tracing` events.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use prowess_audit::TracedAudit;
use prowess_core::{AuditSink, DeactivationCause};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use crate::fixture::{activated, deactivated, denied, done};

/// Keeps each event as a line.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() != "correlation" {
            write!(self.0, " {field}={value:?}").expect("a string takes any text");
        }
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut lines = self.0.lock().expect("no test panics here");
        lines.push_str(event.metadata().level().as_str());
        event.record(&mut Fields(&mut lines));
        lines.push('\n');
    }
}

#[test]
fn run_is_info_violation_is_warning_execution_is_debug() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone());
    prowess_testkit::with_subscriber(subscriber, || {
        TracedAudit.report(&activated());
        TracedAudit.record(&done(1));
        TracedAudit.record(&denied(2));
        TracedAudit.report(&deactivated(DeactivationCause::TaskCompleted));
    });
    expect_test::expect![[r#"
        INFO message=skill_activated session="talk" skill="pdf"
        DEBUG message=tool_execution session="talk" skill="pdf"
        WARN message=tool_restriction_violated session="talk" skill="pdf" tool="Write"
        INFO message=skill_deactivated session="talk" skill="pdf" seconds=12.5 cause="on task completion"
    "#]].assert_eq(&lines.0.lock().expect("no test panics here"));
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
        let lines = Lines::default();
        let subscriber = tracing_subscriber::registry().with(lines.clone());
        prowess_testkit::with_subscriber(subscriber, || TracedAudit.report(&deactivated(cause)));
        let lines = lines.0.lock().expect("no test panics here");
        assert!(lines.ends_with(&format!(" cause={words:?}\n")), "{words}: {lines}");
    }
}
