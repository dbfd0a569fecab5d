//! The lock file of a repository: found, shared by clones, and never a way out of the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use prowess_testkit::Tree;

use crate::install::states;
use crate::plain_skill;
use crate::program::{Program, Ran};

/// Two people with one repository.
struct Team {
    tree: Tree,
}

impl Team {
    fn new() -> Self {
        let tree = Tree::new("//- /home/.keep\n//- /colleague/.keep\n");
        tree.write("repo/team/pdf/SKILL.md", plain_skill("pdf"));
        let team = Self { tree };
        team.git("repo", &["init", "--quiet", "--initial-branch=main"]);
        team
    }

    fn git(&self, directory: &str, arguments: &[&str]) {
        self.git_text(directory, arguments);
    }

    fn git_text(&self, directory: &str, arguments: &[&str]) -> String {
        let user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let mut command = Command::new("git");
        command.args(user).args(arguments).current_dir(self.tree.join(directory));
        let ran = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    fn run(&self, home: &str, directory: &str, arguments: &[&str]) -> Ran {
        let program = Program::new().at_home_in(&self.tree.join(home));
        let program = program.variable("PATH", &std::env::var("PATH").unwrap());
        program
            .working_in(&self.tree.join(directory))
            .run(&[arguments, &["--format", "json"]].concat())
    }

    /// Returns `id layer state` of each skill that is not embedded.
    fn listed(&self, home: &str, directory: &str) -> Vec<String> {
        let listed = self.run(home, directory, &["list"]).json();
        let text = |skill: &serde_json::Value, key: &str| skill[key].as_str().unwrap().to_owned();
        let skills = listed["skills"].as_array().unwrap().iter();
        let skills = skills.filter(|skill| skill["layer"] != "embedded");
        let line = |skill| ["id", "layer", "state"].map(|key| text(skill, key)).join(" ");
        skills.map(line).collect()
    }

    /// Commits everything, and clones it for the colleague.
    fn clone_for_colleague(&self) {
        self.git("repo", &["add", "--all"]);
        self.git("repo", &["commit", "--quiet", "--message=one"]);
        self.git("", &["clone", "--quiet", "repo", "clone"]);
    }

    fn exists(&self, path: &str) -> bool {
        self.tree.join(path).symlink_metadata().is_ok()
    }
}

#[test]
fn colleague_gets_the_skills_by_sync_and_trust() {
    let team = Team::new();
    fs::create_dir_all(team.tree.join("repo/a/b")).unwrap();
    let unread = || team.run("home", "repo", &["list"]).json()["unread"].as_array().unwrap().len();
    assert_eq!(unread(), 1, "they are not installed yet");
    let added = team.run("home", "repo/a/b", &["add", "../../team"]).json();
    assert_eq!(added["lock"], team.tree.join("repo/prowess.lock").to_str().unwrap());
    let lock = fs::read_to_string(team.tree.join("repo/prowess.lock")).unwrap();
    assert!(lock.contains("source = \"./team\""), "{lock}");
    assert!(!team.exists("home/.local/state/prowess/prowess.lock"), "the user's is not written");
    assert_eq!(unread(), 0, "their source would add them a second time");
    team.run("home", "repo", &["trust"]);
    let placed = ["add", "./team", "--into", ".claude/skills"];
    assert_eq!(team.run("home", "repo", &placed).code, Some(0));
    let checked = team.run("home", "repo", &["doctor"]);
    assert!(!checked.stdout.contains("skill-copy"), "the lock wants the copy: {checked:?}");
    fs::remove_dir_all(team.tree.join("repo/.claude")).unwrap();
    team.clone_for_colleague();
    let lock = fs::read_to_string(team.tree.join("repo/prowess.lock")).unwrap();
    team.tree.write("repo/prowess.lock", lock.replace("places =", "placed ="));
    let program = Program::new().at_home_in(&team.tree.join("home"));
    let synced = program.working_in(&team.tree.join("repo")).run(&["sync"]).stderr;
    for said in [synced, team.run("home", "repo", &["doctor"]).stdout] {
        assert!(said.contains("lock-key-unknown"), "{said}");
        assert!(said.contains("`skill.pdf.placed`"), "{said}");
    }

    team.tree.write("clone/more/csv/SKILL.md", plain_skill("csv"));
    for (command, code) in [
        (&["sync", "--frozen"][..], 3),
        (&["sync"], 3),
        (&["add", "./more"], 0),
        (&["update"], 0),
        (&["remove", "csv"], 0),
    ] {
        let ran = team.run("colleague", "clone", command);
        assert_eq!(ran.code, Some(code), "{command:?}: {}", ran.stderr);
        assert!(!team.exists("clone/.claude"), "{command:?} places nothing without trust");
        if command.contains(&"--frozen") {
            assert_eq!(states(&ran.json()), ["pdf installed", "pdf not trusted"]);
        }
    }
    assert_eq!(team.listed("colleague", "clone"), ["pdf project-installed hidden"]);
    team.run("colleague", "clone", &["trust"]);
    let synced = team.run("colleague", "clone", &["sync", "--frozen"]);
    assert_eq!(synced.code, Some(0), "{}", synced.stderr);
    assert_eq!(states(&synced.json()), ["pdf intact", "pdf placed"]);
    assert!(team.exists("clone/.claude/skills/pdf/SKILL.md"), "the place is restored");
    fs::remove_dir_all(team.tree.join("clone/.claude")).unwrap();
    assert_eq!(team.listed("colleague", "clone"), ["pdf project-installed visible"]);
    assert!(team.listed("colleague", "").is_empty(), "it is the project's alone");
    assert_eq!(team.run("colleague", "clone", &["verify"]).code, Some(1), "a copy is missing");

    team.tree.write("clone/.claude/skills/pdf/SKILL.md", "Mine.\n");
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!((synced.code, states(&synced.json())[1].as_str()), (Some(3), "pdf edited"));
    let text = fs::read_to_string(team.tree.join("clone/.claude/skills/pdf/SKILL.md")).unwrap();
    assert_eq!(text, "Mine.\n", "what a person has written stays");
}

/// Neither the source of an installed skill nor its copies are anything to read or to remove.
#[test]
fn sources_and_places_are_known_copies() {
    let team = Team::new();
    let run = |arguments: &[&str]| team.run("home", "repo", arguments);
    run(&["trust"]).text();
    run(&["add", "./team", "pdf", "--copy", "--into", "sub/.agents/skills"]).text();
    assert_eq!(run(&["list"]).json()["unread"], serde_json::json!([]), "the place is known");
    for skill in ["pdf", "prowess-usage"] {
        let checked = run(&["validate", skill]);
        assert_eq!(checked.json()["summary"]["valid"], 1, "{skill} has no directory: {checked:?}");
    }
    run(&["config", "set", "--add", "--project", "discovery.also", "./team"]).text();
    let found = run(&["doctor"]).stdout;
    assert!(!found.contains("skill-copy") && !found.contains("skill-shadowed"), "{found}");
}

#[test]
fn locks_of_project_and_user_stand_side_by_side() {
    let team = Team::new();
    team.tree.write("repo/team/pdf/SKILL.md", plain_skill("pdf"));
    assert_eq!(team.run("home", "repo", &["sync", "--frozen"]).code, Some(1), "there is none");
    assert_eq!(team.run("home", "repo", &["add", "./team", "--user"]).code, Some(0));
    assert!(!team.exists("repo/prowess.lock"));
    assert_eq!(team.listed("home", "repo"), ["pdf installed visible"]);
    team.tree.write("repo/team/csv/SKILL.md", plain_skill("csv"));
    assert_eq!(team.run("home", "repo", &["add", "./team", "csv"]).code, Some(0));
    let removed = team.run("home", "repo", &["remove", "pdf"]);
    assert!(removed.error()["help"].to_string().contains("--user"), "{}", removed.stderr);
    assert_eq!(team.run("home", "repo", &["remove", "pdf", "--user"]).code, Some(0));
    assert_eq!(team.listed("home", "repo"), ["csv project-installed hidden"]);
}

/// A link would lead into the store of one user.
#[test]
fn links_of_a_repository_are_copies() {
    let team = Team::new();
    team.run("home", "repo", &["trust"]);
    let link = ["add", "./team", "--link", "--into", ".claude/skills"];
    assert_eq!(team.run("home", "repo", &link).code, Some(0));
    let lock = fs::read_to_string(team.tree.join("repo/prowess.lock")).unwrap();
    assert!(lock.contains("copy:.claude/skills"), "{lock}");
    // As another version has written it.
    team.tree.write("repo/prowess.lock", lock.replace("copy:", "link:"));
    let placed = team.tree.join("repo/.claude/skills/pdf");
    fs::remove_dir_all(&placed).unwrap();
    let elsewhere = format!("/home/ann/.local/state/prowess/store/packages/{}", "a".repeat(64));
    std::os::unix::fs::symlink(elsewhere, &placed).unwrap();
    team.clone_for_colleague();
    team.run("colleague", "clone", &["trust"]);
    for (states_after, is_changed) in [("pdf placed", true), ("", false)] {
        let synced = team.run("colleague", "clone", &["sync"]);
        assert_eq!(synced.code, Some(0), "{synced:?}");
        let states = states(&synced.json());
        assert_eq!(states.get(1).map_or("", String::as_str), states_after, "{states:?}");
        let copy = team.tree.join("clone/.claude/skills/pdf");
        assert!(!copy.is_symlink() && copy.join("SKILL.md").exists());
        let diff = team.git_text("clone", &["status", "--short"]);
        assert_eq!(!diff.is_empty(), is_changed, "{diff}");
        team.git("clone", &["add", "--all"]);
        team.git("clone", &["commit", "--quiet", "--allow-empty", "--message=two"]);
    }
    let own = ["add", "./team", "--user", "--link", "--into", ".github/skills"];
    team.run("home", "repo", &["trust", "--source", team.tree.join("repo/team").to_str().unwrap()]);
    assert_eq!(team.run("home", "repo", &own).code, Some(0));
    assert!(!team.tree.join("repo/.github/skills/pdf").is_symlink(), "nor is the user's one");
}

/// A repository with this entry in its lock file, whose digests are those of a skill that the
/// colleague has installed.
fn malicious(source: &str, more: &str) -> Team {
    let team = Team::new();
    assert_eq!(team.run("home", "repo", &["add", "./team"]).code, Some(0));
    let lock = fs::read_to_string(team.tree.join("repo/prowess.lock")).unwrap();
    let source = format!("source = \"{source}\"");
    let lock = lock.replace("source = \"./team\"", &source) + more;
    team.tree.write("repo/prowess.lock", lock);
    team.clone_for_colleague();
    team
}

#[test]
fn untrusted_lock_reads_nothing_outside() {
    let outside = Tree::new("");
    outside.write("pdf/SKILL.md", plain_skill("pdf"));
    let absolute = outside.path().to_str().unwrap();
    // Git would follow what is in a repository, so not even one inside is read.
    let git = format!("git+file://{absolute}");
    for source in [absolute, "../repo/team", "./link", &git, "git+./team"] {
        let team = malicious(source, "");
        std::os::unix::fs::symlink(outside.path(), team.tree.join("clone/link")).unwrap();
        let synced = team.run("colleague", "clone", &["sync"]);
        assert_eq!(states(&synced.json()), ["pdf failed"], "{source}");
        assert!(
            synced.stdout.contains("which you have not trusted"),
            "{source}: {}",
            synced.stdout
        );
        assert!(!team.exists("colleague/.local/state/prowess/store/packages"), "{source}");
        assert!(team.listed("colleague", "clone").is_empty(), "{source}");
        let commands = [&["sync", "--check"][..], &["update"], &["update", "--check"]];
        for command in commands.into_iter().chain([&["sync", "--frozen"][..]]) {
            let program = Program::new().at_home_in(&team.tree.join("colleague"));
            let ran = program.working_in(&team.tree.join("clone")).run(command);
            assert!(ran.stderr.contains("`prowess trust "), "{source} {command:?}: {ran:?}");
        }
    }
}

/// A lock names any source, host and signer: the claims of others give it no right.
#[test]
fn claims_of_an_untrusted_lock_give_no_right() {
    let team = malicious("git+https://127.0.0.1:9/r.git", "hosts = [\"127.0.0.1:9\"]\n");
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!(states(&synced.json()), ["pdf failed"]);
    assert!(synced.stdout.contains("is in a private network"), "{}", synced.stdout);
    let team = malicious("git+http://127.0.0.1:9/r.git", "hosts = [\"127.0.0.1:9\"]\n");
    let program = Program::new().at_home_in(&team.tree.join("colleague"));
    let frozen = program.working_in(&team.tree.join("clone")).run(&["sync", "--frozen"]);
    assert!(frozen.stderr.contains("`prowess trust "), "the host is named, and waits: {frozen:?}");
    let team = malicious("./team", "places = [\"copy:.claude/skills\"]\n");
    let source = team.tree.join("clone/team");
    let trusted = ["trust", "--source", source.to_str().unwrap()];
    assert_eq!(team.run("colleague", "clone", &trusted).code, Some(0));
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!(states(&synced.json()), ["pdf installed", "pdf not trusted"]);
    assert!(!team.exists("clone/.claude"), "other clients would use it");
}

#[test]
fn places_of_a_lock_stay_in_the_project() {
    let (outside, git, own) = ("is not below", "belongs to git", "is the directory of");
    for (place, reason) in [
        ("copy:../out", outside),
        ("copy:/tmp/prowess-out", outside),
        ("link:a/../../out", outside),
        ("copy:.git/hooks", git),
        ("copy:", own),
        ("copy:.", own),
    ] {
        let team = malicious("./team", &format!("places = [\"{place}\"]\n"));
        let synced = team.run("colleague", "clone", &["sync"]);
        let error = synced.error();
        assert_eq!(error["code"], "lock-invalid", "{place}: {}", synced.stdout);
        assert!(error["message"].as_str().unwrap().contains(reason), "{place}: {error}");
        assert!(team.listed("colleague", "clone").is_empty(), "{place}");
        assert!(!team.exists("out") && !Path::new("/tmp/prowess-out").exists(), "{place}");
    }
    let team = malicious("./team", "places = [\"copy:.claude/skills\"]\n");
    fs::create_dir_all(team.tree.join("out")).unwrap();
    std::os::unix::fs::symlink("../out", team.tree.join("clone/.claude")).unwrap();
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!(states(&synced.json())[1], "pdf blocked", "{}", synced.stdout);
    team.tree.write("clone/more/csv/SKILL.md", plain_skill("csv"));
    team.run("colleague", "clone", &["trust"]);
    for (directory, reason) in
        [(".claude/skills", "behind a link"), ("../out", outside), (".", own)]
    {
        let refused = team.run("colleague", "clone", &["add", "./more", "--into", directory]);
        let error = refused.error();
        assert_eq!(error["code"], "not-placeable", "{error}");
        assert!(error["message"].as_str().unwrap().contains(reason), "{error}");
        let lock = fs::read_to_string(team.tree.join("clone/prowess.lock")).unwrap();
        assert!(!lock.contains("csv"), "a refused place installs nothing: {lock}");
    }
    assert_eq!(fs::read_dir(team.tree.join("out")).unwrap().count(), 0);
}

#[test]
fn copies_in_a_clone_need_no_source() {
    let team = Team::new();
    team.run("home", "repo", &["trust"]);
    let added = team.run("home", "repo", &["add", "./team", "--into", ".claude/skills"]);
    assert_eq!(added.code, Some(0), "{added:?}");
    team.clone_for_colleague();
    fs::remove_dir_all(team.tree.join("clone/team")).unwrap();
    team.run("colleague", "clone", &["trust"]);
    let checked = team.run("colleague", "clone", &["doctor"]);
    assert!(!checked.stdout.contains("\"severity\": \"error\""), "{checked:?}");
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!((synced.code, states(&synced.json())), (Some(0), vec!["pdf installed".into()]));
    team.tree.write("clone/.claude/skills/pdf/more.txt", "Mine.\n");
    fs::remove_dir_all(team.tree.join("colleague/.local/state/prowess/store")).unwrap();
    let synced = team.run("colleague", "clone", &["sync"]);
    assert_eq!(
        states(&synced.json()),
        ["pdf failed", "pdf edited"],
        "what was edited is no source"
    );
}
