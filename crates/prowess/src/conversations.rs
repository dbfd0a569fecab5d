//! What a host remembers of each conversation: the catalog and the tools as it first saw them, and
//! the files that it has used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{SessionId, ToolDefinition};
use prowess_prompt::{CatalogBaseline, UsedResource};

/// The maximum number of conversations that are remembered. The catalog of a forgotten one is
/// written again, which costs it a cached prompt once.
const MOST_CONVERSATIONS: usize = 4_096;

/// The maximum number of different files of a conversation whose tokens are counted.
const MOST_FILES: usize = 256;

/// The conversations of this host.
#[derive(Default)]
pub(crate) struct Conversations(Mutex<Table>);

#[derive(Default)]
struct Table {
    conversations: HashMap<SessionId, Remembered>,
    /// Counts the uses, so that the least recently used conversation is known.
    uses: u64,
}

#[derive(Default)]
struct Remembered {
    baseline: Option<Arc<CatalogBaseline>>,
    /// The tools as the calls that repeat the baseline have them.
    tools: Vec<ToolDefinition>,
    used: Vec<UsedFile>,
    last_use: u64,
}

/// A file of a skill's package that a conversation has used.
#[derive(Clone, Debug)]
pub(crate) struct UsedFile {
    /// The id of the skill.
    pub(crate) skill: String,
    pub(crate) resource: UsedResource,
}

impl UsedFile {
    fn is_same_use(&self, other: &Self) -> bool {
        let UsedFile { skill, resource: UsedResource { path, by, .. } } = other;
        self.skill == *skill && self.resource.path == *path && self.resource.by == *by
    }
}

impl Conversations {
    /// Returns the baseline of a conversation.
    pub(crate) fn baseline(&self, session: &SessionId) -> Option<Arc<CatalogBaseline>> {
        self.lock().known(session)?.baseline.clone()
    }

    /// Replaces the baseline of a conversation. Its tools are written again, too.
    pub(crate) fn set_baseline(&self, session: &SessionId, baseline: &Arc<CatalogBaseline>) {
        let mut table = self.lock();
        let remembered = table.entry(session);
        remembered.baseline = Some(Arc::clone(baseline));
        remembered.tools.clear();
    }

    /// Returns the tools of a call that repeats `baseline`: those of the first such call as they
    /// were, and behind them those that are offered since.
    pub(crate) fn tools(
        &self,
        session: &SessionId,
        baseline: &Arc<CatalogBaseline>,
        newest: Vec<ToolDefinition>,
    ) -> Vec<ToolDefinition> {
        let mut table = self.lock();
        let Some(known) = table.known(session) else { return newest };
        if !known.baseline.as_ref().is_some_and(|first| Arc::ptr_eq(first, baseline)) {
            return newest;
        }
        for tool in newest {
            if known.tools.iter().all(|first| first.name != tool.name) {
                known.tools.push(tool);
            }
        }
        known.tools.clone()
    }

    /// Records that a conversation has used a file. The tokens of further uses are added.
    pub(crate) fn record_use(&self, session: &SessionId, file: UsedFile) {
        let mut table = self.lock();
        let used = &mut table.entry(session).used;
        match used.iter().position(|known| known.is_same_use(&file)) {
            Some(at) => used[at].resource.tokens += file.resource.tokens,
            None if used.len() < MOST_FILES => used.push(file),
            None => {}
        }
    }

    /// Returns the files that a conversation has used, in the order of their first use.
    pub(crate) fn used(&self, session: &SessionId) -> Vec<UsedFile> {
        self.lock().known(session).map(|known| known.used.clone()).unwrap_or_default()
    }

    /// Forgets a conversation that has ended.
    pub(crate) fn remove(&self, session: &SessionId) {
        self.lock().conversations.remove(session);
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Returns what is known of a conversation.
    fn known(&mut self, session: &SessionId) -> Option<&mut Remembered> {
        self.uses += 1;
        let known = self.conversations.get_mut(session)?;
        known.last_use = self.uses;
        Some(known)
    }

    /// Returns what is known of a conversation, which is remembered from now on.
    fn entry(&mut self, session: &SessionId) -> &mut Remembered {
        self.uses += 1;
        let is_new = !self.conversations.contains_key(session);
        if is_new && self.conversations.len() >= MOST_CONVERSATIONS {
            self.forget_oldest();
        }
        let remembered = self.conversations.entry(session.clone()).or_default();
        remembered.last_use = self.uses;
        remembered
    }

    /// Forgets the older half, so that a full table is not searched for each new conversation.
    fn forget_oldest(&mut self) {
        let mut uses: Vec<_> = self.conversations.values().map(|known| known.last_use).collect();
        let middle = uses.len() / 2;
        let (_, oldest_kept, _) = uses.select_nth_unstable(middle);
        let oldest_kept = *oldest_kept;
        self.conversations.retain(|_, known| known.last_use >= oldest_kept);
    }
}
