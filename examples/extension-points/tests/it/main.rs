//! Runs each program and compares what it prints.

mod kits;

use std::process::Command;

#[track_caller]
fn check(program: &str, expected: &[&str]) {
    let output = Command::new(program).output().expect("the program is built with this test");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the program succeeds: {errors}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn approval_store_shows_the_request() {
    let lines = [
        "may the model call order_flour with {\"kilograms\":5}?",
        "`order_flour` was not run: a person has to approve this call first; tell the user, and repeat the same call \
         when it is approved",
    ];
    check(env!("CARGO_BIN_EXE_approval_store"), &lines);
}

#[test]
fn audit_sink_receives_intent_and_outcome() {
    let lines = [
        "skills.load is about to run",
        "tea is loaded",
        "skills.load: Done",
        "skills.load is about to run",
        "skills.load: Failed(Code(\"skill-not-found\"))",
    ];
    check(env!("CARGO_BIN_EXE_audit_sink"), &lines);
}

#[test]
fn catalog_provider_provides_a_snapshot() {
    check(env!("CARGO_BIN_EXE_catalog_provider"), &["bread tea"]);
}

#[test]
fn clock_expires_the_session() {
    let lines = ["after 59 s: the session is open", "after 119 s: the session has expired"];
    check(env!("CARGO_BIN_EXE_clock"), &lines);
}

#[test]
fn facts_decide_about_requirements() {
    let lines = [r#"["kettle", "oven"]: 1 offered"#, r#"["oven"]: 0 offered"#];
    check(env!("CARGO_BIN_EXE_facts"), &lines);
}

#[test]
fn folder_trust_compares_whole_names() {
    let lines =
        ["/srv/ours/website: Trusted", "/srv/theirs: NotTrusted", "/srv/ours-copied: NotTrusted"];
    check(env!("CARGO_BIN_EXE_folder_trust"), &lines);
}

#[test]
fn limits_refuse_the_second_call() {
    let lines = ["tea: loaded", "bread: rate-limited", "results had tokens: true"];
    check(env!("CARGO_BIN_EXE_limits"), &lines);
}

#[test]
fn proposal_store_notifies_the_reviewer() {
    let lines = [
        "tea: The cups were cold.",
        "-Warm the pot first.",
        "+Warm the pot and the cups first.",
        "the reviewer is notified",
    ];
    check(env!("CARGO_BIN_EXE_proposal_store"), &lines);
}

#[test]
fn ranker_orders_by_common_words() {
    check(env!("CARGO_BIN_EXE_ranker"), &["2 bread", "1 tea"]);
}

#[test]
fn remote_names_the_missing_shelf() {
    check(env!("CARGO_BIN_EXE_remote"), &["top: top", "bottom: no bottom shelf"]);
}

#[test]
fn script_runner_counts_down() {
    let lines = [r#""2 minutes left\n1 minutes left\n0 minutes left\n""#];
    check(env!("CARGO_BIN_EXE_script_runner"), &lines);
}

#[test]
fn session_store_counts_writes() {
    check(env!("CARGO_BIN_EXE_session_store"), &["the load was stored: true"]);
}

#[test]
fn skill_source_offers_its_table() {
    check(env!("CARGO_BIN_EXE_skill_source"), &["tea"]);
}

#[test]
fn token_counter_counts_words() {
    check(env!("CARGO_BIN_EXE_token_counter"), &["the prompt has exactly 55 words"]);
}

#[test]
fn tool_counts_words_and_refuses_other_arguments() {
    check(env!("CARGO_BIN_EXE_tool"), &[r#"{"words":6}"#, "invalid-arguments"]);
}
