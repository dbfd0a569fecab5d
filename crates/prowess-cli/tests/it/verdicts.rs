//! The verdict of `prowess validate`: what it depends on, and what it does not.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use prowess_testkit::Tree;

use crate::bad_input::without_override;
use crate::validate::{skill, validate};

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
    let [together, alone] =
        without_override(|| [["perm"], ["perm/noread"]].map(|paths| validate(&tree, &paths)));
    forbid("perm/nodir", 0o755);
    let verdict = "valid: perm/ok (profile spec)\noutside of the skill: 2 errors\n";
    assert!(together.stdout.ends_with(verdict), "{}", together.stdout);
    assert_eq!(together.code, Some(1), "what cannot be read may be invalid");
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
