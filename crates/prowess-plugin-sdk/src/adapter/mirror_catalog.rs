//! Builds a catalog from a snapshot.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    Availability, Callers, Catalog, CatalogBuilder, CatalogSource, Conditions, Layer, NewRecord,
    RecordIndex, RecordSetBuilder, SkillSource, Trust,
};
use prowess_format::{NameRule, Profile, Rules};
use prowess_plugin_abi::conversation::{CatalogSnapshot, SkillSnapshot};
use prowess_plugin_abi::{AbiError, codes};

/// Builds the catalog. `source` returns the source at a position of the snapshot.
pub(super) fn build(
    snapshot: &CatalogSnapshot,
    source: impl Fn(usize) -> Arc<dyn SkillSource>,
) -> Result<Catalog, AbiError> {
    let has_layer = |layer: usize| layer < snapshot.layers.len();
    let has_source = |skill: &SkillSnapshot| skill.source < snapshot.sources.len();
    let is_consistent = snapshot.sources.iter().all(|source| has_layer(source.layer))
        && snapshot.skills.iter().all(has_source)
        && snapshot.aliases.is_sorted();
    if !is_consistent {
        return Err(AbiError::new(codes::INTERNAL, "the host's catalog is inconsistent"));
    }
    let layers = snapshot.layers.iter().map(|layer| Layer::new(&*layer.name, trust(&layer.trust)));
    let mut sets: Vec<_> = snapshot.sources.iter().map(|_| RecordSetBuilder::new()).collect();
    let indices = push_all(&snapshot.skills, &mut sets);
    let sets = sets.into_iter().map(RecordSetBuilder::finish);
    let sources = snapshot.sources.iter().zip(sets).enumerate().map(|(at, (facts, records))| {
        CatalogSource { layer: facts.layer, source: source(at), records: Arc::new(records) }
    });
    let mut builder = CatalogBuilder::new(layers.collect(), sources.collect());
    // The host applies its own rules when it loads a skill.
    let rules = rules(snapshot.skills.iter().map(|skill| &*skill.name));
    builder.rules(|_| rules.clone());
    for (&at, skill) in indices.iter().zip(&snapshot.skills) {
        set_availability(&mut builder, at, skill);
    }
    let aliases = snapshot.aliases.iter().map(|(alias, id)| ((**alias).into(), (**id).into()));
    builder.alias(aliases.collect());
    Ok(builder.finish(snapshot.generation))
}

/// Returns rules that accept what the host has accepted: only the relaxed rule has names with `/`.
fn rules<'n>(mut names: impl Iterator<Item = &'n str>) -> Rules {
    let is_relaxed = names.any(|name| name.contains('/'));
    let name_rule = if is_relaxed { NameRule::AgentSkills } else { NameRule::Any };
    Rules { name_rule, ..Rules::of(Profile::Lenient) }
}

fn trust(word: &str) -> Trust {
    match word {
        "trusted" => Trust::Trusted,
        "ask_first" | "prompt" => Trust::AskFirst,
        _ => Trust::Untrusted,
    }
}

/// Adds the records to the sets, and returns the index of each skill.
fn push_all(skills: &[SkillSnapshot], sets: &mut [RecordSetBuilder]) -> Vec<RecordIndex> {
    let mut counts = vec![0; sets.len()];
    let push = |skill: &SkillSnapshot| {
        sets[skill.source].push(&record(skill, &tags(skill)));
        counts[skill.source] += 1;
        RecordIndex::new(skill.source, counts[skill.source] - 1)
    };
    skills.iter().map(push).collect()
}

fn tags(skill: &SkillSnapshot) -> Vec<Cow<'_, str>> {
    skill.tags.iter().map(|tag| Cow::Borrowed(&**tag)).collect()
}

fn record<'a>(skill: &'a SkillSnapshot, tags: &'a [Cow<'a, str>]) -> NewRecord<'a> {
    let is_own_id = skill.base_id.is_empty();
    let is_denied_to_users = skill.exclusion.is_none() && !skill.by_user;
    NewRecord {
        package: &skill.package,
        file: &skill.file,
        id: if is_own_id { &skill.id } else { &skill.base_id },
        name: &skill.name,
        description: &skill.description,
        tags,
        priority: skill.priority,
        version: skill.version.as_deref(),
        conditions: is_denied_to_users
            .then(|| Arc::new(Conditions { not_by_user: true, ..Conditions::default() })),
        stamp: None,
    }
}

fn set_availability(builder: &mut CatalogBuilder, at: RecordIndex, skill: &SkillSnapshot) {
    // The ids of offered skills are unique, so this cannot fail.
    let _ = match (&skill.exclusion, skill.base_id.is_empty()) {
        (None, true) => builder.show(at),
        (Some(_), true) => Ok(()),
        (_, false) => builder.show_as(at, &skill.id),
    };
    if let Some(exclusion) = &skill.exclusion {
        let callers = Callers { model: skill.by_model, user: skill.by_user };
        let availability = match &*exclusion.availability {
            "shadowed" => Availability::Shadowed,
            "not-ready" => Availability::NotReady,
            _ => Availability::Hidden,
        };
        builder.exclude_for(at, availability, &exclusion.reason, callers);
    }
    if skill.is_name_only {
        builder.show_name_only(at);
    }
    if let Some(missing) = &skill.missing_requirement {
        builder.missing_requirement(at, &**missing);
    }
}

#[cfg(test)]
mod tests {
    use prowess_format::parse_with;

    use super::rules;

    #[test]
    fn names_of_the_host_are_read_again() {
        for name in ["pdf", "Ein Name", "CI/CD helper", "读"] {
            let file = format!("---\nname: {name}\ndescription: D.\n---\nBody\n");
            let parsed = parse_with(file.as_bytes(), &rules([name, "pdf"].into_iter()));
            assert!(parsed.document.is_some(), "{name}: {:?}", parsed.diagnostics);
        }
    }
}
