//! The loaded skills as a gate sees them.

use prowess_core::{
    ActiveSkill, Caller, Cancel, Catalog, Digest, ReadLimit, Record, ResourcePath, SessionState,
    Trust,
};
use prowess_format::{RulePosition, rule_positions};
use prowess_gate::GatedSkill;

/// The loaded skills of a session, with what their files say.
pub(super) struct Skills<'a>(Vec<LoadedSkill<'a>>);

struct LoadedSkill<'a> {
    skill: &'a ActiveSkill,
    trust: Trust,
    positions: Vec<RulePosition>,
    package: Option<Digest>,
}

impl<'a> Skills<'a> {
    /// Returns the loaded skills without reading a file.
    pub(super) fn of(catalog: &Catalog, state: &'a SessionState) -> Self {
        let skills = state.active.iter().map(|skill| LoadedSkill {
            skill,
            trust: record(catalog, skill).map_or(Trust::Untrusted, |record| record.trust()),
            positions: Vec::new(),
            package: None,
        });
        Self(skills.collect())
    }

    /// Returns the loaded skills with the positions of their rules and the digests of their
    /// packages.
    pub(super) fn with_files(catalog: &Catalog, state: &'a SessionState) -> Self {
        let mut skills = Self::of(catalog, state);
        for loaded in &mut skills.0 {
            if let Some(record) = record(catalog, loaded.skill) {
                loaded.positions = positions(catalog, record, loaded.skill);
                loaded.package = catalog.package_digest(record, &Cancel::default()).ok();
            }
        }
        skills
    }

    pub(super) fn gated(&self) -> Vec<GatedSkill<'_>> {
        let gated = self.0.iter().map(|loaded| GatedSkill {
            id: &loaded.skill.id,
            location: &loaded.skill.location,
            trust: loaded.trust,
            allowed_tools: &loaded.skill.allowed_tools,
            positions: &loaded.positions,
            package: loaded.package,
        });
        gated.collect()
    }
}

/// Returns the record of a loaded skill. A skill without one is untrusted.
fn record<'c>(catalog: &'c Catalog, skill: &ActiveSkill) -> Option<Record<'c>> {
    let found = |caller| catalog.find(&skill.id, caller).found();
    let mut found = [found(Caller::Model), found(Caller::User)].into_iter().flatten();
    found.find(|record| record.is_at(&skill.location))
}

/// Returns the positions of the rules, if the file is the one that was loaded.
fn positions(catalog: &Catalog, record: Record<'_>, skill: &ActiveSkill) -> Vec<RulePosition> {
    let Ok(path) = ResourcePath::new(record.file()) else { return Vec::new() };
    match catalog.read(record, &path, ReadLimit::default()) {
        Ok(bytes) if Digest::of(&bytes) == skill.digest => rule_positions(&bytes),
        _ => Vec::new(),
    }
}
