//! Audiences, requirements and visibility.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::fixture::memory;
use prowess_core::{
    Audience, Caller, Catalog, CatalogProvider, Facts, Layer, Lookup, MemorySource, Record, Trust,
};
use prowess_registry::{
    Collision, MissingTools, Registry, RegistryBuilder, RegistryPolicy, Show, SkillRule,
    VisibilityPolicy,
};

/// Facts that a test sets.
#[derive(Default)]
struct Machine {
    programs: Mutex<BTreeSet<&'static str>>,
}

impl Machine {
    fn with(programs: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { programs: Mutex::new(programs.iter().copied().collect()) })
    }

    fn install(&self, program: &'static str) {
        self.programs.lock().expect("the lock is not poisoned").insert(program);
    }
}

impl Facts for Machine {
    fn system(&self) -> &str {
        "macos"
    }

    fn has_program(&self, name: &str) -> bool {
        self.programs.lock().expect("the lock is not poisoned").contains(name)
    }

    fn has_variable(&self, name: &str) -> bool {
        name == "HOME"
    }

    fn has_config(&self, key: &str) -> bool {
        key == "browser.enabled"
    }
}

/// Returns a layer of skills, each a name with the rest of its frontmatter.
fn layer(trust: Trust, skills: &[(&str, &str)]) -> (Layer, Arc<MemorySource>) {
    let name = trust.as_str();
    let file = |name: &str, yaml: &str| {
        format!("---\nname: {name}\ndescription: {name} of it.\n{yaml}---\nBody\n")
    };
    let add = |builder: prowess_core::MemorySourceBuilder, (name, yaml): &(&str, &str)| {
        builder.file(&format!("{name}/SKILL.md"), file(name, yaml))
    };
    let builder = skills.iter().fold(MemorySource::builder(name), add);
    (Layer::new(name, trust), Arc::new(builder.build().expect("the paths are valid")))
}

fn builder(layers: &[(Layer, Arc<MemorySource>)]) -> RegistryBuilder {
    layers.iter().fold(Registry::builder(), |builder, (layer, source)| {
        builder.layer(layer.clone()).source(&layer.name, Arc::clone(source) as _)
    })
}

fn registry(skills: &[(&str, &str)]) -> RegistryBuilder {
    builder(&[layer(Trust::Trusted, skills)])
}

fn loaded(builder: RegistryBuilder) -> Registry {
    let registry = builder.build().expect("the layers are valid");
    registry.reload();
    registry
}

fn ids(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().map(|skill| skill.id()).collect()
}

/// Returns the state of a skill, and its reason.
fn state(catalog: &Catalog, id: &str) -> String {
    let records = catalog.all_named(id);
    let record = records.first().expect("the skill exists");
    let state = record.availability().as_str();
    record.reason().map_or(state.to_owned(), |reason| format!("{state}: {reason}"))
}

/// Returns the result of looking up an id: `found`, `unknown` or the reason.
fn look_up(catalog: &Catalog, id: &str, caller: Caller) -> String {
    match catalog.find(id, caller) {
        Lookup::Found(_) => "found".to_owned(),
        Lookup::Unavailable(_, reason) => reason.to_owned(),
        Lookup::Unknown => "unknown".to_owned(),
    }
}

fn audience(agent: &str, tenant: &str, environment: &str) -> Audience {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Audience {
        agent: some(agent),
        tenant: some(tenant),
        environment: some(environment),
        ..Audience::default()
    }
}

const SCOPED: [(&str, &str); 5] = [
    ("all", ""),
    ("any-agent", "scope:\n  agents: ['*']\n"),
    ("builders", "scope:\n  agents: [builder]\n"),
    ("of-a", "scope:\n  tenants: [a]\n"),
    ("of-a-live", "scope:\n  tenants: [a]\n  environments: [live, test]\n"),
];

#[test]
fn scope_applies_to_catalog_and_load() {
    let registry = loaded(registry(&SCOPED));
    for (audience, expected) in [
        (Audience::default(), &["all", "any-agent"][..]),
        (audience("builder", "", ""), &["all", "any-agent", "builders"]),
        (audience("other", "", ""), &["all", "any-agent"]),
        (audience("", "a", ""), &["all", "any-agent", "of-a"]),
        (audience("", "b", "live"), &["all", "any-agent"]),
        (audience("", "a", "test"), &["all", "any-agent", "of-a", "of-a-live"]),
        (audience("builder", "a", "live"), &["all", "any-agent", "builders", "of-a", "of-a-live"]),
    ] {
        let catalog = registry.view(&audience);
        assert_eq!(ids(&catalog), expected, "{audience:?}");
        for (id, _) in SCOPED {
            let answer = if expected.contains(&id) { "found" } else { "unknown" };
            for caller in [Caller::Model, Caller::User] {
                assert_eq!(look_up(&catalog, id, caller), answer, "{audience:?} {id}");
                let qualified = format!("trusted:{id}");
                assert_eq!(look_up(&catalog, &qualified, caller), answer, "{audience:?} {id}");
            }
        }
        assert_eq!(catalog.len() + catalog.excluded().len(), SCOPED.len(), "each skill is listed");
    }
    let reason = "hidden: it is for the tenants `a` alone";
    assert_eq!(state(&registry.catalog(), "of-a"), reason);
}

/// A cached view must not be used for another tenant.
#[test]
fn view_is_not_shared_between_tenants() {
    let skills = [("mine", "scope:\n  tenants: [a]\n"), ("yours", "scope:\n  tenants: [b]\n")];
    let registry = loaded(registry(&skills));
    let (a, b) = (audience("", "a", ""), audience("", "b", ""));
    for _ in 0..3 {
        assert_eq!(ids(&registry.view(&a)), ["mine"]);
        assert_eq!(ids(&registry.view(&b)), ["yours"]);
        assert_eq!(ids(&registry.catalog()), [""; 0]);
    }
    assert!(Arc::ptr_eq(&registry.view(&a), &registry.view(&a)), "a view is cached");
    assert!(Arc::ptr_eq(&registry.view(&b), &registry.view(&b)), "so is the next one");
    let views: Vec<_> =
        (0..100).map(|other| registry.view(&audience("", &other.to_string(), ""))).collect();
    assert!(views.iter().all(|view| view.skills().next().is_none()), "nothing is theirs");
    for (other, is_kept) in [(36, true), (99, true), (35, false)] {
        let again = registry.view(&audience("", &other.to_string(), ""));
        assert_eq!(Arc::ptr_eq(&views[other], &again), is_kept, "64 views are kept: {other}");
    }
    assert_eq!(ids(&registry.view(&a)), ["mine"], "an evicted view is built again");
    let others = audience("builder", "a", "");
    assert!(
        !Arc::ptr_eq(&registry.view(&a), &registry.view(&others)),
        "the key is the whole audience"
    );
}

#[test]
fn concurrent_tenants_get_their_views() {
    let skills = [("mine", "scope:\n  tenants: [a]\n"), ("yours", "scope:\n  tenants: [b]\n")];
    let registry = loaded(registry(&skills));
    std::thread::scope(|scope| {
        for (tenant, expected) in [("a", "mine"), ("b", "yours"), ("a", "mine"), ("b", "yours")] {
            let registry = &registry;
            scope.spawn(move || {
                for round in 0..200 {
                    let environment = (round % 70).to_string();
                    let view = registry.view(&audience("", tenant, &environment));
                    assert_eq!(ids(&view), [expected], "tenant {tenant}");
                }
            });
        }
    });
}

/// Skills of two tenants with the same name do not collide.
#[test]
fn scopes_come_before_precedence() {
    let registry = loaded(builder(&[
        layer(Trust::AskFirst, &[("deploy", "scope:\n  tenants: [b]\n")]),
        layer(Trust::Trusted, &[("deploy", "scope:\n  tenants: [a]\n")]),
    ]));
    for (tenant, layer) in [("a", "trusted"), ("b", "ask_first")] {
        let view = registry.view(&audience("", tenant, ""));
        assert_eq!(&*view.get("deploy").expect("the skill is offered").layer().name, layer);
        assert_eq!(view.diagnostics().count(), 0, "nothing is shadowed");
    }
}

/// Otherwise an untrusted skill would show that a skill exists that is not for this audience, or
/// keep another one from its id.
#[test]
fn only_a_trusted_skill_in_scope_reserves_its_id() {
    let layers = [
        layer(Trust::Untrusted, &[("a", "")]),
        layer(Trust::Trusted, &[("a", "scope:\n  tenants: [a]\n")]),
    ];
    let catalog = loaded(builder(&layers)).catalog();
    assert_eq!(catalog.get("a").map(|skill| skill.trust()), Some(Trust::Untrusted));
    let source = |name: &str| memory(name, &[("a", name)]);
    let disabled = Registry::builder()
        .layer(Layer::new("downloads", Trust::Untrusted))
        .source("downloads", source("one"))
        .source("downloads", source("two"))
        .visibility(rules(&[("one:a", Show::Disabled)]));
    let catalog = loaded(disabled).catalog();
    assert_eq!(catalog.get("a").map(|skill| skill.description()), Some("two"));
}

#[test]
fn reload_rebuilds_views() {
    let machine = Machine::with(&[]);
    let needs = [("needs", "metadata:\n  openclaw:\n    requires:\n      bins: [jq]\n")];
    let registry = loaded(registry(&needs).facts(Arc::clone(&machine) as _));
    let a = audience("", "a", "");
    let before = registry.view(&a);
    assert_eq!(ids(&before), [""; 0]);
    registry.reload();
    assert!(Arc::ptr_eq(&before, &registry.view(&a)), "nothing has changed");
    machine.install("jq");
    assert_eq!(
        registry.reload().catalog.generation(),
        2,
        "a change of the facts is a change of the catalog"
    );
    assert_eq!(ids(&registry.view(&a)), ["needs"]);
    assert_eq!(ids(&before), [""; 0], "an earlier view is unchanged");
}

#[test]
fn missing_requirement_is_reported_of_a_skill_that_is_excluded_for_another_reason() {
    let needs = [("a", "metadata:\n  openclaw:\n    os: [win32]\n"), ("b", "")];
    let disabled = registry(&needs).visibility(rules(&[("a", Show::Disabled)]));
    let catalog = loaded(disabled.facts(Machine::with(&[]))).catalog();
    let missing = |id: &str| catalog.all_named(id).first().and_then(Record::missing_requirement);
    assert_eq!(missing("a"), Some("it is for `win32`, and this is `macos`"));
    assert_eq!(missing("b"), None);
}

#[test]
fn missing_requirement_hides_the_skill() {
    let openclaw = |yaml: &str| format!("metadata:\n  openclaw:\n    {yaml}\n");
    for (yaml, reason) in [
        ("os: [darwin, linux]", ""),
        ("os: [win32]", "it is for `win32`, and this is `macos`"),
        ("requires: {bins: [jq]}", ""),
        ("requires: {bins: [jq, rg]}", "it needs the program `rg`, which is not there"),
        ("requires: {anyBins: [rg, jq]}", ""),
        ("requires: {anyBins: [rg, ag]}", "it needs one of the programs `rg` or `ag`"),
        ("requires: {env: [HOME]}", ""),
        ("requires: {env: [KEY]}", "it needs the environment variable `KEY`, which is not set"),
        ("requires: {config: [browser.enabled]}", ""),
        ("requires: {config: [other]}", "it needs the configuration's `other`, which is not set"),
        ("{always: true, os: [win32]}", ""),
        (
            "{os: [win32], requires: {bins: [rg, ag]}}",
            "it is for `win32`, and this is `macos`; it needs the program `rg`, which is not there; \
             it needs the program `ag`, which is not there",
        ),
    ] {
        let yaml = openclaw(yaml);
        let catalog = loaded(registry(&[("a", &yaml)]).facts(Machine::with(&["jq"]))).catalog();
        let expected = if reason.is_empty() { "visible" } else { &format!("not-ready: {reason}") };
        assert_eq!(state(&catalog, "a"), expected, "{yaml}");
        if !reason.is_empty() {
            assert_eq!(look_up(&catalog, "a", Caller::Model), reason, "a load returns the reason");
            assert_eq!(look_up(&catalog, "a", Caller::User), reason);
        }
    }
    let yaml = openclaw("os: [win32]");
    assert_eq!(
        ids(&loaded(registry(&[("a", &yaml)])).catalog()),
        ["a"],
        "without facts all is ready"
    );
}

#[test]
fn unready_skill_shadows_none() {
    let needs = "metadata:\n  openclaw:\n    os: [win32]\n";
    for (lower, state_of_lower) in [
        (Trust::AskFirst, "visible"),
        (
            Trust::Untrusted,
            "shadowed: `memory://trusted/a/SKILL.md` of layer `trusted` has its id and is trusted, \
             though it is not offered",
        ),
    ] {
        let layers = [layer(lower, &[("a", "")]), layer(Trust::Trusted, &[("a", needs)])];
        let catalog = loaded(builder(&layers).facts(Machine::with(&[]))).catalog();
        let records = catalog.all_named("a");
        let of_lower =
            records.iter().find(|record| record.trust() == lower).expect("the skill exists");
        let reported =
            of_lower.reason().map_or("visible".to_owned(), |why| format!("shadowed: {why}"));
        assert_eq!(reported, state_of_lower);
        let warnings =
            catalog.diagnostics().filter(|reported| reported.code.as_str() == "skill-shadowed");
        assert_eq!(
            warnings.count(),
            usize::from(lower == Trust::Untrusted),
            "a shadowed skill has a warning"
        );
    }
}

#[test]
fn shadowed_skill_keeps_its_restrictions() {
    let layers = [
        layer(Trust::Untrusted, &[("a", "disable-model-invocation: true\n")]),
        layer(Trust::Trusted, &[("a", "metadata:\n  openclaw:\n    os: [win32]\n")]),
    ];
    let catalog = loaded(builder(&layers).facts(Machine::with(&[]))).catalog();
    let found = |caller| catalog.find("untrusted:a", caller).found().is_some();
    assert!(found(Caller::User), "a user may load it by its qualified id");
    assert!(!found(Caller::Model), "the skill is disabled for models");
}

#[test]
fn a_shadowed_skill_keeps_its_gates() {
    for (yaml, model, user) in [
        ("user-invocable: false\n", true, false),
        ("disable-model-invocation: true\n", false, true),
        ("paths: src/**\n", true, true),
    ] {
        let layers = [layer(Trust::AskFirst, &[("a", yaml)]), layer(Trust::Trusted, &[("a", "")])];
        let catalog = loaded(builder(&layers)).catalog();
        let found = |caller| catalog.find("ask_first:a", caller).found().is_some();
        assert_eq!((found(Caller::Model), found(Caller::User)), (model, user), "{yaml}");
    }
}

#[test]
fn model_and_user_have_separate_access() {
    let gates = [
        ("both", ""),
        ("model", "user-invocable: false\n"),
        ("nobody", "user-invocable: false\ndisable-model-invocation: true\n"),
        ("user", "disable-model-invocation: true\n"),
    ];
    let catalog = loaded(registry(&gates)).catalog();
    assert_eq!(ids(&catalog), ["both", "model"], "skills for models are offered");
    let of_user = "only a user may load it: `disable-model-invocation` is `true`";
    let of_model = "only a model may load it: `user-invocable` is `false`";
    for (id, model, user) in [
        ("both", "found", "found"),
        ("model", "found", of_model),
        ("nobody", of_user, of_user),
        ("user", of_user, "found"),
        ("trusted:user", of_user, "found"),
    ] {
        assert_eq!(look_up(&catalog, id, Caller::Model), model, "`{id}` for a model");
        assert_eq!(look_up(&catalog, id, Caller::User), user, "`{id}` for a user");
    }
}

/// A skill for users only keeps its id, so that a model does not get another skill by it.
#[test]
fn hidden_skill_keeps_its_id() {
    let held = [("a", "disable-model-invocation: true\n"), ("b", "paths: src/**\n")];
    let layers = [layer(Trust::Untrusted, &[("a", ""), ("b", "")]), layer(Trust::Trusted, &held)];
    let elsewhere = Audience { open_paths: Some(BTreeSet::new()), ..Audience::default() };
    let catalog = loaded(builder(&layers).audience(elsewhere)).catalog();
    assert_eq!(ids(&catalog), [""; 0]);
    assert_eq!(
        look_up(&catalog, "untrusted:a", Caller::Model),
        "found",
        "the qualified id is unambiguous"
    );
    let found = catalog.find("a", Caller::User).found().expect("a user may load it");
    assert_eq!(found.trust(), Trust::Trusted);
}

#[test]
fn skill_with_paths_needs_an_open_file() {
    let yaml = "paths: [\"src/**/*.{ts,tsx}\", docs, \"./*.md\"]\n";
    let registry = loaded(registry(&[("web", yaml)]));
    let open = |paths: &[&str]| {
        let open_paths = Some(paths.iter().map(|&path| path.to_owned()).collect());
        registry.view(&Audience { open_paths, ..Audience::default() })
    };
    assert_eq!(ids(&registry.catalog()), ["web"], "without open files all skills are offered");
    for path in ["src/a.ts", "src/deep/er/a.tsx", "docs/x/y.png", "README.md"] {
        assert_eq!(ids(&open(&["other", path])), ["web"], "{path}");
    }
    for path in ["src/a.rs", "a.ts", "docs2/x", "x/README.md", "../src/a.ts"] {
        assert_eq!(ids(&open(&[path])), [""; 0], "{path}");
    }
    let catalog = open(&[]);
    let reason = "none of the files `src/**/*.{ts,tsx}`, `docs`, `./*.md` is worked on";
    assert_eq!(look_up(&catalog, "web", Caller::Model), reason);
    assert_eq!(look_up(&catalog, "web", Caller::User), "found", "a user may load it");
}

/// Patterns of skills are untrusted.
#[test]
fn hostile_pattern_terminates() {
    let open_paths = Some(BTreeSet::from(["a".repeat(4096), "a/".repeat(2000)]));
    let audience = Audience { open_paths, ..Audience::default() };
    let braces = "{a,a}".repeat(50) + "b";
    let stars = "*a".repeat(120) + "b";
    let deep = "**/".repeat(80) + "b";
    let nested = "{".repeat(200);
    for pattern in [braces, stars, deep, nested] {
        let registry = loaded(registry(&[("a", &format!("paths: ['{pattern}']\n"))]));
        assert_eq!(ids(&registry.view(&audience)), [""; 0], "{pattern}");
    }
}

fn rules(rules: &[(&str, Show)]) -> VisibilityPolicy {
    let rule =
        |(pattern, show): &(&str, Show)| SkillRule { pattern: (*pattern).into(), show: *show };
    VisibilityPolicy { skills: rules.iter().map(rule).collect(), ..VisibilityPolicy::default() }
}

#[test]
fn rules_set_how_skills_are_offered() {
    let skills = [("draft-a", ""), ("draft-b", ""), ("pdf", ""), ("zip", "")];
    let visibility = rules(&[
        ("draft-*", Show::Disabled),
        ("draft-b", Show::Whole),
        ("trusted:z*", Show::NameOnly),
        ("other:*", Show::Disabled),
    ]);
    let catalog = loaded(registry(&skills).visibility(visibility)).catalog();
    assert_eq!(ids(&catalog), ["draft-b", "pdf", "zip"]);
    let names: Vec<_> =
        catalog.skills().filter(Record::is_name_only).map(|skill| skill.id()).collect();
    assert_eq!(names, ["zip"]);
    let zip = catalog.get("zip").expect("the skill is offered");
    assert_eq!(zip.tokens(), 1, "the description is not counted");
    for caller in [Caller::Model, Caller::User] {
        assert_eq!(look_up(&catalog, "draft-a", caller), "the policy disables `draft-*`");
    }
}

#[test]
fn a_rule_names_a_skill_by_its_layer_or_its_source() {
    for (pattern, expected) in
        [("user:a", &[][..]), ("disk:a", &[]), ("a", &[]), ("web:a", &["a"]), ("*:a", &[])]
    {
        let builder = Registry::builder()
            .layer(Layer::new("user", Trust::Trusted))
            .source("user", memory("disk", &[("a", "it")]))
            .visibility(rules(&[(pattern, Show::Disabled)]));
        assert_eq!(ids(&loaded(builder).catalog()), expected, "{pattern}");
    }
}

#[test]
fn a_rule_matches_the_declared_id_of_disambiguated_skills() {
    let layers =
        [layer(Trust::Trusted, &[("a", "license: MIT\n")]), layer(Trust::AskFirst, &[("a", "")])];
    let policy = RegistryPolicy { collision: Collision::Disambiguate, ..Default::default() };
    for (pattern, expected) in [("a", &["a", "trusted:a"][..]), ("trusted:a", &["trusted:a"])] {
        let visibility = rules(&[(pattern, Show::NameOnly)]);
        let catalog = loaded(builder(&layers).policy(policy).visibility(visibility)).catalog();
        assert_eq!(ids(&catalog), ["a", "trusted:a"]);
        let names: Vec<_> =
            catalog.skills().filter(Record::is_name_only).map(|skill| skill.id()).collect();
        assert_eq!(names, expected, "{pattern}");
    }
}

/// A user can select one of two skills by disabling the other.
#[test]
fn disabled_skill_does_not_shadow() {
    let layers = [layer(Trust::AskFirst, &[("a", "")]), layer(Trust::Trusted, &[("a", "")])];
    let visibility = rules(&[("trusted:a", Show::Disabled)]);
    let catalog = loaded(builder(&layers).visibility(visibility)).catalog();
    assert_eq!(catalog.get("a").expect("one skill is offered").trust(), Trust::AskFirst);
}

#[test]
fn agent_has_its_declared_skills() {
    let agents = [("writer".to_owned(), vec!["pdf".to_owned(), "team-*".to_owned()])];
    let visibility = VisibilityPolicy { agents: agents.into(), ..VisibilityPolicy::default() };
    let skills = [("pdf", ""), ("team-style", ""), ("zip", "")];
    let registry = loaded(registry(&skills).visibility(visibility));
    let orchestrator = registry.view(&audience("orchestrator", "", ""));
    assert_eq!(ids(&orchestrator), ["pdf", "team-style", "zip"]);
    let writer = registry.view(&audience("writer", "", ""));
    assert_eq!(ids(&writer), ["pdf", "team-style"]);
    assert_eq!(look_up(&writer, "zip", Caller::Model), "unknown");
}

#[test]
fn missing_tools_follow_the_policy() {
    let skills =
        [("reader", "allowed-tools: Read\n"), ("runner", "allowed-tools: Bash(git:*) Read\n")];
    let reason = "it needs the tool `Bash`, which the host does not offer";
    for (missing_tools, expected, findings) in [
        (MissingTools::Ignore, "visible", 0),
        (MissingTools::Flag, "visible", 1),
        (MissingTools::Hide, &*format!("not-ready: {reason}"), 0),
    ] {
        let visibility = VisibilityPolicy { missing_tools, ..VisibilityPolicy::default() };
        let registry = loaded(registry(&skills).visibility(visibility));
        let tools = Some(BTreeSet::from(["read".to_owned()]));
        let catalog = registry.view(&Audience { tools, ..Audience::default() });
        assert_eq!(state(&catalog, "runner"), expected, "{missing_tools:?}");
        assert_eq!(state(&catalog, "reader"), "visible");
        let reported = catalog.diagnostics().filter(|found| found.code.as_str() == "tool-missing");
        assert_eq!(reported.count(), findings, "{missing_tools:?}");
        assert_eq!(
            ids(&registry.catalog()),
            ["reader", "runner"],
            "a host that does not say has all"
        );
    }
}
