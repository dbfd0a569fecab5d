//! `prowess validate` as an author and a workflow meet it.

use std::path::Path;

use expect_test::{Expect, expect};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::{Program, Ran};

const BODY: &str = "# Notes\n\n## When to use\n\nFor example `a`.\n";

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Use {name} when asked.\n{more}---\n{BODY}")
}

/// Runs `validate` in the directory of a tree.
fn validate(tree: &Tree, args: &[&str]) -> Ran {
    let args: Vec<&str> = ["validate"].iter().chain(args).copied().collect();
    Program::new().working_in(tree.path()).run(&args)
}

/// Checks what a run in `tree` prints, and its exit code.
#[track_caller]
fn check(tree: &Tree, args: &[&str], code: i32, expected: &Expect) {
    let ran = validate(tree, args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert_eq!(ran.stderr, "", "there is nothing to remark");
    expected.assert_eq(&ran.stdout);
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
    std::fs::read_to_string(tree.join(path)).expect("it is there")
}

#[test]
fn named_paths_are_compared_as_one_tree() {
    let tree = Tree::new("");
    let same = "Fills PDF forms and extracts their tables when a form arrives.";
    for name in ["one", "two"] {
        let text = skill(name, "").replace(&format!("Use {name} when asked."), same);
        tree.write(&format!("{name}/SKILL.md"), text);
    }
    let ran = validate(&tree, &["one", "two", "two/SKILL.md", "--format", "json"]).json();
    assert_eq!(ran["summary"]["packages"], 2, "a skill that is named twice counts once");
    let found = &ran["packages"][1]["diagnostics"][0];
    assert_eq!(found["code"], "description-duplicate", "{ran}");
    assert!(found["message"].as_str().is_some_and(|text| text.ends_with("/one`")), "{found}");
}

#[test]
fn a_skill_is_shown_with_its_lines() {
    check(
        &mistaken(),
        &["pdf"],
        1,
        &expect![[r#"
        error[unknown-field]: unknown field `colour`
         --> pdf/SKILL.md:4:1
          |
        4 | colour: red
          | ^^^^^^
          |
          = help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`

        warning[link-broken]: the target of the link `references/forms.md` does not exist
          --> pdf/SKILL.md:12:17
           |
        12 | See [the forms](references/forms.md).
           |                 ^^^^^^^^^^^^^^^^^^^
           |
           = help: add the file, or fix or remove the link

        hint[extraneous-file]: `README.md` is for people, not for a model
        --> pdf/SKILL.md
         = help: move it out of the package, or what a model needs of it into `references/`

        invalid: pdf (profile spec): 1 error, 1 warning, 1 hint
    "#]],
    );
}

#[test]
fn a_good_skill_is_one_line() {
    check(
        &fixable(),
        &["good/SKILL.md"],
        0,
        &expect![[r#"
        valid: good (profile spec)
    "#]],
    );
}

#[test]
fn a_tree_is_shown_by_one_of_each_kind_and_a_summary() {
    let tree = mistaken();
    for number in 0..1200 {
        let name = format!("skill-{number}");
        tree.write(&format!("{name}/SKILL.md"), skill(&name, "colour: red\n"));
    }
    check(
        &tree,
        &["."],
        1,
        &expect![[r#"
        error[unknown-field]: unknown field `colour`
         --> pdf/SKILL.md:4:1
          |
        4 | colour: red
          | ^^^^^^
          |
          = help: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`

        warning[link-broken]: the target of the link `references/forms.md` does not exist
          --> pdf/SKILL.md:12:17
           |
        12 | See [the forms](references/forms.md).
           |                 ^^^^^^^^^^^^^^^^^^^
           |
           = help: add the file, or fix or remove the link

        0 of 1,201 skills are valid (profile spec): 1,201 errors, 1 warning, 1 hint

          errors
            1,201  unknown-field    pdf/SKILL.md:4

          warnings
                1  link-broken      pdf/SKILL.md:12

          hints
                1  extraneous-file  pdf/SKILL.md

        above is one of each kind; 1,200 more findings with --all
        1 hint for authors with --hints
    "#]],
    );
    let all = validate(&tree, &[".", "--all"]).stdout;
    assert_eq!(all.matches("error[unknown-field]").count(), 1201, "each is shown");
    assert!(!all.contains("hint["), "hints are not");
    let hints = validate(&tree, &[".", "--all", "--hints"]).stdout;
    assert!(hints.contains("hint[extraneous-file]"), "hints are shown too");
}

#[test]
fn no_row_of_the_summary_is_wider_than_a_terminal() {
    let tree = Tree::new("");
    for at in 0..2 {
        let far = format!("{}/skill-{at}", "a-long-directory/".repeat(5));
        tree.write(&format!("{far}/SKILL.md"), skill("other", "compatibility: [a]\n"));
    }
    let ran = validate(&tree, &["."]);
    let rows = ran.stdout.split("skills are valid").nth(1).expect("a tree has a summary");
    let widest = rows.lines().skip(1).map(|row| row.chars().count()).max();
    assert!(rows.contains('\u{2026}'), "a place that is too long is cut: {rows}");
    assert!(widest.is_some_and(|width| (70..=80).contains(&width)), "{widest:?} columns: {rows}");
    assert!(rows.contains("/SKILL.md:"), "the end of a place is what distinguishes it: {rows}");
}

#[test]
fn a_skill_cannot_steer_the_terminal() {
    let tree = Tree::new("");
    let text = skill("pdf", "\"\u{1b}[31mred\u{202e}\u{7}\": 1\n")
        + "\n\u{1b}]0;title\u{7} [x](gone\u{202e}.md) \u{e0041}\r\u{9b}2J\n";
    tree.write("pdf/SKILL.md", text);
    tree.write("pdf/scripts/a\u{1b}[2J.py", "print(1)");
    for args in [
        &["pdf"][..],
        &["pdf", "--profile", "skills-ref", "--hints"],
        &["pdf", "--format", "github"],
    ] {
        let ran = validate(&tree, args);
        let bad = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{e0041}".contains(c);
        assert_eq!(ran.stdout.find(bad), None, "{args:?}: {:?}", ran.stdout);
    }
}

#[test]
fn long_line_is_shown_around_the_finding() {
    let tree = Tree::new("");
    let text =
        skill("pdf", "") + &format!("{}[x](gone.md){}\n", "é ".repeat(300), " z".repeat(300));
    tree.write("pdf/SKILL.md", text);
    check(
        &tree,
        &["pdf"],
        0,
        &expect![[r#"
        warning[link-broken]: the target of the link `gone.md` does not exist
          --> pdf/SKILL.md:10:605
           |
        10 | …é é é é é é [x](gone.md) z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z …
           |                  ^^^^^^^
           |
           = help: add the file, or fix or remove the link

        valid: pdf (profile spec): 1 warning
    "#]],
    );
}

#[test]
fn colours_are_for_terminals() {
    let plain = validate(&mistaken(), &["pdf"]).stdout;
    assert!(!plain.contains('\u{1b}'), "a pipe gets no colour");
    let coloured = validate(&mistaken(), &["pdf", "--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31merror[unknown-field]"), "{coloured:?}");
}

#[test]
fn json_keeps_its_contract() {
    let document = validate(&mistaken(), &["pdf", "--format", "json"]).json();
    assert_eq!(document["profile"], "spec");
    assert_eq!(
        document["summary"],
        json!({"packages": 1, "valid": 0, "errors": 1, "warnings": 1, "hints": 1})
    );
    let found: Vec<_> = document["packages"][0]["diagnostics"]
        .as_array()
        .expect("findings are a list")
        .iter()
        .map(|found| (found["code"].as_str().unwrap_or_default(), found["line"].as_u64()))
        .collect();
    assert_eq!(
        found,
        [("unknown-field", Some(4)), ("link-broken", Some(12)), ("extraneous-file", None)]
    );
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
fn a_workflow_gets_annotations() {
    let tree = mistaken();
    check(
        &tree,
        &["pdf", "--format", "github"],
        1,
        &expect![[r#"
        ::error file=pdf/SKILL.md,line=4,col=1,title=unknown-field::unknown field `colour`%0Ahelp: move it below `metadata`; the fields are `name`, `description`, `license`, `compatibility`, `metadata`, `allowed-tools`
        ::warning file=pdf/SKILL.md,line=12,col=17,title=link-broken::the target of the link `references/forms.md` does not exist%0Ahelp: add the file, or fix or remove the link
    "#]],
    );
    let all = validate(&tree, &["pdf", "--format", "github", "--hints"]).stdout;
    assert!(all.contains("::notice "), "{all}");
}

#[test]
fn code_scanning_gets_sarif() {
    let ran = validate(&mistaken(), &["pdf", "--format", "sarif"]);
    assert_eq!(ran.code, Some(1));
    let log: Value = serde_json::from_str(&ran.stdout).expect("it is one JSON document");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["version"], env!("CARGO_PKG_VERSION"));
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "pdf/SKILL.md");
    assert_eq!(place["region"], json!({"startLine": 4, "startColumn": 1}));
}

#[test]
fn a_fix_shows_and_writes_what_changes() {
    let tree = fixable();
    let before = read(&tree, "pdf/SKILL.md");
    check(
        &tree,
        &["pdf", "--fix"],
        0,
        &expect![[r#"
        fixed: pdf/SKILL.md (allowed-tools-alias)
          @@ -2,5 +2,5 @@
           name: pdf
           description: Use pdf when asked.
          -allowed_tools: Read # only
          +allowed-tools: Read # only
           ---
           # Notes

        valid: pdf (profile spec)
    "#]],
    );
    let expected = before.replace("allowed_tools", "allowed-tools");
    assert_eq!(read(&tree, "pdf/SKILL.md"), expected, "all else stays");
    let files = std::fs::read_dir(tree.join("pdf")).expect("it is there").count();
    assert_eq!(files, 1, "nothing is left beside the file");
    check(
        &tree,
        &["pdf", "--fix"],
        0,
        &expect![[r#"
        valid: pdf (profile spec)
    "#]],
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let tree = fixable();
    let before = read(&tree, "pdf/SKILL.md");
    let ran = validate(&tree, &[".", "--fix", "--dry-run"]);
    assert_eq!(ran.code, Some(1), "the files are as invalid as before");
    assert!(ran.stdout.starts_with("would fix: pdf/SKILL.md (allowed-tools-alias)\n"), "{ran:?}");
    assert!(ran.stdout.contains("  +allowed-tools: Read # only\n"), "{ran:?}");
    assert_eq!(read(&tree, "pdf/SKILL.md"), before);
    assert_eq!(validate(&tree, &[".", "--dry-run"]).code, Some(2), "it goes with --fix only");
}

#[test]
fn fix_is_reported_as_json() {
    let tree = fixable();
    let document = validate(&tree, &[".", "--fix", "--format", "json"]).json();
    let fixed = &document["fixed"][0];
    assert_eq!(fixed["codes"], json!(["allowed-tools-alias"]));
    assert_eq!(fixed["is_written"], true);
    assert_eq!(document["summary"]["errors"], 0, "the findings are those after the fix");
}

#[cfg(unix)]
#[test]
fn a_fix_keeps_the_files_rights() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = fixable();
    let path = tree.join("pdf/SKILL.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("it is ours");
    validate(&tree, &["pdf", "--fix"]);
    let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_fix_never_writes_through_a_link() {
    let tree = fixable();
    let shared = skill("linked", "allowed_tools: Read\n");
    tree.write("linked/shared.md", &shared);
    std::os::unix::fs::symlink("shared.md", tree.join("linked/SKILL.md"))
        .expect("a link can be made");
    let ran = validate(&tree, &["linked", "--fix"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("warning[fix-link-refused]"), "{ran:?}");
    assert_eq!(read(&tree, "linked/shared.md"), shared, "what it leads to is as it was");
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_symlink());
    assert!(is_link(&tree.join("linked/SKILL.md")), "the link is still one");
}

/// A repository may carry a link to any directory of the machine.
#[cfg(unix)]
#[test]
fn a_fix_never_writes_outside_the_named_tree() {
    let place = fixable();
    let outside = skill("victim", "allowed_tools: Read\n");
    place.write("outside/victim/SKILL.md", &outside);
    place.write("tree/pdf/SKILL.md", skill("pdf", "allowed_tools: Read\n"));
    std::os::unix::fs::symlink("../outside/victim", place.join("tree/victim"))
        .expect("a link can be made");
    for trial in [&["--dry-run"][..], &[]] {
        let args = [&["tree", "--fix", "--format", "json"], trial].concat();
        let document = validate(&place, &args).json();
        let path = document["fixed"][0]["path"].as_str().unwrap_or_default();
        assert!(path.ends_with("/tree/pdf/SKILL.md"), "the package inside is fixed: {document}");
        assert_eq!(document["fixed"].as_array().map(Vec::len), Some(1), "and no other");
        let refused = &document["diagnostics"][0];
        assert_eq!(refused["code"], "fix-link-refused", "{document}");
        assert_eq!(refused["help"], "run `--fix` on the directory that the link leads to");
        let path = refused["path"].as_str().unwrap_or_default();
        assert!(path.ends_with("/tree/victim/SKILL.md"), "{path}");
    }
    assert_eq!(read(&place, "outside/victim/SKILL.md"), outside, "outside all is as it was");
    let files = std::fs::read_dir(place.join("outside/victim")).expect("it is there").count();
    assert_eq!(files, 1, "nothing is left in the directory outside");
    let ran = validate(&place, &["outside/victim", "--fix"]);
    assert!(ran.stdout.starts_with("fixed: outside/victim/SKILL.md"), "the next step: {ran:?}");
}

#[test]
fn the_reference_tool_judges_a_tree() {
    let tree = mistaken();
    tree.write("good/SKILL.md", skill("good", ""));
    let document = validate(&tree, &[".", "--profile", "skills-ref", "--format", "json"]).json();
    let verdicts: Vec<_> = document["packages"]
        .as_array()
        .expect("packages are a list")
        .iter()
        .map(|package| (package["name"].clone(), package["valid"].clone()))
        .collect();
    assert_eq!(verdicts, [(json!("good"), json!(true)), (json!("pdf"), json!(false))]);
    let message = document["packages"][1]["diagnostics"][0]["message"].as_str();
    assert!(
        message.is_some_and(|it| it.starts_with("Unexpected fields in frontmatter: colour.")),
        "{message:?}"
    );
}

#[test]
fn roles_are_shown_on_request() {
    let tree = Tree::new("");
    for name in ["pdf", "hello", "a", "skill"] {
        tree.write(&format!("{name}/SKILL.md"), skill(name, ""));
    }
    check(
        &tree,
        &[".", "--roles"],
        0,
        &expect![[r#"
            4 of 4 skills are valid (profile spec)

            roles
              Coordinator     1  pdf
              Generator       2  a, hello
              Verifier        1  skill
              not balanced: one more Verifier is missing
        "#]],
    );
    let colours = validate(&tree, &[".", "--roles", "--color", "always"]).stdout;
    for colour in ["38;2;245;158;11", "38;2;168;85;247", "38;2;46;95;163"] {
        assert!(colours.contains(colour), "each role has its colour: {colours}");
    }
    let json = validate(&tree, &[".", "--roles", "--format", "json"]).json();
    assert_eq!(json["roles"]["missing"], "Verifier");
    let first = json!({"name": "a", "role": "Generator", "trit": 1, "colour": "#A855F7"});
    assert_eq!(json["roles"]["skills"][0], first);
    let without = validate(&tree, &[".", "--format", "json"]).json();
    assert!(without.get("roles").is_none(), "nobody sees them who does not ask");
}

/// A tree with a configuration that accepts any name, under the lenient profile.
fn configured() -> Tree {
    let tree = Tree::new("");
    tree.write("c.yaml", "registry: { name_rule: any, profile: lenient }\n");
    tree.write("r/x/SKILL.md", skill("\"Ahrefs Automation\"", ""));
    tree
}

#[test]
fn the_configuration_decides_about_profile_names_limits_and_depth() {
    let tree = configured();
    let ran = validate(&tree, &["r", "--config", "c.yaml", "--format", "json"]).json();
    assert_eq!(ran["profile"], "lenient", "the profile is the configuration's");
    assert_eq!(ran["summary"]["valid"], 1, "so is the rule of names: {ran}");
    let spec = ["r", "--config", "c.yaml", "--profile", "spec", "--format", "json"];
    assert_eq!(validate(&tree, &spec).json()["profile"], "spec", "an option outweighs it");
    let plain = validate(&tree, &["r", "--format", "json"]).json();
    assert_eq!(plain["profile"], "spec", "the default is that of a checker");
    assert_eq!(plain["summary"]["valid"], 0);

    tree.write("limits.yaml", "registry: { limits: { description_characters: { max: 5 } } }\n");
    let limited = ["r", "--config", "limits.yaml", "--format", "json"];
    let codes = validate(&tree, &limited).json()["packages"][0]["diagnostics"].to_string();
    assert!(codes.contains("description-too-long"), "{codes}");

    tree.write("depth.yaml", "discovery: { bounds: { max_depth: 1 } }\n");
    tree.write("r/a/b/c/deep/SKILL.md", skill("deep", ""));
    let deep = |config| {
        let ran = validate(&tree, &["r", "--config", config, "--format", "json"]).json();
        ran["summary"]["packages"].as_u64()
    };
    assert_eq!((deep("c.yaml"), deep("depth.yaml")), (Some(2), Some(1)), "so is the depth");
    let nothing = validate(&tree, &["r/a", "--config", "depth.yaml"]).stderr;
    assert!(nothing.contains("warning[scan-truncated]"), "the limit is named: {nothing}");
    for branch in ["p", "q", "s"] {
        tree.write(&format!("r/{branch}/a/b/deep/SKILL.md"), skill("deep", ""));
    }
    let truncated = validate(&tree, &["r", "--config", "depth.yaml"]);
    let (count, first) = ("warning[scan-truncated]: 4 skills, the first in", "r/a`, lie more");
    assert!(truncated.stdout.contains(count), "every branch is counted: {}", truncated.stdout);
    assert!(truncated.stdout.contains(first), "the first by its path: {}", truncated.stdout);
    let limit = "lie more than 1 directory below the root";
    assert!(truncated.stdout.contains(limit), "one is singular: {}", truncated.stdout);
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
fn formats_of_other_programs_are_those_of_validate() {
    let ran = Program::new().run(&["list", "--format", "sarif"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("format-unsupported"), "{}", ran.stderr);
}

#[test]
fn a_healthy_skill_is_valid_whatever_is_next_to_it() {
    let tree = Tree::new("");
    tree.write("r/ok/SKILL.md", skill("ok", ""));
    std::os::unix::fs::symlink(tree.join("r/loop"), tree.join("r/loop")).expect("a link");
    std::os::unix::fs::symlink("missing", tree.join("r/dangling")).expect("a link");
    std::fs::create_dir_all(tree.join("r/odd/SKILL.md")).expect("a directory");
    let ran = validate(&tree, &["r"]);
    assert!(ran.stdout.contains("\nvalid: r/ok (profile spec)\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("outside of the skill: "), "{}", ran.stdout);
    let json = validate(&tree, &["r", "--format", "json"]).json();
    assert_eq!(json["packages"][0]["valid"], true);
}

#[test]
fn a_new_skill_is_reported_until_it_is_edited() {
    let tree = Tree::new("");
    let ran = Program::new().working_in(tree.path()).run(&["new", "notes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json = validate(&tree, &[".agents/skills/notes", "--format", "json"]).json();
    let found = json["packages"][0]["diagnostics"].as_array().expect("a list").iter();
    let codes: Vec<_> = found.map(|found| found["code"].clone()).collect();
    assert_eq!(codes, ["template-unedited", "template-unedited"], "description and body");
}

#[test]
fn links_to_a_neighbour_are_warnings_alone_and_in_a_tree() {
    let tree = Tree::new("");
    tree.write("r/pdf/SKILL.md", skill("pdf", "") + "\nSee [notes](../notes/SKILL.md).\n");
    tree.write("r/notes/SKILL.md", skill("notes", "") + "\nSee [x](../gone/SKILL.md).\n");
    for (path, valid) in [("r/pdf", true), ("r/notes", false)] {
        let alone = validate(&tree, &[path, "--format", "json"]).json();
        assert_eq!(alone["packages"][0]["valid"], valid, "{path} alone: {alone}");
        let together = validate(&tree, &["r", "--format", "json"]).json();
        let packages = together["packages"].as_array().expect("a list").iter();
        let of =
            packages.clone().find(|it| it["path"].as_str().is_some_and(|it| it.ends_with(path)));
        assert_eq!(of.expect("it is there")["valid"], valid, "{path} in its tree");
    }
}
