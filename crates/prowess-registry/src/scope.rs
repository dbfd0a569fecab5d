//! What a reload looks at.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::PackagePath;

use crate::coalesce::Merge;

/// The packages of one request, past which a whole scan costs less than asking for each.
const MOST_PACKAGES: usize = 256;

/// Which sources, by their number, and how much of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every source, as it is.
    All,
    /// These.
    Sources(BTreeMap<usize, Part>),
}

/// How much of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// These packages; `None` for the whole source.
    pub(crate) packages: Option<BTreeSet<PackagePath>>,
    /// What to make of a skill that was there and is missing or broken.
    pub(crate) on_missing: OnMissingSkill,
}

/// What to do with a skill that was there and is missing or broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMissingSkill {
    /// Accept it: the skill goes, or its last good version is kept.
    Accept,
    /// Confirm it by a second scan, as the file may be in the middle of being saved. Until then the skill
    /// stays as it was.
    Confirm,
}

impl Scope {
    /// No source.
    pub(crate) fn none() -> Self {
        Self::Sources(BTreeMap::new())
    }

    /// How much of this source; nothing by default.
    pub(crate) fn part(&self, source: usize) -> Option<Part> {
        match self {
            Self::All => Some(Part::whole(OnMissingSkill::Accept)),
            Self::Sources(parts) => parts.get(&source).cloned(),
        }
    }
}

impl Part {
    /// All of it.
    pub(crate) fn whole(on_missing: OnMissingSkill) -> Self {
        Self { packages: None, on_missing }
    }

    /// These packages; where there are very many, all of it.
    pub(crate) fn packages(packages: BTreeSet<PackagePath>, on_missing: OnMissingSkill) -> Self {
        let is_few = packages.len() <= MOST_PACKAGES;
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
        // Who asked for what is there must not be shown what was.
        if more.on_missing == OnMissingSkill::Accept {
            self.on_missing = OnMissingSkill::Accept;
        }
    }
}
