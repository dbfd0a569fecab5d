//! Runs each program and compares what it prints.

mod kits;

use std::io::Write;
use std::process::{Command, Stdio};

use prowess_testkit::Tree;

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
fn ask_the_person_about_a_project_and_a_call() {
    let question = "use 1 skill of this project? [y/N]";
    let may_push = "run `git push` once? [y/N]";
    let refused = "`Bash` was not run: a person has refused it; go on without it";
    let (yes, no) = (["offered: tea", may_push, "pushed"], ["offered: ", may_push, refused]);
    for (answers, rest) in [("y\ny\n", yes), ("n\nn\n", no)] {
        let tree = Tree::new("");
        tree.write("project/.git/HEAD", "ref: refs/heads/main\n");
        let skill = "---\nname: tea\ndescription: Brews tea.\n---\n";
        tree.write("project/.agents/skills/tea/SKILL.md", skill);
        let mut program = Command::new(env!("CARGO_BIN_EXE_ask_the_person"));
        program.env("HOME", tree.join("home")).current_dir(tree.join("project"));
        for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            program.env_remove(variable);
        }
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().expect("the program is built with this test");
        let mut input = child.stdin.take().expect("its input is a pipe");
        input.write_all(answers.as_bytes()).expect("it reads its input");
        let output = child.wait_with_output().expect("it ends");
        let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines, [&[question][..], &rest].concat(), "the answers are {answers:?}");
    }
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
fn compaction_returns_what_was_lost() {
    let lines = ["tea: 33 tokens, cut: false", "left out: []", "true"];
    check(env!("CARGO_BIN_EXE_compaction"), &lines);
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
fn host_tools_are_limited_by_skills() {
    let lines = [
        "before: None",
        r#"with tea: Some(["Read", "Bash"])"#,
        "may be read: tea",
        "skills_load: Skill, Some(30000) ms",
    ];
    check(env!("CARGO_BIN_EXE_host_tools"), &lines);
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
fn task_and_fork_end_apart() {
    let lines = [
        r#"fork: true, model: Some("small")"#,
        r#"the child has ["research"]"#,
        "the task unloads 1",
        r#"the parent has [], the child ["research"]"#,
    ];
    check(env!("CARGO_BIN_EXE_task_and_fork"), &lines);
}

#[test]
fn token_counter_counts_words() {
    check(env!("CARGO_BIN_EXE_token_counter"), &["the prompt has exactly 55 words"]);
}

#[test]
fn typed_errors_have_a_next_step() {
    let lines =
        ["SKILL_NOT_FOUND: search for coffee", "SKILL_TOOL_NOT_ALLOWED: ask the person about Bash"];
    check(env!("CARGO_BIN_EXE_typed_errors"), &lines);
}

#[test]
fn tool_counts_words_and_refuses_other_arguments() {
    check(env!("CARGO_BIN_EXE_tool"), &[r#"{"words":6}"#, "invalid-arguments"]);
}
