//! Runs each program and compares what it prints.

use std::process::Command;

#[track_caller]
fn check(program: &str, expected: &[&str]) {
    let output = Command::new(program).output().expect("the program is built with this test");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the program succeeds: {errors}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

/// The line of the skill in the directory of this package.
const TEA: &str = "tea of user is loaded: Brews tea. Use when somebody is thirsty.";

#[test]
fn embedded_skill_is_loaded() {
    check(env!("CARGO_BIN_EXE_embedded"), &[TEA]);
}

#[test]
fn generated_skills_are_loaded() {
    let lines =
        ["cocoa of user is loaded: Makes cocoa.", "coffee of user is loaded: Makes coffee."];
    check(env!("CARGO_BIN_EXE_in_memory"), &lines);
}

#[test]
fn skill_of_a_directory_is_loaded() {
    check(env!("CARGO_BIN_EXE_directory"), &[TEA]);
}

#[test]
fn installed_skill_is_loaded() {
    check(env!("CARGO_BIN_EXE_installed"), &["installed tea", TEA]);
}

#[test]
fn skill_of_a_server_is_loaded() {
    check(env!("CARGO_BIN_EXE_server"), &[TEA]);
}

#[test]
fn single_skill_has_the_name_of_its_host() {
    let line = "team-tea of user is loaded: Brews tea. Use when somebody is thirsty.";
    check(env!("CARGO_BIN_EXE_single_skill"), &[line]);
}

#[test]
fn higher_layer_is_used() {
    let lines = [
        "bread of team is loaded: Bakes bread.",
        "tea of team is loaded: Brews tea as this team likes it.",
        "tea of common: `memory://generated/tea/SKILL.md` of layer `team` is used instead",
    ];
    check(env!("CARGO_BIN_EXE_composite"), &lines);
}
