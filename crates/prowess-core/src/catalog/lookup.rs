//! Finds the skill that a reference names.

use std::cmp::Reverse;
use std::iter::once;

use prowess_format::slug;

use super::spelling::Spelling;
use super::{Catalog, Excluded, RecordIndex, Resolved};
use crate::{Availability, Caller, Record, Trust};

/// The result of [`Catalog::find`].
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'c> {
    /// The skill.
    Found(Record<'c>),
    /// The skill, which the caller may not load, with the reason.
    Unavailable(Record<'c>, &'c str),
    /// Two of the skills that the reference spells otherwise than their ids.
    Ambiguous(Record<'c>, Record<'c>),
    /// No skill, or none whose existence is visible to the caller.
    Unknown,
}

impl<'c> Lookup<'c> {
    /// Returns the skill, if the caller may load it.
    pub fn found(self) -> Option<Record<'c>> {
        match self {
            Self::Found(record) => Some(record),
            Self::Unavailable(..) | Self::Ambiguous(..) | Self::Unknown => None,
        }
    }
}

/// A record that a reference matches, and the reason why the caller may not load it, if any.
type Match<'c> = (Record<'c>, Option<&'c str>);

impl Catalog {
    /// Finds the skill that `reference` names for `caller`: an id, an alias of the host's, a
    /// qualified id or the path of a `SKILL.md`, in this order; otherwise a skill whose name is
    /// spelled otherwise: in another case or Unicode form, with `_` for `-`, as its title, as its
    /// directory or a path to it, with its pack in front of it, or by its letters alone.
    ///
    /// A qualified id is `layer:id` or `source:id`. It also reaches shadowed skills; the second of
    /// a layer is `layer:id#2`. Skills of other audiences are reported as unknown.
    pub fn find(&self, reference: &str, caller: Caller) -> Lookup<'_> {
        let found = self.find_exact(reference, caller);
        match found {
            Lookup::Unknown => self.find_spelled(reference, caller),
            Lookup::Found(record) if record.trust() == Trust::Untrusted => {
                self.instead_of_untrusted(record, caller).unwrap_or(found)
            }
            _ => found,
        }
    }

    /// Finds the skill that a reference spells otherwise than its id. Those of trusted layers come
    /// first, also where the caller may not load them, so that an untrusted layer never takes a
    /// name from them; then those whose id or name it is. Among equals, nothing is chosen.
    fn find_spelled(&self, reference: &str, caller: Caller) -> Lookup<'_> {
        let Some(spelling) = Spelling::of(reference) else { return Lookup::Unknown };
        let visible = self.skills();
        let visible = visible.map(|record| (record, self.withheld_visible(record, caller)));
        let excluded = self.resolved.excluded.iter().filter(|excluded| {
            !matches!(excluded.availability, Availability::Shadowed | Availability::OutOfScope)
        });
        let excluded = excluded.map(|excluded| self.meant(excluded, caller));
        let mut best: Vec<Match<'_>> = Vec::new();
        let mut rank = None;
        for (record, withheld) in visible.chain(excluded) {
            let Some(nearness) = spelling.nearness(record) else { continue };
            let is_trusted = record.trust() != Trust::Untrusted;
            let own = Some((is_trusted, Reverse(withheld.is_some()), nearness));
            if own > rank {
                best.clear();
                rank = own;
            }
            if own == rank {
                best.push((record, withheld));
            }
        }
        match best[..] {
            [] => Lookup::Unknown,
            [(record, None)] => Lookup::Found(record),
            [(record, Some(reason)), ..] => Lookup::Unavailable(record, reason),
            [(first, None), (second, _), ..] => Lookup::Ambiguous(first, second),
        }
    }

    /// Returns the answer that names both skills if the id of an untrusted one is another spelling
    /// of a trusted one's.
    fn instead_of_untrusted<'c>(
        &'c self,
        untrusted: Record<'c>,
        caller: Caller,
    ) -> Option<Lookup<'c>> {
        let id = untrusted.id();
        // An id is nearly always its own slug, and no other skill has that.
        if id.contains(':') || slug(id) == id {
            return None;
        }
        let other = self.find_spelled(id, caller).found()?;
        (other.trust() != Trust::Untrusted).then_some(Lookup::Ambiguous(other, untrusted))
    }

    /// Finds the skill that a reference names as it is written; see [`Self::find`].
    pub fn find_exact(&self, reference: &str, caller: Caller) -> Lookup<'_> {
        // The common case: the id of a visible skill.
        if let Some(record) = self.get(reference)
            && self.withheld_visible(record, caller).is_none()
        {
            return Lookup::Found(record);
        }
        let mut meant = self.by_plain_id(reference, caller);
        if let (true, Some(id)) = (meant.is_empty(), self.alias(reference)) {
            meant = self.by_id(id, caller);
        }
        if meant.is_empty() {
            meant = self.by_qualified_id(reference, caller);
        }
        if meant.is_empty() {
            meant = self.by_place(reference, caller);
        }
        first(&meant)
    }

    /// Returns whether `caller` may load a skill by its id.
    pub fn may_load(&self, record: Record<'_>, caller: Caller) -> bool {
        if record.availability() == Availability::Offered {
            return self.withheld_visible(record, caller).is_none();
        }
        let mut excluded = self.excluded_range(record.id()).iter();
        excluded.any(|excluded| excluded.index == record.index() && excluded.callers.has(caller))
    }

    /// Returns whether no caller may load the skill at this location any more: its folder is no
    /// longer trusted, the host's rules disable it, or it is for another audience.
    pub fn is_withdrawn(&self, location: &str) -> bool {
        self.resolved.excluded.iter().any(|excluded| {
            matches!(excluded.availability, Availability::Hidden | Availability::OutOfScope)
                && !excluded.callers.model
                && !excluded.callers.user
                && self.record_of(excluded).is_at(location)
        })
    }

    /// Returns the id that `alias` refers to.
    pub fn alias(&self, alias: &str) -> Option<&str> {
        let index =
            self.resolved.aliases.binary_search_by(|(known, _)| (**known).cmp(alias)).ok()?;
        Some(&self.resolved.aliases[index].1)
    }

    /// Returns every record that `reference` matches, offered or not, the visible ones first: by
    /// id, alias or qualified id, or by the path of its package or its `SKILL.md`; otherwise by
    /// another spelling. Meant for the operator of the host.
    pub fn all_named(&self, reference: &str) -> Vec<Record<'_>> {
        // As in `find`, an id takes precedence over an alias.
        let is_id = !self.by_plain_id(reference, Caller::User).is_empty();
        let id = self.alias(reference).filter(|_| !is_id).unwrap_or(reference);
        let qualified = id.split_once(':');
        let exact = self.by_qualified_id(id, Caller::User);
        let exact = exact.first().map(|(record, _)| record.index());
        let there = self.at(reference);
        let is_meant = |record: &Record<'_>| {
            let base = record.base_id();
            record.id() == id
                || base == id
                || exact == Some(record.index())
                || qualified.is_some_and(|(of, id)| base == id && is_of(*record, of))
                || there.contains(&record.index())
        };
        // Records are found by their ids, and few have another one than before collisions.
        let bases: Vec<_> = once(id).chain(parts(id).map(|(_, base, _)| base)).collect();
        let distinct = self.resolved.ids.distinct();
        let others = distinct.filter(|it| bases.contains(&self.base_id(*it))).chain(there.clone());
        let others = others.map(|index| self.id(index));
        let mut ids: Vec<_> = bases.iter().copied().chain(others).collect();
        ids.sort_unstable();
        ids.dedup();
        let with_ids = ids.into_iter().flat_map(|id| self.with_id(id));
        let mut named: Vec<_> = with_ids.filter(is_meant).collect();
        named.sort_by_key(|record| match record.availability() {
            Availability::Offered => 0,
            Availability::Rejected => 2,
            _ => 1,
        });
        match Spelling::of(reference).filter(|_| named.is_empty()) {
            Some(spelling) => {
                let all = self.skills().chain(self.excluded()).chain(self.rejected());
                all.filter(|record| spelling.is_of(*record)).collect()
            }
            None => named,
        }
    }

    /// Returns the view of a record of this catalog, offered or not.
    ///
    /// # Panics
    ///
    /// Panics if the index is of another catalog, which has more sources or records.
    pub fn record(&self, index: RecordIndex) -> Option<Record<'_>> {
        self.with_id(self.id(index)).find(|record| record.index() == index)
    }

    /// Iterates over the records with this id, the visible one first.
    pub(super) fn with_id(&self, id: &str) -> impl Iterator<Item = Record<'_>> {
        let Resolved { excluded, rejected, .. } = &*self.resolved;
        let others = self.range(excluded, id).iter().chain(self.range(rejected, id));
        self.get(id).into_iter().chain(others.map(|it| self.record_of(it)))
    }

    /// Returns the records whose package or file has this path. Of each source, only the paths of
    /// the packages are compared.
    fn at(&self, path: &str) -> Vec<RecordIndex> {
        let place = path.trim_end_matches('/');
        let mut found = Vec::new();
        for (number, source) in self.sources.iter().enumerate().filter(|_| path.contains('/')) {
            let (records, root) = (&source.records, source.source.root().trim_end_matches('/'));
            let inside = place.strip_prefix(root);
            let inside = inside.filter(|inside| inside.is_empty() || inside.starts_with('/'));
            let Some(inside) = inside else { continue };
            let is_at = |at, package: &str| {
                records.is_package(at, package.strip_prefix('/').unwrap_or(package))
            };
            let is_there = |at: &usize| {
                let file = || inside.strip_suffix(records.file(*at))?.strip_suffix('/');
                is_at(*at, inside) || file().is_some_and(|package| is_at(*at, package))
            };
            let there = (0..records.len()).filter(is_there);
            found.extend(there.map(|at| RecordIndex::new(number, at)));
        }
        found
    }

    /// Returns an id by which exactly this record can be loaded: its own if that is unambiguous,
    /// otherwise a qualified one.
    pub(crate) fn qualified_id(&self, record: Record<'_>) -> Option<String> {
        let is_it = |other: &Record<'_>| other.index() == record.index();
        if record.availability() == Availability::Offered {
            return Some(record.id().to_owned());
        }
        let base = record.base_id();
        if self.find_exact(base, Caller::User).found().as_ref().is_some_and(is_it) {
            return Some(base.to_owned());
        }
        let group: Vec<_> = self.candidates(base).map(|(record, _)| record).collect();
        let qualified = |qualifier: &str| {
            let place = group.iter().filter(|other| is_of(**other, qualifier)).position(is_it)?;
            let id = match place {
                0 => format!("{qualifier}:{base}"),
                place => format!("{qualifier}:{base}#{}", place + 1),
            };
            // Another skill may have the same text as its id.
            self.get(&id).is_none().then_some(id)
        };
        qualified(&record.layer().name).or_else(|| qualified(record.source()))
    }

    pub(crate) fn base_id(&self, index: RecordIndex) -> &str {
        self.resolved.ids.base(&self.sources, index)
    }

    fn by_plain_id(&self, id: &str, caller: Caller) -> Vec<Match<'_>> {
        let visible = self.get(id).map(|record| (record, self.withheld_visible(record, caller)));
        visible.into_iter().chain(self.excluded_by_id(id, caller)).collect()
    }

    /// Finds the target of an alias, which may be a qualified id.
    fn by_id(&self, id: &str, caller: Caller) -> Vec<Match<'_>> {
        let plain = self.by_plain_id(id, caller);
        if plain.is_empty() { self.by_qualified_id(id, caller) } else { plain }
    }

    /// Iterates over the excluded records that a plain id matches: those that no other record
    /// shadows.
    fn excluded_by_id(&self, id: &str, caller: Caller) -> impl Iterator<Item = Match<'_>> {
        let excluded = self.excluded_range(id).iter().filter(|excluded| {
            !matches!(excluded.availability, Availability::Shadowed | Availability::OutOfScope)
        });
        excluded.map(move |excluded| self.meant(excluded, caller))
    }

    fn by_qualified_id(&self, reference: &str, caller: Caller) -> Vec<Match<'_>> {
        let of = |(qualifier, id, number): (&str, &str, usize)| {
            let mut group: Vec<_> =
                self.candidates(id).filter(|(record, _)| is_of(*record, qualifier)).collect();
            let has_layer = |(record, _): &(Record<'_>, _)| *record.layer().name == *qualifier;
            // A layer's name takes precedence over the same name of a source.
            if group.iter().any(has_layer) {
                group.retain(has_layer);
            }
            let meant = group.get(number - 1).map(|&(record, excluded)| match excluded {
                Some(excluded) => self.meant(excluded, caller),
                None => (record, self.withheld_visible(record, caller)),
            });
            meant.into_iter().collect::<Vec<_>>()
        };
        parts(reference).map(of).find(|meant| !meant.is_empty()).unwrap_or_default()
    }

    fn by_place(&self, reference: &str, caller: Caller) -> Vec<Match<'_>> {
        let matches = |index: RecordIndex| {
            let id = self.id(index);
            let visible = self.get(id);
            let visible = visible.map(|record| (record, self.withheld_visible(record, caller)));
            let excluded = self.excluded_range(id).iter();
            let excluded = excluded.filter(|it| it.availability != Availability::OutOfScope);
            let all = visible.into_iter().chain(excluded.map(|it| self.meant(it, caller)));
            all.filter(move |(record, _)| record.index() == index && record.is_at(reference))
        };
        let mut there: Vec<_> = self.at(reference).into_iter().flat_map(matches).collect();
        there.sort_by_key(|(it, _)| (it.availability() != Availability::Offered, it.id()));
        there
    }

    /// Iterates over the records with this base id that can be loaded, the visible ones first, then
    /// the others in the order of precedence.
    fn candidates(&self, base: &str) -> impl Iterator<Item = (Record<'_>, Option<&Excluded>)> {
        let is_it = |index: &RecordIndex| self.base_id(*index) == base;
        let plain = self.get(base).map(|record| record.index()).filter(is_it);
        let mut distinct: Vec<_> = self.resolved.ids.distinct().filter(is_it).collect();
        distinct.sort_unstable_by_key(|&index| {
            (index.source(), self.set(index).package(index.entry()))
        });
        let visible = plain.into_iter().chain(distinct);
        let visible = visible.map(|index| (Record::new(self, index), None));
        let excluded = self.excluded_range(base).iter();
        let excluded =
            excluded.filter(|excluded| excluded.availability != Availability::OutOfScope);
        visible.chain(excluded.map(|excluded| (self.record_of(excluded), Some(excluded))))
    }

    fn excluded_range(&self, id: &str) -> &[Excluded] {
        self.range(&self.resolved.excluded, id)
    }

    /// Returns those of sorted records that have this id.
    fn range<'e>(&self, sorted: &'e [Excluded], id: &str) -> &'e [Excluded] {
        let start = sorted.partition_point(|excluded| self.id(excluded.index) < id);
        let length = sorted[start..].partition_point(|excluded| self.id(excluded.index) == id);
        &sorted[start..start + length]
    }

    fn meant<'c>(&'c self, excluded: &'c Excluded, caller: Caller) -> Match<'c> {
        let withheld = (!excluded.callers.has(caller)).then_some(&*excluded.reason);
        (self.record_of(excluded), withheld)
    }

    /// Returns the reason why a caller may not load a visible skill. A model may load all of them.
    fn withheld_visible(&self, record: Record<'_>, caller: Caller) -> Option<&'static str> {
        let is_denied = caller == Caller::User
            && record.conditions().is_some_and(|conditions| conditions.not_by_user);
        is_denied.then_some("only a model may load it: `user-invocable` is not `true`")
    }
}

/// Iterates over the ways to split a qualified id into qualifier, id and number.
fn parts(reference: &str) -> impl Iterator<Item = (&str, &str, usize)> {
    let whole = reference.split_once(':').map(|(qualifier, id)| (qualifier, id, 1));
    let numbered = whole.and_then(|(qualifier, id, _)| {
        let (id, number) = id.rsplit_once('#')?;
        let number = number.parse().ok().filter(|&number| number > 1)?;
        Some((qualifier, id, number))
    });
    whole.into_iter().chain(numbered)
}

fn is_of(record: Record<'_>, qualifier: &str) -> bool {
    *record.layer().name == *qualifier || record.source() == qualifier
}

/// Returns the first match that the caller may load, otherwise the first match.
fn first<'c>(meant: &[Match<'c>]) -> Lookup<'c> {
    let free = meant.iter().find(|(_, withheld)| withheld.is_none());
    match free.or(meant.first()) {
        Some(&(record, None)) => Lookup::Found(record),
        Some(&(record, Some(reason))) => Lookup::Unavailable(record, reason),
        None => Lookup::Unknown,
    }
}
