//! `prowess validate` as an author and a workflow meet it.

mod fixes;
mod formats;
mod terminal;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use expect_test::expect_file;
use prowess_testkit::{Tree, rows};
use serde_json::json;

use crate::bad_input::without_override;
use crate::program::{Program, Ran};
use crate::skill_md;

const BODY: &str = "# Notes\n\n## When to use\n\nFor example `a`.\n";

pub(crate) fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Use {name} when asked.\n{more}---\n{BODY}")
}

/// Runs `validate` in the directory of a tree.
pub(crate) fn validate(tree: &Tree, args: &[&str]) -> Ran {
    let args: Vec<&str> = ["validate"].iter().chain(args).copied().collect();
    Program::new().working_in(tree.path()).run(&args)
}

/// Returns what a run in `tree` prints, and checks its exit code.
#[track_caller]
fn shown(tree: &Tree, args: &[&str], code: i32) -> String {
    let ran = validate(tree, args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert_eq!(ran.stderr, "", "there is nothing to remark");
    ran.stdout
}

/// One skill with a mistake of each severity.
fn mistaken() -> Tree {
    let tree = Tree::new("");
    let text = skill("pdf", "colour: red\n") + "\nSee [the forms](references/forms.md).\n";
    tree.write("pdf/SKILL.md", text);
    tree.write("pdf/README.md", "For people");
    tree
}

/// What can be fixed, and what cannot.
fn fixable() -> Tree {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill("pdf", "allowed_tools: Read # only\n"));
    tree.write("good/SKILL.md", skill("good", ""));
    tree
}

fn read(tree: &Tree, path: &str) -> String {
    fs::read_to_string(tree.join(path)).expect("it is there")
}

#[test]
fn similar_descriptions_are_reported() {
    let tree = Tree::new("");
    for name in ["one", "two"] {
        let description = "Fills PDF forms and reads their tables. Use when a form arrives.";
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n{BODY}");
        tree.write(&format!("{name}/SKILL.md"), text);
    }
    let document = validate(&tree, &[".", "--format", "json"]).json();
    let alike = &document["alike"][0];
    assert_eq!((&alike["likeness"], &alike["score"]), (&json!("duplicate"), &json!(1.0)));
    assert_eq!(alike["other"], json!(tree.join("two").to_string_lossy()));
}

#[test]
fn roles_are_shown_on_request() {
    let tree = Tree::new("");
    for name in ["pdf", "hello", "a", "skill"] {
        tree.write(&format!("{name}/SKILL.md"), skill(name, ""));
    }
    expect_file!["../data/validate-all.txt"].assert_eq(&shown(&tree, &[".", "--roles"], 0));
    let colours = validate(&tree, &[".", "--roles", "--color", "always"]).stdout;
    for colour in ["38;2;245;158;11", "38;2;168;85;247", "38;2;46;95;163"] {
        assert!(colours.contains(colour), "each role has its colour: {colours}");
    }
    let json = validate(&tree, &[".", "--roles", "--format", "json"]).json();
    assert_eq!(json["roles"]["missing"], "Verifier");
    let first = json!({"name": "a", "role": "Generator", "trit": 1, "colour": "#A855F7"});
    assert_eq!(json["roles"]["skills"][0], first);
    let without = validate(&tree, &[".", "--format", "json"]).json();
    assert!(without.get("roles").is_none(), "they are printed on request only");
}

#[test]
fn the_configuration_decides_about_profile_names_limits_and_depth() {
    let tree = Tree::new("");
    tree.write("c.yaml", "registry: { name_rule: any, profile: lenient }\n");
    tree.write("r/x/SKILL.md", skill("\"Ahrefs Automation\"", ""));
    let ran = validate(&tree, &["r", "--config", "c.yaml", "--format", "json"]).json();
    assert_eq!(ran["profile"], "lenient", "the profile is the configuration's");
    assert_eq!(ran["summary"]["valid"], 1, "so is the rule of names: {ran}");
    let spec = ["r", "--config", "c.yaml", "--profile", "spec", "--format", "json"];
    assert_eq!(validate(&tree, &spec).json()["profile"], "spec", "an option outweighs it");
    let plain = validate(&tree, &["r", "--format", "json"]).json();
    assert_eq!(plain["profile"], "spec", "the default is that of a checker");
    assert_eq!(plain["summary"]["valid"], 0);

    let root = tree.join("r/x as given").display().to_string();
    tree.write("named.yaml", format!("discovery: {{ roots: {{ user: ['{root}'] }} }}\n"));
    let named = validate(&tree, &["given", "--config", "named.yaml", "--format", "json"]).json();
    assert_eq!(named["summary"]["packages"], 1, "a name that it gives finds a skill: {named}");

    tree.write("limits.yaml", "registry: { limits: { body_lines: { max: 0 } } }\n");
    let limited = ["r", "--config", "limits.yaml", "--format", "json"];
    let codes = validate(&tree, &limited).json()["packages"][0]["diagnostics"].to_string();
    assert!(codes.contains("body-too-long"), "{codes}");

    tree.write("collision.yaml", "registry: { name_mismatch: allow, collision: error }\n");
    for directory in ["s/one", "s/two"] {
        tree.write(&format!("{directory}/SKILL.md"), skill("same", ""));
    }
    let twice = validate(&tree, &["s", "--config", "collision.yaml", "--format", "json"]).json();
    assert_eq!(twice["summary"]["valid"], 0, "the registry leaves out both: {twice}");

    tree.write("depth.yaml", "discovery: { bounds: { max_depth: 1 } }\n");
    tree.write("r/a/b/c/deep/SKILL.md", skill("deep", ""));
    let deep = |config| {
        let ran = validate(&tree, &["r", "--config", config, "--format", "json"]).json();
        ran["summary"]["packages"].as_u64()
    };
    assert_eq!((deep("c.yaml"), deep("depth.yaml")), (Some(2), Some(1)), "so is the depth");
    let nothing = validate(&tree, &["r/a", "--config", "depth.yaml"]).stderr;
    assert!(nothing.contains("warning[scan-truncated]"), "the limit is named: {nothing}");
}

#[test]
fn standard_input_is_one_skill() {
    let text = skill("pdf", "") + "\nSee [x](gone.md) and `scripts/gone.py`.\n";
    let ran = Program::new().with_input(&text).run(&["validate", "-"]);
    assert_eq!(ran.stdout, "valid: - (profile spec)\n", "other files are not known");
    assert_eq!(ran.code, Some(0));
    let ran = Program::new().with_input(&skill("pdf", "colour: red\n")).run(&["validate", "-"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains(" --> -:4:1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("4 | colour: red"), "the line is shown: {}", ran.stdout);
    for args in [&["validate", "-", "x"][..], &["validate", "-", "--fix"]] {
        assert_eq!(Program::new().with_input("").run(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn a_healthy_skill_is_valid_whatever_is_next_to_it() {
    let tree = Tree::new("");
    tree.write("r/ok/SKILL.md", skill("ok", ""));
    std::os::unix::fs::symlink(tree.join("r/loop"), tree.join("r/loop")).expect("a link");
    std::os::unix::fs::symlink("missing", tree.join("r/dangling")).expect("a link");
    fs::create_dir_all(tree.join("r/odd/SKILL.md")).expect("a directory");
    let ran = validate(&tree, &["r"]);
    assert!(ran.stdout.contains("\nvalid: r/ok (profile spec)\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("outside of the skill: "), "{}", ran.stdout);
    let json = validate(&tree, &["r", "--format", "json"]).json();
    assert_eq!(json["packages"][0]["valid"], true);
}

#[test]
fn link_out_of_its_package_is_an_invalid_package() {
    let tree = Tree::new("");
    tree.write("shared.md", skill_md("name: pdf\ndescription: D."));
    fs::create_dir_all(tree.join("r/pdf")).unwrap();
    std::os::unix::fs::symlink("../../shared.md", tree.join("r/pdf/SKILL.md")).unwrap();
    let root = tree.join("r").display().to_string();
    let validated = Program::new().run(&["validate", &root, "--format", "json"]).json();
    let package = &validated["packages"][0];
    assert_eq!((&package["valid"], &validated["summary"]["errors"]), (&false.into(), &1.into()));
    assert_eq!(package["diagnostics"][0]["code"], "path-escape", "{validated}");
}

/// The operating system refuses to open the neighbours.
#[test]
fn unreadable_neighbours_do_not_count_against_a_skill() {
    let tree = Tree::new("");
    for name in ["ok", "noread", "nodir"] {
        tree.write(&format!("perm/{name}/SKILL.md"), skill(name, ""));
    }
    let forbid = |path: &str, mode| {
        fs::set_permissions(tree.join(path), Permissions::from_mode(mode)).expect("it is mine");
    };
    forbid("perm/noread/SKILL.md", 0o000);
    forbid("perm/nodir", 0o000);
    tree.write("more/SKILL.md", skill("more", ""));
    let all = [&["perm"][..], &["perm/noread"], &["perm", "more"]];
    let [together, alone, two] = without_override(|| all.map(|paths| validate(&tree, paths)));
    forbid("perm/nodir", 0o755);
    let verdict = "valid: perm/ok (profile spec)\noutside of the skill: 2 errors\n";
    assert!(together.stdout.ends_with(verdict), "{}", together.stdout);
    assert_eq!(together.code, Some(1), "what cannot be read may be invalid");
    for line in ["2 of 2 skills are valid (profile spec)", "\noutside of the skills: 2 errors\n"] {
        assert!(two.stdout.contains(line), "{}", two.stdout);
    }
    assert!(alone.stdout.ends_with("no skill was checked: 1 error\n"), "{}", alone.stdout);
    assert_eq!(alone.code, Some(1));
}

#[test]
fn directory_without_a_skill_is_an_error() {
    let tree = Tree::new("");
    tree.write("empty/README.md", "No skill.");
    let ran = validate(&tree, &["empty", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "nothing was checked: {ran:?}");
    let error = ran.error();
    assert_eq!(error["code"], "skill-md-missing");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.contains("`empty`"), "it names the directory: {message}");
}

#[test]
fn each_profile_has_a_schema() {
    for profile in ["lenient", "spec", "skills-ref"] {
        let ran = Program::new().run(&["validate", "--schema", "--profile", profile]);
        let schema = ran.json();
        assert_eq!(schema["$id"], format!("urn:prowess:frontmatter:{profile}"));
        assert_eq!(schema["required"], json!(["name", "description"]));
    }
    let default = Program::new().run(&["validate", "--schema", "--format", "json"]).json();
    assert_eq!(default["$id"], "urn:prowess:frontmatter:spec", "it is the specification's");
}

/// Only a client reads its own directory, so its fields are errors elsewhere alone.
#[test]
fn place_of_a_skill_chooses_the_profile() {
    let frontmatter = "name: ship\ndescription: Ships it. Use when asked to.\nmodel: opus\n\
                       argument-hint: '[env]'\ndisable-model-invocation: true\ncontext: fork\n\
                       hooks:\n  PreToolUse: []";
    let tree = Tree::new("");
    tree.write("plugins/p/.claude-plugin/plugin.json", "{}");
    tree.write("market/.claude-plugin/marketplace.json", "{}");
    let plugins = ["plugins/p", "market/plugins/q", "market/.agents"];
    for root in [".claude", ".agents", ".github", ".cursor"].into_iter().chain(plugins) {
        tree.write(&format!("{root}/skills/ship/SKILL.md"), skill_md(frontmatter));
    }
    tree.write(".claude/skills/odd/SKILL.md", skill_md("description: Is odd.\nmodle: opus"));
    let program = || Program::new().working_in(tree.path());
    let check = |args: &[&str]| program().run(&[&["validate", "--format", "json"], args].concat());
    let title =
        "skills of clients: the arguments of `validate`, the profile and the number of errors";
    for [args, profile, errors] in rows(include_str!("../data/command-cases.txt"), title) {
        let checked = check(&args.split(' ').collect::<Vec<_>>()).json();
        assert_eq!(checked["packages"][0]["profile"], profile, "{args}");
        assert_eq!(checked["summary"]["errors"].to_string(), errors, "{args}: {checked}");
    }
    let text = program().run(&["validate", "."]);
    assert!(
        text.stdout.contains("(profile spec, extended for 2, claude-code for 4)"),
        "{}",
        text.stdout
    );
}

/// The check accepts exactly the packages that a catalog accepts by its settings.
#[test]
fn settings_of_the_registry_hold() {
    let tree = Tree::new("");
    tree.write("lower/skill.md", skill_md("name: lower\ndescription: D. Use it."));
    tree.write("old/SKILL.md", skill_md("name: other\ndescription: D. Use it."));
    for (options, package, is_valid) in [
        (&["--preset", "spec-law"][..], "lower", true),
        (&["--preset", "enterprise-layers"], "lower", false),
        (&["--set", "registry.profile=strict"], "lower", false),
        (&["--preset", "spec-law"], "old", true),
        (&["--set", "registry.name_mismatch=error"], "old", false),
        (&["--set", "registry.name_mismatch=allow"], "old", true),
    ] {
        let args = [options, &["validate", package]].concat();
        let ran = Program::new().working_in(tree.path()).run(&args);
        assert_eq!(ran.code, Some(i32::from(!is_valid)), "{args:?}: {}", ran.stdout);
    }
}
