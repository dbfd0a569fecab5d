//! The versions of a skill: one list of all that happened to it, and a return to each of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::{Program, Ran};
use crate::{plain_skill, proposals};

/// A user with a repository, in which skills are installed from a directory.
struct Project {
    tree: Tree,
}

impl Project {
    fn new() -> Self {
        let tree = Tree::new("//- /home/.keep\n//- /repo/.git/HEAD\nref: refs/heads/main\n");
        tree.write("source/pdf/SKILL.md", plain_skill("pdf") + "One.\n");
        let project = Self { tree };
        project.run("repo", &["trust"]).text();
        project
    }

    fn run(&self, directory: &str, arguments: &[&str]) -> Ran {
        let program = Program::new().at_home_in(&self.tree.join("home"));
        program.working_in(&self.tree.join(directory)).run(arguments)
    }

    fn add(&self, directory: &str, options: &[&str]) {
        let source = self.tree.join("source").display().to_string();
        self.run(directory, &[&["add", &source], options].concat()).text();
    }

    /// Returns the changes of a skill, the oldest first; `*` marks the one that has the files now.
    fn history(&self, directory: &str, skill: &str) -> Vec<String> {
        let listed = self.run(directory, &["history", skill, "--format", "json"]).json();
        let shown = |version: &Value| {
            let mark = if version["is_current"] == true { "*" } else { "" };
            format!("{}{mark}", version["action"].as_str().unwrap())
        };
        listed["versions"].as_array().unwrap().iter().rev().map(shown).collect()
    }

    fn publish(&self, line: &str) {
        self.tree.write("source/pdf/SKILL.md", plain_skill("pdf") + line);
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.tree.join(path)).unwrap()
    }
}

/// Returns a text with a field that `validate --fix` renames.
fn fixable(text: &str) -> String {
    text.replacen("\n---\n", "\nallowed_tools: Read\n---\n", 1)
}

const COPY: &str = "repo/.claude/skills/pdf/SKILL.md";

/// The author of a skill chooses its name, and a person copies what is printed.
#[test]
fn printed_command_quotes_a_name() {
    let project = Project::new();
    let id = "pdf `touch x`;y";
    let named = plain_skill("pdf").replacen("name: pdf", &format!("name: \"{id}\""), 1);
    project.tree.write("source/pdf/SKILL.md", named);
    project.add("", &["--user"]);
    project.run("", &["remove", id, "--user"]).text();
    let listed = project.run("", &["history", id]);
    assert!(listed.stderr.contains(&format!("restore '{id}' NUMBER`")), "{listed:?}");
    let unknown = project.run("", &["history", "restore", id, "7"]);
    assert!(unknown.stderr.contains(&format!("history '{id}'`")), "{unknown:?}");
}

/// A copy in the directory of a client has the history of what is installed, and what a person has
/// made of it stays, whatever the lock file does.
#[test]
fn placed_copy_has_one_history_and_keeps_changes() {
    let project = Project::new();
    project.add("repo", &["--agent", "claude"]);
    project.publish("Two.\n");
    project.run("repo", &["update"]).text();
    assert!(project.text(COPY).ends_with("Two.\n"), "an unchanged copy follows");
    assert_eq!(project.history("repo", "pdf"), ["installed", "updated*"]);
    project.run("repo", &["restore", "pdf", "1"]).text();
    assert_eq!(project.history("repo", "pdf"), ["installed", "updated", "restored*"]);
    let kept = project.text(COPY);
    assert!(kept.ends_with("One.\n"));
    project.publish("Three.\n");
    let actions = ["installed", "updated", "restored*", "updated"];
    for (command, changes) in [
        (&["sync"][..], &actions[..3]),
        (&["update"], &actions),
        (&["sync"], &actions),
        (&["update", "--rollback", "pdf"], &[&actions[..], &["returned"]].concat()),
        (&["remove", "pdf"], &[&actions[..], &["returned", "removed"]].concat()),
    ] {
        let ran = project.run("repo", command);
        assert_eq!(ran.code, Some(3), "{command:?}: {ran:?}");
        let stays = ran.stdout.contains("is not what was installed, and stays");
        assert!(stays, "{command:?}: {ran:?}");
        assert!(ran.stderr.contains("help:"), "{command:?} names the next step: {ran:?}");
        assert_eq!(project.text(COPY), kept, "{command:?}");
        assert_eq!(project.history("repo", "pdf"), changes, "{command:?}");
    }
    project.run("repo", &["restore", "pdf", "4"]).text();
    assert!(project.text(COPY).ends_with("Three.\n"), "each version is there");
}

/// Changes of the lock file by a colleague are as if they had been made here.
#[test]
fn synced_versions_return() {
    let project = Project::new();
    project.add("repo", &[]);
    let mut locks = vec![project.text("repo/prowess.lock")];
    project.publish("Two.\n");
    for command in [&["update"][..], &["remove", "pdf"]] {
        project.run("repo", command).text();
        locks.push(project.text("repo/prowess.lock"));
    }
    project.tree.write("other/.git/HEAD", "ref: refs/heads/main\n");
    project.tree.write("other/.keep", "");
    project.run("other", &["trust"]).text();
    let actions = ["installed", "updated", "removed", "returned*"];
    for (at, lock) in locks.iter().enumerate() {
        project.tree.write("other/prowess.lock", lock);
        project.run("other", &["sync"]).text();
        let listed = project.history("other", "pdf").join(" ").replace('*', "");
        assert_eq!(listed, actions[..=at].join(" "));
    }
    project.run("other", &["restore", "pdf", "1"]).text();
    assert_eq!(project.history("other", "pdf"), actions);
    project.run("other", &["update", "--rollback", "pdf"]).text();
    assert!(project.run("other", &["show", "pdf"]).text().contains("Two.\n"));
}

/// A link leads to the package of all, which no change of one skill may reach.
#[test]
fn placed_link_is_the_installed_skill() {
    let project = Project::new();
    let source = project.tree.join("source").display().to_string();
    project.run("", &["trust", "--source", &source]).text();
    project.add("", &["--user", "--link"]);
    project.publish("Two.\n");
    project.run("", &["update", "--user"]).text();
    let path = project.tree.join("home/.agents/skills/pdf").display().to_string();
    for skill in ["pdf", &path] {
        assert_eq!(project.history("", skill)[..2], ["installed", "updated*"]);
    }
    project.run("", &["restore", &path, "1"]).text();
    assert!(project.text("home/.agents/skills/pdf/SKILL.md").ends_with("One.\n"));
    assert_eq!(project.history("", "pdf"), ["installed", "updated", "returned*"]);
    project.run("", &["verify", "--user"]).text();
}

/// The lock file of a project comes before that of the user, which is never changed unnamed.
#[test]
fn removed_skill_of_a_project_returns_to_it() {
    let project = Project::new();
    for is_installed in [true, false] {
        project.add("", &["--user"]);
        if !is_installed {
            project.run("", &["remove", "pdf", "--user"]).text();
        }
        project.publish("Two.\n");
        project.add("repo", &[]);
        project.run("repo", &["remove", "pdf"]).text();
        assert_eq!(project.history("repo", "pdf").last().unwrap(), "removed");
        let restored = project.run("repo", &["restore", "pdf", "1"]);
        assert!(restored.text().starts_with("restored: pdf"));
        assert!(restored.stderr.contains("repo/prowess.lock (of this project"), "{restored:?}");
        assert!(project.text("repo/prowess.lock").contains("[skill.pdf]"));
        assert_eq!(project.run("", &["verify", "--user"]).stdout.contains("pdf"), is_installed);
        project.run("repo", &["remove", "pdf"]).text();
    }
    fs::remove_file(project.tree.join("repo/prowess.lock")).unwrap();
    let restored = project.run("repo", &["restore", "pdf", "1"]);
    assert!(restored.stderr.contains("your own; its skills"), "it is named: {restored:?}");
}

/// A state of a skill's directory, and the names that find its history.
#[test]
fn broken_and_removed_skills_return() {
    let cases: [(&str, &[&str]); 4] = [
        ("broken", &["pdf", "./skills/pdf", "skills/pdf/SKILL.md"]),
        ("empty", &["pdf", "skills/pdf"]),
        ("gone", &["pdf", "skills/pdf"]),
        ("all gone", &["./skills/pdf"]),
    ];
    for (state, names) in cases {
        for name in names {
            let desk = proposals::Desk::new();
            let before = desk.text();
            desk.tree.write("skills/pdf/SKILL.md", fixable(&before));
            let run = |words: &[&str]| {
                let program = Program::new().at_home_in(&desk.tree.join("home"));
                let program = program.config(&desk.tree.join("config.yaml"));
                let program = program.root("user", &desk.tree.join("skills"));
                program.working_in(&desk.tree.join("")).run(words)
            };
            run(&["validate", "--fix", "skills/pdf"]);
            let skill = desk.tree.join("skills/pdf");
            let fixed = desk.text();
            match state {
                "broken" => fs::write(skill.join("SKILL.md"), "broken").unwrap(),
                "empty" => fs::remove_file(skill.join("SKILL.md")).unwrap(),
                "gone" => fs::remove_dir_all(&skill).unwrap(),
                _ => fs::remove_dir_all(desk.tree.join("skills")).unwrap(),
            }
            let listed = run(&["history", name]);
            assert!(listed.text().contains("fixed "), "{state} {name}: {listed:?}");
            let is_gone = state.contains("gone");
            assert_eq!(listed.stderr.contains("it was removed"), is_gone, "{state}: {listed:?}");
            let difference = run(&["diff", name, "2"]);
            assert!(difference.text().contains("-description: Fills forms."), "{difference:?}");
            run(&["restore", name, "2"]).text();
            assert_eq!(desk.text(), fixed, "{state} {name}");
        }
    }
}

/// A new skill has a first version, and a fix that cannot be recorded is made and says so.
#[test]
fn fix_of_a_new_skill_is_recorded_or_reported() {
    for is_recorded in [true, false] {
        let desk = proposals::Desk::new();
        let run = |words: &[&str]| {
            let program = Program::new().at_home_in(&desk.tree.join("home"));
            program.working_in(&desk.tree.join("home")).run(words)
        };
        if !is_recorded {
            desk.tree.write("home/.local/state/prowess/store", "no directory");
        }
        let created = run(&["new", "notes", "--user"]);
        assert_eq!(created.stderr.contains("not in the history"), !is_recorded, "{created:?}");
        let file = desk.tree.join("home/.agents/skills/notes/SKILL.md");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, fixable(&text)).unwrap();
        let fixed = run(&["validate", "--fix", ".agents/skills/notes"]);
        assert!(!fs::read_to_string(&file).unwrap().contains("allowed_tools"), "{fixed:?}");
        assert_eq!(fixed.stdout.contains("fix-not-recorded"), !is_recorded, "{fixed:?}");
        if is_recorded {
            let listed = run(&["history", "notes", "--format", "json"]).json();
            let actions = listed["versions"].as_array().unwrap().iter();
            let actions: Vec<_> = actions.map(|it| it["action"].as_str().unwrap()).collect();
            assert_eq!(actions, ["fixed", "found", "created"]);
        }
    }
}

#[test]
fn moved_skill_names_where_it_was() {
    let desk = proposals::Desk::new();
    desk.tree.write("skills/pdf/SKILL.md", fixable(&desk.text()));
    desk.run(&["validate", "--fix", desk.tree.join("skills/pdf").to_str().unwrap()]);
    fs::rename(desk.tree.join("skills/pdf"), desk.tree.join("skills/forms")).unwrap();
    let moved = desk.run(&["history", desk.tree.join("skills/forms").to_str().unwrap()]);
    let origin = format!("prowess history {}", desk.tree.join("skills/pdf").display());
    assert!(moved.stderr.replace("\n  ", " ").contains(&origin), "{moved:?}");
    let unknown = desk.run(&["history", "./nothing", "--format", "json"]);
    assert_eq!(unknown.error()["code"], "skill-not-found");
}

/// A state of the repository, as a script, and the reason why nothing is committed in it.
/// Nothing is changed then, and no program of the repository runs, however it is configured.
#[test]
fn commit_is_checked_before_the_change() {
    let program = "git config gpg.program ./evil; git config commit.gpgsign true; \
                   git config core.fsmonitor ./evil; git config hook.x.command ./evil; \
                   git config hook.x.event pre-commit; printf '#!/bin/sh\ntouch ran; cat' > evil; \
                   chmod +x evil; cp evil .git/hooks/pre-commit; cp evil .git/hooks/post-commit; \
                   cp evil .git/hooks/post-index-change; ";
    for line in include_str!("../data/commits.txt").lines() {
        let (script, reason) = line.split_once(" ¦").expect("a script and a reason");
        let reason = reason.trim();
        let desk = proposals::Desk::new();
        for name in ["pdf/refs/a[1].md", "pdf/refs/a1.md", "other.txt"] {
            desk.tree.write(&format!("skills/{name}"), "one\n");
        }
        let skills = desk.tree.join("skills");
        let before = "git init -q; git config user.name ada; git config user.email ada@example.com; \
                      git add -A; git commit -q -m first; ";
        shell(&skills, &format!("{before}{script}; [ ! -d .git ] || {{ {program} }}"));
        let diff = "--- a/refs/a[1].md\n+++ b/refs/a[1].md\n@@\n-one\n+two\n\
                    --- /dev/null\n+++ b/refs/new.md\n@@\n+new\n";
        let is_dirty = script.contains("a[1].md");
        let diff =
            if is_dirty { diff.replace("@@\n-one", "@@\n one\n-dirty") } else { diff.into() };
        let proposal = desk.propose("agent", &diff);
        let digest = proposal.digest.to_string();
        let accept = ["proposals", "accept", &proposal.name, "--commit", "--digest", &digest];
        let path = std::env::var("PATH").unwrap();
        let ran = desk.program().variable("PATH", &path).run(&accept);
        let text = fs::read_to_string(skills.join("pdf/refs/a[1].md")).unwrap();
        assert!(!skills.join("ran").exists() && !skills.join("pdf/ran").exists(), "{script}");
        if reason.is_empty() {
            assert!(ran.text().contains("  accepted\n"), "{script}: {ran:?}");
            let names = shell(&skills, "git show --name-only --format=");
            assert_eq!(names, "pdf/refs/a[1].md\npdf/refs/new.md\n", "{script}");
        } else {
            assert_eq!(ran.code, Some(1), "{script}");
            assert!(ran.stderr.contains("commit-refused"), "{script}: {ran:?}");
            assert!(ran.stderr.replace("\n  ", " ").contains(reason), "{script}: {ran:?}");
            assert!(!text.contains("two"), "{script}: nothing is changed");
        }
    }
}

/// A commit that fails in the end leaves the change, which is said, and nothing staged.
#[test]
fn failed_commit_says_what_was_made() {
    let desk = proposals::Desk::new();
    let skills = desk.tree.join("skills");
    shell(&skills, "git init -q; git add -A; git -c user.name=a -c user.email=a commit -q -m one");
    shell(
        &skills,
        "git config user.name a; git config user.email a; chmod 500 .git/objects; \
                    touch .git/refs/heads/main.lock .git/refs/heads/master.lock",
    );
    let proposal = desk.propose("agent", "-Run `fil.py`.\n+Run `fill.py`.\n");
    let digest = proposal.digest.to_string();
    let accept = ["proposals", "accept", &proposal.name, "--commit", "--digest", &digest];
    let path = std::env::var("PATH").unwrap();
    let ran = desk.program().variable("PATH", &path).run(&accept);
    assert!(ran.code == Some(1) && ran.stdout.contains("  accepted\n"), "{ran:?}");
    assert!(ran.stderr.contains("the skill has changed, and the commit was not made"), "{ran:?}");
    assert!(desk.text().contains("fill.py"));
    shell(&skills, "chmod 700 .git/objects; rm .git/refs/heads/*.lock");
    assert_eq!(shell(&skills, "git status --porcelain"), " M pdf/SKILL.md\n", "nothing is staged");
    let again = desk.program().variable("PATH", &path).run(&["restore", "pdf", "2", "--commit"]);
    assert!(again.stderr.contains("nothing was committed"), "{again:?}");
}

/// Runs a script, and returns what it prints.
fn shell(directory: &Path, script: &str) -> String {
    let mut command = Command::new("sh");
    let ran = command.args(["-e", "-c", script]).current_dir(directory);
    let ran = ran.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(ran.status.success(), "{script}: {ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}
