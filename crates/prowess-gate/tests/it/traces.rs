//! Events of the shell parser.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_gate::shell_commands;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;

struct Counter(Arc<AtomicUsize>);

impl<S: Subscriber> Layer<S> for Counter {
    fn on_event(&self, _event: &Event<'_>, _context: Context<'_, S>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A command may hold secrets, and the parser puts it into events.
#[test]
fn parser_emits_no_event() {
    let events = Arc::new(AtomicUsize::new(0));
    let subscriber = registry().with(Counter(Arc::clone(&events)));
    prowess_testkit::with_subscriber(subscriber, || {
        assert!(shell_commands("curl -H 'secret' x").is_ok());
        assert!(shell_commands("a && ; b").is_err());
        assert_eq!(events.load(Ordering::Relaxed), 0, "the subscriber got no event");
        tracing::debug!("one");
    });
    assert_eq!(events.load(Ordering::Relaxed), 1, "the subscriber counts");
}
