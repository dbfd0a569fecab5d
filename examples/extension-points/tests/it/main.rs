//! Runs each program and compares what it prints.

mod kits;

use std::io::Write;
use std::process::{Command, Stdio};

use prowess_testkit::Tree;

/// The programs without input, and what they print.
const PROGRAMS: [(&str, &[&str]); 20] = [
    (
        env!("CARGO_BIN_EXE_approval_store"),
        &[
            "may the model call order_flour with {\"kilograms\":5}?",
            "`order_flour` was not run: a person has to approve this call first; tell the user, and repeat the same \
             call when it is approved",
        ],
    ),
    (
        env!("CARGO_BIN_EXE_audit_sink"),
        &[
            "skills.load is about to run",
            "tea is loaded",
            "skills.load: Done",
            "skills.load is about to run",
            "skills.load: Failed(Code(\"skill-not-found\"))",
        ],
    ),
    (env!("CARGO_BIN_EXE_catalog_provider"), &["bread tea"]),
    (
        env!("CARGO_BIN_EXE_clock"),
        &["after 59 s: the session is open", "after 119 s: the session has expired"],
    ),
    (env!("CARGO_BIN_EXE_compaction"), &["tea: 33 tokens, cut: false", "left out: []", "true"]),
    (env!("CARGO_BIN_EXE_facts"), &[r#"["kettle", "oven"]: 1 offered"#, r#"["oven"]: 0 offered"#]),
    (
        env!("CARGO_BIN_EXE_folder_trust"),
        &["/srv/ours/website: Trusted", "/srv/theirs: NotTrusted", "/srv/ours-copied: NotTrusted"],
    ),
    (
        env!("CARGO_BIN_EXE_host_tools"),
        &[
            "before: None",
            r#"with tea: Some(["Read", "Bash"])"#,
            "may be read: tea",
            "skills_load: Skill, Some(30000) ms",
        ],
    ),
    (
        env!("CARGO_BIN_EXE_limits"),
        &["tea: loaded", "bread: rate-limited", "results had tokens: true"],
    ),
    (
        env!("CARGO_BIN_EXE_proposal_store"),
        &[
            "tea: The cups were cold.",
            "-Warm the pot first.",
            "+Warm the pot and the cups first.",
            "the reviewer is notified",
        ],
    ),
    (
        env!("CARGO_BIN_EXE_open_telemetry"),
        &[
            "execute_tool skills.load: Unset",
            "execute_tool skills.load: Error { description: \"skill-not-found\" }",
            "tool_call_duration_seconds tool_calls",
        ],
    ),
    (env!("CARGO_BIN_EXE_ranker"), &["2 bread", "1 tea"]),
    (env!("CARGO_BIN_EXE_remote"), &["top: top", "bottom: no bottom shelf"]),
    (
        env!("CARGO_BIN_EXE_script_runner"),
        &[r#""2 minutes left\n1 minutes left\n0 minutes left\n""#],
    ),
    (env!("CARGO_BIN_EXE_session_store"), &["the load was stored: true"]),
    (env!("CARGO_BIN_EXE_skill_source"), &["tea"]),
    (
        env!("CARGO_BIN_EXE_task_and_fork"),
        &[
            r#"fork: true, model: Some("small")"#,
            r#"the child has ["research"]"#,
            "the task unloads 1",
            r#"the parent has [], the child ["research"]"#,
        ],
    ),
    (env!("CARGO_BIN_EXE_token_counter"), &["the prompt has exactly 55 words"]),
    (
        env!("CARGO_BIN_EXE_typed_errors"),
        &[
            "SKILL_NOT_FOUND: search for coffee",
            "SKILL_TOOL_NOT_ALLOWED: ask the person about Bash",
        ],
    ),
    (env!("CARGO_BIN_EXE_tool"), &[r#"{"words":6}"#, "invalid-arguments"]),
];

#[test]
fn programs_print_what_they_show() {
    for (program, expected) in PROGRAMS {
        let output = Command::new(program).output().expect("the program is built with this test");
        let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} succeeds: {errors}");
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{program}");
    }
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
