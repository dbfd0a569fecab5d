//! A `Clock` of the host: a simulation decides what time it is, here for the expiry of a session.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use extension_points::kitchen;
use prowess::{Clock, Error, Policies, Timestamp};

#[derive(Default)]
struct Simulated {
    seconds: AtomicU64,
}

impl Clock for Simulated {
    fn now(&self) -> Timestamp {
        Timestamp(self.seconds.load(Ordering::Relaxed) * 1000)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.seconds.load(Ordering::Relaxed))
    }
}

fn main() -> Result<(), Error> {
    let clock = Arc::new(Simulated::default());
    let mut policies = Policies::default();
    policies.session.idle_limit_seconds = Some(60);
    let runtime = kitchen().clock(Arc::clone(&clock) as _).policies(policies).build()?;
    let session = runtime.open_session()?;
    for seconds in [59, 119] {
        clock.seconds.store(seconds, Ordering::Relaxed);
        match runtime.turn(&session) {
            Ok(_) => println!("after {seconds} s: the session is open"),
            Err(_) => println!("after {seconds} s: the session has expired"),
        }
    }
    Ok(())
}
