//! The loaded skills as a gate sees them.

use prowess_core::{
    ActiveSkill, AllowedTools, Caller, Cancel, Catalog, Digest, ReadLimit, Record, ResourcePath,
    SessionState, Timestamp, Trust,
};
use prowess_format::{RulePosition, rule_positions};
use prowess_gate::GatedSkill;
use prowess_tools::declared_hooks;

use super::GatedCall;

/// The loaded skills of a session, with what their files say.
pub(super) struct Skills<'a> {
    /// In a fork those of its parent first.
    loaded: Vec<LoadedSkill<'a>>,
    /// The number of those of the session itself.
    own: usize,
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
        let loaded = state.limiting().map(|skill| LoadedSkill {
            skill,
            trust: record(catalog, skill).map_or(Trust::Untrusted, |record| record.trust()),
            positions: Vec::new(),
            package: None,
        });
        Self { loaded: loaded.collect(), own: state.active.len(), subject: None }
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

    /// Returns the number of skills that only narrow: those of a fork's parent.
    pub(super) fn limits(&self) -> usize {
        self.loaded.len() - self.own
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
    let bytes = read(catalog, record).filter(|bytes| Digest::of(bytes) == skill.digest);
    bytes.map_or_else(Vec::new, |bytes| rule_positions(&bytes))
}

/// Returns the hooks of a skill, as its file has them now.
pub(super) fn hooks(catalog: &Catalog, record: Record<'_>) -> Vec<String> {
    let skill = read(catalog, record)
        .and_then(|bytes| ActiveSkill::of(record, &bytes, Timestamp::default()).ok());
    skill.map_or_else(Vec::new, |skill| declared_hooks(&skill))
}

fn read(catalog: &Catalog, record: Record<'_>) -> Option<Vec<u8>> {
    let path = ResourcePath::new(record.file()).ok()?;
    catalog.read(record, &path, ReadLimit::default()).ok()
}
