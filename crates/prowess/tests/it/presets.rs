//! Each preset: what it says otherwise than the standard one, and what that does.

use std::sync::Arc;

use expect_test::{Expect, expect};
use prowess::session::Discipline;
use prowess::source_fs::{ProjectTrust, Surroundings};
use prowess::{BodyDelivery, NoFolderTrust, Policies};
use prowess_testkit::Tree;
use serde_json::json;
use serde_yaml::Value;

use crate::dynamic;
use crate::scripted::Agent;

/// Appends the values of one tree of policies that another does not have, as `key.key: value`.
fn differences(path: &str, value: &Value, standard: &Value, differing: &mut String) {
    match (value, standard) {
        (Value::Mapping(values), Value::Mapping(standards)) => {
            for (key, value) in values {
                let name = key.as_str().unwrap_or_default();
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                differences(&path, value, standards.get(key).unwrap_or(&Value::Null), differing);
            }
        }
        _ if value == standard => {}
        _ => {
            let value = serde_json::to_string(value).expect("policies are data");
            differing.push_str(&format!("{path}: {value}\n"));
        }
    }
}

/// Checks what a preset says otherwise than the standard one.
fn check(name: &str, expected: &Expect) {
    let policies = Policies::preset(name).expect("there is one of this name");
    let read = Policies::from_yaml(&format!("preset: {name}\n")).expect("a file may name it");
    assert_eq!(read, policies, "a file that names `{name}` and no more is the preset");
    let data = |policies: &Policies| serde_yaml::to_value(policies).expect("policies are data");
    let mut differing = String::new();
    differences("", &data(&policies), &data(&Policies::default()), &mut differing);
    expected.assert_eq(&differing);
}

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
        let runtime = dynamic::builder().policies(policies).default_skills().build();
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
fn standard() {
    check("standard", &expect![[""]]);
}

#[test]
fn flexigpt() {
    check(
        "flexigpt",
        &expect![[r#"
            registry.name_mismatch: "allow"
            registry.collision: "disambiguate"
            refresh.mode: "manual"
            gate.tool_semantics: "advisory"
            name_style: "dash"
        "#]],
    );
}

#[test]
fn omniforge() {
    check(
        "omniforge",
        &expect![[r#"
            discovery.client: "omniforge"
            discovery.shared: false
            discovery.user: false
            discovery.organization: null
            discovery.bounds.max_depth: 1
            discovery.roots.enterprise: ["~/.omniforge/enterprise/skills"]
            discovery.roots.personal: ["~/.omniforge/skills"]
            registry.profile: "extended"
            registry.name_rule: "kebab-letter-first"
            registry.name_mismatch: "allow"
            registry.skill_md_case: "exact"
            refresh.mode: "ttl"
            refresh.body_seconds: 300
            layers: [{"name":"enterprise","trust":"trusted"},{"name":"personal","trust":"trusted"},{"name":"project","trust":"ask_first"},{"name":"plugin","trust":"untrusted"}]
            session.discipline: "stack"
            session.max_active: 1000
            delivery.bodies: "tool_result"
            prompt.catalog_place: "tool_description"
            prompt.catalog_format: "quoted_lines"
            prompt.blocks.any: ["base_rule","navigation","path_resolution","script_execution","tool_calling_examples"]
            prompt.blocks.claude: ["base_rule","navigation","path_rules","script_execution"]
            tools.surfaces: ["skill"]
            tools.script_read: "block_when_active"
            gate.tool_semantics: "restrict"
            gate.refusal_wording: "skill"
        "#]],
    );
}

#[test]
fn boxxy() {
    check(
        "boxxy",
        &expect![[r#"
            registry.profile: "strict"
            registry.limits.body_lines.severity: "error"
            registry.limits.body_tokens.max: 5000
            registry.limits.body_tokens.severity: "warning"
            registry.name_mismatch: "error"
            registry.skill_md_case: "any"
            registry.collision: "error"
            refresh.mode: "manual"
            session.discipline: "stateless"
            delivery.bodies: "tool_result"
            prompt.catalog_format: "xml_attrs"
            tools.read_gate: "known"
            tools.run_gate: "known"
            added_tools: "gate"
        "#]],
    );
}

#[test]
fn sandbox() {
    check(
        "sandbox",
        &expect![[r#"
            registry.name_rule: "any"
            registry.name_mismatch: "allow"
            registry.collision: "error"
            refresh.mode: "manual"
            session.discipline: "stateless"
            delivery.bodies: "tool_result"
            delivery.show_location: "none"
            prompt.catalog_place: "tool_description"
            prompt.described_skills: "at_start"
            prompt.catalog_format: "dash_lines"
            tools.surfaces: ["get_skill","shell","files"]
            tools.read_gate: "known"
            tools.skill_lookup: "casefold_unique"
        "#]],
    );
}

#[test]
fn yodoca() {
    check(
        "yodoca",
        &expect![[r#"
            registry.profile: "extended"
            registry.limits.body_tokens.severity: "warning"
            registry.id_from: "directory"
            registry.name_mismatch: "allow"
            registry.skill_md_case: "exact"
            registry.collision: "error"
            refresh.mode: "poll"
            session.discipline: "stateless"
            delivery.bodies: "tool_result"
            prompt.catalog_place: "context_block"
            prompt.catalog_format: "bullets"
            prompt.blocks.any: ["base_rule","check_first"]
            tools.surfaces: ["read_skill"]
            tools.skill_content: "file"
            tools.read_gate: "known"
        "#]],
    );
}

#[test]
fn a_file_says_what_differs_from_its_preset() {
    let text = "preset: yodoca\nrefresh:\n  poll_seconds: 9\nsession:\n  max_active: 2\n";
    let policies = Policies::from_yaml(text).expect("each field is one");
    let of_preset = Policies::preset("yodoca").expect("there is one");
    assert_eq!(policies.refresh.poll_seconds, 9, "what the file says");
    assert_eq!(policies.refresh.mode, of_preset.refresh.mode, "what it leaves to the preset");
    assert_eq!(policies.registry, of_preset.registry, "a part that it does not name");
}

#[test]
fn unknown_preset_lists_the_presets_or_the_nearest() {
    let error = |name: &str| Policies::preset(name).expect_err("there is none").to_string();
    let near = error("omnifrog");
    assert!(near.ends_with("no preset named `omnifrog`; did you mean `omniforge`?"), "{near}");
    let far = error("zzz");
    for preset in Policies::presets() {
        assert!(far.contains(&format!("`{preset}`")), "`{preset}` is listed: {far}");
    }
}

/// A shelf whose skills every preset sees otherwise.
const SHELF: &str = "
//- /one/pdf/SKILL.md
---
name: pdf
description: Fills forms. Use for forms.
---
Forms
//- /one/notes/SKILL.md
---
name: other
description: Takes notes. Use for notes.
---
Notes
//- /one/upper/SKILL.md
---
name: My Notes
description: Takes notes too. Use for notes.
---
Notes
//- /two/pdf/SKILL.md
---
name: pdf
description: Merges files. Use for files.
---
Files
";

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
    let check = |preset, ids: &[&str], errors| {
        assert_eq!(
            offered(preset),
            (ids.iter().map(|id| (*id).to_owned()).collect(), errors),
            "{preset}"
        );
    };
    check("standard", &["my-notes", "other", "pdf"], 0);
    check("flexigpt", &["my-notes", "other", "pdf", "project:pdf#2"], 0);
    check("omniforge", &["other", "pdf"], 1);
    check("boxxy", &[], 4);
    check("sandbox", &["My Notes", "other"], 2);
    check("yodoca", &["notes"], 3);
}

/// The enterprise's skills, the user's and the project's, each in its layer and the highest first.
#[test]
fn omniforge_finds_its_layers_in_a_home() {
    let skill = |of: &str| format!("---\nname: {of}\ndescription: Of {of}. Use it.\n---\nBody\n");
    let tree = Tree::new("");
    let places = [
        ("home/.omniforge/enterprise/skills", "enterprise"),
        ("home/.omniforge/skills", "personal"),
        ("project/.omniforge/skills", "project"),
    ];
    for (place, layer) in places {
        tree.write(&format!("{place}/{layer}/SKILL.md"), skill(layer));
        tree.write(&format!("{place}/deploy/SKILL.md"), skill("deploy"));
    }
    tree.write("project/.omniforge/skills/group/nested/SKILL.md", skill("nested"));
    tree.write("project/.omniforge/skills/notes.md", "No skill.");
    tree.write("project/.agents/skills/stray/SKILL.md", skill("stray"));
    let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("project")));
    let mut policies = Policies::preset("omniforge").expect("there is one");
    policies.discovery.project_trust = ProjectTrust::Label;
    let builder = dynamic::builder().policies(policies);
    let runtime = builder.discover(machine, Arc::new(NoFolderTrust)).build();
    let catalog = runtime.expect("the layers are there").catalog();
    let layers: Vec<_> = catalog.layers().iter().map(|layer| &*layer.name).collect();
    assert_eq!(&layers[..4], ["enterprise", "personal", "project", "plugin"]);
    let skills: Vec<_> = catalog.skills().map(|skill| (skill.id(), &*skill.layer().name)).collect();
    let expected = [
        ("deploy", "enterprise"),
        ("enterprise", "enterprise"),
        ("personal", "personal"),
        ("project", "project"),
    ];
    assert_eq!(skills, expected, "the enterprise's skill of a name is the one that is used");

    let homely = Surroundings::new(Some(tree.join("home")), None);
    let policies = Policies::preset("omniforge").expect("there is one");
    let layers: Vec<_> =
        policies.discovery.find(&homely).roots.into_iter().map(|root| root.layer).collect();
    assert_eq!(
        layers,
        ["enterprise".into(), "personal".into()],
        "without a project it has no layer"
    );
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

/// The discipline of each preset's sessions.
#[test]
fn presets_have_their_discipline() {
    let expected = [
        ("standard", Discipline::Set),
        ("flexigpt", Discipline::Set),
        ("omniforge", Discipline::Stack),
        ("boxxy", Discipline::Stateless),
        ("sandbox", Discipline::Stateless),
        ("yodoca", Discipline::Stateless),
    ];
    let found = Policies::presets()
        .map(|name| (name, Policies::preset(name).expect("it is a preset").session.discipline));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
