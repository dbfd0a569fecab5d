//! `prowess new`: a first file that checkers find no fault with, and nothing overwritten.

use std::fs;

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

fn new(tree: &Tree, args: &[&str]) -> Ran {
    let args: Vec<_> = ["new"].iter().chain(args).copied().collect();
    Program::new().working_in(tree.path()).run(&args)
}

#[test]
fn json_output_has_the_same_facts() {
    let tree = Tree::new("");
    let args = ["pdf", "--description", "Use when: a # b", "--directory", "it's deep/skills"];
    let created = new(&tree, &[&args[..], &["--format", "json"]].concat()).json();
    let expected = serde_json::json!({
        "name": "pdf",
        "path": "it's deep/skills/pdf/SKILL.md",
        "next": [
            "prowess validate 'it'\\''s deep/skills/pdf'",
            "prowess --root 'it'\\''s deep/skills' list, as skills are not looked for there",
        ],
    });
    assert_eq!(created, expected);
    let text =
        fs::read_to_string(tree.join("it's deep/skills/pdf/SKILL.md")).expect("it is written");
    assert!(text.starts_with("---\nname: pdf\ndescription: \"Use when: a # b\"\n---\n# Pdf\n"));
}

#[test]
fn existing_file_is_never_overwritten() {
    for file in ["SKILL.md", "skill.md"] {
        let tree = Tree::new("");
        tree.write(&format!(".agents/skills/pdf/{file}"), "mine");
        let error = new(&tree, &["pdf", "--format", "json"]).error();
        assert_eq!(error["code"], "skill-exists");
        let entries =
            fs::read_dir(tree.join(".agents/skills/pdf")).expect("the package is there").count();
        assert_eq!(entries, 1, "no file is added");
        let text = fs::read_to_string(tree.join(&format!(".agents/skills/pdf/{file}")))
            .expect("it is there");
        assert_eq!(text, "mine", "the file is as it was");
    }
}

#[test]
fn link_is_not_written_through() {
    let tree = Tree::new("//- /skills/pdf/note.md\na note\n");
    let link = tree.join("skills/pdf/SKILL.md");
    std::os::unix::fs::symlink("../../elsewhere", link).expect("a link");
    let error = new(&tree, &["pdf", "--directory", "skills", "--format", "json"]).error();
    assert_eq!(error["code"], "skill-exists");
    assert!(!tree.join("elsewhere").exists(), "nothing is made where the link leads");
}

#[test]
fn invalid_skill_is_not_created() {
    let tree = Tree::new("");
    for (args, code) in [
        (&["PDF"][..], "name-invalid"),
        (&["../pdf"], "name-invalid"),
        (&["con"], "name-reserved"),
        (&["pdf", "--description", " "], "description-empty"),
        (&["pdf", "--description", &"x".repeat(1025)], "description-too-long"),
    ] {
        let ran = new(&tree, &[args, &["--format", "json"]].concat());
        assert_eq!(ran.code, Some(2), "the command itself was wrong");
        assert_eq!(ran.error()["code"], code, "{args:?}");
    }
    let entries = fs::read_dir(tree.path()).expect("the tree can be listed").count();
    assert_eq!(entries, 0, "nothing is written");
}

/// A disk that is full takes the name of a file and not its text.
#[test]
fn failed_write_leaves_nothing_behind() {
    let tree = Tree::new("");
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" --format json new pdf";
    let ran = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_prowess")])
        .current_dir(tree.path())
        .output()
        .expect("there is a shell");
    assert_eq!(ran.status.code(), Some(1), "nothing could be written: {ran:?}");
    assert!(String::from_utf8_lossy(&ran.stderr).contains("output-failed"), "{ran:?}");
    assert!(!tree.join(".agents/skills/pdf").exists(), "no empty file stops the next try");
    assert_eq!(new(&tree, &["pdf"]).code, Some(0), "which succeeds");
}

#[test]
fn new_skill_is_found_after_the_printed_steps() {
    let tree = Tree::new("//- /home/.keep\n//- /desk/.git/HEAD\n//- /desk/deep/.keep\n");
    let run = |args: &[&str]| {
        Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("desk/deep")).run(args)
    };
    let offered = |id: &str| {
        let listed = run(&["list", "--format", "json"]).json();
        let skills = listed["skills"].as_array().unwrap();
        skills.iter().any(|skill| skill["id"] == id && skill["state"] == "visible")
    };
    let project = run(&["new", "of-project"]);
    assert!(project.text().contains("next: prowess trust, so that"), "{}", project.stdout);
    assert!(tree.join("desk/.agents/skills/of-project/SKILL.md").exists());
    assert!(!offered("of-project"), "the project is not trusted yet");
    run(&["trust"]).text();
    assert!(offered("of-project"), "it is offered after that step");
    assert!(!run(&["new", "second"]).text().contains("prowess trust"), "nothing is missing now");

    let user = run(&["new", "of-user", "--user"]);
    assert!(!user.text().contains("prowess trust"), "the home needs no trust: {}", user.stdout);
    assert!(tree.join("home/.agents/skills/of-user/SKILL.md").exists());
    assert!(offered("of-user"));

    let elsewhere = run(&["new", "third", "--directory", "shelf"]);
    assert!(elsewhere.text().contains("next: prowess --root shelf list"), "{}", elsewhere.stdout);
}
