//! `prowess run`: scripts of skills, from the command line and by a model's call.

use prowess_testkit::rows;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;

use prowess_testkit::Tree;
use rustix::process::Signal;

use crate::program::{Program, Ran, signal};
use crate::terminal;

const FILES: &str = include_str!("../data/run.txt");

fn run(tree: &Tree, arguments: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home"));
    program.root("user", &tree.join("skills")).run(arguments)
}

#[test]
fn a_script_writes_where_it_is_allowed_to() {
    let tree = Tree::new(FILES);
    let file = tree.join("project/report.txt");
    let file = file.to_str().unwrap();
    let script = ["report", "scripts/report.sh"];
    let arguments = ["--", "a b", file];
    let refused = run(&tree, &[&["run"], &script[..], &arguments[..]].concat());
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    // In a root directory of its own the script does not even see the directory.
    let errors = ["Permission denied", "No such file or directory"];
    assert!(errors.iter().any(|error| refused.stderr.contains(error)), "{}", refused.stderr);
    let project = tree.join("project");
    let grant = ["--write", project.to_str().unwrap()];
    let written = run(&tree, &[&["run"], &script[..], &grant[..], &arguments[..]].concat());
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), "wrote a b\n"));
    assert_eq!(written.stderr, "\\u{1b}[31mdone\n", "no escape sequence reaches the terminal");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "a b");
}

#[test]
fn secrets_of_the_environment_are_neither_printed_nor_recorded() {
    let tree = Tree::new(FILES);
    tree.write("skills/report/scripts/echo.sh", "echo \"printed $1\"\n");
    tree.write("audit.yaml", "audit: { log: keep }");
    let run = |arguments: &[&str]| {
        let program = Program::new().at_home_in(&tree.join("home"));
        let program = program.variable("CRM_API_KEY", "correct-horse").variable("TOKEN", "short");
        let program = program.config(&tree.join("audit.yaml"));
        program.root("user", &tree.join("skills")).run(arguments)
    };
    let echo = |word| run(&["run", "report", "scripts/echo.sh", "--", word]);
    assert_eq!(echo("correct-horse-staple").stdout, "printed [REDACTED]-staple\n");
    assert_eq!(echo("short").stdout, "printed short\n", "it may be in any text");
    let read = r#"{"skill": "report", "path": "notes/correct-horse.md"}"#;
    assert_eq!(run(&["call", "skills_read", read]).code, Some(1), "there is no such file");
    let log = tree.join("home/.local/state/prowess/audit.jsonl");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("notes/[REDACTED].md"), "{log}");
    assert!(!log.contains("correct-horse"), "{log}");
}

#[test]
fn the_exit_code_is_that_of_the_script() {
    let tree = Tree::new(FILES);
    tree.write("skills/report/scripts/crash.sh", "kill -SEGV $$\n");
    let ran = run(&tree, &["run", "report", "scripts/crash.sh"]);
    assert_eq!((ran.code, ran.stderr.contains("ended by signal 11")), (Some(139), true), "{ran:?}");
    let ran = run(&tree, &["run", "report", "scripts/fail.sh", "--", "3"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let ended = run(&tree, &["run", "report", "scripts/wait.sh", "--seconds", "1"]);
    assert_eq!(ended.code, Some(124), "{}", ended.stderr);
    assert!(ended.stderr.contains("ended after 1 s"), "{}", ended.stderr);
}

#[test]
fn what_cannot_run_is_an_error_with_a_next_step() {
    let tree = Tree::new(FILES);
    for (path, code) in [
        ("scripts/other.py", "resource-not-found"),
        ("SKILL.md", "path-not-allowed"),
        ("../other", "path-escape"),
    ] {
        let ran = run(&tree, &["run", "report", path]);
        assert_eq!(ran.code, Some(125), "{path}: {}", ran.stdout);
        assert!(ran.stderr.contains(&format!("error[{code}]")), "{path}: {}", ran.stderr);
        assert!(ran.stderr.contains("help: "), "{path}: {}", ran.stderr);
    }
    tree.write("skills/report/scripts/settings.ini", "a=1\n");
    let listed = run(&tree, &["run", "report"]).stdout;
    assert!(listed.contains("wait.sh") && !listed.contains(".ini"), "{listed}");
    let ran = run(&tree, &["run", "other", "scripts/report.sh"]);
    assert_eq!(ran.code, Some(125), "there is no such skill: {}", ran.stderr);
}

#[test]
fn missing_sandbox_is_reported_by_doctor() {
    let tree = Tree::new(FILES);
    for (level, is_warned) in [("floor", false), ("unconfined", true)] {
        tree.write("prowess.yaml", format!("scripts: {{ exec: tool, level: {level} }}\n"));
        let program = Program::new().at_home_in(&tree.join("home"));
        let doctor = program.config(&tree.join("prowess.yaml")).run(&["doctor"]).stdout;
        let words = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        let warning = "scripts run with every right of this user, because `scripts.level` is";
        assert_eq!(words.contains(warning), is_warned, "{level}: {doctor}");
    }
}

#[test]
fn granted_file_is_named_as_the_caller_names_it() {
    let tree = Tree::new(FILES);
    tree.write("skills/report/scripts/cat.sh", "cat \"${1#--in=}\"\n");
    tree.write("project/form.txt", "hello\n");
    let program = || {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.root("user", &tree.join("skills")).working_in(&tree.join("project"))
    };
    let run = |args: &[&str]| program().run(&[&["run", "report", "scripts/cat.sh"], args].concat());
    tree.write("skills/report/scripts/args.sh", "printf '%s ' \"$@\"\n");
    let here = tree.join("project").display().to_string();
    for row in
        rows(include_str!("../data/tables.txt"), "granted_file_is_named_as_the_caller_names_it")
    {
        let [argument, named, passed] = row.each_ref().map(String::as_str);
        tree.write("project/d/in.csv", "a\n");
        let script = ["run", "report", "scripts/args.sh", "--read", "form.txt", "--", argument];
        let ran = program().run(&script);
        assert_eq!(ran.text().trim(), passed.replace('H', &here), "{argument}");
        let is_granted = named == "form.txt";
        assert_eq!(ran.stderr.contains(&format!("add `--read {named}`")), !is_granted, "{ran:?}");
        let script = ["run", "report", "scripts/args.sh", "--", argument];
        let help = format!("add `--read {named}`");
        assert!(program().run(&script).stderr.contains(&help), "{argument}, with exit code 0");
        let script = ["run", "report", "scripts/args.sh", "--explain", "--", argument];
        assert!(program().run(&script).stderr.contains(&help), "{argument}");
    }
    for name in ["form.txt", "./form.txt", "../project/form.txt", "--in=form.txt"] {
        let closed = run(&["--", name]);
        assert_eq!((closed.code, closed.stdout.as_str()), (Some(1), ""), "{name}: {closed:?}");
        let file = name.trim_start_matches("--in=");
        assert!(closed.stderr.contains(&format!("add `--read {file}`")), "{closed:?}");
        assert_eq!(run(&["--read", "form.txt", "--", name]).text(), "hello\n", "{name}");
    }
    // A clone may bring links: what is not here, or hidden, is named itself.
    tree.write("project/.git/hooks/x", "");
    tree.write("home/.ssh/id", "secret\n");
    for (link, target) in [
        ("out", ".git/hooks"),
        ("away", "../home/.ssh/id"),
        ("d/up", "../.."),
        ("near", "form.txt"),
    ] {
        std::os::unix::fs::symlink(target, tree.join("project").join(link)).unwrap();
    }
    for (option, path) in [
        ("--write", "out"),
        ("--read", "away"),
        ("--write", "d/up/home"),
        ("--read", "d/up/home/.."),
    ] {
        let refused = run(&[option, path, "--", "form.txt"]);
        let said = format!("error[path-invalid]: `{path}` leads to `");
        assert!(refused.stderr.contains(&said) && refused.stdout.is_empty(), "{path}: {refused:?}");
    }
    let secret = tree.join("home/.ssh/id").display().to_string();
    let hint = format!("`away` is a link to the file `{secret}` that the script may not read: add");
    assert!(run(&["--", "away"]).stderr.contains(&hint), "{hint}");
    assert_eq!(run(&["--read", &secret, "--", "away"]).text(), "secret\n", "it is granted itself");
    let explained = run(&["--explain", "--read", "near"]);
    assert!(explained.stdout.contains("project/near, which leads to "), "{explained:?}");
    for (typed, code, printed) in [("y\n", 0, "hello\n"), ("\n", 1, "")] {
        let (mut command, _place) = program().into_command();
        command.args(["run", "report", "scripts/cat.sh", "--", "form.txt"]);
        let (ended, output, shown) = terminal::run(command, typed);
        assert_eq!((ended, output.as_str()), (Some(code), printed), "{shown}");
        assert!(shown.contains("`form.txt`, which is a file here? [y/N]"), "{shown}");
    }
    // One question for each file, and none about what an answer has granted already.
    tree.write("project/sub/a.csv", "x\n");
    let files = ["sub/a.csv", "./form.txt", "form.txt", "sub"];
    for (typed, expected) in
        [("n\ny\n", &["./form.txt", "sub"][..]), ("n\nn\nn\n", &["./form.txt", "sub", "sub/a.csv"])]
    {
        let (mut command, _place) = program().into_command();
        command.args([&["run", "report", "scripts/cat.sh", "--"], &files[..]].concat());
        let (_, _, shown) = terminal::run(command, typed);
        let asked = shown.lines().filter_map(|line| line.split_once("May the script read `"));
        let asked = asked.filter_map(|(_, it)| Some(it.split_once("`, which")?.0));
        assert_eq!(asked.collect::<Vec<_>>(), expected, "{shown}");
    }
}

#[test]
fn person_is_told_where_arguments_and_grants_go() {
    let tree = Tree::new(FILES);
    let program = || {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.root("user", &tree.join("skills")).working_in(&tree.join("project"))
    };
    let script = ["run", "report", "scripts/report.sh"];
    for line in include_str!("../data/run-arguments.txt").lines() {
        let (args, said) = line.split_once(" =>").expect("arguments and a part of the answer");
        let (args, said) = (args.split(" ¦ ").collect::<Vec<_>>(), said.trim().replace('⏎', "\n"));
        let ran = program().run(&[&script[..], &args].concat());
        assert!(
            ran.stderr.contains(&said) && !ran.stderr.contains("'--root'"),
            "{args:?}: {ran:?}"
        );
        assert!(!said.is_empty() || !ran.stderr.contains("--write"), "{args:?}: {ran:?}");
    }
    let written = program().run(&[&script[..], &["--write", ".", "--", "a", "out.txt"]].concat());
    assert_eq!((written.code, &*written.stdout), (Some(0), "wrote a\n"), "{written:?}");
}

#[test]
fn skill_without_a_script_lists_its_scripts() {
    let tree = Tree::new(FILES);
    let listed = run(&tree, &["run", "report"]);
    assert!(listed.text().contains("\n  prowess run report scripts/fail.sh\n"), "{listed:?}");
    tree.write("skills/bare/SKILL.md", crate::plain_skill("bare"));
    let none = run(&tree, &["run", "bare"]);
    assert!(none.code == Some(1) && none.stderr.contains("error[no-scripts]"), "{none:?}");
}

#[test]
fn person_at_a_terminal_is_asked_once() {
    let tree = Tree::new(FILES);
    tree.write("untrusted.yaml", UNTRUSTED);
    for (typed, code) in [("y\n", 7), ("n\n", 125)] {
        let program = Program::new().at_home_in(&tree.join("home"));
        let program = program.config(&tree.join("untrusted.yaml"));
        let (mut command, _place) = program.root("user", &tree.join("skills")).into_command();
        command.args(["run", "report", "scripts/fail.sh", "--", "7"]);
        let (ended, output, shown) = terminal::run(command, typed);
        assert_eq!(ended, Some(code), "{output}{shown}");
        assert!(shown.contains("reaches      no host"), "{shown}");
        assert!(shown.contains("Run it once? [y/N]"), "{shown}");
    }
}

#[test]
fn answer_counts_beside_that_of_another_person() {
    for (typed, other, code, state) in [
        ("y\n", "grant", 7, "spent"),
        ("n\n", "grant", 125, "revoked"),
        ("y\n", "deny", 125, "denied"),
        ("n\n", "deny", 125, "denied"),
        // A signal, after which nothing waits any more.
        ("", "show", 130, "expired"),
    ] {
        let tree = Tree::new(FILES);
        tree.write("untrusted.yaml", UNTRUSTED);
        let program = Program::new().at_home_in(&tree.join("home"));
        let program = program.config(&tree.join("untrusted.yaml"));
        let (mut command, _place) = program.root("user", &tree.join("skills")).into_command();
        let (mut terminal, open) = terminal::opened(80);
        command.args(["run", "report", "scripts/fail.sh", "--", "7"]);
        let mut child = command.stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
        let (mut next, mut shown) =
            (BufReader::new(terminal.try_clone().unwrap()).bytes(), Vec::new());
        while !shown.ends_with(b"[y/N] ") {
            shown.push(next.next().unwrap().unwrap());
        }
        assert_eq!(run_untrusted(&tree, &["approvals", other, "1"]).code, Some(0), "{other}");
        match typed {
            "" => signal(child.id(), Signal::TERM).unwrap(),
            typed => terminal.write_all(typed.as_bytes()).unwrap(),
        }
        assert_eq!(child.wait().unwrap().code(), Some(code), "{typed:?} and {other}");
        let all = ["approvals", "list", "--all", "--format", "json"];
        let all = run_untrusted(&tree, &all).json();
        assert_eq!(all["approvals"][0]["state"], state, "{typed:?} and {other}");
    }
}

/// Returns whether a process runs that has this argument.
fn runs_with(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
}

#[test]
fn interrupt_ends_the_script_with_its_processes() {
    let tree = Tree::new(FILES);
    // No other process has this argument, which is a number of seconds.
    let argument = format!("600.{}", std::process::id());
    let script = format!("(setsid sleep {argument} &)\necho started\nsleep {argument}\n");
    tree.write("skills/report/scripts/orphan.sh", script);
    let temporary = tree.join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let program = Program::new().at_home_in(&tree.join("home"));
    let program = program.variable("TMPDIR", temporary.to_str().unwrap());
    tree.write("audit.yaml", "audit: { log: keep }");
    let program = program.config(&tree.join("audit.yaml"));
    let (mut command, _place) = program.root("user", &tree.join("skills")).into_command();
    let mut child = command.args(["run", "report", "scripts/orphan.sh"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "started\n", "a line is printed while the script runs");
    while !runs_with(&argument) {
        assert!(child.try_wait().unwrap().is_none(), "the script sleeps until it is ended");
        std::thread::yield_now();
    }
    signal(child.id(), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "as shells have it");
    assert!(!runs_with(&argument), "no process of the script is left");
    let left = std::fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 0, "the copy of the package was removed");
    let log = std::fs::read_to_string(tree.join("home/.local/state/prowess/audit.jsonl")).unwrap();
    let ends = log.lines().filter(|line| line.contains(r#""cancelled""#)).count();
    assert_eq!(ends, 1, "the end is in the audit: {log}");
}

const UNTRUSTED: &str = "layers: [{ name: user, trust: untrusted }]\n";

/// Runs the program over an untrusted layer.
fn run_untrusted(tree: &Tree, arguments: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home"));
    let program = program.config(&tree.join("untrusted.yaml"));
    program.root("user", &tree.join("skills")).run(arguments)
}

#[test]
fn untrusted_script_waits_for_an_approval_of_its_package() {
    let tree = Tree::new(FILES);
    tree.write("untrusted.yaml", UNTRUSTED);
    let script = ["run", "report", "scripts/fail.sh", "--", "7"];
    let missing = run_untrusted(&tree, &["run", "report", "scripts/nosuch.sh"]);
    assert!(missing.stderr.contains("error[resource-not-found]"), "{}", missing.stderr);
    assert_eq!(
        run_untrusted(&tree, &["approvals"]).stdout,
        "no tool call waits for an approval\n",
        "nobody is asked about a script that does not exist"
    );
    let asked = run_untrusted(&tree, &script);
    assert_eq!(asked.code, Some(125), "{}", asked.stderr);
    assert!(asked.stderr.contains("error[approval-required]"), "{}", asked.stderr);
    let listed = run_untrusted(&tree, &["approvals", "list", "--format", "json"]).json();
    let id = listed["approvals"][0]["id"].as_str().unwrap();
    assert!(asked.stderr.contains(id), "the next step names the request: {}", asked.stderr);
    let grant = asked.stderr.split("`prowess approvals grant ").nth(1).expect("a command");
    let grant: Vec<_> = grant.split('`').next().expect("it ends").split_whitespace().collect();
    let granted = run_untrusted(&tree, &[&["approvals", "grant"], &grant[..]].concat());
    assert_eq!(granted.code, Some(0), "{}", granted.stderr);
    assert_eq!(run_untrusted(&tree, &script).code, Some(7), "it runs");
    assert_eq!(run_untrusted(&tree, &script).code, Some(125), "it was for one call");
    run_untrusted(&tree, &script);
    let listed = run_untrusted(&tree, &["approvals", "list", "--format", "json"]).json();
    assert_eq!(listed["approvals"].as_array().unwrap().len(), 1, "one request of two runs");
    let id = listed["approvals"][0]["id"].as_str().unwrap();
    let decide = |args: &[&str]| run_untrusted(&tree, &[&["approvals"], args].concat());
    let session = decide(&["grant", id, "--scope", "session"]);
    assert!(session.stderr.contains("error[approval-unbound]"), "it has ended: {session:?}");
    assert_eq!(decide(&["grant", id, "--scope", "always"]).code, Some(0));
    for _ in 0..2 {
        assert_eq!(run_untrusted(&tree, &script).code, Some(7), "it runs each time");
    }
    let project = tree.join("project");
    let write = ["--write", project.to_str().unwrap(), "--", "7"];
    let more = [&["run", "report", "scripts/fail.sh"], &write[..]].concat();
    let asked = run_untrusted(&tree, &more);
    assert!(asked.stderr.contains("error[approval-required]"), "not with more rights: {asked:?}");
    let listed = decide(&["list", "--format", "json"]).json();
    let preview = listed["approvals"][0]["preview"].as_str().unwrap();
    assert!(preview.contains(r#""rights":{"write":["#), "{preview}");
    assert_eq!(decide(&["deny", listed["approvals"][0]["id"].as_str().unwrap()]).code, Some(0));
    assert!(
        run_untrusted(&tree, &more).stderr.contains("error[approval-denied]"),
        "once is enough"
    );
    tree.write("skills/report/scripts/report.sh", "echo another package\n");
    assert_eq!(run_untrusted(&tree, &script).code, Some(125), "the approval is of other files");
}

#[test]
fn listing_scripts_leaves_the_audit_log_as_it_is() {
    let tree = Tree::new(FILES);
    tree.write("audit.yaml", "audit: { log: keep, policy: required }");
    tree.write("home/.local/state/prowess", "a file, so that no log can be opened");
    let program = || {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.config(&tree.join("audit.yaml")).root("user", &tree.join("skills"))
    };
    for (args, code) in [
        (&["run", "report"][..], 0),
        (&["run", "report", "scripts/fail.sh", "--explain"], 0),
        (&["run", "report", "scripts/fail.sh", "--", "0"], 125),
    ] {
        let ran = program().run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
    }
}

/// A file of a few KiB is all that the program may write, as on a full disk.
#[test]
fn lost_audit_entry_is_reported() {
    let tree = Tree::new(FILES);
    tree.write("audit.yaml", "audit: { log: keep }");
    let program = |arguments: &[&str]| {
        let program = Program::new().at_home_in(&tree.join("home"));
        let program = program.config(&tree.join("audit.yaml"));
        let (command, place) = program.root("user", &tree.join("skills")).into_command();
        let mut limited = std::process::Command::new("bash");
        limited.args(["-c", "trap '' XFSZ; ulimit -S -f 16; exec \"$@\"", "bash"]);
        limited.arg(command.get_program()).args(command.get_args()).args(arguments);
        limited.env_clear().current_dir(command.get_current_dir().unwrap_or(tree.path()));
        limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ended = limited.output().unwrap();
        drop(place);
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    };
    let run = ["run", "report", "scripts/fail.sh", "--", "0"];
    let call = ["call", "skills_load", r#"{"names": ["report"]}"#];
    let (code, first) = program(&run);
    assert!(code == Some(0) && !first.contains("audit-log-unavailable"), "{code:?} {first}");
    for command in [&run[..], &call] {
        let mut shown = first.clone();
        for _ in 0..64 {
            if !shown.contains("audit-log-unavailable") {
                let (code, stderr) = program(command);
                assert_eq!(code, Some(0), "it runs under `best_effort`: {stderr}");
                shown = stderr;
            }
        }
        let said = shown.matches("warning: audit-log-unavailable").count();
        assert_eq!(said, 1, "{command:?} says so once: {shown}");
    }
}

#[test]
fn standard_input_is_said_to_be_left_out() {
    let tree = Tree::new(FILES);
    for (typed, is_said) in [("hello\n", true), ("", false)] {
        let program = Program::new().at_home_in(&tree.join("home"));
        let program = program.root("user", &tree.join("skills")).with_input(typed);
        let ran = program.run(&["run", "report", "scripts/fail.sh", "--", "0"]);
        assert_eq!(ran.stderr.contains("standard input is not passed"), is_said, "{ran:?}");
    }
}

/// People have programs where scripts may not look.
#[test]
fn missing_interpreter_is_named_with_the_command_that_finds_it() {
    let tree = Tree::new(FILES);
    tree.write("home/.agents/skills/report/SKILL.md", crate::plain_skill("report"));
    tree.write("home/.agents/skills/report/scripts/a", "#!/usr/bin/env nolang\n");
    tree.write("home/bin/nolang", "#!/bin/sh\necho found\n");
    let bin = tree.join("home/bin");
    std::fs::set_permissions(bin.join("nolang"), PermissionsExt::from_mode(0o755)).unwrap();
    let run = |path: &str, args: &[&str]| {
        Program::new().at_home_in(&tree.join("home")).variable("PATH", path).run(args)
    };
    let script = ["run", "report", "scripts/a"];
    let missing = run("/usr/bin", &script);
    assert_eq!(missing.code, Some(125), "{missing:?}");
    assert!(missing.stderr.contains("help: install it in a directory"), "{missing:?}");
    let help = run(bin.to_str().unwrap(), &script).stderr;
    let command = help.split('`').find(|it| it.starts_with("prowess config")).expect("a command");
    run("/usr/bin", &command.split_whitespace().collect::<Vec<_>>()[1..]).text();
    assert_eq!(run("/usr/bin", &script).text(), "found\n", "the command is the way out");
}

#[test]
fn explanation_names_what_a_script_may_do_and_why() {
    let tree = Tree::new(FILES);
    let project = tree.join("project");
    let project = project.to_str().unwrap();
    let explain = ["run", "report", "scripts/report.sh", "--explain"];
    let network = cfg!(feature = "proxy").then_some("--network");
    let more: Vec<_> =
        ["--write", project].into_iter().chain(network).chain(["--", "a b"]).collect();
    let explained = run(&tree, &[&explain[..], &more[..]].concat());
    assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    for part in [
        "<package>/scripts/report.sh 'a b'",
        &format!("{project} (by the command line)"),
        if network.is_some() { "every public host (by the command line)" } else { "no host" },
        if network.is_some() { "HOME, HTTPS_PROXY, HTTP_PROXY, LANG" } else { "HOME, LANG" },
        "allow: it runs when you start it",
        "sha256:",
        "landlock",
    ] {
        assert!(explained.stdout.contains(part), "{part}: {}", explained.stdout);
    }
    let plain = run(&tree, &[&explain[..], &["--format", "json"]].concat()).json();
    assert_eq!(
        (&plain["network"], &plain["decision"]["decision"]),
        (&serde_json::json!([]), &"allow".into())
    );
    assert_eq!(plain["write"], serde_json::json!(["<scratch>"]), "nothing else");
    tree.write("untrusted.yaml", UNTRUSTED);
    let asks = run_untrusted(&tree, &explain);
    assert_eq!(asks.code, Some(1), "it may not run now: {}", asks.stderr);
    assert!(asks.stdout.contains("ask: `skills.run` needs the consent"), "{}", asks.stdout);
    assert!(asks.stdout.contains("from a source that is `untrusted`"), "{}", asks.stdout);
}
