//! The report of `doctor`, which is made beside the answers where it takes long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess::{Clock as _, SystemClock, Timestamp};
use serde_json::Value;

use super::lock;
use crate::args::Global;
use crate::commands::doctor;
use crate::failure::Failure;
use crate::output::value;

/// The code of a setup that has not been checked since the server started.
pub(super) const SETUP_BEING_CHECKED: &str = "setup-being-checked";

/// The last report of `doctor`, which reads every skill.
#[derive(Default)]
pub(super) struct Health {
    state: Mutex<Checks>,
    is_checked: Condvar,
}

#[derive(Default)]
struct Checks {
    is_checking: bool,
    last: Option<Report>,
    /// Why the last check has made no report, for one answer.
    failure: Option<Failure>,
}

#[derive(Clone)]
pub(super) struct Report {
    pub(super) value: Value,
    /// The number of the catalog.
    serial: u64,
    pub(super) at: Timestamp,
    begun: Instant,
    took: Duration,
}

/// The time for which an answer waits for a report. If the last one took longer, it is the answer,
/// and the next one is made beside the answers.
const QUICK: Duration = Duration::from_millis(200);

/// The share of the time in which reports are made of a catalog that stays the same.
const SHARE: u32 = 10;

impl Report {
    fn of(global: &Global, serial: u64) -> Result<Self, Failure> {
        let begun = Instant::now();
        let value = doctor::with_checked(global, |checked| value(checked))?;
        let (at, took) = (SystemClock::default().now(), begun.elapsed());
        Ok(Self { value, serial, at, begun, took })
    }

    fn is_old(&self, serial: u64, now: Instant, last: bool) -> bool {
        let is_of_now = self.serial == serial && (last || self.took > QUICK);
        !is_of_now || now.duration_since(self.begun) > self.took * SHARE
    }
}

impl Health {
    /// Returns the report about a catalog, or the last one, for which nothing is waited if that
    /// will do.
    pub(super) fn report(
        self: &Arc<Self>,
        global: Global,
        serial: u64,
        last: bool,
    ) -> Result<Report, Failure> {
        let mut state = lock(&self.state);
        let is_old = state.last.as_ref().is_none_or(|it| it.is_old(serial, Instant::now(), last));
        if is_old && !state.is_checking {
            state.is_checking = true;
            let health = Arc::clone(self);
            thread::spawn(move || health.check(&global, serial));
        }
        if !last && state.last.as_ref().is_none_or(|last| last.took <= QUICK) {
            let waited = self.is_checked.wait_timeout_while(state, QUICK, |it| it.is_checking);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match (state.failure.take(), &state.last) {
            (Some(failure), _) => Err(failure),
            (None, Some(last)) => Ok(last.clone()),
            (None, None) => {
                let message = "the setup is new to this page, which is checking it";
                Err(Failure::new(SETUP_BEING_CHECKED, message, "load the page again in a moment"))
            }
        }
    }

    fn check(&self, global: &Global, serial: u64) {
        let made = catch_unwind(AssertUnwindSafe(|| Report::of(global, serial)));
        let mut state = lock(&self.state);
        state.is_checking = false;
        match made {
            Ok(Ok(report)) => state.last = Some(report),
            Ok(Err(failure)) => state.failure = Some(failure),
            Err(_) => {}
        }
        self.is_checked.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_that_takes_long_is_made_once_of_a_catalog() {
        let begun = Instant::now();
        let seconds = Duration::from_secs;
        for (took, ago, serial, is_old) in [
            (QUICK, seconds(0), 1, true),
            (seconds(78), seconds(100), 1, false),
            (seconds(78), seconds(100), 2, true),
            (seconds(78), seconds(800), 1, true),
        ] {
            let report = Report { value: Value::Null, serial: 1, at: Timestamp(0), begun, took };
            let found = report.is_old(serial, begun + ago, false);
            assert_eq!(found, is_old, "{took:?} {ago:?} {serial}");
        }
    }
}
