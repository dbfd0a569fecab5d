//! The log of `prowess serve`, and the skills that it leaves out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::plain_skill;
use crate::program::{Program, Ran};

/// An untrusted project, and a home.
fn untrusted() -> Tree {
    let tree = Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n//- /home/x\n");
    for name in ["one", "two"] {
        tree.write(&format!("project/.agents/skills/{name}/SKILL.md"), plain_skill(name));
    }
    tree.write("project/.agents/skills/bad/SKILL.md", "no frontmatter");
    tree
}

/// Returns the greeting of a client and these requests, one for each line.
fn messages(requests: &[(&str, Value)]) -> String {
    let client = json!({ "name": "Cli\nforged", "version": "2" });
    let greeting =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let mut input = String::new();
    for (id, (method, params)) in [("initialize", greeting)].iter().chain(requests).enumerate() {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        input.push_str(&format!("{request}\n"));
    }
    input
}

/// Serves a client that sends these requests after its greeting and closes its end.
fn served(tree: &Tree, level: &str, args: &[&str], requests: &[(&str, Value)]) -> Ran {
    let input = messages(requests);
    let program = Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("project"));
    let program = program.variable("PROWESS_LOG", level).with_input(&input);
    program.run(&[&["serve"], args].concat())
}

fn lines(ran: &Ran) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    ran.stderr.lines().map(read).collect()
}

#[test]
fn level_decides_which_events_are_logged() {
    let tree = untrusted();
    let arguments = json!({ "skill": "absent", "path": "secret-argument" });
    let read = json!({ "name": "skills_read", "arguments": arguments });
    let requests = [("tools/call", read), ("tools/list", json!({}))];
    let check = |level: &str, args: &[&str], events: &[&str]| {
        let ran = served(&tree, level, &[&["--log", "json"], args].concat(), &requests);
        let lines = lines(&ran);
        for line in &lines {
            let time = line["time"].as_str().expect("a time");
            assert!(time.len() == 24 && time.ends_with('Z'), "UTC with milliseconds: {time}");
            assert!(!line.to_string().contains("secret-argument"), "no arguments: {line}");
        }
        let mut logged: Vec<_> =
            lines.iter().map(|line| line["event"].as_str().expect("an event")).collect();
        // Requests are answered side by side.
        logged.sort_unstable();
        logged.dedup();
        assert_eq!(logged, events, "{level} {args:?}: {ran:?}");
    };
    check("", &[], &["finding", "hidden", "request", "shutdown", "start"]);
    check("error", &[], &["finding"]);
    check("WARN", &[], &["finding", "hidden", "request"]);
    let all = ["catalog_reloaded", "finding", "hidden", "request", "shutdown", "start"];
    check("info", &[], &all);
    let more = ["cache", "catalog_reloaded", "configuration", "decision", "finding", "hidden"];
    let rest = ["request", "resolve", "scan", "shutdown", "start"];
    check("debug", &[], &[&more[..], &rest].concat());
    check("trace", &[], &[&more[..], &rest].concat());
    check("off", &[], &[]);
    check("info", &["--quiet"], &[]);
}

#[test]
fn lines_name_what_an_operator_asks_for() {
    let tree = untrusted();
    let unknown = json!({ "name": "rm\n2026 ERROR", "arguments": {} });
    tree.write("home/.agents/skills/own/SKILL.md", plain_skill("own"));
    tree.write("home/.agents/skills/own/scripts/a.sh", "echo own");
    let script = json!({ "uri": "skill://own/scripts/a.sh" });
    let requests = [("tools/call", unknown), ("resources/read", script)];
    let ran = served(&tree, "info", &["--set", "tools.script_read=block"], &requests);
    let project = tree.join("project").display().to_string();
    let check = |parts: &[&str]| {
        let is_line = |line: &str| parts.iter().all(|part| line.contains(part));
        assert!(ran.stderr.lines().any(is_line), "{parts:?}: {}", ran.stderr);
    };
    check(&["INFO  start: serving on standard input", "transport=stdio skills=1 hidden=2"]);
    check(&["WARN  hidden: 2 skills of", &format!("`prowess trust {project}`")]);
    check(&["ERROR finding", "bad/SKILL.md"]);
    check(&["INFO  request method=initialize outcome=done", r#"client="Cli\u{a}forged 2""#]);
    check(&["WARN  request method=tools/call outcome=refused code=unknown-tool"]);
    check(&["WARN  request method=resources/read outcome=refused code=script-read-blocked"]);
    check(&["INFO  shutdown reason="]);
    tree.write("home/.local/state/prowess/audit.jsonl/in-its-place", "");
    let unrecorded = served(&tree, "info", &["--set", "audit.log=keep"], &[]).stderr;
    let parts = ["WARN  finding: nothing is recorded: ", "code=audit-log-unavailable", "help="];
    let is_line = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(unrecorded.lines().any(is_line), "one event for one fault: {unrecorded}");
    for line in ran.stderr.lines().chain(unrecorded.lines()) {
        assert!(line.starts_with("20") && line.contains("Z "), "no text begins a line: {line}");
    }
}

#[test]
fn wrong_level_is_named_and_the_server_starts() {
    let ran = served(&untrusted(), "loud", &[], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("`loud`") && ran.stderr.contains("warn"), "{ran:?}");
}

/// A client that closes its end only when every request is answered.
#[test]
fn client_is_told_once_about_hidden_skills() {
    let tree = untrusted();
    let told = |levels: &[&str]| {
        let set = |level: &&str| match *level {
            "" => ("tools/call", json!({ "name": "skills_list", "arguments": {} })),
            level => ("logging/setLevel", json!({ "level": level })),
        };
        let input = messages(&levels.iter().map(set).collect::<Vec<_>>());
        let program =
            Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("project"));
        let (mut command, _home) = program.into_command();
        command.args(["serve", "--quiet"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("the server reads");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (mut missing, mut told) = (input.lines().count(), 0);
        for line in stdout.lines().map_while(Result::ok) {
            let is_logged = line.contains("notifications/message");
            told += usize::from(is_logged && line.contains("run `prowess trust "));
            missing -= usize::from(line.contains("\"result\":"));
            if missing == 0 {
                break;
            }
        }
        drop(stdin);
        child.wait().expect("it ends");
        assert_eq!(missing, 0, "each request is answered: {levels:?}");
        told
    };
    // Without a level, the message follows the first call.
    for (levels, times) in
        [(&[][..], 0), (&[""; 2], 1), (&["error", ""], 0), (&["warning"], 1), (&["info"; 2], 1)]
    {
        assert_eq!(told(levels), times, "{levels:?}");
    }
}

#[test]
fn skills_about_this_program_are_offered_on_demand() {
    let tree = untrusted();
    let program =
        || Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("project")).linked();
    let off = program().run(&["prompt"]).text().to_owned();
    assert!(!off.contains("skill-writing"), "{off}");
    let overview = program().run(&[]).text().to_owned();
    let set = "prowess config set --add visibility.skills ";
    let value = overview.lines().find_map(|line| line.trim().strip_prefix(set));
    let value = value.expect("the overview names the command").trim_matches('\'');
    let setting = format!("visibility.skills=[{value}]");
    let asked = program().run(&["--set", &setting, "prompt"]).text().to_owned();
    assert!(asked.contains("skill-writing"), "{asked}");
    let listed = program().run(&["list"]).text().to_owned();
    assert!(listed.contains("skill-writing"), "a list says that they exist: {listed}");
}
