//! The contents of a memory store, with the number of references to each.

use std::sync::Arc;

use dashmap::{DashMap, Entry};
use prowess_core::{ContentKey, StoreError, StoredContent};

/// Texts that are stored once, for as long as a session refers to them.
#[derive(Debug, Default)]
pub(super) struct Contents(DashMap<ContentKey, Content>);

#[derive(Debug)]
struct Content {
    text: Arc<str>,
    references: usize,
}

impl Contents {
    pub(super) fn text(&self, key: &ContentKey) -> Option<Arc<str>> {
        self.0.get(key).map(|content| Arc::clone(&content.text))
    }

    /// Adds a reference to each of `keys`, or to none if a text is missing.
    pub(super) fn acquire(
        &self,
        keys: &[ContentKey],
        new: &[StoredContent],
    ) -> Result<(), StoreError> {
        for (index, key) in keys.iter().enumerate() {
            if !self.acquire_one(key, new) {
                self.release(&keys[..index]);
                return Err(StoreError::new(format!("it has no content {key:?}")));
            }
        }
        Ok(())
    }

    fn acquire_one(&self, key: &ContentKey, new: &[StoredContent]) -> bool {
        match self.0.entry(*key) {
            Entry::Occupied(mut stored) => stored.get_mut().references += 1,
            Entry::Vacant(free) => {
                let Some(content) = new.iter().find(|content| content.key() == *key) else {
                    return false;
                };
                free.insert(Content { text: Arc::clone(content.text()), references: 1 });
            }
        }
        true
    }

    /// Removes a reference to each of `keys`, and the texts that have none left.
    pub(super) fn release(&self, keys: &[ContentKey]) {
        for key in keys {
            if let Entry::Occupied(mut stored) = self.0.entry(*key) {
                stored.get_mut().references -= 1;
                if stored.get().references == 0 {
                    stored.remove();
                }
            }
        }
    }
}
