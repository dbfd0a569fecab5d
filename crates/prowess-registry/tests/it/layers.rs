//! Layers: order, weights, collisions and aliases.

use std::sync::Arc;

use prowess_core::{
    Caller, Catalog, CatalogProvider, Diagnostic, Layer, MemorySource, Record, Severity, Trust,
};
use prowess_format::Profile;
use prowess_registry::{
    Collision, IdFrom, NameMismatch, PriorityBounds, Registry, RegistryBuilder, RegistryPolicy,
    SkillMdCase, UnknownLayer,
};

use crate::fixture::{memory, skill_md};

/// Returns a registry whose layers, the lowest first, each have a skill `deploy`.
fn stacked(layers: &[(&str, Trust)]) -> RegistryBuilder {
    layers.iter().fold(Registry::builder(), |builder, (name, trust)| {
        let description = format!("from {name}");
        let source = memory(name, &[("deploy", &description)]);
        builder.layer(Layer::new(*name, *trust)).source(name, source)
    })
}

pub(crate) fn catalog(builder: RegistryBuilder) -> Arc<Catalog> {
    let registry = builder.build().expect("the layers are valid");
    registry.reload();
    registry.catalog()
}

pub(crate) fn policy(collision: Collision) -> RegistryPolicy {
    RegistryPolicy { collision, ..RegistryPolicy::default() }
}

pub(crate) fn ids(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().map(|skill| skill.id()).collect()
}

/// Returns the locations of the findings with this code.
pub(crate) fn reported<'c>(catalog: &'c Catalog, code: &str) -> Vec<&'c str> {
    let about = catalog.diagnostics().filter(|found| found.code.as_str() == code);
    about.map(|found| found.path.as_deref().unwrap_or_default()).collect()
}

pub(crate) const TRUSTED: Trust = Trust::Trusted;

#[test]
fn order_of_layers_is_configuration() {
    let omniforge = [("plugin", TRUSTED), ("project", TRUSTED), ("personal", TRUSTED)];
    let openclaw = [("bundled", TRUSTED), ("managed", TRUSTED), ("workspace", TRUSTED)];
    for (layers, highest) in [
        (&[&omniforge[..], &[("enterprise", TRUSTED)]].concat(), "enterprise"),
        (&openclaw.to_vec(), "workspace"),
    ] {
        let catalog = catalog(stacked(layers));
        let deploy = catalog.get("deploy").expect("the skill is offered");
        assert_eq!(deploy.description(), format!("from {highest}"));
        let order: Vec<_> = catalog.layers().iter().map(|layer| &*layer.name).collect();
        assert!(order.iter().rev().eq(layers.iter().map(|(name, _)| name)), "{order:?}");
        let weights: Vec<_> = catalog.layers().iter().map(|layer| layer.weight).collect();
        let count = u16::try_from(layers.len()).expect("a handful");
        assert!(
            weights.into_iter().eq((1..=count).rev().map(Some)),
            "the default weight is the position"
        );
        assert_eq!(catalog.excluded().len(), layers.len() - 1, "the others are shadowed");
    }
}

#[test]
fn effective_priority_is_weight_and_priority() {
    use PriorityBounds::{Clamped, Unclamped};
    for (bounds, weight, priority, expected) in [
        (Clamped, 4, 0, 4000),
        (Clamped, 3, 5, 3005),
        (Clamped, 2, 1001, 2999),
        (Unclamped, 2, 1001, 3001),
        (Clamped, 1, -5000, 1),
        (Unclamped, 0, -7, -7),
    ] {
        assert_eq!(bounds.effective(weight, priority), expected, "{bounds:?} {weight} {priority}");
    }
}

/// Returns a catalog with a personal `deploy` of priority 0 and one of another layer of priority
/// 1,001.
fn reaching(bounds: PriorityBounds, trust: Trust) -> Arc<Catalog> {
    let reaching = "---\nname: deploy\ndescription: reaching\npriority: 1001\n---\n";
    let source = MemorySource::builder("project").file("deploy/SKILL.md", reaching);
    let source = source.build().expect("the paths are valid");
    let policy = RegistryPolicy { priority: bounds, ..RegistryPolicy::default() };
    let builder = Registry::builder()
        .layer(Layer::new("project", trust).weighing(2))
        .layer(Layer::new("personal", TRUSTED).weighing(3))
        .source("project", Arc::new(source))
        .source("personal", memory("personal", &[("deploy", "personal")]));
    catalog(builder.policy(policy))
}

#[test]
fn priority_across_layers_needs_the_policy() {
    for (bounds, trust, winner) in [
        (PriorityBounds::Clamped, TRUSTED, "personal"),
        (PriorityBounds::Unclamped, TRUSTED, "reaching"),
        (PriorityBounds::Unclamped, Trust::Untrusted, "personal"),
    ] {
        let catalog = reaching(bounds, trust);
        let deploy = catalog.get("deploy").expect("the skill is offered");
        assert_eq!(deploy.description(), winner, "{bounds:?} {trust:?}");
    }
}

#[test]
fn weight_precedes_order_but_not_trust() {
    for (trust, winner) in [(TRUSTED, "from heavy"), (Trust::Untrusted, "from light")] {
        let heavy = Layer::new("heavy", trust).weighing(9);
        let light = Layer::new("light", TRUSTED).weighing(1);
        let builder = Registry::builder()
            .layer(heavy)
            .layer(light)
            .source("heavy", memory("heavy", &[("deploy", "from heavy")]))
            .source("light", memory("light", &[("deploy", "from light")]));
        let catalog = catalog(builder);
        assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), winner);
        assert_eq!(&*catalog.layers()[0].name, "heavy", "layers are sorted by weight");
    }
}

#[test]
fn equal_weights_keep_the_order() {
    let builder = Registry::builder()
        .layer(Layer::new("lower", TRUSTED).weighing(5))
        .layer(Layer::new("upper", TRUSTED).weighing(5))
        .source("lower", memory("lower", &[("deploy", "from lower")]))
        .source("upper", memory("upper", &[("deploy", "from upper")]));
    let catalog = catalog(builder);
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from upper");
}

#[test]
fn unknown_layer_has_weight_zero() {
    let policy = RegistryPolicy { unknown_layer: UnknownLayer::Lowest, ..Default::default() };
    let builder = stacked(&[("user", TRUSTED)])
        .source("somewhere", memory("elsewhere", &[("deploy", "unknown"), ("other", "unknown")]));
    let catalog = catalog(builder.policy(policy));
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from user");
    let layer = catalog.get("other").expect("the skill is offered").layer();
    assert_eq!((&*layer.name, layer.trust, layer.weight), ("somewhere", Trust::Untrusted, Some(0)));
    assert_eq!(reported(&catalog, "layer-unknown"), ["memory://elsewhere"]);
}

#[test]
fn disambiguated_skills_are_all_offered() {
    let same_layer = memory("second", &[("deploy", "from second"), ("x/deploy", "deeper")]);
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .source("project", same_layer)
        .policy(policy(Collision::Disambiguate));
    let catalog = catalog(builder);
    let expected = [
        ("deploy", "from project"),
        ("project:deploy#3", "deeper"),
        ("second:deploy", "from second"),
        ("user:deploy", "from user"),
    ];
    let shown: Vec<_> = catalog.skills().map(|skill| (skill.id(), skill.description())).collect();
    assert_eq!(shown, expected);
    assert_eq!(reported(&catalog, "skill-renamed").len(), 3, "each renamed skill has a finding");
    assert_eq!(catalog.excluded().len(), 0, "none is shadowed");
    for (id, description) in expected {
        let found = catalog.find(id, Caller::Model).found().expect("the id is found");
        assert_eq!(found.description(), description);
    }
    let winner = catalog.find("project:deploy", Caller::Model).found();
    assert_eq!(winner.map(|skill| skill.description()), Some("from project"));
}

/// A skill may have the distinct id of another one as its own id.
#[test]
fn ids_are_unique() {
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .single_skill_source("project", "user:deploy", memory("bold", &[("bold", "bold")]))
        .policy(policy(Collision::Disambiguate));
    let catalog = catalog(builder);
    assert_eq!(ids(&catalog), ["deploy", "user:deploy"]);
    assert_eq!(catalog.get("user:deploy").expect("the skill is offered").description(), "bold");
    let other = catalog.excluded().next().expect("the user's skill is excluded");
    let id = other.qualified_id();
    let found = id.as_deref().and_then(|id| catalog.find(id, Caller::Model).found());
    assert!(
        found.is_none_or(|found| found.index() == other.index()),
        "{id:?} is this skill or unknown"
    );
}

#[test]
fn collision_policy_error_rejects_all() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", Trust::AskFirst)])
            .policy(policy(Collision::Error)),
    );
    assert_eq!(ids(&catalog), [""; 0]);
    assert_eq!(catalog.rejected().len(), 2);
    let places = ["memory://project/deploy/SKILL.md", "memory://user/deploy/SKILL.md"];
    let mut errors = reported(&catalog, "skill-collision");
    errors.sort_unstable();
    assert_eq!(errors, places);
    assert!(catalog.excluded().next().is_none(), "each skill is rejected with an error");
    for id in ["deploy", "user:deploy", places[1]] {
        assert!(catalog.find(id, Caller::User).found().is_none(), "`{id}` cannot be loaded");
    }
}

/// Otherwise an untrusted layer could remove trusted skills.
#[test]
fn untrusted_skill_does_not_reject_a_trusted_one() {
    let layers = [("user", TRUSTED), ("downloads", Trust::Untrusted)];
    let catalog = catalog(stacked(&layers).policy(policy(Collision::Error)));
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "from user");
    assert_eq!(reported(&catalog, "skill-collision"), ["memory://downloads/deploy/SKILL.md"]);
}

/// A directory may have the name of an alias or a qualified id.
#[test]
fn untrusted_skill_gets_no_reserved_id() {
    let stranger =
        [("user:deploy", "a"), ("memory:deploy", "b"), ("ship", "c"), ("own:deploy", "d")];
    let stranger =
        stranger.iter().fold(MemorySource::builder("downloads"), |source, (at, text)| {
            source.file(&format!("{at}/SKILL.md"), skill_md("stranger", text))
        });
    let builder = stacked(&[("user", TRUSTED), ("project", TRUSTED)])
        .source("user", memory("memory", &[("deploy", "from memory")]))
        .layer(Layer::new("own", Trust::Untrusted))
        .source("own", Arc::new(stranger.build().expect("the paths are valid")))
        .alias("ship", "deploy");
    let policy = RegistryPolicy { id_from: IdFrom::Directory, ..policy(Collision::Shadow) };
    let catalog = catalog(builder.policy(policy));
    for (id, description) in [
        ("user:deploy", "from user"),
        ("memory:deploy", "from memory"),
        ("ship", "from project"),
        ("own:deploy", "d"),
        ("own:user:deploy", "a"),
        ("own:ship", "c"),
    ] {
        let found = catalog.find(id, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{id}");
    }
    assert_eq!(ids(&catalog), ["deploy", "own:deploy"], "the other skills are not offered");
    let reported = reported(&catalog, "skill-shadowed");
    let strangers = reported.iter().filter(|place| place.starts_with("memory://downloads"));
    assert_eq!(strangers.count(), 3, "each other skill has a finding: {reported:?}");
}

#[test]
fn disambiguation_respects_qualified_ids() {
    let builder = Registry::builder()
        .layer(Layer::new("plugin", Trust::Untrusted))
        .layer(Layer::new("user", TRUSTED))
        .layer(Layer::new("project", TRUSTED))
        .source("project", memory("first", &[("deploy", "from project")]))
        .source("plugin", memory("own", &[("deploy", "a")]))
        .source("plugin", memory("user", &[("deploy", "b")]));
    let catalog = catalog(builder.policy(policy(Collision::Disambiguate)));
    assert_eq!(ids(&catalog), ["deploy", "plugin:deploy"], "`user:` refers to the layer");
}

#[test]
fn alias_may_name_an_untrusted_skill() {
    let builder = stacked(&[("plugin", Trust::Untrusted)]).alias("deploy", "plugin:deploy");
    assert_eq!(ids(&catalog(builder)), ["deploy"], "the host's alias names this skill");
    let by_source = |meant: &str| {
        let builder = Registry::builder()
            .layer(Layer::new("plugin", Trust::Untrusted))
            .source("plugin", memory("disk", &[("deploy", "a"), ("ship", "b")]))
            .alias("deploy", meant);
        catalog(builder)
    };
    assert_eq!(ids(&by_source("disk:deploy")), ["deploy", "ship"], "by the name of its source");
    for other in ["plugin:ship", "disk:ship", "elsewhere:deploy"] {
        assert_eq!(ids(&by_source(other)), ["ship"], "`{other}` is another skill");
    }
}

#[test]
fn qualified_id_finds_shadowed_skills() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", TRUSTED)])
            .source("user", memory("more", &[("a/deploy", "a"), ("b/deploy", "b")])),
    );
    for (id, description) in [
        ("deploy", "from project"),
        ("project:deploy", "from project"),
        ("user:deploy", "from user"),
        ("user:deploy#2", "a"),
        ("more:deploy#2", "b"),
        ("memory://user/deploy/SKILL.md", "from user"),
    ] {
        let found = catalog.find(id, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{id}");
        let named = catalog.all_named(id);
        assert!(named.iter().any(|record| record.description() == description), "{id}");
        assert!(!id.contains('#') || named.len() == 1, "a numbered id is unique: {id}");
    }
    for id in ["user:other", "other:deploy", "user:deploy#9", ":deploy", "user:", "deploy#2"] {
        assert!(catalog.find(id, Caller::Model).found().is_none(), "`{id}` is unknown");
    }
    for record in catalog.skills().chain(catalog.excluded()) {
        let id = record.qualified_id().expect("each skill has a qualified id");
        let found = catalog.find(&id, Caller::Model).found().expect("the qualified id is found");
        assert_eq!(found.index(), record.index(), "{id}");
    }
}

#[test]
fn alias_refers_to_an_id() {
    let catalog = catalog(
        stacked(&[("user", TRUSTED), ("project", TRUSTED)])
            .source("user", memory("more", &[("zip", "packs")]))
            .alias("ship", "deploy")
            .alias("own-ship", "user:deploy")
            .alias("zip", "deploy")
            .alias("lost", "nowhere"),
    );
    for (alias, description) in
        [("ship", "from project"), ("own-ship", "from user"), ("zip", "packs")]
    {
        let found = catalog.find(alias, Caller::Model).found();
        assert_eq!(found.map(|skill| skill.description()), Some(description), "{alias}");
        let named = catalog.all_named(alias);
        let is_found = |record: &Record<'_>| record.description() == description;
        assert!(named.iter().any(is_found), "`all_named` finds the same skill: {alias}");
        assert!(alias != "zip" || named.len() == 1, "an id takes precedence over an alias");
    }
    let codes: Vec<_> = catalog
        .diagnostics()
        .map(|found| found.code.as_str())
        .filter(|code| code.starts_with("alias"))
        .collect();
    assert_eq!(codes, ["alias-unknown", "alias-taken"], "invalid aliases have findings");
    assert!(catalog.get("ship").is_none(), "`get` does not resolve aliases");
}

#[test]
fn single_skill_source_has_the_hosts_name() {
    let one = MemorySource::builder("one").file("SKILL.md", skill_md("declared", "It is one."));
    let one = Arc::new(one.build().expect("the paths are valid"));
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .single_skill_source("user", "given", one)
        .single_skill_source("user", "unused", memory("two", &[("a", "A."), ("b", "B.")]));
    let catalog = catalog(builder);
    assert_eq!(ids(&catalog), ["a", "b", "given"]);
    assert_eq!(catalog.get("given").expect("the skill is offered").name(), "declared");
    assert_eq!(reported(&catalog, "name-unused"), ["memory://two"]);
}

#[test]
fn single_skill_source_needs_a_skill_md() {
    let source = |name: &str, file: &str, text: &str| {
        let source = MemorySource::builder(name).file(file, text);
        Arc::new(source.build().expect("the paths are valid"))
    };
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .single_skill_source("user", "given", source("bare", "README.md", "Nothing."))
        .single_skill_source("user", "other", source("broken", "SKILL.md", "no frontmatter"));
    let catalog = catalog(builder);
    let missing: Vec<_> =
        catalog.diagnostics().filter(|found| found.code.as_str() == "skill-md-missing").collect();
    let [missing] = &*missing else { panic!("of one that is broken something else is reported") };
    assert_eq!(missing.message, "Skill must contain a SKILL.md file");
    assert_eq!(missing.path.as_deref(), Some("memory://bare"));
    assert!(missing.is_error(), "a missing file of a named skill is an error");
    assert_eq!(reported(&catalog, "name-unused"), [""; 0], "the name is not reported as unused");
}

#[test]
fn id_from_directory_is_a_policy() {
    let source = MemorySource::builder("user").file("tables/SKILL.md", skill_md("sheets", "Rows."));
    let source = Arc::new(source.build().expect("the paths are valid"));
    for (id_from, id) in [(IdFrom::Name, "sheets"), (IdFrom::Directory, "tables")] {
        let source: Arc<MemorySource> = Arc::clone(&source);
        let builder = Registry::builder().layer(Layer::new("user", TRUSTED)).source("user", source);
        let policy = RegistryPolicy { id_from, ..RegistryPolicy::default() };
        assert_eq!(ids(&catalog(builder.policy(policy))), [id]);
    }
}

#[test]
fn name_mismatch_follows_the_policy() {
    use NameMismatch::{Allow, Error, Profile as ByProfile, Warn};
    let source = MemorySource::builder("user").file("tables/SKILL.md", skill_md("sheets", "Rows."));
    let source = Arc::new(source.build().expect("the paths are valid"));
    for (profile, name_mismatch, skills, severity) in [
        (Profile::Lenient, ByProfile, 1, Some(Severity::Warning)),
        (Profile::Spec, ByProfile, 0, Some(Severity::Error)),
        (Profile::Spec, Allow, 1, None),
        (Profile::Spec, Warn, 1, Some(Severity::Warning)),
        (Profile::Lenient, Error, 0, Some(Severity::Error)),
    ] {
        let source: Arc<MemorySource> = Arc::clone(&source);
        let builder = Registry::builder().layer(Layer::new("user", TRUSTED)).source("user", source);
        let policy = RegistryPolicy { profile, name_mismatch, ..RegistryPolicy::default() };
        let catalog = catalog(builder.policy(policy));
        assert_eq!(catalog.len(), skills, "{profile:?} {name_mismatch:?}");
        let is_it = |found: &&Diagnostic| found.code.as_str() == "name-directory-mismatch";
        let found = catalog.diagnostics().find(is_it).map(|found| found.severity);
        assert_eq!(found, severity, "{profile:?} {name_mismatch:?}");
    }
}

/// Sources are sorted by layer, and a layer may have several sources.
#[test]
fn sources_are_sorted_by_layer() {
    let builder = Registry::builder()
        .layer(Layer::new("plugin", TRUSTED))
        .layer(Layer::new("enterprise", TRUSTED))
        .source("plugin", memory("first-plugin", &[("b", "B.")]))
        .source("enterprise", memory("enterprise", &[("c", "C.")]))
        .source("plugin", memory("second-plugin", &[("a", "A.")]));
    let catalog = catalog(builder);
    let sources: Vec<_> = catalog.sources().iter().map(|of| of.source.name()).collect();
    assert_eq!(sources, ["enterprise", "first-plugin", "second-plugin"]);
    assert_eq!(ids(&catalog), ["a", "b", "c"], "skills are sorted by id");
}

#[test]
fn catalog_is_listed_by_pages() {
    let names: Vec<_> = (0..10_000).map(|at| format!("skill-{at:05}")).collect();
    let skills: Vec<_> = names.iter().map(|name| (name.as_str(), "One of many.")).collect();
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .source("user", memory("user", &skills));
    let catalog = catalog(builder);
    let page = |number: usize| catalog.skills().skip(number * 300).take(300);
    let paged: Vec<_> = (0..).map(page).take_while(|page| page.len() > 0).flatten().collect();
    assert!(paged.iter().map(Record::id).eq(&names), "each skill once, in order");
}

#[test]
fn shared_root_is_reported() {
    let source = memory("same", &[("deploy", "the same")]);
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .layer(Layer::new("project", TRUSTED))
        .source("user", Arc::clone(&source) as _)
        .source("project", source);
    let catalog = catalog(builder);
    assert_eq!(reported(&catalog, "root-shared"), ["memory://same"]);
    assert_eq!(reported(&catalog, "skill-copy").len(), 1, "the copy is only a hint");
}

/// Of two thousand skills with one id, one is used and the others are shadowed.
#[test]
fn many_collisions_are_resolved() {
    let packages: Vec<_> = (0..2000).map(|at| format!("p{at:04}/deploy")).collect();
    let skills: Vec<_> = packages.iter().map(|package| (package.as_str(), &**package)).collect();
    let builder = Registry::builder()
        .layer(Layer::new("user", TRUSTED))
        .source("user", memory("user", &skills));
    let catalog = catalog(builder);
    assert_eq!(catalog.get("deploy").expect("the skill is offered").description(), "p0000/deploy");
    assert_eq!(catalog.excluded().len(), 1999);
}

#[test]
fn lower_case_skill_md_follows_the_policy() {
    use SkillMdCase::{Any, Exact, Profile as ByProfile};
    for (profile, skill_md_case, skills, severity) in [
        (Profile::Lenient, ByProfile, 1, "hint"),
        (Profile::Strict, ByProfile, 0, "error"),
        (Profile::Strict, Any, 1, "hint"),
        (Profile::Lenient, Exact, 0, "error"),
    ] {
        let source = MemorySource::builder("m").file("pdf/skill.md", skill_md("pdf", "Good."));
        let source = Arc::new(source.build().expect("the path is valid"));
        let policy = RegistryPolicy { profile, skill_md_case, ..RegistryPolicy::default() };
        let builder = Registry::builder().policy(policy).layer(Layer::new("user", Trust::Trusted));
        let registry = builder.source("user", source).build().expect("the layer is valid");
        let catalog = registry.reload().catalog;
        assert_eq!(catalog.len(), skills, "{profile:?} {skill_md_case:?}");
        let found: Vec<_> = catalog
            .diagnostics()
            .map(|found| format!("{} {}", found.severity, found.code))
            .collect();
        let expected = [format!("{severity} instructions-file-case")];
        assert_eq!(found, expected, "{profile:?} {skill_md_case:?}");
    }
}
