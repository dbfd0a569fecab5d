//! Skills that agents write: reviews, quotas, and no rights.

use std::path::Path;
use std::sync::{Arc, Mutex};

use prowess_core::{
    AGENT_LAYER, Cancel, CatalogProvider, Digest, FolderAnswer, FolderTrust, Layer, ReadLimit,
    Record, ResourcePath, SkillSource, SourceErrorKind, Trust,
};
use prowess_registry::{Registry, Show, SkillRule, VisibilityPolicy};

use crate::fixture::{Changing, files, memory, skill_md};

/// The reviews that a test makes.
#[derive(Default)]
struct Reviews(Mutex<Vec<(String, Digest)>>);

impl Reviews {
    fn add(&self, record: Record<'_>, registry: &Registry) {
        let files = registry.catalog().package_contents(record, &Cancel::default());
        let files = files.expect("the files can be read").finish();
        self.0.lock().expect("no poison").push((record.id().to_owned(), files));
    }
}

impl FolderTrust for Reviews {
    fn answer(&self, _folder: &Path) -> FolderAnswer {
        FolderAnswer::NotTrusted
    }

    fn has_reviewed(&self, skill: &str, files: &Digest) -> bool {
        self.0.lock().expect("no poison").iter().any(|(id, known)| id == skill && known == files)
    }
}

fn registry(
    source: Arc<dyn SkillSource>,
    reviews: &Arc<Reviews>,
    rules: &[(&str, Show)],
) -> Registry {
    let rule =
        |(pattern, show): &(&str, Show)| SkillRule { pattern: (*pattern).to_owned(), show: *show };
    let visibility = VisibilityPolicy {
        skills: rules.iter().map(rule).collect(),
        ..VisibilityPolicy::default()
    };
    let registry = Registry::builder()
        .layer(Layer::new(AGENT_LAYER, Trust::Untrusted))
        .layer(Layer::new("user", Trust::Trusted))
        .source("user", memory("own", &[("deploy", "the user's")]))
        .source(AGENT_LAYER, source)
        .visibility(visibility)
        .trust(reviews.clone());
    registry.build().expect("the layers are valid")
}

/// Returns each skill of agents, with the reason of one that is hidden.
fn listed(registry: &Registry) -> Vec<(String, String)> {
    let catalog = registry.reload().catalog;
    let all = catalog.skills().chain(catalog.excluded());
    let agents = all.filter(|it| *it.layer().name == *AGENT_LAYER);
    let mut listed: Vec<_> =
        agents.map(|it| (it.id().to_owned(), it.reason().unwrap_or_default().to_owned())).collect();
    listed.sort();
    listed
}

#[test]
fn skill_is_offered_once_exactly_its_files_are_reviewed() {
    let source = Arc::new(Changing::default());
    source.set("notes", skill_md("notes", "first"), 1);
    let reviews = Arc::new(Reviews::default());
    let registry = registry(source.clone(), &reviews, &[]);
    let hidden = &listed(&registry)[0].1;
    let reason = "an agent has written it, and its files are not reviewed";
    assert!(hidden.starts_with(reason), "{hidden}");
    assert!(hidden.contains("offer notes@sha256:"), "the step names the files: {hidden}");
    let catalog = registry.catalog();
    let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["agent-skills-hidden"], "one finding says so");
    assert_eq!(catalog.skills().count(), 1, "no other skill is offered");

    let record = catalog.excluded().next().expect("it is listed");
    reviews.add(record, &registry);
    assert_eq!(listed(&registry), [("notes".to_owned(), String::new())], "it is offered");
    let turn = registry.catalog();
    let record = turn.skills().find(|it| it.id() == "notes").expect("it is offered");
    let file = ResourcePath::new("SKILL.md").expect("it is a path");
    let read = || turn.read(record, &file, ReadLimit::default()).map_err(|error| error.kind);
    assert!(read().is_ok(), "what was reviewed is loaded");

    source.set("notes", skill_md("notes", "second"), 2);
    assert_eq!(read(), Err(SourceErrorKind::Changed), "even before the change is noticed");
    assert!(listed(&registry)[0].1.starts_with("an agent"), "a change hides it again");
    assert_eq!(read(), Err(SourceErrorKind::Changed), "and the turn that has it does not read it");
    source.set("notes", skill_md("notes", "first"), 3);
    assert_eq!(listed(&registry)[0].1, "", "these files were reviewed");
    source.set("notes", "no frontmatter", 4);
    assert_ne!(listed(&registry)[0].1, "", "the last good version is not there any more");
}

#[test]
fn rule_for_the_layer_offers_a_skill_at_once() {
    for (rules, is_offered) in [
        (&[][..], false),
        (&[("*", Show::Whole), ("notes", Show::NameOnly)], false),
        (&[("agents:*", Show::Whole)], true),
        (&[("agents:no*", Show::NameOnly)], true),
        (&[("agents:other", Show::Whole)], false),
        (&[("agents:*", Show::Whole), ("agents:notes", Show::Disabled)], false),
    ] {
        let registry = registry(memory("written", &[("notes", "it")]), &Arc::default(), rules);
        assert_eq!(listed(&registry)[0].1.is_empty(), is_offered, "{rules:?}");
    }
}

#[test]
fn quotas_count_reviewed_skills_first() {
    for (count, bytes, expected) in
        [(100, 0, 100), (102, 0, 100), (4, 1 << 20, 3), (1, 5 << 20, 0), (1, 3 << 20, 1)]
    {
        let written = (0..count).flat_map(|number| {
            let name = format!("s{number:03}");
            let skill = (format!("{name}/SKILL.md"), skill_md(&name, "it"));
            [skill, (format!("{name}/data.txt"), "x".repeat(bytes))]
        });
        let source = files("written", written);
        let reviews = Arc::new(Reviews::default());
        let registry = registry(source, &reviews, &[("agents:*", Show::Whole)]);
        let catalog = registry.reload().catalog;
        let last = format!("s{:03}", count - 1);
        let mut all = catalog.skills().chain(catalog.excluded());
        reviews.add(all.find(|it| it.id() == last).expect("it is listed"), &registry);
        let listed = listed(&registry);
        let offered: Vec<_> = listed.iter().filter(|(_, reason)| reason.is_empty()).collect();
        assert_eq!(offered.len(), expected, "{count} of {bytes}");
        let has_last = offered.iter().any(|(id, _)| *id == last);
        assert_eq!(has_last, expected > 0, "a reviewed skill has precedence");
        let over = |(_, reason): &&(String, String)| reason.contains("4194304 bytes in all");
        assert_eq!(listed.iter().filter(over).count(), count - expected, "{listed:?}");
    }
}

#[test]
fn skill_with_too_many_files_says_so() {
    let others = (0..1_001).map(|number| (format!("s/{number}.txt"), String::new()));
    let own = [("s/SKILL.md".to_owned(), skill_md("s", "it"))];
    let source = files("written", own.into_iter().chain(others));
    let listed = listed(&registry(source, &Arc::default(), &[]));
    assert!(listed[0].1.starts_with("it has more than 1000 files, or"), "{listed:?}");
}

#[test]
fn skill_of_an_agent_shadows_none_of_the_user() {
    let written = memory("written", &[("deploy", "an agent's")]);
    let registry = registry(written, &Arc::default(), &[("agents:*", Show::Whole)]);
    let catalog = registry.reload().catalog;
    let offered: Vec<_> = catalog.skills().map(|it| it.description()).collect();
    assert_eq!(offered, ["the user's"]);
}
