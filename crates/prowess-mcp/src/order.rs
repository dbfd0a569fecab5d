//! The order of the calls of one conversation.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// The time after which an earlier call delays only those that name the same skill: its source may
/// be slow.
const PATIENCE: Duration = Duration::from_millis(250);

/// The maximum number of names of a call that are looked at.
const MOST_NAMES: usize = 64;

/// Held by calls while they make skills active or inactive, and shared by those that read their
/// files: a call sees the effect of those before it, and of no later one. It is passed on in the
/// order of the requests.
#[derive(Default)]
pub(crate) struct Order {
    all: Arc<RwLock<()>>,
    named: Mutex<HashMap<String, Arc<RwLock<()>>>>,
}

/// A guard of a call, for which later calls wait.
#[expect(dead_code, reason = "the guards are held, not read")]
pub(crate) enum Turn {
    Changes(OwnedRwLockWriteGuard<()>),
    Reads(OwnedRwLockReadGuard<()>),
}

impl Turn {
    async fn of(order: Arc<RwLock<()>>, is_change: bool) -> Self {
        match is_change {
            true => Self::Changes(order.write_owned().await),
            false => Self::Reads(order.read_owned().await),
        }
    }
}

impl Order {
    /// Returns as soon as the earlier calls have ended that make skills active or inactive, and
    /// those that read if this one makes such a change.
    pub(crate) async fn turn(&self, is_change: bool, arguments: &Value) -> Vec<Turn> {
        let names = names(arguments);
        let all = Turn::of(Arc::clone(&self.all), is_change);
        let all = match is_change && names.is_empty() {
            true => Some(all.await),
            false => tokio::time::timeout(PATIENCE, all).await.ok(),
        };
        let mut turn = Vec::from_iter(all);
        // Each call waits for names in their order, so that no two wait for each other.
        for name in names {
            let named = {
                let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
                named.retain(|_, order| Arc::strong_count(order) > 1);
                Arc::clone(named.entry(name.to_owned()).or_default())
            };
            turn.push(Turn::of(named, is_change).await);
        }
        turn
    }
}

/// Returns the names of skills that may be in the arguments of a call, also those in paths.
fn names(arguments: &Value) -> BTreeSet<&str> {
    let values = arguments.as_object().into_iter().flat_map(|object| object.values());
    let texts = values.flat_map(|value| match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    });
    let names = texts.filter_map(Value::as_str).flat_map(|text| text.split(['/', ':']));
    names.filter(|name| !name.is_empty()).take(MOST_NAMES).collect()
}
