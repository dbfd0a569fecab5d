//! Repositories, and locks in them.

use std::fs;

use super::{Machine, states};
use crate::plain_skill;
use crate::program::Program;

#[test]
fn repository_is_installed_by_branch_and_commit() {
    let machine = Machine::new();
    let git = |arguments: &[&str]| machine.git(arguments);
    machine.commit_all();
    let first = git(&["rev-parse", "HEAD"]);
    let path = std::env::var("PATH").unwrap();
    let run = |arguments: &[&str]| {
        let program = Program::new().at_home_in(&machine.tree.join("home"));
        program.variable("PATH", &path).run(&[arguments, &["--format", "json"]].concat())
    };
    let source = format!("git+file://{}", machine.path("skills"));
    let added = run(&["add", &source, "pdf", "--ref", "main"]);
    assert_eq!(states(&added.json()), ["pdf added"]);
    let lock = machine.tree.join("home/.local/state/prowess/prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    assert!(text.contains(&format!("revision = \"{first}\"")), "{text}");
    assert!(text.contains("ref = \"main\"") && text.contains("path = \"pdf\""), "{text}");
    assert_eq!(run(&["sync", "--check"]).code, Some(0));

    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    git(&["commit", "--quiet", "--all", "--message=two"]);
    assert_eq!(states(&run(&["update", "--check"]).json()), ["pdf changed"]);
    assert_eq!(run(&["update"]).code, Some(0));
    assert!(machine.run(&["show", "pdf"]).text().contains("How tO use pdf"));
    assert_eq!(states(&run(&["update", "--rollback", "pdf"]).json()), ["pdf restored"]);
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
}

/// A site of repositories makes such an archive of a version: git writes the commit into a header of
/// pax, and everything is in one directory.
#[cfg(feature = "remotes")]
#[test]
fn archive_that_git_makes_is_installed() {
    let machine = Machine::new();
    machine.tree.write("skills/README.md", "Two skills.\n");
    machine.commit_all();
    let archive = machine.tree.join("site/owner/repo/archive/main.tar.gz");
    let archive_of = |prefix: &str| {
        fs::create_dir_all(archive.parent().unwrap()).unwrap();
        let output = format!("--output={}", archive.display());
        machine.git(&[
            "archive",
            "--format=tar.gz",
            &format!("--prefix={prefix}/"),
            &output,
            "HEAD",
        ]);
    };
    archive_of("repo-0123abc");
    let mut gzip = std::process::Command::new("gzip");
    let tar = gzip.arg("-dc").arg(&archive).output().unwrap().stdout;
    assert!(tar.windows(17).any(|text| text == b"pax_global_header"), "git writes the header");

    let source = format!("{}/owner/repo/archive/main.tar.gz", machine.address());
    let added = machine.online(&["add", &source, "pdf"]);
    assert_eq!(states(&added.json()), ["pdf added"]);
    assert_eq!(machine.listed(), ["pdf"], "one of the skills was selected");
    let lock = machine.tree.join("home/.local/state/prowess/prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    assert!(text.contains("path = \"repo-0123abc/pdf\""), "{text}");
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
    let all = machine.online(&["add", &source]);
    assert_eq!(states(&all.json()), ["notes added", "pdf unchanged"]);

    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    machine.git(&["commit", "--quiet", "--all", "--message=two"]);
    archive_of("repo-4567def");
    assert_eq!(machine.online(&["update"]).code, Some(0), "the directory has another name");
    assert!(machine.run(&["show", "pdf"]).text().contains("How tO use pdf"));
}

#[test]
fn path_that_may_be_a_repository_is_ambiguous() {
    let machine = Machine::new();
    let program = Program::new().at_home_in(&machine.tree.join("home"));
    let added =
        program.working_in(&machine.tree.join("")).run(&["add", "skills/pdf", "--format", "json"]);
    assert_eq!(added.error()["code"], "remote-unsupported");
    let help = added.error()["help"].to_string();
    assert!(help.contains("./skills/pdf") && help.contains("github:skills/pdf"), "{help}");
}
