//! The skills that a server lists.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use prowess_core::{Diagnostic, PackagePath, Severity};
use prowess_text::quoted;

use crate::codes;
use crate::entry::{Rejected, rejected};
use crate::skill::Skill;

/// The size of a listing in memory beyond which nothing more is read, in bytes.
const MAX_WEIGHT: usize = 64 << 20;

/// The maximum number of findings about the skills of one listing.
const MOST_FINDINGS: usize = 1000;

/// A listing of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    pub(crate) skills: BTreeMap<PackagePath, Arc<Skill>>,
    pub(crate) findings: Vec<Diagnostic>,
}

impl Listing {
    /// Returns whether a scan of both reports the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let stamps =
            |listing: &Self| listing.skills.values().map(|skill| skill.stamp).collect::<Vec<_>>();
        self.skills.keys().eq(other.skills.keys())
            && stamps(self) == stamps(other)
            && self.findings == other.findings
    }
}

/// Builds a listing, and keeps the last good version of a skill that cannot be used any more.
pub(crate) struct ListingBuilder<'p> {
    root: &'p str,
    previous: Option<&'p Listing>,
    most_skills: usize,
    weight: usize,
    listing: Listing,
}

impl<'p> ListingBuilder<'p> {
    /// Creates a builder of the listing of a source with this root.
    pub(crate) fn new(root: &'p str, previous: Option<&'p Listing>, most_skills: usize) -> Self {
        Self { root, previous, most_skills, weight: 0, listing: Listing::default() }
    }

    /// Adds a skill, unless there is one at its path. Ends the listing when it is too large.
    pub(crate) fn add(&mut self, skill: Skill) -> ControlFlow<()> {
        let package = skill.place.package.clone();
        self.weight += skill.weight();
        if self.listing.skills.len() >= self.most_skills || self.weight > MAX_WEIGHT {
            return ControlFlow::Break(());
        }
        if self.listing.skills.contains_key(&package) {
            let reason = format!("{} is listed twice", quoted(package.as_str()));
            return self.reject(rejected(Some(package), "", (codes::MCP_SKILL_DUPLICATE, reason)));
        }
        self.listing.skills.insert(package, Arc::new(skill));
        ControlFlow::Continue(())
    }

    /// Returns whether there is a skill at a path.
    pub(crate) fn has(&self, package: &PackagePath) -> bool {
        self.listing.skills.contains_key(package)
    }

    /// Reports a skill that cannot be used.
    pub(crate) fn reject(&mut self, rejected: Rejected) -> ControlFlow<()> {
        let Rejected { package, finding } = rejected;
        let path = match &package {
            Some(package) => format!("{}/{package}/SKILL.md", self.root),
            None => self.root.to_owned(),
        };
        if let Some(package) = package {
            self.keep(&package);
        }
        self.listing.findings.push((*finding).in_file(path));
        if self.listing.findings.len() < MOST_FINDINGS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Reports a listing that was not read to its end: skills that were not seen may still exist.
    pub(crate) fn truncate(&mut self) {
        if let Some(previous) = self.previous {
            previous.skills.keys().for_each(|package| self.keep(package));
        }
        let message = format!(
            "the listing of {} is not read to its end: it has over {} skills, 64 MiB, 2000 pages or \
             {MOST_FINDINGS} errors, or pages in a circle",
            quoted(self.root),
            self.most_skills
        );
        let help = "report it to the operator of the server, or list fewer skills";
        let finding = Diagnostic::new(codes::MCP_LISTING_TRUNCATED, Severity::Error, message, help);
        self.listing.findings.push(finding.in_file(self.root));
    }

    /// Reports a server without skills.
    pub(crate) fn report_no_skills(&mut self) {
        let message =
            format!("{} offers neither the skills extension nor resources", quoted(self.root));
        let help = "name another server, or remove it from the configuration";
        let finding = Diagnostic::new(codes::MCP_NO_SKILLS, Severity::Warning, message, help);
        self.listing.findings.push(finding.in_file(self.root));
    }

    pub(crate) fn finish(self) -> Listing {
        self.listing
    }

    /// Keeps the version that the previous listing has of a skill.
    fn keep(&mut self, package: &PackagePath) {
        if let Some(known) = self.previous.and_then(|previous| previous.skills.get(package)) {
            let skills = &mut self.listing.skills;
            skills.entry(package.clone()).or_insert_with(|| Arc::clone(known));
        }
    }
}
