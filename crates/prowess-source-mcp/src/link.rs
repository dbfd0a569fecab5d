//! The way to a server that is connected when it is needed, and again after a failure.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_core::Clock;

use crate::call::Call;
use crate::changes::Changes;
use crate::connection::{Address, Connection, Era};
use crate::error::CallError;

/// The longest time until a server that has failed is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A way to a server. It is used by one thread at a time.
pub(crate) struct Link {
    address: Address,
    clock: Arc<dyn Clock>,
    changes: Arc<Changes>,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    is_used: bool,
    connection: Option<Connection>,
    /// How the server was reached before.
    era: Option<Era>,
    failed: Option<Failed>,
}

/// The last of several failures.
struct Failed {
    count: u32,
    /// The time from which the server is tried again.
    until: Duration,
    error: CallError,
}

impl Link {
    pub(crate) fn new(address: Address, clock: Arc<dyn Clock>, changes: Arc<Changes>) -> Self {
        Self { address, clock, changes, state: Mutex::default(), freed: Condvar::new() }
    }

    /// Works with the connection, which is opened if there is none. Work that fails because the
    /// server has ended since its last use is done again, once.
    pub(crate) fn with<T>(
        &self,
        call: &Call<'_>,
        mut work: impl FnMut(&mut Connection) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let mut used = self.acquire(call)?;
        let was_open = used.connection.is_some();
        let mut result = used.work(call, &mut work);
        if was_open && matches!(result, Err(CallError::Unavailable(_))) && call.wait().is_ok() {
            result = used.work(call, &mut work);
        }
        match &result {
            Err(CallError::Cancelled) => {}
            Err(error) if !error.keeps_connection() => used.fail(error),
            _ => used.failed = None,
        }
        result
    }

    /// Waits until no other thread uses the connection.
    fn acquire(&self, call: &Call<'_>) -> Result<Used<'_>, CallError> {
        let mut state = self.lock();
        while state.is_used {
            let wait = call.wait()?;
            let waited = self.freed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(failed) = state.failed.as_ref().filter(|it| self.clock.elapsed() < it.until) {
            return Err(failed.error.clone());
        }
        state.is_used = true;
        let connection = state.connection.take();
        let failed = state.failed.take();
        Ok(Used { link: self, connection, era: state.era, failed })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connection as long as one thread uses it.
struct Used<'l> {
    link: &'l Link,
    connection: Option<Connection>,
    era: Option<Era>,
    failed: Option<Failed>,
}

impl Used<'_> {
    fn work<T>(
        &mut self,
        call: &Call<'_>,
        work: &mut impl FnMut(&mut Connection) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(&self.link.address, self.era, &self.link.changes, call)?,
        };
        self.era = Some(connection.era);
        let result = work(&mut connection);
        if result.as_ref().err().is_none_or(CallError::keeps_connection) {
            self.connection = Some(connection);
        }
        result
    }

    /// Postpones the next attempt: by a second, and by twice as long after each failure.
    fn fail(&mut self, error: &CallError) {
        let count = self.failed.as_ref().map_or(0, |failed| failed.count) + 1;
        let pause = Duration::from_secs(1 << (count - 1).min(6)).min(LONGEST_PAUSE);
        let until = self.link.clock.elapsed() + pause;
        self.failed = Some(Failed { count, until, error: error.clone() });
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        let mut state = self.link.lock();
        state.is_used = false;
        state.connection = self.connection.take();
        state.era = self.era;
        state.failed = self.failed.take();
        self.link.freed.notify_one();
    }
}
