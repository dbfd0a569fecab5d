//! Runs each program and compares what it prints.

use std::process::Command;

/// The line of the skill in the directory of this package.
const TEA: &str = "tea of user is loaded: Brews tea. Use when somebody is thirsty.";

/// The programs, and what they print.
const PROGRAMS: [(&str, &[&str]); 7] = [
    (env!("CARGO_BIN_EXE_embedded"), &[TEA]),
    (
        env!("CARGO_BIN_EXE_in_memory"),
        &["cocoa of user is loaded: Makes cocoa.", "coffee of user is loaded: Makes coffee."],
    ),
    (env!("CARGO_BIN_EXE_directory"), &[TEA]),
    (env!("CARGO_BIN_EXE_installed"), &["installed tea", TEA]),
    (env!("CARGO_BIN_EXE_server"), &[TEA]),
    (
        env!("CARGO_BIN_EXE_single_skill"),
        &["team-tea of user is loaded: Brews tea. Use when somebody is thirsty."],
    ),
    (
        env!("CARGO_BIN_EXE_composite"),
        &[
            "bread of team is loaded: Bakes bread.",
            "tea of team is loaded: Brews tea as this team likes it.",
            "tea of common: `memory://generated/tea/SKILL.md` of layer `team` is used instead",
        ],
    ),
];

#[test]
fn programs_load_the_skills_of_their_source() {
    for (program, expected) in PROGRAMS {
        let output = Command::new(program).output().expect("the program is built with this test");
        let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} succeeds: {errors}");
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{program}");
    }
}
