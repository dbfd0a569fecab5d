//! Files that a client watches.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use prowess::Turn;
use rmcp::ErrorData;

use crate::conversation::Conversation;
use crate::resources;

/// The maximum number of files that one connection or subscription watches. Each is read after each
/// change of the catalog.
pub(crate) const MOST_WATCHED: usize = 256;

/// The URIs of watched files, each with a digest of the content that the client knows; `None` if it
/// could not be read.
#[derive(Default)]
pub(crate) struct Watched(Mutex<BTreeMap<String, Option<u64>>>);

impl Watched {
    /// Starts watching a file.
    ///
    /// # Errors
    ///
    /// The file does not exist, may not be read, or too many are watched.
    pub(crate) async fn add(
        &self,
        uri: String,
        conversation: &Arc<Conversation>,
    ) -> Result<(), ErrorData> {
        let wanted = uri.clone();
        let read = conversation.in_turn(move |turn| resources::read(turn, &wanted).map(drop));
        read.await??;
        let shown = digests(vec![uri.clone()], conversation).await;
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MOST_WATCHED && !files.contains_key(&uri) {
            let message = format!("at most {MOST_WATCHED} files can be watched; unsubscribe one");
            return Err(ErrorData::invalid_params(message, None));
        }
        files.insert(uri, shown.into_iter().next().flatten());
        Ok(())
    }

    /// Starts watching these files, of which some may not exist.
    pub(crate) async fn of(uris: Vec<String>, conversation: &Arc<Conversation>) -> Self {
        let shown = digests(uris.clone(), conversation).await;
        Self(Mutex::new(uris.into_iter().zip(shown).collect()))
    }

    /// Stops watching a file.
    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }

    /// Returns the files that have changed since the last call.
    pub(crate) async fn changed(&self, conversation: &Arc<Conversation>) -> Vec<String> {
        let uris: Vec<_> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        if uris.is_empty() {
            return uris;
        }
        let now = digests(uris.clone(), conversation).await;
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_changed = |uri: &String, now: Option<u64>| {
            files.get_mut(uri).is_some_and(|shown| std::mem::replace(shown, now) != now)
        };
        let pairs = uris.into_iter().zip(now);
        pairs.filter_map(|(uri, now)| is_changed(&uri, now).then_some(uri)).collect()
    }
}

/// Returns a digest of each file, in the order of the URIs.
async fn digests(uris: Vec<String>, conversation: &Arc<Conversation>) -> Vec<Option<u64>> {
    let count = uris.len();
    let digests = conversation
        .in_turn(move |turn| uris.iter().map(|uri| digest(turn, uri)).collect::<Vec<_>>());
    digests.await.unwrap_or_else(|_| vec![None; count])
}

fn digest(turn: &Turn, uri: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    resources::bytes(turn, uri)?.hash(&mut hasher);
    Some(hasher.finish())
}
