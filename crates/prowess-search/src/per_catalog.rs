//! What a ranker prepares for the catalogs in use.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use prowess_core::{Catalog, Record};

/// How many are kept: those of a handful of audiences that take turns, and that of the catalog before, to
/// which turns that have begun still keep. Those of catalogs that are gone go first, then those that were
/// not used for longest.
const KEPT: usize = 8;

/// A value for each catalog in use, built when it is first asked for.
///
/// It is built beside the ones in use and swapped in with one atomic write: who asks for an older
/// catalog meanwhile never waits. Who asks for the same new catalog at the same time waits for the one
/// value.
#[derive(Debug)]
pub(crate) struct PerCatalog<T> {
    /// The one used last first.
    kept: ArcSwap<Vec<Arc<Prepared<T>>>>,
    building: Mutex<()>,
    /// How many were built so far: what counts as time here.
    built: AtomicU64,
}

#[derive(Debug)]
struct Prepared<T> {
    /// Which catalog: no other has this address as long as this is kept, and the catalog itself may go.
    catalog: Weak<Catalog>,
    value: Arc<T>,
    /// How many were built when it was last used.
    used: AtomicU64,
}

impl<T> Default for PerCatalog<T> {
    fn default() -> Self {
        Self { kept: ArcSwap::default(), building: Mutex::default(), built: AtomicU64::new(0) }
    }
}

impl<T> PerCatalog<T> {
    /// The value of a catalog, built now if it is not there.
    pub(crate) fn of(&self, catalog: &Arc<Catalog>, build: impl FnOnce(&Catalog) -> T) -> Arc<T> {
        let built = || self.build(catalog, |catalog| Arc::new(build(catalog)));
        self.kept(catalog).unwrap_or_else(built)
    }

    /// Makes ready the value of the catalog that comes next, if that of the current one was ever asked for:
    /// the same where a ranker finds the same in both, as after an edit of a body, else one that is built.
    pub(crate) fn prepare(
        &self,
        next: &Arc<Catalog>,
        current: &Catalog,
        build: impl FnOnce(&Catalog) -> T,
    ) {
        match self.kept(current) {
            Some(value) if says_the_same(next, current) => drop(self.build(next, |_| value)),
            Some(_) => drop(self.build(next, |next| Arc::new(build(next)))),
            None => {}
        }
    }

    /// The value of a catalog, if it is there.
    pub(crate) fn kept(&self, catalog: &Catalog) -> Option<Arc<T>> {
        let kept = self.kept.load();
        let of_it = kept.iter().find(|prepared| prepared.is_of(catalog));
        let of_it = of_it?;
        of_it.use_at(self.built.load(Ordering::Relaxed));
        Some(Arc::clone(&of_it.value))
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

    /// Written once for each that is built, so that many who search do not take a line of memory from each
    /// other.
    fn use_at(&self, time: u64) {
        if self.used.load(Ordering::Relaxed) != time {
            self.used.store(time, Ordering::Relaxed);
        }
    }
}

/// Whether all that is searched of the skills is as it was, and each at its place.
fn says_the_same(next: &Catalog, current: &Catalog) -> bool {
    let is_same = |[was, is]: &[Record<'_>; 2]| {
        (was.name(), was.description()) == (is.name(), is.description()) && was.tags().eq(is.tags())
    };
    next.revised_since(current).is_some_and(|revised| revised.iter().all(is_same))
}
