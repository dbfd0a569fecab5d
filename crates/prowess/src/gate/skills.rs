//! The loaded skills as a gate sees them.

use prowess_core::{
    ActiveSkill, AllowedTools, Caller, Cancel, Catalog, Digest, ReadLimit, Record, ResourcePath,
    SessionState, Trust,
};
use prowess_format::{RulePosition, rule_positions};
use prowess_gate::GatedSkill;

use super::GatedCall;

/// The loaded skills of a session, with what their files say.
pub(super) struct Skills<'a> {
    loaded: Vec<LoadedSkill<'a>>,
    subject: Option<Subject<'a>>,
}

/// The skill whose content a call would run.
struct Subject<'a> {
    record: Record<'a>,
    location: String,
    package: Option<Digest>,
}

struct LoadedSkill<'a> {
    skill: &'a ActiveSkill,
    trust: Trust,
    positions: Vec<RulePosition>,
    package: Option<Digest>,
}

impl<'a> Skills<'a> {
    /// Returns the skills of a call without reading a file.
    pub(super) fn of(call: &GatedCall<'a>) -> Self {
        let skills = Self::loaded(call.catalog, call.state);
        let subject = call.subject.map(|record| Subject {
            record,
            location: record.location(),
            package: None,
        });
        Self { subject, ..skills }
    }

    /// Returns the loaded skills without reading a file.
    pub(super) fn loaded(catalog: &'a Catalog, state: &'a SessionState) -> Self {
        let loaded = state.active.iter().map(|skill| LoadedSkill {
            skill,
            trust: record(catalog, skill).map_or(Trust::Untrusted, |record| record.trust()),
            positions: Vec::new(),
            package: None,
        });
        Self { loaded: loaded.collect(), subject: None }
    }

    /// Returns the skills of a call with the positions of their rules and the digests of their
    /// packages.
    pub(super) fn with_files(call: &GatedCall<'a>) -> Self {
        let catalog = call.catalog;
        let mut skills = Self::of(call);
        for loaded in &mut skills.loaded {
            if let Some(record) = record(catalog, loaded.skill) {
                loaded.positions = positions(catalog, record, loaded.skill);
                loaded.package = catalog.package_digest(record, &Cancel::default()).ok();
            }
        }
        if let Some(subject) = &mut skills.subject {
            subject.package = catalog.package_digest(subject.record, &Cancel::default()).ok();
        }
        skills
    }

    pub(super) fn gated(&self) -> Vec<GatedSkill<'_>> {
        let gated = self.loaded.iter().map(|loaded| GatedSkill {
            id: &loaded.skill.id,
            location: &loaded.skill.location,
            trust: loaded.trust,
            allowed_tools: &loaded.skill.allowed_tools,
            positions: &loaded.positions,
            package: loaded.package,
        });
        gated.collect()
    }

    /// Returns the skill whose content the call would run.
    pub(super) fn subject(&self) -> Option<GatedSkill<'_>> {
        let subject = self.subject.as_ref()?;
        Some(GatedSkill {
            id: subject.record.id(),
            location: &subject.location,
            trust: subject.record.trust(),
            allowed_tools: &AllowedTools::Absent,
            positions: &[],
            package: subject.package,
        })
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
