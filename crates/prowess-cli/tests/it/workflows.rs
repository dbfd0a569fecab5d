//! The definitions for pre-commit and for GitHub workflows run what they say.

use std::path::Path;
use std::process::Command;

use prowess_testkit::Tree;

/// A file at the top of the repository.
fn top(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).expect("it is there")
}

/// A tree with one good skill and one that has an unknown field.
fn tree() -> Tree {
    let tree = Tree::new("");
    for (name, more) in [("good", ""), ("bad", "colour: red\n")] {
        let body = "# Notes\n\nFor example `a`.\n";
        let text = format!("---\nname: {name}\ndescription: Use when asked.\n{more}---\n{body}");
        tree.write(&format!("{name}/SKILL.md"), text);
    }
    tree
}

/// Runs a script of bash with `prowess` on its path, and returns its exit code and output.
fn bash(script: &str, tree: &Tree, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_prowess"));
    let directory = program.parent().expect("a program is in a directory").display();
    let output = Command::new("bash")
        .args(["-c", script])
        .env_clear()
        .env("PATH", format!("{directory}:/usr/bin:/bin"))
        .env("HOME", tree.path())
        .envs(variables.iter().copied())
        .current_dir(tree.path())
        .output()
        .expect("bash runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_hook_checks_the_changed_skills() {
    let definition = top(".pre-commit-hooks.yaml");
    let entry = definition.lines().find_map(|line| line.trim().strip_prefix("entry: "));
    let entry = entry.expect("the hook has an entry");
    let tree = tree();
    // The files that changed follow the entry.
    assert_eq!(bash(&format!("{entry} good/SKILL.md"), &tree, &[]).0, Some(0));
    assert_eq!(bash(&format!("{entry} good/SKILL.md bad/SKILL.md"), &tree, &[]).0, Some(1));
}

/// pre-commit searches each path for the pattern; `grep -E` reads this one the same.
#[test]
fn the_hook_is_for_skill_files_alone() {
    let definition = top(".pre-commit-hooks.yaml");
    let pattern = definition.lines().find_map(|line| line.trim().strip_prefix("files: "));
    let pattern = pattern.expect("the hook has a pattern");
    let is_checked = |path: &str| {
        let script = format!("printf '%s\\n' '{path}' | grep -Eq '{pattern}'");
        bash(&script, &Tree::new(""), &[]).0 == Some(0)
    };
    for path in ["SKILL.md", "skill.md", "a/SKILL.md", "a/b/skill.md"] {
        assert!(is_checked(path), "`{path}` is a skill");
    }
    for path in ["a/SKILL.md.bak", "a/MYSKILL.md", "a/SKILLxmd", "SKILL.md/a", "README.md"] {
        assert!(!is_checked(path), "`{path}` is none");
    }
}

#[test]
fn the_action_prints_annotations() {
    let definition = top("action.yml");
    let (_, script) = definition.rsplit_once("run: |\n").expect("the action has a script");
    // As the runner starts bash: the first command that fails ends it.
    let script = format!("set -eo pipefail\n{script}");
    let tree = tree();
    let variables =
        |paths| [("PATHS", paths), ("FORMAT", "github"), ("PROFILE", ""), ("CONFIG", "")];
    let (code, printed) = bash(&script, &tree, &variables("good bad"));
    assert_eq!(code, Some(1));
    assert!(printed.starts_with("::error file=bad/SKILL.md,line=4,col=1"), "{printed}");
    for paths in ["good\nbad", "good\nbad\n", "\n", ""] {
        assert_eq!(bash(&script, &tree, &variables(paths)), (code, printed.clone()), "{paths:?}");
    }
    assert_eq!(bash(&script, &tree, &variables("good")), (Some(0), String::new()));
    let lenient = [("PATHS", "bad"), ("FORMAT", "text"), ("PROFILE", "lenient"), ("CONFIG", "")];
    assert_eq!(bash(&script, &tree, &lenient).0, Some(0), "the inputs are passed on");
}
