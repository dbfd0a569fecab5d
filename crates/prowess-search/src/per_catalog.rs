//! A cache of one prepared value per catalog in use.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{Catalog, Record};

/// How many values are cached: those of a handful of audiences, and that of the previous catalog,
/// which turns in progress still use. Values of dropped catalogs are evicted first, then the least
/// recently used ones.
const KEPT: usize = 8;

/// A value for each catalog in use, built at first use.
///
/// Requests for an older catalog do not wait while one is built. Concurrent requests for the same
/// new catalog wait for one value.
#[derive(Debug)]
pub(crate) struct PerCatalog<T> {
    /// Most recently used first. A weak reference keeps the address of a catalog from being reused
    /// and lets the catalog be dropped.
    kept: Mutex<Vec<(Weak<Catalog>, Arc<T>)>>,
    building: Mutex<()>,
}

impl<T> Default for PerCatalog<T> {
    fn default() -> Self {
        Self { kept: Mutex::default(), building: Mutex::default() }
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
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, _)| std::ptr::eq(of.as_ptr(), catalog))?;
        kept[..=at].rotate_right(1);
        Some(Arc::clone(&kept[0].1))
    }

    fn build(&self, catalog: &Arc<Catalog>, build: impl FnOnce(&Catalog) -> Arc<T>) -> Arc<T> {
        // A panic of another builder leaves nothing half done.
        let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.kept(catalog) {
            return value;
        }
        let value = build(catalog);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _)| of.strong_count() > 0);
        kept.insert(0, (Arc::downgrade(catalog), Arc::clone(&value)));
        kept.truncate(KEPT);
        value
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
