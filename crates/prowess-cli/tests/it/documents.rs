//! The documents show commands that exist, and output that is printed.

use std::fs;
use std::path::Path;
use std::process::Command;

use prowess_testkit::Tree;

use crate::plain_skill;
use crate::program::Program;

/// Returns the text of a file of the repository.
fn text(path: &str) -> String {
    let path = Path::new("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines of a document that begin with `$ prowess`, without their comments. A line that
/// ends with a backslash continues.
fn commands(document: &str) -> Vec<String> {
    let lines = document.lines().map(|line| line.trim_start_matches("//!").trim());
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", "");
    let commands = joined.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands = commands.filter(|line| line.split(' ').next() == Some("prowess"));
    commands.map(|line| line.split(" #").next().unwrap_or(line).trim_end().to_owned()).collect()
}

/// A command is parsed with `--help` behind its own arguments, which runs nothing.
#[test]
fn commands_of_the_documents_exist() {
    let mut documents = vec!["README.md".to_owned(), "crates/prowess-cli/src/main.rs".to_owned()];
    for guide in fs::read_dir("../prowess/src/guide").expect("the guides are there") {
        let name = guide.expect("an entry").file_name();
        documents.push(format!("crates/prowess/src/guide/{}", name.display()));
    }
    let program = Path::new(env!("CARGO_BIN_EXE_prowess")).parent().expect("it is in a directory");
    let mut count = 0;
    for document in documents {
        for line in commands(&text(&document)) {
            // Words behind `--` are those of another program.
            let own = line.split(" -- ").next().unwrap_or(&line);
            let output = Command::new("/bin/sh")
                .args(["-c", &format!("{own} --help")])
                .env_clear()
                .env("PATH", program)
                .output()
                .expect("the shell starts");
            let problem = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{document}: `{line}`: {problem}");
            count += 1;
        }
    }
    assert!(count > 40, "the documents have commands: {count}");
}

/// Returns the parts of the line between double backticks, around its ellipsis.
fn shown_line(skill: &str) -> Vec<&str> {
    let line = skill.split("``").nth(1).expect("the skill shows a line");
    line.split('…').map(str::trim).collect()
}

#[test]
fn the_usage_skill_shows_what_explain_prints() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    for root in ["project", "user"] {
        tree.write(&format!("{root}/pdf/SKILL.md"), plain_skill("pdf"));
    }
    let program = Program::new().root("project", &tree.join("project"));
    let ran = program.root("user", &tree.join("user")).run(&["explain", "pdf"]);
    let skill = text("crates/prowess/skills/prowess-usage/SKILL.md");
    let parts = shown_line(&skill);
    let is_shown = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(ran.text().lines().any(is_shown), "no line has {parts:?}: {}", ran.stdout);
}
