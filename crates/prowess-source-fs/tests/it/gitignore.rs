//! Ignored files are not searched if the policy says so.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use prowess_core::{PackagePath, Trust};
use prowess_source_fs::{Discovery, FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

/// A repository with skills in one of its directories, under these patterns of its own.
fn repository(patterns: &str) -> Tree {
    let tree = Tree::new(include_str!("../data/gitignore.txt"));
    tree.write(".gitignore", patterns);
    tree
}

const ALL: [&str; 4] = ["draft-a", "group/draft-b", "group/tables", "pdf"];

#[track_caller]
fn check(patterns: &str, packages: &[&str], reported: &[&str]) {
    let tree = repository(patterns);
    let root = tree.join("skills");
    let scan = scan(FsConfig { gitignore: Some(tree.path().into()), ..FsConfig::new(root) });
    assert_eq!(scan.packages(), packages, "what `{patterns}` leaves");
    assert_eq!(problems(&scan, tree.path()), reported, "the findings about what is left out");
}

#[test]
fn patterns_hold_as_in_git() {
    let left_out = |path: &str| format!("hint left-out-by-gitignore {path}");
    let one = |patterns: &str, packages: &[&str], path: &str| {
        check(patterns, packages, &[&left_out(path)]);
    };
    check("# nothing\n\n[\n", &ALL, &[]);
    one("/skills/pdf\n", &ALL[..3], "/skills/pdf");
    one("group/\n", &["draft-a", "pdf"], "/skills/group");
    one("draft-*\n!draft-b\n", &ALL[1..], "/skills/draft-a");
    one("\u{feff}group\n", &["draft-a", "pdf"], "/skills/group");
    one(
        "skills/group/*/SKILL.md\n!skills/group/tables/SKILL.md\n",
        &["draft-a", "group/tables", "pdf"],
        "/skills/group/draft-b",
    );
    // A path below an ignored directory cannot be included again.
    one("group/\n!group/tables/\n", &["draft-a", "pdf"], "/skills/group");
    one("skills\n", &[], "/skills");
}

#[test]
fn the_innermost_file_decides_and_one_beyond_the_repository_does_not_count() {
    let tree = repository("draft-*\n");
    tree.write("skills/.gitignore", "!draft-a\npdf\n");
    tree.write("skills/group/.gitignore", "tables/\n!draft-b\n");
    let root = || FsConfig::new(tree.join("skills"));
    let inner = scan(FsConfig { gitignore: Some(tree.path().into()), ..root() });
    assert_eq!(inner.packages(), ["draft-a", "group/draft-b"]);
    assert_eq!(problems(&inner, tree.path()).len(), 1, "one remark is enough for all");
    assert!(inner.problems[0].message.contains("and 1 more"), "{}", inner.problems[0].message);
    let alone = scan(FsConfig { gitignore: Some(tree.join("skills")), ..root() });
    assert_eq!(alone.packages(), ["draft-a", "group/draft-b"], "the root's own files count");
    assert_eq!(scan(root()).packages(), ALL, "and by default none does");
}

#[test]
fn links_and_packages_inside_packages_are_left_out_too() {
    let tree = repository("linked\ninner/\n");
    tree.write("elsewhere/SKILL.md", "x");
    tree.write("skills/pdf/inner/SKILL.md", "x");
    symlink(tree.join("elsewhere"), tree.join("skills/linked")).unwrap();
    let look = |gitignore| {
        let config = FsConfig::new(tree.join("skills"));
        scan(FsConfig { gitignore, nested: Nested::Descend, ..config })
    };
    let left = look(Some(tree.path().into()));
    assert_eq!(left.packages(), ALL);
    assert!(left.problems[0].message.contains("and 1 more"), "{}", left.problems[0].message);
    assert_eq!(look(None).packages().len(), 6, "they are there");
}

#[test]
fn the_policy_begins_at_the_repository_s_root() {
    let tree = repository("pdf\n");
    let policy = Discovery { gitignore: true, ..Discovery::default() };
    let inside = policy.config(tree.join("skills"));
    assert_eq!(inside.gitignore.as_deref(), Some(tree.path()));
    assert_eq!(scan(inside).packages(), ALL[..3]);
    let off = Discovery::default().named_config(tree.join("skills"), Some(Trust::Trusted));
    assert_eq!(off, FsConfig::new(tree.join("skills")), "the default policy changes nothing");
    let outside = Tree::new("//- /a/SKILL.md\na\n");
    assert_eq!(policy.config(outside.path()).gitignore.as_deref(), Some(outside.path()));
    assert_eq!(scan(config(&outside)).packages(), ["a"]);
}

#[test]
fn a_look_at_a_few_packages_goes_by_it_too() {
    let tree = repository("draft-*\n");
    let config = FsConfig::new(tree.join("skills"));
    let source = source(FsConfig { gitignore: Some(tree.path().into()), ..config });
    let asked = ["draft-a", "pdf"].map(|package| PackagePath::new(package).unwrap());
    let (seen, coverage) = ScanRecorder::default().record_packages(&source, &asked).unwrap();
    assert!(coverage.is_everything(), "what is left out depends on the whole tree");
    assert_eq!(seen.packages(), ["group/tables", "pdf"]);
}

/// What git itself leaves of some files. Neither a user's nor a machine's patterns count.
fn git_leaves<'f>(tree: &Tree, files: &'f [String]) -> Vec<&'f str> {
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(tree.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.env("GIT_CONFIG_NOSYSTEM", "1");
        git
    };
    assert!(git().args(["init", "--quiet"]).status().unwrap().success());
    let mut asked = git()
        .args(["check-ignore", "--no-index", "--stdin", "-z"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    asked.stdin.take().unwrap().write_all(files.join("\0").as_bytes()).unwrap();
    let output = asked.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "it answers: {output:?}");
    let left_out = String::from_utf8(output.stdout).unwrap();
    let is_left = |file: &&str| !left_out.split('\0').any(|out| out == *file);
    files.iter().map(String::as_str).filter(is_left).collect()
}

#[test]
fn git_itself_leaves_the_same() {
    let packages = "!bang #hash A1 [x] a1 a1b ab/ab/ab dot.d group/a1 group/deep/a1 ä1";
    let names =
        r"a* *1 ?1 ??1 a1/ /a1 !a1 ä1 $a1 {a1,a1b} #hash \#hash \!bang \a1 a**1 **a1 a1** * ** ***";
    let classes = r"[aA]1 [!a]1 [^a]1 [a-z]1 [[:upper:]]1 [[:x]1 []a]1 [ [a a[ \[x] [[]x]";
    let paths = "/group/a1 group/a1 a1/SKILL.md SKILL.md *.md **/a1 **/a1/ group/** group/**/a1 \
                 **/deep/** group/* group/*/a1 group* group/deep ab/ab /**/ab/ab ab/**/ab/SKILL.md";
    let several = ["*\n!a1", "*\n!*/\n!SKILL.md", "a*\n!a1b", "group/*\n!group/a1"];
    let odd = ["a1 ", "blank ", "blank\\ ", "a1\r\n", "\u{feff}a1"];

    let files = packages.split(' ').chain(["blank "]);
    let files: Vec<_> = files.map(|package| format!("skills/{package}/SKILL.md")).collect();
    let tree = Tree::new("");
    files.iter().for_each(|file| tree.write(file, "x"));
    let config = FsConfig::new(tree.join("skills"));
    let config = FsConfig { gitignore: Some(tree.path().into()), ..config };
    let one_each = [names, classes, paths].into_iter().flat_map(str::split_whitespace);
    for patterns in one_each.chain(several).chain(odd) {
        tree.write(".gitignore", patterns);
        let scan = scan(config.clone());
        let mut ours: Vec<_> =
            scan.packages().iter().map(|package| format!("skills/{package}/SKILL.md")).collect();
        let mut gits = git_leaves(&tree, &files);
        ours.sort_unstable();
        gits.sort_unstable();
        assert_eq!(ours, gits, "what {patterns:?} leaves");
    }
}
