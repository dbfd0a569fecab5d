//! Precedence of several skills with the same name.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Caller, Catalog, CatalogProvider, Layer, SkillSource, Timestamp, Trust,
};
use prowess_registry::{Registry, RegistryError};

use crate::fixture::{files, memory, registry, skill_md};

/// Checks that the offered skill `deploy` has this description, and that the others are shadowed,
/// each with a reason and a warning.
#[track_caller]
fn check(registry: &Registry, winner: &str, shadowed: usize) {
    let catalog = registry.reload().catalog;
    let deploy = catalog.get("deploy").expect("one skill is offered");
    assert_eq!(deploy.description(), winner);
    let aside: Vec<_> = catalog.excluded().collect();
    assert_eq!(aside.len(), shadowed, "each other skill is excluded");
    for record in &aside {
        let reason = record.reason().expect("a shadowed record has a reason");
        assert!(reason.contains(&deploy.location()), "the reason names the winner: {reason}");
        let is_about = |path: &Option<Box<str>>| path.as_deref() == Some(&record.location());
        let reported = catalog
            .diagnostics()
            .any(|found| found.code.as_str() == "skill-shadowed" && is_about(&found.path));
        assert!(reported, "{} is shadowed without a finding", record.location());
    }
}

#[test]
fn priority_then_path_wins_in_a_layer() {
    let with = |priority: i16, package: &str| {
        format!(
            "---\nname: deploy\ndescription: priority {priority}\npriority: {priority}\n---\n{package}\n"
        )
    };
    let skill =
        |(package, priority)| (format!("{package}/deploy/SKILL.md"), with(priority, package));
    let source = files("user", [("a", 0), ("b", 5), ("c", 5)].map(skill));
    let registry = registry(vec![("user", Trust::Trusted, source)]);
    check(&registry, "priority 5", 2);
    let location = registry.catalog().get("deploy").expect("the skill is offered").location();
    assert_eq!(location, "memory://user/b/deploy/SKILL.md", "equal priorities are sorted by path");
}

#[test]
fn exact_name_wins_over_repaired_ones() {
    let source = |skills: &[(&str, &str)]| -> Arc<dyn SkillSource> {
        files(
            "user",
            skills
                .iter()
                .map(|(path, fields)| (path, format!("---\n{fields}\ndescription: {path}\n---\n"))),
        )
    };
    let exact = ("deploy/SKILL.md", "name: deploy");
    for (written, is_other) in [
        ("name: -deploy", true),
        ("name: \u{ff24}EPLOY", false),
        ("name: \u{ff44}\u{ff45}ploy", false),
        ("name: \" deploy\"", false),
        ("name: \"deploy\u{a0}\"", false),
        ("name: \"\u{3000}deploy\u{2003}\"", false),
        ("name: \u{2800}deploy", true),
        ("name: Deploy\npriority: 9", false),
        ("priority: 9", false),
    ] {
        let user = source(&[("a/deploy/SKILL.md", written), exact]);
        let user = registry(vec![("user", Trust::Trusted, user)]);
        check(&user, exact.0, usize::from(!is_other));
        let above = source(&[("a/deploy/SKILL.md", written)]);
        let below = source(&[exact]);
        let layers = vec![("below", Trust::Trusted, below), ("above", Trust::Trusted, above)];
        check(&registry(layers), exact.0, 1);
    }
    let directory = ("deploy/SKILL.md", "priority: -9");
    let user = source(&[("a/SKILL.md", "name: \" Deploy\""), directory]);
    check(&registry(vec![("user", Trust::Trusted, user)]), directory.0, 1);
    // A name that differs by more than case and blanks is another skill's, and finds it.
    let first = ("a/SKILL.md", "name: -deploy");
    let user = registry(vec![("user", Trust::Trusted, source(&[first, exact]))]);
    user.reload();
    for (name, place) in [("-deploy", "a/"), ("deploy", "deploy/"), ("user:deploy#2", "a/")] {
        let found = user.catalog().find(name, Caller::Model).found().map(|it| it.location());
        let place = format!("memory://user/{place}SKILL.md");
        assert_eq!(found, Some(place), "{name}");
    }
    let trusted = vec![
        ("other", Trust::Untrusted, source(&[exact])),
        ("user", Trust::Trusted, source(&[first])),
    ];
    check(&registry(trusted), "a/SKILL.md", 1);
}

#[test]
fn result_does_not_depend_on_scan_order() {
    let packages = ["a/deploy", "b/deploy", "c/deploy"];
    for rotation in 0..packages.len() {
        let source = Arc::new(crate::fixture::Changing::default());
        for at in 0..packages.len() {
            let package = packages[(at + rotation) % packages.len()];
            source.set(package, skill_md("deploy", package), 1);
        }
        check(&registry(vec![("user", Trust::Trusted, source)]), "a/deploy", 2);
    }
}

#[test]
fn broken_skill_does_not_hide_others() {
    let [good, also_good] = ["good", "also-good"].map(|name| skill_md(name, "fine"));
    let skills: [(_, &[u8]); 4] = [
        ("good/SKILL.md", good.as_bytes()),
        ("bad/SKILL.md", b"no frontmatter at all"),
        ("worse/SKILL.md", b"\xff\xfe"),
        ("also-good/SKILL.md", also_good.as_bytes()),
    ];
    let source = files("user", skills);
    let catalog = registry(vec![("user", Trust::Trusted, source)]).reload().catalog;
    let ids: Vec<_> = catalog.skills().map(|skill| skill.id()).collect();
    assert_eq!(ids, ["also-good", "good"], "the valid skills are offered");
    let errors: Vec<_> = catalog
        .diagnostics()
        .filter(|found| found.is_error())
        .map(|found| found.path.as_deref())
        .collect();
    let places = [Some("memory://user/bad/SKILL.md"), Some("memory://user/worse/SKILL.md")];
    assert_eq!(errors, places, "each broken skill has a finding with its path");
}

#[test]
fn invalid_layers_are_errors() {
    let twice = Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .layer(Layer::new("user", Trust::AskFirst))
        .build();
    assert_eq!(twice.err(), Some(RegistryError::DuplicateLayer("user".into())));
    let unknown = Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .source("usr", memory("x", &[]))
        .build();
    let message = unknown.err().expect("the layer is unknown").to_string();
    assert_eq!(message, "there is no layer `usr`; the layers are `user`");
}

#[test]
fn slugs_collide_like_other_ids() {
    let skills = [
        ("a/SKILL.md", skill_md("Deploy", "from a")),
        ("b/SKILL.md", skill_md("deploy", "from b")),
        ("deploy/SKILL.md", "---\ndescription: from the directory\n---\nBody\n".to_owned()),
    ];
    let layers = vec![
        ("user", Trust::Trusted, files("user", skills) as Arc<dyn SkillSource>),
        ("project", Trust::Untrusted, memory("project", &[("Deploy", "from project")])),
    ];
    let registry = registry(layers);
    check(&registry, "from b", 3);
    assert_eq!(registry.catalog().get("deploy").map(|it| it.name()), Some("deploy"));
}

/// Returns a catalog of skills in these directories with these names.
fn named(names: &[(&str, &str)]) -> Arc<Catalog> {
    let skill =
        |(directory, name): &(&str, &str)| (format!("{directory}/SKILL.md"), skill_md(name, "x"));
    let source = files("user", names.iter().map(skill));
    registry(vec![("user", Trust::Trusted, source)]).reload().catalog
}

/// Each kind of name is found by its title, its folder and its id, and loaded.
#[test]
fn names_of_any_kind_are_found() {
    let names = [
        ("cpp", "C++"),
        ("csharp", "C#"),
        ("c", "C"),
        ("cppdash", "c--"),
        ("ship", "\u{1f680}"),
        ("plus", "++"),
        ("mixed", "\u{65e5}\u{672c}\u{8a9e} C++ \u{1f680}"),
        ("net", ".NET"),
    ];
    let catalog = named(&names);
    for (directory, name) in names {
        let titled = catalog.find(name, Caller::Model).found().expect(name);
        let loaded = ActiveSkill::of(titled, skill_md(name, "x").as_bytes(), Timestamp(0));
        assert_eq!(loaded.expect(name).name, name, "it is loaded");
        for reference in [name, directory, titled.id()] {
            let found = catalog.find(reference, Caller::Model).found().map(|it| it.location());
            let place = format!("memory://user/{directory}/SKILL.md");
            assert_eq!(found.as_ref(), Some(&place), "{reference}");
        }
    }
}

/// A path or a name without accents finds a skill where it is the only one.
#[test]
fn paths_and_plain_letters_find_one_skill() {
    let names = "a/pdf=pdf b/análisis=análisis b/straße=straße e/x=مي\u{200c}خواهم f/über=über \
        f/uber=uber g/ação=ação g/açaõ=açaõ";
    let names: Vec<_> = names.split(' ').filter_map(|name| name.split_once('=')).collect();
    let catalog = named(&names);
    let spelled = "/pdf pdf/ pdf/SKILL.md PDF.md skills/pdf ./.claude/skills/pdf/SKILL.md a/pdf \
        ~/.agents/skills/pdf/ memory://user/a/pdf";
    for (references, expected) in [
        (spelled, "a/pdf"),
        ("analisis /analisis", "b/análisis"),
        ("STRASSE", "b/straße"),
        ("ميخواهم مي\u{200c}خواهم", "e/x"),
        ("uber", "f/uber"),
        ("b/pdf evil/skills/pdf pdf/scripts/run.py acao", ""),
    ] {
        for reference in references.split(' ') {
            let found = catalog.find(reference, Caller::Model).found().map(|it| it.location());
            let place = format!("memory://user/{expected}/SKILL.md");
            assert_eq!(found, (!expected.is_empty()).then_some(place), "{reference}");
        }
    }
}
