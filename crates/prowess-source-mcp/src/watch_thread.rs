//! The thread of a watch, which reads the listing when it is due.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_core::{Cancel, ChangeListener, SourceChange};

use crate::shared::Shared;

/// The time after which a server that has failed is looked at again.
const RETRY: Duration = Duration::from_secs(1);

/// The shortest time between two listings, however often the server reports changes.
const REST: Duration = Duration::from_secs(1);

/// A thread that reads the listing until this is dropped, and reports what changes.
pub(crate) struct WatchThread {
    shared: Arc<Shared>,
    listener: Arc<Listener>,
    cancel: Cancel,
}

/// The listener; `None` after the end of the watch.
struct Listener(Mutex<Option<ChangeListener>>);

impl WatchThread {
    pub(crate) fn start(shared: &Arc<Shared>, listener: ChangeListener) -> io::Result<Self> {
        let listener = Arc::new(Listener(Mutex::new(Some(listener))));
        let cancel = Cancel::default();
        let thread = Thread {
            shared: Counted::new(shared),
            listener: Arc::clone(&listener),
            cancel: cancel.clone(),
        };
        thread::Builder::new().name("prowess-mcp".to_owned()).spawn(move || thread.run())?;
        Ok(Self { shared: Arc::clone(shared), listener, cancel })
    }
}

impl Drop for WatchThread {
    fn drop(&mut self) {
        // A request that is in progress ends soon, and nothing is reported any more.
        self.cancel.cancel();
        drop(self.listener.lock().take());
        self.shared.changes.wake();
    }
}

impl Listener {
    fn lock(&self) -> MutexGuard<'_, Option<ChangeListener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shared state, with the number of threads that use it.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.watches.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.watches.fetch_sub(1, Ordering::AcqRel);
    }
}

struct Thread {
    shared: Counted,
    listener: Arc<Listener>,
    cancel: Cancel,
}

impl Thread {
    fn run(&self) {
        let shared = &self.shared.0;
        // A scan may have read the listing just before.
        let mut known = shared.version();
        loop {
            let wakes = shared.changes.wakes();
            let is_due = shared.is_due();
            if is_due {
                shared.refresh(&self.cancel);
            }
            let version = shared.version();
            // The listener is called under the lock, so never after the watch has ended.
            match &*self.listener.lock() {
                Some(listener) if version != known => listener(SourceChange::Everything),
                Some(_) => {}
                None => return,
            }
            known = version;
            if is_due {
                shared.changes.rest(REST, || self.cancel.is_cancelled());
            }
            let pause = if shared.has_failed() { RETRY } else { shared.options.interval };
            shared.changes.wait(wakes, pause);
        }
    }
}
