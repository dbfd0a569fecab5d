//! Restores records of an earlier start from a cache, and saves new ones.

use std::collections::HashMap;
use std::sync::Arc;

use prowess_core::{Catalog, Diagnostic, RecordSet, SkillSource};
use prowess_registry::codes::SOURCE_LATE;
use prowess_registry::{Registry, RegistryBuilder, Reload};
use prowess_state::RecordCache;
use tracing::debug;

use crate::{Error, Policies};

/// The version of the key format, so that records of another policy are not used.
const KEY_VERSION: u32 = 2;

/// Restores records of each source before the first scan, and saves those that have changed after
/// it.
pub(crate) struct RecordCacheSession<'c> {
    cache: &'c RecordCache,
    policies: String,
    restored: HashMap<String, Arc<RecordSet>>,
    findings: Vec<Diagnostic>,
}

impl<'c> RecordCacheSession<'c> {
    pub(crate) fn new(cache: &'c RecordCache, policies: &Policies) -> Self {
        // Not as data: fields that are no keys of a configuration change records, too.
        let policies = format!("{:?}", (policies.registry, policies.of_layer("").registry));
        Self { cache, policies, restored: HashMap::new(), findings: Vec::new() }
    }

    /// Builds the registry and scans every source, with the cached records.
    pub(crate) fn scan(
        mut self,
        registry: RegistryBuilder,
        scan: impl FnOnce(&Arc<Registry>) -> Reload,
    ) -> Result<Arc<Registry>, Error> {
        let registry = registry.restore(|source| self.load(source));
        let registry = self.findings.drain(..).fold(registry, RegistryBuilder::finding).build()?;
        let registry = Arc::new(registry);
        let scanned = scan(&registry);
        if let Some(finding) = self.save(&scanned.catalog) {
            registry.add_finding(finding);
        }
        Ok(registry)
    }

    /// Saves the records that differ from those that were restored, except of a source that has not
    /// answered yet: a start that waits for it saves them. Returns a diagnostic if that
    /// fails, which only makes the next start slower.
    fn save(&self, catalog: &Catalog) -> Option<Diagnostic> {
        let mut failure = None;
        for scanned in catalog.sources() {
            let is_late = |found: &Diagnostic| {
                found.code == SOURCE_LATE && found.path.as_deref() == Some(scanned.source.root())
            };
            let Some(key) = self.key(&*scanned.source) else { continue };
            if catalog.diagnostics().any(is_late) {
                continue;
            }
            let is_known = match self.restored.get(&key) {
                Some(known) => Arc::ptr_eq(known, &scanned.records),
                None => scanned.records.is_empty() && scanned.records.rejected().is_empty(),
            };
            if !is_known {
                failure = failure.or(self.cache.save(&key, &scanned.records).err());
            }
        }
        failure.map(|failure| *failure)
    }

    fn load(&mut self, source: &dyn SkillSource) -> Option<Arc<RecordSet>> {
        let key = self.key(source)?;
        match self.cache.load(&key) {
            Ok(records) => {
                let records = Arc::new(records?);
                let (source, root, cached) = (source.name(), source.root(), records.len());
                debug!(name: "cache", target: "prowess", source, root, cached, "cache");
                self.restored.insert(key, Arc::clone(&records));
                Some(records)
            }
            Err(finding) => {
                self.findings.push(*finding);
                None
            }
        }
    }

    /// Everything that the records of a source depend on, except its packages and the build: the
    /// name of the source, the registry's policies with all of their fields, and the source's own
    /// key.
    fn key(&self, source: &dyn SkillSource) -> Option<String> {
        let (name, policies) = (source.name(), &self.policies);
        let key = source.cache_key()?;
        Some(format!("v{KEY_VERSION}\n{name}\n{policies}\n{key}"))
    }
}
