//! A cache of one prepared value per catalog in use.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use prowess_core::{Catalog, Record};

/// How many values are cached: those of a handful of audiences, and that of the previous catalog,
/// which turns in progress still use. Values of dropped catalogs are evicted first, then the least
/// recently used ones.
const KEPT: usize = 8;

/// A value for each catalog in use, built at first use.
///
/// It is built next to the ones in use and swapped in with one atomic write, so requests for an
/// older catalog never wait. Concurrent requests for the same new catalog wait for one value.
#[derive(Debug)]
pub(crate) struct PerCatalog<T> {
    /// Most recently used first.
    kept: ArcSwap<Vec<Arc<Prepared<T>>>>,
    building: Mutex<()>,
    /// The number of values built so far, which serves as a clock.
    built: AtomicU64,
}

#[derive(Debug)]
struct Prepared<T> {
    /// The catalog. A weak reference keeps its address from being reused and lets the catalog be
    /// dropped.
    catalog: Weak<Catalog>,
    value: Arc<T>,
    /// The number of values built when it was last used.
    used: AtomicU64,
}

impl<T> Default for PerCatalog<T> {
    fn default() -> Self {
        Self { kept: ArcSwap::default(), building: Mutex::default(), built: AtomicU64::new(0) }
    }
}

impl<T> PerCatalog<T> {
    /// Returns the value of a catalog, building it if it is not cached.
    pub(crate) fn of(&self, catalog: &Arc<Catalog>, build: impl FnOnce(&Catalog) -> T) -> Arc<T> {
        self.kept(catalog)
            .unwrap_or_else(|| self.build(catalog, |catalog| Arc::new(build(catalog))))
    }

    /// Prepares the value of the next catalog if that of the current one is cached: the same value
    /// if the searched texts are equal, as after an edit of a body, else a new one.
    pub(crate) fn prepare(
        &self,
        next: &Arc<Catalog>,
        current: &Catalog,
        build: impl FnOnce(&Catalog) -> T,
    ) {
        match self.kept(current) {
            Some(value) if searches_the_same(next, current) => drop(self.build(next, |_| value)),
            Some(_) => drop(self.build(next, |next| Arc::new(build(next)))),
            None => {}
        }
    }

    /// Returns the value of a catalog, if it is cached.
    pub(crate) fn kept(&self, catalog: &Catalog) -> Option<Arc<T>> {
        let kept = self.kept.load();
        let prepared = kept.iter().find(|prepared| prepared.is_of(catalog))?;
        prepared.use_at(self.built.load(Ordering::Relaxed));
        Some(Arc::clone(&prepared.value))
    }

    fn build(&self, catalog: &Arc<Catalog>, build: impl FnOnce(&Catalog) -> Arc<T>) -> Arc<T> {
        // Only whole lists are ever stored, so a panic of another builder leaves nothing half done.
        let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.kept(catalog) {
            return value;
        }
        let value = build(catalog);
        let new = Prepared {
            catalog: Arc::downgrade(catalog),
            value: Arc::clone(&value),
            used: AtomicU64::new(self.built.fetch_add(1, Ordering::Relaxed) + 1),
        };
        let earlier = self.kept.load();
        let in_use = earlier.iter().filter(|prepared| prepared.catalog.strong_count() > 0).cloned();
        let mut kept: Vec<_> = std::iter::once(Arc::new(new)).chain(in_use).collect();
        kept.sort_by_cached_key(|prepared| Reverse(prepared.used.load(Ordering::Relaxed)));
        kept.truncate(KEPT);
        self.kept.store(Arc::new(kept));
        value
    }
}

impl<T> Prepared<T> {
    fn is_of(&self, catalog: &Catalog) -> bool {
        std::ptr::eq(self.catalog.as_ptr(), catalog)
    }

    /// Written only when a value was built since, so that concurrent searches do not contend for a
    /// cache line.
    fn use_at(&self, time: u64) {
        if self.used.load(Ordering::Relaxed) != time {
            self.used.store(time, Ordering::Relaxed);
        }
    }
}

/// Whether all searched texts and the positions of the skills are unchanged.
fn searches_the_same(next: &Catalog, current: &Catalog) -> bool {
    next.revised_since(current)
        .is_some_and(|revised| revised.iter().all(|[was, is]| has_equal_texts(*was, *is)))
}

fn has_equal_texts(one: Record<'_>, other: Record<'_>) -> bool {
    one.name() == other.name()
        && one.description() == other.description()
        && one.tags().eq(other.tags())
}
