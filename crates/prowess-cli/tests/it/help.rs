//! The help texts, as a snapshot, so that each change of their wording is reviewed.

#[cfg(not(any(feature = "http", feature = "web")))]
use std::fmt::Write as _;

#[cfg(not(any(feature = "http", feature = "web")))]
use expect_test::expect_file;
use prowess_testkit::{Tree, rows};

use crate::plain_skill;
use crate::program::Program;

/// Each command whose help is in the snapshot; the first one is the program itself.
const COMMANDS: &str = include_str!("../data/commands.txt");

/// Returns the words of each command.
pub(crate) fn commands() -> Vec<Vec<&'static str>> {
    COMMANDS.lines().map(|command| command.split_whitespace().collect()).collect()
}

/// Returns the words of each command that has a `--help`: `help` prints its list of topics.
fn commands_with_help() -> Vec<Vec<&'static str>> {
    commands().into_iter().filter(|command| command.first() != Some(&"help")).collect()
}

/// The commands that the overviews leave out.
const HIDDEN: [&str; 13] = [
    "catalog", "completions", "diff", "help", "man", "probe", "propose", "publish",
    "read-properties", "restore", "to-prompt", "verify", "version",
];

/// Options of every command.
const GLOBAL_OPTIONS: &str = "--root --plugin --dynamic --config --set --preset --no-config \
    --no-cache --format --color";

/// The help of a program with further features has more options.
#[cfg(not(any(feature = "http", feature = "web")))]
#[test]
fn every_help_text_is_as_reviewed() {
    let mut text = String::new();
    for mut args in commands() {
        // `help` prints help by itself: its list of topics, and a topic.
        if args.first() != Some(&"help") {
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
    let listed = printed.text().lines().take_while(|line| *line != "Skills:");
    let names = listed.filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty()).then_some(name)
    });
    let names: Vec<_> = names.collect();
    assert_eq!(names.len(), 24, "{names:?}");
    for name in names {
        let is_there = commands().iter().any(|command| command.first() == Some(&name));
        assert!(is_there, "`{name}` is in the snapshot");
    }
    for option in GLOBAL_OPTIONS.split(' ') {
        assert!(printed.text().contains(option), "`{option}` is an option of every command");
    }
}

/// The short help of every command is one screen of a terminal of 80 columns and 24 lines.
#[test]
fn short_help_is_one_screen() {
    for command in commands_with_help() {
        let printed =
            Program::new().variable("COLUMNS", "80").run(&[&command[..], &["-h"]].concat());
        let text = printed.text();
        assert!(text.lines().count() <= 24, "`prowess {} -h`: {text}", command.join(" "));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "it fits 80 columns: {text}");
    }
}

#[test]
fn short_help_has_every_command() {
    let short = Program::new().run(&["-h"]);
    assert!(short.text().lines().count() <= 24, "it is one screen of 24 lines");
    let words: Vec<_> = short.text().split([' ', ',', '\n']).collect();
    let names = commands().into_iter().filter_map(|command| command.first().copied());
    for name in names.filter(|name| !HIDDEN.contains(name)) {
        assert!(words.contains(&name), "`{name}` is in the short help");
    }
}

/// Each command has a line of its own, and each option is described once, on a page for all.
#[test]
fn long_help_of_the_program_fits_a_small_terminal() {
    let long = Program::new().variable("COLUMNS", "80").run(&["--help"]);
    let lines: Vec<_> = long.text().lines().collect();
    assert!(lines.len() <= 80, "{} lines", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", long.text());
    let options = Program::new().run(&["help", "options"]);
    for option in GLOBAL_OPTIONS.split(' ') {
        assert!(options.text().contains(option), "`{option}` is on the page");
        let list = Program::new().run(&["list", "--help"]);
        assert!(!list.text().contains(&format!("{option} ")), "`{option}` is not repeated");
    }
    let refused = Program::new().run(&["lsit"]);
    assert!(
        refused.stderr.contains("'list'") && !refused.stderr.contains("validate"),
        "{refused:?}"
    );
}

#[test]
fn version_is_a_command_too() {
    let version = Program::new().run(&["--version"]);
    assert_eq!(Program::new().run(&["version"]).text(), version.text());
    let json = Program::new().run(&["version", "--format", "json"]).json();
    assert_eq!(format!("prowess {}\n", json["version"].as_str().unwrap()), version.text());
}

#[test]
fn features_are_listed() {
    let listed = Program::new().run(&["version", "--features"]);
    assert!(listed.text().lines().any(|line| line.starts_with("http ")), "{listed:?}");
    let json = Program::new().run(&["version", "--features", "--format", "json"]).json();
    assert_eq!(json["features"]["http"], cfg!(feature = "http"));
    assert_eq!(json["features"]["vendor"], cfg!(feature = "vendor"));
}

#[test]
fn old_name_works_and_names_the_new_one() {
    let title = "old names of commands, the new ones, and the exit codes";
    for [old, new, code] in rows(include_str!("../data/command-cases.txt"), title) {
        let old: Vec<_> = old.split(' ').collect();
        let ran = Program::new().run(&old);
        let words = if old[0] == "lock" || old[0] == "quarantine" { 2 } else { 1 };
        let name = old[..words.min(old.len())].join(" ");
        let note = format!("note: `prowess {name}` is now `prowess {new}`\n");
        assert!(ran.stderr.starts_with(&note), "{old:?}: {ran:?}");
        assert_eq!(ran.code, code.parse().ok(), "{old:?}: {ran:?}");
    }
    assert_eq!(Program::new().run(&["lock", "-h"]).code, Some(0));
    for words in [&["lock", "foo"][..], &["lock", "--frozen"]] {
        let ran = Program::new().run(words);
        let is_named = ran.stderr.contains("here that is 'prowess sync'");
        assert_eq!((ran.code, is_named), (Some(2), true), "{words:?}: {ran:?}");
    }
    for (old, new) in [("stats", "audit stats"), ("lock", "sync"), ("explain-call", "call")] {
        let [help, today] = [old, new].map(|it| {
            let words: Vec<_> = ["help"].into_iter().chain(it.split(' ')).collect();
            Program::new().run(&words)
        });
        assert_eq!(help.stdout, today.stdout, "{old}");
        assert!(help.stderr.starts_with(&format!("note: `prowess {old}` is now")), "{help:?}");
    }
    let quiet = Program::new().run(&["--format", "json", "-q", "outdated"]);
    assert_eq!(
        (quiet.stderr.as_str(), quiet.code),
        ("", Some(0)),
        "the output is the new command's"
    );
}

/// A format that a command refuses is not offered by its help.
#[test]
fn help_offers_the_formats_that_a_command_prints() {
    for command in commands_with_help() {
        let printed = Program::new().run(&[&command[..], &["--help"]].concat());
        let is_offered = printed.text().contains("sarif") && printed.text().contains("github:");
        assert_eq!(is_offered, command == ["validate"], "`prowess {}`", command.join(" "));
        let short = Program::new().run(&[&command[..], &["-h"]].concat());
        let values = match command[..] {
            [] => "--format json ",
            ["validate"] => "[possible values: text, json, sarif, github]",
            _ => "`prowess help options` describes the options of all commands.",
        };
        assert!(short.text().contains(values), "`prowess {} -h`", command.join(" "));
    }
}

#[test]
fn option_without_effect_is_refused() {
    let check = |args: &[&str], message: &str| {
        let refused = Program::new().run(args);
        assert_eq!(refused.code, Some(2), "{args:?}: {refused:?}");
        assert!(refused.stderr.contains(message), "{args:?}: {refused:?}");
        assert_eq!(refused.stdout, "", "nothing was done: {args:?}");
    };
    let skills = "it is about the skills that are found, for commands such as `list`";
    for (args, option, command) in [
        (&["--root", "/nowhere", "verify"][..], "--root", "verify"),
        (&["new", "--plugin", "/nowhere.so", "pdf"], "--plugin", "new"),
        (&["trust", "--root", "/nowhere"], "--root", "trust"),
        (&["tour", "--dynamic", "/nowhere"], "--dynamic", "tour"),
    ] {
        check(args, &format!("`{option}` has no effect on `{command}`: {skills}"));
    }
    let policies = "`--set` has no effect on `verify`: it changes the configuration";
    check(&["verify", "--set", "a=b"], policies);
    check(&["list", "--hints"], "unexpected argument '--hints'");
    let without = Program::new().run(&["version", "--no-cache", "--no-config"]);
    assert_eq!(without.code, Some(0), "{}", without.stderr);
    let refused = Program::new().run(&["tour", "--root", "/nowhere", "--format", "json"]).error();
    assert_eq!(refused["code"], "usage", "it is a failure like any other: {refused}");
}

#[test]
fn help_of_words_is_a_page_or_that_of_a_command() {
    let help = |words: &[&str]| Program::new().run(&[&["help"], words].concat());
    assert!(help(&["trust"]).text().starts_with("Trusting a project"), "a topic comes first");
    let show = Program::new().run(&["config", "show", "--help"]);
    assert_eq!(help(&["config", "show"]).text().trim(), show.text().trim());
    let unknown = help(&["trsut"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `trust`?"), "{}", unknown.stderr);
}

#[test]
fn names_of_this_machine_are_completed() {
    let tree = Tree::new("");
    tree.write("home/.agents/skills/pdf/SKILL.md", plain_skill("pdf"));
    tree.write("home/.agents/skills/pdf/scripts/fill.sh", "true\n");
    // A shell would run the last part of this name.
    tree.write("home/.agents/skills/x$(id)/SKILL.md", plain_skill("x$(id)"));
    let title = "words that are completed, and one of the completions";
    for [line, expected] in rows(include_str!("../data/command-cases.txt"), title) {
        let words: Vec<_> = line.split(' ').collect();
        let program = Program::new().at_home_in(&tree.join("home"));
        let printed = program.run(&[&["completions", "--words"], &*words].concat());
        let found: Vec<_> = printed.text().lines().collect();
        let is_found = expected != "-";
        assert_eq!(is_found, !found.is_empty(), "{words:?}: {found:?}");
        assert_eq!(is_found, found.contains(&&*expected), "{words:?}: {found:?}");
        assert!(!printed.stdout.contains(['$', '(']), "{words:?}: {found:?}");
    }
}

#[test]
fn powershell_script_names_every_command() {
    let script = Program::new().run(&["completions", "powershell"]).text().to_owned();
    assert!(script.contains("Register-ArgumentCompleter"), "it registers itself");
    for command in commands_with_help().iter().filter(|command| !command.is_empty()) {
        let case = format!("\n        'prowess;{}' {{\n", command.join(";"));
        let (_, candidates) = script.split_once(&case).unwrap_or_else(|| panic!("{case}"));
        let candidates = candidates.split("break\n").next().unwrap_or_default();
        assert!(candidates.contains("'--format'"), "{case}: {candidates}");
    }
}
