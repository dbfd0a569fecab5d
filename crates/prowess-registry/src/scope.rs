//! The part of the sources that a reload covers.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::PackagePath;

use crate::single_flight::Merge;

/// The maximum number of packages of one request. For more, a complete scan is cheaper.
const MAX_PACKAGES: usize = 256;

/// The sources of a reload, by index, and the part of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every source.
    All,
    /// These sources.
    Sources(BTreeMap<usize, Part>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// These packages; `None` for the whole source.
    pub(crate) packages: Option<BTreeSet<PackagePath>>,
    /// The treatment of a known skill that is missing or broken.
    pub(crate) on_missing: OnMissingSkill,
}

/// The treatment of a known skill that is missing or broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMissingSkill {
    /// Accept it: the skill is removed, or its last good version is kept.
    Accept,
    /// Confirm it by a second scan, because the file may be being saved. Until then the skill is
    /// unchanged.
    Confirm,
}

impl Scope {
    /// Creates a scope without sources.
    pub(crate) fn none() -> Self {
        Self::Sources(BTreeMap::new())
    }

    pub(crate) fn part(&self, source: usize) -> Option<Part> {
        match self {
            Self::All => Some(Part::whole(OnMissingSkill::Accept)),
            Self::Sources(parts) => parts.get(&source).cloned(),
        }
    }
}

impl Part {
    /// Creates a part that is the whole source.
    pub(crate) fn whole(on_missing: OnMissingSkill) -> Self {
        Self { packages: None, on_missing }
    }

    /// Creates a part with these packages; if there are very many, the whole source.
    pub(crate) fn packages(packages: BTreeSet<PackagePath>, on_missing: OnMissingSkill) -> Self {
        let is_few = packages.len() <= MAX_PACKAGES;
        Self { packages: is_few.then_some(packages), on_missing }
    }
}

impl Merge for Scope {
    fn merge(&mut self, more: Self) {
        match (self, more) {
            (Self::All, _) => {}
            (this, Self::All) => *this = Self::All,
            (Self::Sources(parts), Self::Sources(more)) => {
                for (source, part) in more {
                    match parts.get_mut(&source) {
                        Some(known) => known.merge(part),
                        None => drop(parts.insert(source, part)),
                    }
                }
            }
        }
    }
}

impl Merge for Part {
    fn merge(&mut self, more: Self) {
        self.packages = match (self.packages.take(), more.packages) {
            (Some(mut packages), Some(more)) => {
                packages.extend(more);
                Some(packages)
            }
            _ => None,
        };
        // A caller that accepts the current state must not get the previous one.
        if more.on_missing == OnMissingSkill::Accept {
            self.on_missing = OnMissingSkill::Accept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(names: &[&str]) -> BTreeSet<PackagePath> {
        let path = |name: &&str| PackagePath::new(name).expect("a valid path");
        names.iter().map(path).collect()
    }

    /// Returns the packages of source 7 after both scopes are merged; `None` if it is whole.
    fn merged(one: Part, more: Part) -> (Option<BTreeSet<PackagePath>>, OnMissingSkill) {
        let mut scope = Scope::Sources([(7, one)].into());
        scope.merge(Scope::Sources([(7, more)].into()));
        let Scope::Sources(mut parts) = scope else { panic!("it is of one source") };
        let part = parts.remove(&7).expect("the source is there");
        (part.packages, part.on_missing)
    }

    #[test]
    fn two_scopes_cover_what_either_does() {
        let part = |names: &[&str]| Part::packages(packages(names), OnMissingSkill::Confirm);
        let both = merged(part(&["a"]), part(&["b"]));
        assert_eq!(both, (Some(packages(&["a", "b"])), OnMissingSkill::Confirm));
        let whole = || Part::whole(OnMissingSkill::Confirm);
        assert_eq!(merged(whole(), part(&["b"])).0, None, "the whole source stays whole");
        assert_eq!(merged(part(&["a"]), whole()).0, None, "the whole source is more");
        let mut scope = Scope::none();
        scope.merge(Scope::Sources([(7, whole())].into()));
        assert!(matches!(&scope, Scope::Sources(parts) if parts.contains_key(&7)), "a new source");
        scope.merge(Scope::All);
        scope.merge(Scope::none());
        assert!(matches!(scope, Scope::All), "everything is most");
    }

    #[test]
    fn current_state_is_accepted_if_either_scope_accepts_it() {
        use OnMissingSkill::{Accept, Confirm};
        for (one, more, expected) in
            [(Confirm, Confirm, Confirm), (Confirm, Accept, Accept), (Accept, Confirm, Accept)]
        {
            assert_eq!(merged(Part::whole(one), Part::whole(more)).1, expected);
        }
    }
}
