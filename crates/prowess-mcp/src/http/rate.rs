//! Rates of requests by client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prowess::Clock;

/// The number of addresses from which on full buckets are forgotten.
const MOST_ADDRESSES: usize = 10_000;

/// A bucket of requests per address, which fills up with time. It holds the requests of one second.
pub(super) struct Rates {
    clock: Arc<dyn Clock>,
    per_second: Option<u32>,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    requests: f64,
    filled_at: Duration,
}

impl Rates {
    pub(super) fn new(clock: Arc<dyn Clock>, per_second: Option<u32>) -> Self {
        Self { clock, per_second, buckets: Mutex::default() }
    }

    /// Takes one request from the bucket of an address. Returns whether there was one.
    pub(super) fn admit(&self, client: IpAddr) -> bool {
        let Some(per_second) = self.per_second.map(f64::from) else { return true };
        let now = self.clock.elapsed();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_ADDRESSES {
            buckets.retain(|_, bucket| bucket.at(now, per_second) < per_second);
        }
        // A full table means that this many addresses send requests right now.
        if buckets.len() >= MOST_ADDRESSES && !buckets.contains_key(&client) {
            return false;
        }
        let full = Bucket { requests: per_second, filled_at: now };
        let bucket = buckets.entry(client).or_insert(full);
        let requests = bucket.at(now, per_second);
        let is_admitted = requests >= 1.0;
        let left = if is_admitted { requests - 1.0 } else { requests };
        *bucket = Bucket { requests: left, filled_at: now };
        is_admitted
    }
}

impl Bucket {
    fn at(&self, now: Duration, per_second: f64) -> f64 {
        let seconds = now.saturating_sub(self.filled_at).as_secs_f64();
        (self.requests + seconds * per_second).min(per_second)
    }
}
