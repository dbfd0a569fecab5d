//! What an earlier start found, and what the next one shall find.

use std::collections::HashMap;
use std::sync::Arc;

use prowess_core::{Catalog, Diagnostic, RecordSet, SkillSource};
use prowess_registry::{RegistryBuilder, RegistryPolicy};
use prowess_state::RecordCache;

/// What was recalled of each source, by its key.
pub(crate) struct Memory<'c> {
    cache: &'c RecordCache,
    /// In words, as a part of each key.
    policy: String,
    recalled: HashMap<String, Arc<RecordSet>>,
    findings: Vec<Diagnostic>,
}

impl<'c> Memory<'c> {
    pub(crate) fn new(cache: &'c RecordCache, policy: &RegistryPolicy) -> Self {
        let policy = format!("{policy:?}");
        Self { cache, policy, recalled: HashMap::new(), findings: Vec::new() }
    }

    /// A registry whose first scan builds on what is known of its sources.
    pub(crate) fn recall(&mut self, registry: RegistryBuilder) -> RegistryBuilder {
        let registry = registry.recall(|source| self.load(source));
        self.findings.drain(..).fold(registry, RegistryBuilder::finding)
    }

    /// Keeps what differs from what was recalled. A cache that cannot be written to makes the next
    /// start slower and nothing else.
    pub(crate) fn keep(&self, catalog: &Catalog) {
        for scanned in catalog.sources() {
            let Some(key) = self.key(&*scanned.source) else { continue };
            let is_known = match self.recalled.get(&key) {
                Some(known) => Arc::ptr_eq(known, &scanned.records),
                None => scanned.records.is_empty() && scanned.records.rejected().is_empty(),
            };
            if !is_known {
                let _ = self.cache.save(&key, &scanned.records);
            }
        }
    }

    fn load(&mut self, source: &dyn SkillSource) -> Option<Arc<RecordSet>> {
        let key = self.key(source)?;
        match self.cache.load(&key) {
            Ok(records) => {
                let records = Arc::new(records?);
                self.recalled.insert(key, Arc::clone(&records));
                Some(records)
            }
            Err(finding) => {
                self.findings.push(*finding);
                None
            }
        }
    }

    /// All that a source's records depend on beside its packages and the build.
    fn key(&self, source: &dyn SkillSource) -> Option<String> {
        let (name, policy, key) = (source.name(), &self.policy, source.cache_key()?);
        Some(format!("{name}\n{policy}\n{key}"))
    }
}
