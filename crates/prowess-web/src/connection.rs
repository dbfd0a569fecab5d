//! The connections that are open, and which of them ends if another one needs its place.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The maximum number of open connections.
const MOST_CONNECTIONS: usize = 64;

/// The pause until connections that have become idle are looked for again.
const PAUSE: Duration = Duration::from_millis(10);

/// The state of one connection.
#[derive(Default)]
pub(crate) struct Connection {
    /// Whether a request is being answered.
    pub(crate) is_busy: AtomicBool,
    /// Whether it has sent the cookie of the session.
    pub(crate) is_known: AtomicBool,
    end: Notify,
}

impl Connection {
    /// Waits until another connection needs the place of this one.
    pub(crate) async fn ended(&self) {
        self.end.notified().await;
    }
}

/// The places of connections, and the connections in them, the oldest first.
pub(crate) struct Connections {
    places: Arc<Semaphore>,
    open: Vec<Weak<Connection>>,
}

impl Connections {
    pub(crate) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(MOST_CONNECTIONS)), open: Vec::new() }
    }

    /// Returns a new connection and its place. If there is none, the idle connection that is open
    /// longest ends, and one of the session only if there is no other, so that no other user of
    /// this machine can keep the operator out.
    pub(crate) async fn open(&mut self) -> (Arc<Connection>, OwnedSemaphorePermit) {
        let place = loop {
            let place = Arc::clone(&self.places).acquire_owned();
            if let Ok(Ok(place)) = tokio::time::timeout(PAUSE, place).await {
                break place;
            }
            self.end_idle();
        };
        let connection = Arc::new(Connection::default());
        self.open.retain(|open| open.strong_count() > 0);
        self.open.push(Arc::downgrade(&connection));
        (connection, place)
    }

    fn end_idle(&self) {
        let open = self.open.iter().filter_map(Weak::upgrade);
        let idle = open.filter(|it| !it.is_busy.load(Ordering::Relaxed));
        // The first of the least ones is the oldest.
        if let Some(idle) = idle.min_by_key(|it| it.is_known.load(Ordering::Relaxed)) {
            idle.end.notify_one();
        }
    }
}
