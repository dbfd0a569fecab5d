//! Decides which of several skills with one id is used, and which are offered.

mod collision;
mod reserved_ids;

use std::cmp::Reverse;
use std::collections::HashMap;

use prowess_core::{
    Availability, Callers, Catalog, CatalogBuilder, Diagnostic, PackagePath, Record, RecordIndex,
    RequirementWalk, Severity, Trust, UnmetRequirement,
};
use prowess_text::counted;

use crate::codes;
use crate::policy::PriorityBounds;
use crate::resolve_input::{ResolveInput, ResolveSettings};
use crate::visibility::Exclusion;

/// Returns the catalog of these scans, in three steps: excludes records that take no part; assigns
/// each id to the first of its records in the order of precedence; and hides skills that are not
/// for models. So the meaning of an id depends neither on the open files nor on the caller.
pub(crate) fn resolve(input: &ResolveInput<'_>) -> Catalog {
    let mut resolution = Resolution {
        input,
        builder: CatalogBuilder::new(input.rules.layers.clone(), input.scans.sources.clone()),
        reserved_ids: HashMap::new(),
        withheld: HashMap::new(),
        groups: HashMap::new(),
    };
    resolution.name();
    resolution.admit();
    resolution.resolve_collisions();
    resolution.hide();
    resolution.note_missing_requirements();
    resolution.alias();
    let mut builder = resolution.builder;
    builder.rules(|layer| input.rules.policy_of(layer).rules());
    for finding in &input.scans.findings {
        builder.diagnose(finding.clone());
    }
    builder.finish(input.scans.generation)
}

/// A catalog that is being built.
struct Resolution<'a> {
    input: &'a ResolveInput<'a>,
    builder: CatalogBuilder,
    /// Excluded records whose ids must not be used by untrusted layers, by id.
    reserved_ids: HashMap<String, RecordIndex>,
    /// The first hidden record of each id, of folders that are not trusted.
    withheld: HashMap<String, RecordIndex>,
    /// Records with the same id, by the current holder, which is included.
    groups: HashMap<RecordIndex, Vec<RecordIndex>>,
}

impl Resolution<'_> {
    /// Assigns the host's name to the only package of a source.
    fn name(&mut self) {
        for (source, name) in self.input.rules.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let of = &self.input.scans.sources[source];
            match of.records.len() {
                1 => self.builder.name(RecordIndex::new(source, 0), name.clone()),
                // A broken or unreadable one has its own finding.
                0 if self.input.scans.has_error(source) => {}
                0 => self.builder.diagnose(skill_md_missing(name, of.source.root())),
                count => self.builder.diagnose(name_unused(name, count, of.source.root())),
            }
        }
    }

    /// Shows each record that takes part, trusted layers first, and groups records with the same
    /// id.
    fn admit(&mut self) {
        let ResolveInput { rules, scans, .. } = self.input;
        let trust = |source: &usize| rules.layers[scans.sources[*source].layer].trust;
        let mut order: Vec<_> = (0..scans.sources.len()).collect();
        order.sort_by_key(|source| trust(source) == Trust::Untrusted);
        for source in order {
            let withheld = scans.withheld[source].as_deref();
            let hidden = &scans.hidden[source];
            let records = &scans.sources[source].records;
            let mut conditioned = records.conditioned().map(|(entry, _)| entry).peekable();
            for entry in 0..records.len() {
                let at = RecordIndex::new(source, entry);
                let has_conditions = conditioned.next_if_eq(&entry).is_some();
                match withheld.or_else(|| hidden.get(&entry).map(|reason| &**reason)) {
                    Some(reason) => self.withhold(at, reason),
                    None => self.admit_one(at, has_conditions),
                }
            }
        }
    }

    /// Hides a skill of a folder that is not trusted. A directory that is reached by two paths is
    /// hidden once: the second record is shadowed, and neither can be loaded.
    fn withhold(&mut self, at: RecordIndex, reason: &str) {
        let record = self.builder.record(at);
        let first = *self.withheld.entry(record.id().to_owned()).or_insert(at);
        let first = self.builder.record(first);
        if first.index() == at || !self.input.copies.are_one_directory([first, record]) {
            return self.builder.exclude(at, Availability::Hidden, reason);
        }
        let reason = format!("{}; {reason}", collision::same_directory(first));
        let no_caller = Callers { model: false, user: false };
        self.builder.exclude_for(at, Availability::Shadowed, &reason, no_caller);
    }

    fn admit_one(&mut self, at: RecordIndex, has_conditions: bool) {
        let record = self.builder.record(at);
        let is_asked = has_conditions || !self.input.filter.is_open();
        if is_asked && let Some(exclusion) = self.input.filter.exclusion(record) {
            return self.exclude(at, &exclusion);
        }
        if record.trust() == Trust::Untrusted
            && let Some(reason) = self.reservation_of(record, record.id())
        {
            return self.shadow_for(at, &reason);
        }
        if let Err(holder) = self.builder.show(at) {
            self.groups.entry(holder).or_insert_with(|| vec![holder]).push(at);
        }
    }

    fn exclude(&mut self, at: RecordIndex, exclusion: &Exclusion) {
        let record = self.builder.record(at);
        let is_in_scope = exclusion.availability != Availability::OutOfScope;
        if is_in_scope && record.trust() != Trust::Untrusted {
            self.reserved_ids.entry(record.id().to_owned()).or_insert(at);
        }
        self.builder.exclude(at, exclusion.availability, &exclusion.reason);
    }

    /// Hides skills from the model that are not for models, or not for the open files.
    fn hide(&mut self) {
        let ResolveInput { scans, filter, .. } = self.input;
        for (source, of) in scans.sources.iter().enumerate() {
            for (entry, _) in of.records.conditioned() {
                let at = RecordIndex::new(source, entry);
                let record = self.builder.record(at);
                if let Some((reason, callers)) = filter.hidden_from_model(record) {
                    if self.is_shown(at) {
                        self.builder.exclude_for(at, Availability::Hidden, &reason, callers);
                    }
                } else if let Some(reason) = filter.flag(record).filter(|_| self.is_shown(at)) {
                    let finding = tool_missing(record, &reason);
                    self.builder.diagnose(finding);
                }
            }
            if !filter.has_name_only() {
                continue;
            }
            for at in (0..of.records.len()).map(|entry| RecordIndex::new(source, entry)) {
                if self.is_shown(at) && filter.is_name_only(self.builder.record(at)) {
                    self.builder.show_name_only(at);
                }
            }
        }
    }

    /// Adds the missing requirement of each record, whether it is offered or excluded.
    fn note_missing_requirements(&mut self) {
        self.note_unmet_requirements();
        if !self.input.filter.has_requirements() {
            return;
        }
        for (source, of) in self.input.scans.sources.iter().enumerate() {
            for (entry, _) in of.records.conditioned() {
                let at = RecordIndex::new(source, entry);
                if let Some(missing) =
                    self.input.filter.missing_requirement(self.builder.record(at))
                {
                    self.builder.missing_requirement(at, missing);
                }
            }
        }
    }

    /// Adds a finding for each requirement of an offered skill that no offered skill meets. The
    /// skill stays offered: what happens at a load is a policy of the tools.
    fn note_unmet_requirements(&mut self) {
        let find = |id: &str| self.builder.holder(id).map(|at| self.builder.record(at));
        let mut walk = RequirementWalk::new(find);
        for (source, of) in self.input.scans.sources.iter().enumerate() {
            for (entry, conditions) in of.records.conditioned() {
                let at = RecordIndex::new(source, entry);
                if !conditions.skills.is_empty() && self.is_shown(at) {
                    walk.visit(self.builder.record(at));
                }
            }
        }
        for (at, unmet) in walk.into_unmet() {
            let finding = requirement_unmet(self.builder.record(at), &unmet);
            self.builder.diagnose(finding);
        }
    }

    fn is_shown(&self, at: RecordIndex) -> bool {
        self.builder.holder(self.builder.record(at).id()) == Some(at)
    }

    fn alias(&mut self) {
        let aliases = &self.input.rules.aliases;
        for (alias, id) in aliases.iter() {
            let plain = id.split_once(':').map_or(&**id, |(_, plain)| plain);
            let is_there = [&**id, plain]
                .iter()
                .any(|id| self.builder.holder(id).is_some() || self.reserved_ids.contains_key(*id));
            if self.builder.holder(alias).is_some() {
                self.builder.diagnose(alias_taken(alias, id));
            } else if !is_there {
                self.builder.diagnose(alias_unknown(alias, id));
            }
        }
        self.builder.alias(aliases.clone());
    }

    /// Excludes a record that another one shadows. Callers that it is for can load it by its
    /// qualified id.
    fn shadow(&mut self, at: RecordIndex, reason: &str) {
        let record = self.builder.record(at);
        let is_for_user = record.conditions().is_none_or(|conditions| !conditions.not_by_user);
        let callers = Callers { model: true, user: is_for_user };
        match self.input.filter.hidden_from_model(record) {
            None => self.builder.exclude_for(at, Availability::Shadowed, reason, callers),
            Some((too, callers)) => {
                let reasons = format!("{reason}; {too}");
                self.builder.exclude_for(at, Availability::Shadowed, &reasons, callers);
            }
        }
    }
}

/// The order of precedence: the lowest rank gets the id.
type Rank = (bool, u8, Reverse<(u16, i32)>, usize, PackagePath);

/// Ranks trusted layers before untrusted ones whatever their weights, then names that are the id
/// before directories that are, and those before names that were made into it, then by weight and
/// effective priority, then by the order of sources and of paths. The order is total, so the
/// result does not depend on the order in which a disk lists directories.
fn rank(record: Record<'_>, repairs: u8, rules: &ResolveSettings) -> Rank {
    let weight = record.layer().weight.unwrap_or_default();
    // A thousand between two layers is less than -999 and 999 are apart.
    let layer = if rules.policy.priority == PriorityBounds::Clamped { weight } else { 0 };
    let effective = Reverse((layer, rules.policy.priority.effective(weight, record.priority())));
    let is_untrusted = record.trust() == Trust::Untrusted;
    (is_untrusted, repairs, effective, record.index().source(), record.package())
}

fn name_unused(name: &str, count: usize, root: &str) -> Diagnostic {
    let message =
        format!("the source is to go by the name `{name}` and has {}", counted(count, "skill"));
    let help = "give a name of your own to sources of one skill alone";
    Diagnostic::new(codes::NAME_UNUSED, Severity::Warning, message, help).in_file(root)
}

/// Returns the finding, with the message that hosts of single skills use.
fn skill_md_missing(name: &str, root: &str) -> Diagnostic {
    let message = "Skill must contain a SKILL.md file";
    let help = format!("add one to the source that is to be the skill `{name}`, or name another");
    Diagnostic::new(codes::SKILL_MD_MISSING, Severity::Error, message, help).in_file(root)
}

fn requirement_unmet(record: Record<'_>, unmet: &UnmetRequirement) -> Diagnostic {
    let (code, help) = match unmet {
        UnmetRequirement::Cycle(_) => {
            (codes::REQUIREMENT_CYCLE, "remove one of them from `requires` of another")
        }
        _ => (codes::REQUIREMENT_UNMET, "add the skill, or change `requires`"),
    };
    Diagnostic::new(code, Severity::Warning, unmet.to_string(), help).in_file(record.location())
}

fn tool_missing(record: Record<'_>, reason: &str) -> Diagnostic {
    let message = format!("skill `{}` may not work: {reason}", record.id());
    let help = "offer the tool, or hide such skills by `missing_tools: hide`";
    Diagnostic::new(codes::TOOL_MISSING, Severity::Warning, message, help)
        .in_file(record.location())
}

fn alias_taken(alias: &str, id: &str) -> Diagnostic {
    let message =
        format!("the alias `{alias}` for `{id}` is the id of a skill, and means that skill");
    let help = "choose another alias";
    Diagnostic::new(codes::ALIAS_TAKEN, Severity::Warning, message, help)
}

fn alias_unknown(alias: &str, id: &str) -> Diagnostic {
    let message = format!("the alias `{alias}` stands for `{id}`, and there is no such skill");
    let help = "name the id of a skill, or take the alias away";
    Diagnostic::new(codes::ALIAS_UNKNOWN, Severity::Warning, message, help)
}
