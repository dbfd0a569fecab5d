//! The catalogs as conversations first saw them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SessionId;
use prowess_prompt::CatalogBaseline;

/// The maximum number of conversations that are remembered. The catalog of a forgotten one is
/// written again, which costs it a cached prompt once.
const MOST_CONVERSATIONS: usize = 4_096;

/// The baseline of each conversation of this host.
#[derive(Default)]
pub(crate) struct Baselines(Mutex<Table>);

#[derive(Default)]
struct Table {
    conversations: HashMap<SessionId, Remembered>,
    /// Counts the uses, so that the least recently used conversation is known.
    uses: u64,
}

struct Remembered {
    baseline: Arc<CatalogBaseline>,
    last_use: u64,
}

impl Baselines {
    /// Returns the baseline of a conversation.
    pub(crate) fn get(&self, session: &SessionId) -> Option<Arc<CatalogBaseline>> {
        let mut table = self.lock();
        table.uses += 1;
        let last_use = table.uses;
        let found = table.conversations.get_mut(session)?;
        found.last_use = last_use;
        Some(Arc::clone(&found.baseline))
    }

    /// Replaces the baseline of a conversation.
    pub(crate) fn set(&self, session: &SessionId, baseline: &Arc<CatalogBaseline>) {
        let mut table = self.lock();
        table.uses += 1;
        let remembered = Remembered { baseline: Arc::clone(baseline), last_use: table.uses };
        table.conversations.insert(session.clone(), remembered);
        if table.conversations.len() > MOST_CONVERSATIONS {
            table.forget_oldest();
        }
    }

    /// Forgets a conversation that has ended.
    pub(crate) fn remove(&self, session: &SessionId) {
        self.lock().conversations.remove(session);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Forgets the older half, so that a full table is not searched for each new conversation.
    fn forget_oldest(&mut self) {
        let mut uses: Vec<_> = self.conversations.values().map(|known| known.last_use).collect();
        let middle = uses.len() / 2;
        let (_, oldest_kept, _) = uses.select_nth_unstable(middle);
        let oldest_kept = *oldest_kept;
        self.conversations.retain(|_, known| known.last_use >= oldest_kept);
    }
}
