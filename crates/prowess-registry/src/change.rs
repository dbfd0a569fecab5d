//! The differences between two catalogs, by id.

mod ids;

use std::cmp::Ordering;
use std::sync::Arc;

use prowess_core::{Catalog, Record, RevisedSkill, SameVersion};
use serde::Serialize;

pub use ids::IdList;

/// The step from one catalog to a later one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogChange {
    /// The generation before.
    pub from: u64,
    /// The generation after.
    pub to: u64,
    /// Ids that are offered now and were not, sorted.
    pub added: IdList,
    /// Ids whose skill has another version or location, sorted.
    pub changed: IdList,
    /// Ids that were offered and no longer are, sorted.
    pub removed: IdList,
}

impl CatalogChange {
    /// Compares two catalogs of one registry.
    pub fn between(earlier: &Catalog, later: &Arc<Catalog>) -> Self {
        let from = earlier.generation();
        let to = later.generation();
        let change = Self { from, to, ..Self::default() };
        if earlier.is_empty() {
            return Self { added: IdList::of(later), ..change };
        }
        if let Some(revised) = later.revised_since(earlier) {
            let is_other = |[one, other]: &RevisedSkill<'_>| !is_same(earlier, *one, later, *other);
            let changed = revised.iter().filter(|skill| is_other(skill));
            return Self { changed: changed.map(|[_, skill]| skill.id()).collect(), ..change };
        }
        let [added, changed, removed] = differing(earlier, later);
        let [added, changed, removed] =
            [added, changed, removed].map(|ids| ids.into_iter().collect());
        Self { added, changed, removed, ..change }
    }

    /// Returns whether the same skills are offered in the same versions.
    pub fn is_none(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Returns the ids that were added, changed and removed, in one pass over both catalogs.
fn differing<'c>(earlier: &'c Catalog, later: &'c Catalog) -> [Vec<&'c str>; 3] {
    let [mut added, mut changed, mut removed] = <[Vec<_>; 3]>::default();
    let mut before = earlier.skills().peekable();
    let mut after = later.skills().peekable();
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return [added, changed, removed],
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.id().cmp(other.id()),
        };
        let gone = before.next_if(|_| order.is_le());
        let come = after.next_if(|_| order.is_ge());
        match (gone, come) {
            (Some(one), Some(other)) if is_same(earlier, one, later, other) => {}
            (Some(one), Some(_)) => changed.push(one.id()),
            (Some(one), None) => removed.push(one.id()),
            (None, Some(other)) => added.push(other.id()),
            (None, None) => {}
        }
    }
}

/// Returns whether two records of one id have the same location and version.
fn is_same(earlier: &Catalog, one: Record<'_>, later: &Catalog, other: Record<'_>) -> bool {
    let set = |catalog: &Catalog, record: Record<'_>| {
        Arc::clone(&catalog.sources()[record.index().source()].records)
    };
    // All records of an unchanged source are equal, so no text is compared.
    if one.index() == other.index() && Arc::ptr_eq(&set(earlier, one), &set(later, other)) {
        return true;
    }
    // A stamp that is not exact does not identify the version.
    one.stamp().is_none_or(|earlier| {
        other.stamp().is_some_and(|later| later.same_version(earlier) != SameVersion::No)
    }) && one.index().source() == other.index().source()
        && one.package() == other.package()
        && one.file() == other.file()
        && one.name() == other.name()
        && one.description() == other.description()
        && one.priority() == other.priority()
        && one.tags().eq(other.tags())
}
