//! Each command prints one JSON object.

use prowess_testkit::Tree;
use serde_json::Value;

use crate::help::commands;
use crate::program::Program;
use crate::skill_md;

/// Commands whose output is that of a protocol, of a script or of the help.
const WITHOUT_DOCUMENT: [&str; 3] = ["serve", "run", "help"];

/// A command line of each other command. Some are failures, which are objects too. The last ones
/// have an option that makes the command print another document.
const LINES: &str = include_str!("../../data/lines.txt");

fn lines() -> Vec<Vec<&'static str>> {
    let lines = LINES.split(';').map(|line| line.split_whitespace().collect());
    [Vec::new()].into_iter().chain(lines).collect()
}

#[test]
fn every_document_is_an_object() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    tree.write("pdf/SKILL.md", skill_md("name: pdf\ndescription: Use for forms."));
    tree.write("queries.json", r#"[{"query": "a form", "expect": ["pdf"]}]"#);
    for line in lines() {
        let args = [&line[..], &["--format", "json"]].concat();
        let ran = Program::new().working_in(tree.path()).run(&args);
        let document = if ran.stdout.is_empty() { &ran.stderr } else { &ran.stdout };
        let document: Value = serde_json::from_str(document)
            .unwrap_or_else(|error| panic!("`prowess {}`: {error}: {ran:?}", args.join(" ")));
        assert!(document.is_object(), "`prowess {}`: {document}", args.join(" "));
    }
}

#[test]
fn every_command_has_a_line() {
    let (commands, lines) = (commands(), lines());
    for command in commands.iter().filter(|command| !command.is_empty()) {
        let is_group = |other: &Vec<_>| other.len() > command.len() && other.starts_with(command);
        // What waits prints a line for each change.
        let is_endless = command.last() == Some(&"watch");
        let has_none =
            is_endless || WITHOUT_DOCUMENT.contains(&command[0]) || commands.iter().any(is_group);
        let has_line = lines.iter().any(|line| line.starts_with(command));
        assert!(has_none || has_line, "add a line for `{}`", command.join(" "));
    }
}
