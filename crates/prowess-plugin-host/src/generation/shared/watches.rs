//! The watches of a plugin's sources, which outlive its instances.

use std::sync::Arc;

use prowess_core::{SourceChange, SourceError, SourceErrorKind};
use prowess_plugin_abi::codes;

use super::{Shared, lock};
use crate::PluginErrorKind;
use crate::adapter::convert;
use crate::failure::Failure;
use crate::instance::{Instance, plain};

/// An active watch: its source, its instance and its number there.
pub(super) struct Watched {
    source: usize,
    instance: Arc<Instance>,
    number: u64,
}

impl Shared {
    /// Starts a watch that goes by `token`. Returns whether there is something to watch.
    pub(crate) fn watch(&self, source: usize, token: u64) -> Result<bool, Failure> {
        // So that no other instance is published between the call and the note of it.
        let mut watches = lock(&self.watches);
        let instance = self.instance_that_watches()?;
        let number = self.begin_watch(&instance, source, token)?;
        if number != 0 {
            watches.insert(token, Watched { source, instance, number });
        }
        Ok(number != 0)
    }

    /// Returns the instance under the lock of the watches: a broken one is an error.
    fn instance_that_watches(&self) -> Result<Arc<Instance>, Failure> {
        let instance = self.current();
        if instance.is_broken() {
            let message =
                format!("the plugin `{}` has just failed; scan, and watch again", self.name);
            return Err(Failure::of(PluginErrorKind::Panicked, codes::UNAVAILABLE, message));
        }
        Ok(instance)
    }

    fn begin_watch(
        &self,
        instance: &Arc<Instance>,
        source: usize,
        token: u64,
    ) -> Result<u64, Failure> {
        let called = Arc::clone(instance);
        let answer = self.calls.run(&self.short_patience(), move || {
            plain(called.objects().sources[source].watch(token))
        });
        match answer {
            Ok(answer) => answer.map_err(|error| self.failed(instance, &error)),
            Err(gave_up) => Err(self.gave_up(gave_up)),
        }
    }

    pub(crate) fn unwatch(&self, token: u64) {
        self.host.remove_listener(token);
        let watched = lock(&self.watches).remove(&token);
        if let Some(Watched { source, instance, number }) = watched {
            // A watch that does not end in time ends with its instance.
            let _ = self.calls.run(&self.short_patience(), move || {
                instance.objects().sources[source].unwatch(number);
            });
        }
    }

    /// Every watch goes over to this instance.
    pub(super) fn watch_again(&self, instance: &Arc<Instance>) {
        let mut watches = lock(&self.watches);
        for (&token, watched) in &mut *watches {
            match self.begin_watch(instance, watched.source, token) {
                Ok(number) => {
                    (watched.instance, watched.number) = (Arc::clone(instance), number);
                    self.host.notify(token, SourceChange::Everything);
                }
                Err(failure) => {
                    let lost = SourceChange::WatchLost(convert::source_error(&failure));
                    self.host.notify(token, lost);
                }
            }
        }
    }

    pub(super) fn lose_watches(&self, reason: &str) {
        let tokens: Vec<_> = match self.watches.try_lock() {
            Ok(watches) => watches.keys().copied().collect(),
            // Held by a thread that starts a watch and gets the failure itself.
            Err(_) => return,
        };
        for token in tokens {
            let error = SourceError::new(SourceErrorKind::Unavailable, reason);
            self.host.notify(token, SourceChange::WatchLost(error));
        }
    }
}
