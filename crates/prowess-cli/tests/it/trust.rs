//! A project's skills are offered once its folder is trusted, and not before.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::{Program, Ran};
use crate::skill_md;

/// A home with one skill, and a repository with one of the same name and another of its own.
fn machine() -> Tree {
    let tree = Tree::new("//- /repository/.git/HEAD\nref: refs/heads/main\n");
    let skill = |name: &str, whose: &str| skill_md(&format!("name: {name}\ndescription: {whose}"));
    tree.write("home/.agents/skills/deploy/SKILL.md", skill("deploy", "The user's."));
    tree.write("repository/.agents/skills/deploy/SKILL.md", skill("deploy", "The project's."));
    tree.write("repository/.agents/skills/evil/SKILL.md", skill("evil", "The project's."));
    fs::create_dir_all(tree.join("repository/deep")).unwrap();
    tree
}

fn run(tree: &Tree, args: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home"));
    program.working_in(&tree.join("repository/deep")).run(args)
}

fn json(tree: &Tree, args: &[&str]) -> Value {
    run(tree, &[args, &["--format", "json"]].concat()).json()
}

/// The skills that are not the program's own, as `id layer state`.
fn skills(listed: &Value) -> Vec<String> {
    let text = |skill: &Value, key: &str| skill[key].as_str().unwrap().to_owned();
    let lists = ["skills", "shadowed"].map(|key| listed[key].as_array().unwrap());
    let skills = lists.into_iter().flatten().filter(|skill| skill["layer"] != "embedded");
    skills.map(|skill| ["id", "layer", "state"].map(|key| text(skill, key)).join(" ")).collect()
}

fn codes(listed: &Value) -> Vec<&str> {
    let found = listed["diagnostics"].as_array().unwrap().iter();
    found.map(|found| found["code"].as_str().unwrap()).collect()
}

const UNTRUSTED: [&str; 3] =
    ["deploy user visible", "deploy project hidden", "evil project hidden"];
const TRUSTED: [&str; 3] =
    ["deploy project visible", "evil project visible", "deploy user shadowed"];

#[test]
fn project_is_trusted_and_revoked() {
    let tree = machine();
    let repository = tree.join("repository").canonicalize().unwrap();
    let before = json(&tree, &["list"]);
    assert_eq!(skills(&before), UNTRUSTED, "its skills are known, and shadow none of the user's");
    assert_eq!(codes(&before), ["project-not-trusted"], "and that is all there is to tell");
    let found = &before["diagnostics"][0];
    let help = format!("if you trust who wrote it, run `prowess trust {}`", repository.display());
    assert_eq!(found["help"], help.as_str(), "the next step is a command");

    let trusted = json(&tree, &["trust"]);
    assert_eq!(trusted["trusted"]["path"], json!(repository), "the repository is one project");
    let during = json(&tree, &["list"]);
    assert_eq!(skills(&during), TRUSTED, "now its skills come before the user's");
    assert_eq!(codes(&during), ["skill-shadowed"]);

    let listed = json(&tree, &["trust", "--list"]);
    assert_eq!(listed["folders"][0]["state"], "trusted", "{listed}");
    let revoked = json(&tree, &["trust", "--revoke", repository.to_str().unwrap()]);
    assert_eq!(revoked["revoked"]["path"], json!(repository));
    assert_eq!(skills(&json(&tree, &["list"])), UNTRUSTED, "as before");
    let nothing = json!({"folders": [], "sources": [], "signers": [], "skills": []});
    assert_eq!(json(&tree, &["trust", "--list"]), nothing);
}

#[test]
fn text_output_names_hidden_skills_and_the_next_step() {
    let tree = machine();
    let overview = run(&tree, &[]);
    assert!(overview.text().contains("\n2 hidden, 0 errors"), "{}", overview.stdout);
    assert!(overview.text().contains("  prowess trust  "), "{}", overview.stdout);
    let list = run(&tree, &["list"]);
    assert!(list.text().contains("hidden: the folder `"), "{}", list.stdout);
    assert!(list.stderr.ends_with("1 warning: see `prowess doctor`\n"), "{}", list.stderr);
    let none = run(&tree, &["trust", "--list"]);
    assert!(none.text().contains("no directory is trusted"), "{}", none.stdout);
    assert!(run(&tree, &["trust"]).text().starts_with("trusted /"));
    let listed = run(&tree, &["trust", "--list"]);
    assert!(listed.text().contains("/repository  since 20"), "{}", listed.stdout);
    let revoked = run(&tree, &["trust", "--revoke", ".."]);
    assert!(revoked.text().starts_with("no longer trusted /"), "{}", revoked.stdout);
}

#[test]
fn damaged_trust_file_trusts_nothing() {
    let tree = machine();
    run(&tree, &["trust"]).text();
    tree.write("home/.local/state/prowess/trust.json", "{");
    let listed = json(&tree, &["list"]);
    assert_eq!(skills(&listed), UNTRUSTED, "no directory is trusted");
    assert_eq!(codes(&listed), ["trust-file-invalid", "project-not-trusted"]);
    for args in [&["trust"][..], &["trust", "--list"], &["trust", "--revoke", "."]] {
        let ran = run(&tree, &[args, &["--format", "json"]].concat());
        assert_eq!((ran.code, &ran.error()["code"]), (Some(1), &json!("trust-file-invalid")));
    }
    let help = run(&tree, &["trust", "--format", "json"]).error()["help"].to_string();
    let command = help.split('`').nth(1).expect("the help has a command");
    let moved = Command::new("sh").args(["-c", command]).status().expect("sh runs");
    assert!(moved.success(), "the command works: {command}");
    assert!(run(&tree, &["trust"]).text().starts_with("trusted /"), "and is the way out");
}

#[test]
fn list_names_the_command_for_each_stale_entry() {
    let tree = machine();
    for folder in ["gone", "replaced", "above", "above/part"] {
        fs::create_dir_all(tree.join(folder)).unwrap();
        run(&tree, &["trust", tree.join(folder).to_str().unwrap()]).text();
    }
    fs::remove_dir(tree.join("gone")).unwrap();
    fs::rename(tree.join("replaced"), tree.join("old")).unwrap();
    fs::create_dir(tree.join("replaced")).unwrap();
    let listed = run(&tree, &["trust", "--list"]);
    let commands: Vec<_> =
        listed.text().lines().filter_map(|line| line.split_once(": prowess ")).collect();
    let [(_, gone), (_, replaced)] = &commands[..] else { panic!("{}", listed.stdout) };
    for command in [gone, replaced] {
        run(&tree, &command.split(' ').collect::<Vec<_>>()).text();
    }
    assert!(!run(&tree, &["trust", "--list"]).text().contains(": prowess "), "each command works");
    let part = run(&tree, &["trust", "--revoke", tree.join("above/part").to_str().unwrap()]);
    assert!(part.text().contains("still trusted as a part of /"), "{}", part.stdout);
}

#[test]
fn untrustable_path_is_refused_with_a_code() {
    let tree = machine();
    let check = |args: &[&str], code: i32, expected: &str| {
        let ran = run(&tree, &[&["trust"], args, &["--format", "json"]].concat());
        assert_eq!((&ran.error()["code"], ran.code), (&json!(expected), Some(code)));
    };
    check(&["gone"], 2, "folder-not-found");
    for (word, option) in [("list", "--list"), ("off", "--revoke PATH"), ("on", "prowess trust`")] {
        let refused = run(&tree, &["trust", word]);
        assert!(refused.stderr.contains(option), "{word}: {}", refused.stderr);
    }
    check(&["/"], 2, "folder-too-wide");
    let home = tree.join("home").display().to_string();
    check(&[&home], 2, "folder-too-wide");
    check(&[&tree.path().display().to_string()], 2, "folder-too-wide");
    check(&["--revoke", "."], 1, "folder-not-trusted");
    run(&tree, &["trust"]).text();
    check(&["--revoke", "."], 1, "folder-not-trusted");
}

#[test]
fn named_root_needs_no_trust() {
    let tree = machine();
    let root = format!("project={}", tree.join("repository/.agents/skills").display());
    let typed = json(&tree, &["--root", &root, "list"]);
    assert_eq!(skills(&typed), ["deploy project visible", "evil project visible"]);
    tree.write("policy.yaml", "discovery: { project_trust: label }\n");
    let config = tree.join("policy.yaml");
    let listed = json(&tree, &["--config", config.to_str().unwrap(), "list"]);
    assert_eq!(skills(&listed), TRUSTED, "the policy does not ask");
}

/// The trust level of a layer is the operator's; the user's decision is shown next to it.
#[test]
fn each_command_shows_that_the_user_trusts_a_directory() {
    let tree = machine();
    let script = ["run", "evil", "scripts/a.sh", "--explain"];
    tree.write("repository/.agents/skills/evil/scripts/a.sh", "true\n");
    let commands = [&["doctor"][..], &["explain", "evil"], &["show", "evil"], &[], &script];
    let marks = |expected: bool| {
        for args in &commands[..if expected { 5 } else { 4 }] {
            let printed = run(&tree, args).stdout;
            let mark = if expected { "trusted by you" } else { "not trusted yet" };
            assert!(printed.contains(mark), "`prowess {}`: {printed}", args.join(" "));
            let printed = json(&tree, args).to_string();
            let mark = format!("\"trusted_by_user\":{expected}");
            assert!(printed.contains(&mark), "{args:?} as JSON: {printed}");
        }
        let listed = json(&tree, &["list"]);
        for skill in listed["skills"].as_array().unwrap() {
            let answer = (skill["layer"] == "project").then_some(expected);
            assert_eq!(skill.get("trusted_by_user"), answer.map(Value::from).as_ref(), "{skill}");
        }
    };
    marks(false);
    run(&tree, &["trust"]).text();
    marks(true);
    // A root that leads out of the project is not searched, trusted or not.
    tree.write("outside/skills/x/SKILL.md", crate::plain_skill("x"));
    symlink("../outside", tree.join("repository/.claude")).unwrap();
    assert!(run(&tree, &[]).text().contains("trusted by you"));
}

#[test]
fn home_is_trusted_on_request_only() {
    let tree = machine();
    let home = tree.join("home");
    let run = |args: &[&str]| Program::new().at_home_in(&home).working_in(&home).run(args);
    let refused = run(&["trust"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("contains your home directory"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--wide"), "the next step is named: {}", refused.stderr);
    assert!(run(&["trust", "--wide"]).text().starts_with("trusted /"));
}

#[test]
fn skill_of_an_agent_is_offered_by_the_command_that_list_shows() {
    let tree = machine();
    let written = tree.join("written");
    let config = format!("discovery: {{ roots: {{ agents: [{written:?}] }} }}\n");
    tree.write("home/.config/prowess/config.yaml", config);
    assert_eq!(run(&tree, &["list"]).code, Some(0), "the directory need not exist");
    tree.write("written/notes/SKILL.md", skill_md("name: notes\ndescription: An agent's."));
    let state = || {
        let listed = json(&tree, &["list"]);
        let lists = ["skills", "shadowed"].map(|key| listed[key].as_array().unwrap().clone());
        let mut all = lists.into_iter().flatten();
        let notes = all.find(|skill| skill["id"] == "notes").expect("it is listed");
        (notes["state"].as_str().unwrap().to_owned(), notes["reason"].to_string())
    };
    let (hidden, reason) = state();
    assert_eq!(hidden, "hidden", "{reason}");
    let command = reason.split('`').nth(1).expect("the reason has a command").to_owned();
    let explained = run(&tree, &["explain", "notes"]);
    assert!(explained.stdout.contains("prowess trust --skill"), "{}", explained.stdout);
    let words: Vec<_> = command.split(' ').skip(1).collect();

    let bare = run(&tree, &["trust", "--skill", "notes"]);
    assert_eq!(bare.code, Some(2), "{bare:?}");
    let joined = bare.stderr.split_whitespace().collect::<String>();
    assert!(joined.contains(&command.replace(' ', "")), "{}", bare.stderr);
    assert!(run(&tree, &words).text().starts_with("trusted notes@sha256:"));
    assert_eq!(state().0, "visible");
    let listed = json(&tree, &["trust", "--list"]);
    assert!(listed["skills"][0]["name"].as_str().unwrap().starts_with("notes@sha256:"), "{listed}");

    tree.write("written/notes/scripts/run.sh", "rm -r ~\n");
    assert_eq!(state().0, "hidden", "a further file is a change");
    let outdated = run(&tree, &[&words[..], &["--format", "json"]].concat());
    assert_eq!(outdated.error()["code"], "review-outdated", "the old command does not offer it");
    let unknown = run(&tree, &["trust", "--skill", "deploy@sha256:0", "--format", "json"]);
    assert_eq!(unknown.error()["code"], "skill-not-found", "others are not reviewed");
    fs::remove_dir_all(tree.join("written/notes/scripts")).unwrap();
    assert_eq!(state().0, "visible", "these are the reviewed files");
    let fixable = skill_md("name: notes\ndescription: An agent's.\nallowed_tools: Read");
    let fix = || {
        let fixed = run(&tree, &["validate", "--fix", written.to_str().unwrap()]);
        let text = fs::read_to_string(tree.join("written/notes/SKILL.md")).unwrap();
        assert!(!text.contains("allowed_tools"), "{fixed:?}");
        fixed.stderr.contains("the skill stays hidden")
    };
    tree.write("written/notes/SKILL.md", &fixable);
    assert!(fix(), "the rest of these files was not reviewed");
    assert_eq!(state().0, "hidden");
    tree.write("written/notes/SKILL.md", &fixable);
    let reason = state().1;
    let command: Vec<_> = reason.split('`').nth(1).unwrap().split(' ').skip(1).collect();
    run(&tree, &command).text();
    assert!(!fix(), "a person has made these files of reviewed ones");
    assert_eq!(state().0, "visible");
    let created = run(&tree, &["new", "memo", "--directory", written.to_str().unwrap()]);
    assert!(created.stdout.contains("prowess trust --skill memo"), "{created:?}");
    assert!(run(&tree, &["trust", "--revoke", "notes"]).text().starts_with("no longer trusted"));
    assert_eq!(state().0, "hidden");
}

/// A configuration that cannot be read may ask for a log: nothing is trusted without an entry, and
/// trust ends all the same.
#[test]
fn change_under_a_broken_configuration_is_recorded() {
    for is_writable in [true, false] {
        let tree = machine();
        assert_eq!(run(&tree, &["trust"]).code, Some(0));
        tree.write("home/.config/prowess/config.yaml", "audit: { log: keep");
        let log = "home/.local/state/prowess/audit.jsonl";
        if !is_writable {
            tree.write(&format!("{log}/x"), "a directory");
        }
        let revoked = run(&tree, &["trust", "--revoke", ".."]);
        assert_eq!(revoked.code, Some(0), "{revoked:?}");
        let trusted = run(&tree, &["trust", "--format", "json"]);
        if is_writable {
            assert_eq!(trusted.code, Some(0), "{trusted:?}");
            let log = fs::read_to_string(tree.join(log)).unwrap();
            assert!(log.contains("revoked") && log.contains("granted"), "{log}");
        } else {
            assert_eq!(trusted.error()["code"], "audit-log-unavailable");
        }
    }
}
