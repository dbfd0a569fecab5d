//! Each preset: what it says otherwise than the standard one, and what that does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::expect_file;
use prowess::source_fs::Surroundings;
use prowess::{BodyDelivery, ConfigPart, Configuration, Origin, Policies};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;
use crate::scripted::Agent;

/// The rows of the guide's table of presets: the preset, and the tools of the third column.
fn documented_tools() -> Vec<(&'static str, Vec<&'static str>, bool)> {
    let guide = include_str!("../../src/guide/migrating.md");
    let table = guide.split("| you have | preset |").nth(1).expect("the guide has the table");
    let rows = table.lines().skip(2).map_while(|line| line.strip_prefix('|'));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').collect();
        let preset = cells[1].trim().trim_matches('`');
        let tools = cells[2].split('`').skip(1).step_by(2).collect();
        (preset, tools, cells[2].contains('…'))
    })
    .collect()
}

#[test]
fn guide_names_the_tools_of_each_preset() {
    let rows = documented_tools();
    let presets: Vec<_> = rows.iter().map(|(preset, ..)| *preset).collect();
    let mut all: Vec<_> = Policies::presets().collect();
    for preset in &presets {
        all.retain(|name| name != preset);
    }
    assert!(all.is_empty(), "the table has every preset, and not {all:?}");
    for (preset, documented, has_more) in rows {
        let policies = Policies::preset(preset).expect("there is one of this name");
        let builder = dynamic::builder().policies(policies).default_skills();
        let runtime = builder.script_runner(Arc::new(prowess_testkit::ShellRunner)).build();
        let runtime = runtime.expect("the preset fits together");
        let turn = runtime.turn(&runtime.open_session().expect("a session")).expect("a turn");
        let mut names: Vec<_> = turn.tools().into_iter().map(|tool| tool.name).collect();
        if has_more {
            names.retain(|name| documented.contains(&name.as_str()));
        }
        names.sort();
        let mut documented = documented;
        documented.sort_unstable();
        assert_eq!(names, documented, "{preset}");
    }
}

#[test]
fn presets_differ_from_the_standard_in_these_keys() {
    let values = |preset: &str| -> BTreeMap<String, serde_json::Value> {
        let part = ConfigPart::text(Origin::Text, format!("preset: {preset}\n"));
        let read = Configuration::of(&[part]).expect("there is one of this name");
        read.values().iter().map(|value| (value.key.clone(), value.value.clone())).collect()
    };
    let standard = values("standard");
    assert_eq!(Policies::preset("standard").expect("there is one"), Policies::default());
    let mut text = String::new();
    for preset in Policies::presets() {
        let _ = writeln!(text, "{preset}");
        for (key, value) in values(preset) {
            if standard.get(&key) != Some(&value) {
                let _ = writeln!(text, "  {key}: {value}");
            }
        }
    }
    expect_file!["golden/presets.txt"].assert_eq(&text);
}

/// A shelf whose skills every preset sees otherwise.
const SHELF: &str = include_str!("../data/presets.txt");

/// The ids that a preset offers of [`SHELF`], and how many errors it finds.
fn offered(preset: &str) -> (Vec<String>, usize) {
    let tree = Tree::new(SHELF);
    let policies = Policies::preset(preset).expect("there is one");
    let mut builder = dynamic::builder().policies(policies);
    for directory in ["one", "two"] {
        builder = builder.skills_directory("project", tree.join(directory));
    }
    let catalog = builder.build().expect("the layer is one of each preset's").catalog();
    let errors = catalog.diagnostics().filter(|found| found.is_error()).count();
    (catalog.skills().map(|skill| skill.id().to_owned()).collect(), errors)
}

#[test]
fn presets_see_one_shelf_each_in_its_own_way() {
    for row in include_str!("../data/preset_shelves.txt").lines() {
        let (preset, expected) = row.split_once(": ").expect("a preset, its skills and its errors");
        let (ids, errors) = offered(preset);
        assert_eq!(format!("{}; {errors}", ids.join(", ")), expected, "{preset}");
    }
}

/// The highest layer first; which skill of a name is used, is a case of the document.
#[test]
fn omniforge_finds_its_layers_in_a_home() {
    let tree = Tree::new("");
    for place in ["home/.omniforge/enterprise", "home/.omniforge", "project/.omniforge"] {
        tree.write(&format!("{place}/skills/deploy/SKILL.md"), "");
    }
    let policies = Policies::preset("omniforge").expect("there is one");
    let layers: Vec<_> = policies.layers.iter().map(|layer| layer.name.clone()).collect();
    assert_eq!(layers[..4].join(" "), "enterprise personal project plugin");
    for (project, count) in [(None, 2), (Some(tree.join("project")), 3)] {
        let roots = policies.discovery.find(&Surroundings::new(Some(tree.join("home")), project));
        assert!(roots.roots.iter().all(|root| root.may_be_missing), "an empty home has no finding");
        let found: Vec<_> = roots.roots.into_iter().map(|root| root.layer).collect();
        assert_eq!(found, layers[..count], "without a project it has no layer");
    }
}

/// A session without active skills has no instructions that could hold a body.
#[test]
fn stateless_sessions_have_bodies_in_results() {
    let yaml = "session: { discipline: stateless }";
    let policies = Policies::from_yaml(yaml).expect("each field is one");
    let runtime = dynamic::builder().policies(policies).default_skills().build();
    let runtime = runtime.expect("the layers are the standard ones");
    assert_eq!(runtime.policies().delivery.bodies, BodyDelivery::ToolResult);
    let mut agent = Agent::new(&runtime);
    let answer = agent.load(&["skill-writing"], "replace").1;
    assert!(format!("{answer:?}").contains("# Writing a skill"), "{answer:?}");
    let file = json!({ "skill": "skill-writing", "path": "references/checklist.md" });
    agent.succeed("skills_read", file);
    assert!(agent.active().is_empty(), "nothing stays active");
}
