//! The help texts, as a snapshot, so that each change of their wording is reviewed.

use std::fmt::Write as _;

use expect_test::expect_file;

use crate::program::Program;

/// Each command whose help is in the snapshot.
const COMMANDS: [&[&str]; 51] = [
    &[],
    &["validate"],
    &["read-properties"],
    &["new"],
    &["schema"],
    &["to-prompt"],
    &["list"],
    &["show"],
    &["search"],
    &["probe"],
    &["explain"],
    &["doctor"],
    &["prompt"],
    &["call"],
    &["explain-call"],
    &["run"],
    &["plugin"],
    &["plugin", "list"],
    &["plugin", "inspect"],
    &["plugin", "check"],
    &["plugin", "new"],
    &["plugin", "trust"],
    &["serve"],
    &["mcp"],
    &["mcp", "config"],
    &["mcp", "call"],
    &["trust"],
    &["add"],
    &["remove"],
    &["sync"],
    &["update"],
    &["verify"],
    &["rollback"],
    &["outdated"],
    &["quarantine"],
    &["quarantine", "list"],
    &["quarantine", "release"],
    &["lock"],
    &["lock", "merge"],
    &["publish"],
    &["audit"],
    &["audit", "show"],
    &["audit", "verify"],
    &["stats"],
    &["approvals"],
    &["approvals", "list"],
    &["approvals", "grant"],
    &["approvals", "deny"],
    &["approvals", "revoke"],
    &["tour"],
    &["help"],
];

/// The heading after which a command's own help ends and the options of every command may follow.
const GLOBAL_OPTIONS: [&str; 8] = [
    "--root",
    "--plugin",
    "--dynamic",
    "--config",
    "--preset",
    "--no-cache",
    "--format",
    "--color",
];

#[test]
fn every_help_text_is_as_reviewed() {
    let mut text = String::new();
    for command in COMMANDS {
        let mut args = command.to_vec();
        // `help` is a command that prints help by itself.
        if command != ["help"] {
            args.push("--help");
        }
        let printed = Program::new().run(&args);
        let _ = writeln!(text, "$ prowess {}\n{}", args.join(" "), printed.text());
    }
    expect_file!["help.txt"].assert_eq(&text);
}

#[test]
fn every_command_is_in_the_snapshot() {
    let printed = Program::new().run(&["--help"]);
    let commands = printed.text().lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty()).then_some(name)
    });
    for name in names {
        assert!(COMMANDS.iter().any(|command| command.first() == Some(&name)), "`{name}` is there");
    }
    for option in GLOBAL_OPTIONS {
        assert!(printed.text().contains(option), "`{option}` is an option of every command");
    }
}
