//! Subscribers of traces for parts of a test.

use std::sync::Once;

use tracing::Subscriber;

/// Runs `work` with a subscriber of its spans and events.
///
/// A place in the code that is reached for the first time while another thread sets its subscriber
/// can miss it, and is then disabled for both. So there is also a subscriber for the whole process,
/// which wants every place.
pub fn with_subscriber<T>(
    subscriber: impl Subscriber + Send + Sync + 'static,
    work: impl FnOnce() -> T,
) -> T {
    static EVERYTHING: Once = Once::new();
    EVERYTHING.call_once(|| {
        // A process that has one already needs no other.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
    });
    tracing::subscriber::with_default(subscriber, work)
}
