//! From what somebody typed to a skill.

use super::{Catalog, Excluded, RecordIndex};
use crate::{Availability, Caller, Record};

/// What a text means to who typed it.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'c> {
    /// This skill.
    Found(Record<'c>),
    /// This skill, which the caller may not have, for this reason.
    Unavailable(Record<'c>, &'c str),
    /// Nothing that the caller may know of.
    Unknown,
}

impl<'c> Lookup<'c> {
    /// The skill, if the caller may have it.
    pub fn found(self) -> Option<Record<'c>> {
        match self {
            Self::Found(record) => Some(record),
            Self::Unavailable(..) | Self::Unknown => None,
        }
    }
}

/// A record that a text may mean, with why the caller may not have it.
type Meant<'c> = (Record<'c>, Option<&'c str>);

impl Catalog {
    /// What `typed` means to `caller`: an id, an alias of the host's, a qualified id or the place of a
    /// `SKILL.md`, in this order.
    ///
    /// A qualified id is `layer:id` or `source:id`. It reaches shadowed skills too; the second of a layer
    /// is `layer:id#2`. The skills of other audiences are unknown.
    pub fn find(&self, typed: &str, caller: Caller) -> Lookup<'_> {
        // Most of what is typed is the id of a visible skill.
        if let Some(record) = self.get(typed)
            && self.withheld_visible(record, caller).is_none()
        {
            return Lookup::Found(record);
        }
        let mut meant = self.by_plain_id(typed, caller);
        if let (true, Some(id)) = (meant.is_empty(), self.alias(typed)) {
            meant = self.by_id(id, caller);
        }
        if meant.is_empty() {
            meant = self.by_qualified_id(typed, caller);
        }
        if meant.is_empty() {
            meant = self.by_place(typed, caller);
        }
        first(&meant)
    }

    /// Whether the skill at this place is one that nobody may have any more: its folder is no longer trusted,
    /// the host's rules disable it, or it is not for whom the catalog is.
    pub fn is_withdrawn(&self, location: &str) -> bool {
        let is_from_nobody = |excluded: &&Excluded| {
            let is_hidden =
                matches!(excluded.availability, Availability::Hidden | Availability::OutOfScope);
            is_hidden && !excluded.callers.model && !excluded.callers.user
        };
        let hidden = self.resolved.excluded.iter().filter(is_from_nobody);
        hidden.map(|excluded| self.record_of(excluded)).any(|record| record.is_at(location))
    }

    /// The id that the host lets `alias` stand for.
    pub fn alias(&self, alias: &str) -> Option<&str> {
        let at = self.resolved.aliases.binary_search_by(|(known, _)| (**known).cmp(alias)).ok()?;
        Some(&self.resolved.aliases[at].1)
    }

    /// Every record that `typed` may mean, whoever typed it and whatever became of the record, the visible
    /// ones first: by id, alias or qualified id, or by the place of its package or its `SKILL.md`. This is
    /// for who runs the host.
    pub fn all_named(&self, typed: &str) -> Vec<Record<'_>> {
        // As in `find`, an id comes before an alias.
        let is_id = !self.by_plain_id(typed, Caller::User).is_empty();
        let id = self.alias(typed).filter(|_| !is_id).unwrap_or(typed);
        let qualified = id.split_once(':');
        let exact = self.by_qualified_id(id, Caller::User);
        let exact = exact.first().map(|(record, _)| record.index());
        let place = typed.trim_end_matches('/');
        let is_at = |record: &Record<'_>| {
            let location = record.location();
            let below = location.strip_prefix(place);
            below.is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('/') == Some(record.file())
            })
        };
        let is_meant = |record: &Record<'_>| {
            let base = record.base_id();
            record.id() == id
                || base == id
                || exact == Some(record.index())
                || qualified.is_some_and(|(of, id)| base == id && is_of(*record, of))
                || (typed.contains('/') && is_at(record))
        };
        self.skills().chain(self.excluded()).chain(self.rejected()).filter(is_meant).collect()
    }

    /// An id by which this very record can be loaded: its own where it means no other, else a qualified
    /// one.
    pub(crate) fn qualified_id(&self, record: Record<'_>) -> Option<String> {
        let is_it = |other: &Record<'_>| other.index() == record.index();
        if record.availability() == Availability::Offered {
            return Some(record.id().to_owned());
        }
        let base = record.base_id();
        if self.find(base, Caller::User).found().as_ref().is_some_and(is_it) {
            return Some(base.to_owned());
        }
        let group: Vec<_> = self.candidates(base).map(|(record, _)| record).collect();
        let qualified = |qualifier: &str| {
            let place = group.iter().filter(|other| is_of(**other, qualifier)).position(is_it)?;
            let id = match place {
                0 => format!("{qualifier}:{base}"),
                place => format!("{qualifier}:{base}#{}", place + 1),
            };
            // Another skill may bear just this text as its id.
            self.get(&id).is_none().then_some(id)
        };
        qualified(&record.layer().name).or_else(|| qualified(record.source()))
    }

    pub(crate) fn base_id(&self, at: RecordIndex) -> &str {
        self.resolved.ids.base(&self.sources, at)
    }

    fn by_plain_id(&self, id: &str, caller: Caller) -> Vec<Meant<'_>> {
        let visible = self.get(id).map(|record| (record, self.withheld_visible(record, caller)));
        visible.into_iter().chain(self.excluded_by_id(id, caller)).collect()
    }

    /// What an alias stands for, which may be a qualified id.
    fn by_id(&self, id: &str, caller: Caller) -> Vec<Meant<'_>> {
        let plain = self.by_plain_id(id, caller);
        if plain.is_empty() { self.by_qualified_id(id, caller) } else { plain }
    }

    /// The records excluded that a plain id means: those that no other shadows.
    fn excluded_by_id(&self, id: &str, caller: Caller) -> impl Iterator<Item = Meant<'_>> {
        let is_meant = |excluded: &&Excluded| {
            !matches!(excluded.availability, Availability::Shadowed | Availability::OutOfScope)
        };
        self.excluded_range(id)
            .iter()
            .filter(is_meant)
            .map(move |excluded| self.meant(excluded, caller))
    }

    fn by_qualified_id(&self, typed: &str, caller: Caller) -> Vec<Meant<'_>> {
        let of = |(qualifier, id, number): (&str, &str, usize)| {
            let mut group: Vec<_> =
                self.candidates(id).filter(|(record, _)| is_of(*record, qualifier)).collect();
            let has_layer = |(record, _): &(Record<'_>, _)| *record.layer().name == *qualifier;
            // A layer's name comes before a source's that is spelled alike.
            if group.iter().any(has_layer) {
                group.retain(has_layer);
            }
            let meant = group.get(number - 1).map(|&(record, excluded)| match excluded {
                Some(excluded) => self.meant(excluded, caller),
                None => (record, self.withheld_visible(record, caller)),
            });
            meant.into_iter().collect::<Vec<_>>()
        };
        parts(typed).map(of).find(|meant| !meant.is_empty()).unwrap_or_default()
    }

    fn by_place(&self, typed: &str, caller: Caller) -> Vec<Meant<'_>> {
        if !typed.contains('/') {
            return Vec::new();
        }
        let is_there = |record: &Record<'_>| record.is_at(typed);
        let visible = self.skills().filter(is_there);
        let visible = visible.map(|record| (record, self.withheld_visible(record, caller)));
        let excluded = self
            .resolved
            .excluded
            .iter()
            .filter(|excluded| excluded.availability != Availability::OutOfScope);
        let excluded = excluded.filter(|excluded| is_there(&self.record_of(excluded)));
        visible.chain(excluded.map(|excluded| self.meant(excluded, caller))).collect()
    }

    /// The records of one id before any was told from another, the visible ones first, then those that
    /// can be reached at all, in the order of precedence.
    fn candidates(&self, base: &str) -> impl Iterator<Item = (Record<'_>, Option<&Excluded>)> {
        let is_it = |at: &RecordIndex| self.base_id(*at) == base;
        let plain = self.get(base).map(|record| record.index()).filter(is_it);
        let mut distinct: Vec<_> = self.resolved.ids.distinct().filter(is_it).collect();
        distinct.sort_unstable_by_key(|&at| (at.source(), self.set(at).package(at.entry())));
        let visible = plain.into_iter().chain(distinct);
        let visible = visible.map(|at| (Record::new(self, at), None));
        let excluded = self.excluded_range(base).iter();
        let excluded =
            excluded.filter(|excluded| excluded.availability != Availability::OutOfScope);
        visible.chain(excluded.map(|excluded| (self.record_of(excluded), Some(excluded))))
    }

    pub(super) fn excluded_range(&self, id: &str) -> &[Excluded] {
        let start = self.resolved.excluded.partition_point(|excluded| self.id(excluded.at) < id);
        let length =
            self.resolved.excluded[start..].partition_point(|excluded| self.id(excluded.at) == id);
        &self.resolved.excluded[start..start + length]
    }

    fn meant<'c>(&'c self, excluded: &'c Excluded, caller: Caller) -> Meant<'c> {
        let withheld = (!excluded.callers.has(caller)).then_some(&*excluded.reason);
        (self.record_of(excluded), withheld)
    }

    /// Why a caller may not have a visible skill. A model may have each.
    fn withheld_visible(&self, record: Record<'_>, caller: Caller) -> Option<&'static str> {
        let is_denied = caller == Caller::User
            && record.conditions().is_some_and(|conditions| conditions.not_by_user);
        is_denied.then_some("only a model may load it: `user-invocable` is `false`")
    }
}

/// What a qualified id may be made of: qualifier, id and number.
fn parts(typed: &str) -> impl Iterator<Item = (&str, &str, usize)> {
    let whole = typed.split_once(':').map(|(qualifier, id)| (qualifier, id, 1));
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

/// The first that the caller may have, else the first.
fn first<'c>(meant: &[Meant<'c>]) -> Lookup<'c> {
    let free = meant.iter().find(|(_, withheld)| withheld.is_none());
    match free.or(meant.first()) {
        Some(&(record, None)) => Lookup::Found(record),
        Some(&(record, Some(reason))) => Lookup::Unavailable(record, reason),
        None => Lookup::Unknown,
    }
}
