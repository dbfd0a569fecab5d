//! `validate --fix`.

use std::path::Path;

use expect_test::expect_file;
use prowess_testkit::Tree;
use serde_json::json;

use super::{fixable, read, shown, skill, validate};

#[test]
fn a_fix_shows_and_writes_what_changes() {
    let tree = fixable();
    let before = read(&tree, "pdf/SKILL.md");
    expect_file!["../../data/validate-fixes.txt"].assert_eq(&shown(&tree, &["pdf", "--fix"], 0));
    let expected = before.replace("allowed_tools", "allowed-tools");
    assert_eq!(read(&tree, "pdf/SKILL.md"), expected, "all else stays");
    let files = std::fs::read_dir(tree.join("pdf")).expect("it is there").count();
    assert_eq!(files, 1, "nothing is left beside the file");
    expect_file!["../../data/validate-marked.txt"].assert_eq(&shown(&tree, &["pdf", "--fix"], 0));
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

#[test]
fn skill_of_a_name_is_fixed_where_it_is() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    tree.write(".claude/skills/csv/SKILL.md", skill("csv", "allowed_tools: Read\n"));
    assert!(validate(&tree, &["csv", "--fix"]).text().starts_with("fixed: .claude/skills/csv/"));
    assert!(read(&tree, ".claude/skills/csv/SKILL.md").contains("\nallowed-tools: Read\n"));
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
