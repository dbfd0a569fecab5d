//! Each command prints one JSON object.

use prowess_testkit::Tree;
use serde_json::Value;

use crate::help::COMMANDS;
use crate::program::Program;
use crate::skill_md;

/// Commands whose output is that of a protocol, of a script or of the help.
const WITHOUT_DOCUMENT: [&[&str]; 3] = [&["serve"], &["run"], &["help"]];

/// A command line of each other command. Some are failures, which are objects too.
const LINES: [&str; 40] = [
    "",
    "validate pdf",
    "read-properties pdf",
    "new fresh",
    "to-prompt pdf",
    "list",
    "show pdf",
    "search pdf",
    "explain pdf",
    "doctor",
    "prompt",
    "call",
    "plugin list",
    "plugin inspect pdf/SKILL.md",
    "plugin check pdf/SKILL.md",
    "plugin new greeter",
    "plugin trust pdf/SKILL.md",
    "mcp config --client cursor",
    "config show",
    "config init",
    "config schema",
    "config check",
    "trust",
    "add ./pdf",
    "remove pdf",
    "sync",
    "update",
    "verify",
    "publish . --to site",
    "audit show",
    "audit verify",
    "audit stats",
    "approvals list",
    "approvals grant unknown",
    "approvals deny unknown",
    "approvals revoke unknown",
    "completions bash",
    "man",
    "tour",
    "version",
];

/// Returns whether a command only has commands of its own.
fn is_group(command: &[&str]) -> bool {
    !command.is_empty()
        && COMMANDS.iter().any(|other| other.len() > command.len() && other.starts_with(command))
}

#[test]
fn every_document_is_an_object() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    tree.write("pdf/SKILL.md", skill_md("name: pdf\ndescription: Use for forms."));
    for command in COMMANDS {
        if is_group(command) || WITHOUT_DOCUMENT.contains(&command) {
            continue;
        }
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let line = LINES.iter().map(|line| words(line)).find(|words| {
            words.len() >= command.len()
                && words.iter().zip(command).all(|(word, part)| word == part)
                && (!command.is_empty() || words.is_empty())
        });
        let line = line.unwrap_or_else(|| panic!("add a line for `{}`", command.join(" ")));
        let args: Vec<_> = line.iter().map(String::as_str).chain(["--format", "json"]).collect();
        let ran = Program::new().working_in(tree.path()).run(&args);
        let document = if ran.stdout.is_empty() { &ran.stderr } else { &ran.stdout };
        let document: Value = serde_json::from_str(document)
            .unwrap_or_else(|error| panic!("`prowess {}`: {error}: {ran:?}", args.join(" ")));
        assert!(document.is_object(), "`prowess {}`: {document}", args.join(" "));
    }
}

/// Options that make a command print another document.
#[test]
fn every_document_of_an_option_is_an_object() {
    let tree = Tree::new("//- /.git/HEAD\nref: refs/heads/main\n");
    tree.write("queries.json", r#"[{"query": "a form", "expect": ["pdf"]}]"#);
    for line in [
        "validate --schema",
        "search --probe queries.json",
        "call Bash --explain",
        "update --check",
        "update --rollback pdf",
        "sync --quarantine",
        "sync --release sha256:0 file",
        "version --features",
    ] {
        let args: Vec<_> = line.split(' ').chain(["--format", "json"]).collect();
        let ran = Program::new().working_in(tree.path()).run(&args);
        let document = if ran.stdout.is_empty() { &ran.stderr } else { &ran.stdout };
        let document: Value = serde_json::from_str(document)
            .unwrap_or_else(|error| panic!("`prowess {line}`: {error}: {ran:?}"));
        assert!(document.is_object(), "`prowess {line}`: {document}");
    }
}
