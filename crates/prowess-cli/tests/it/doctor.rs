//! A fault that ends commands is a finding of `doctor`; `config set` and `config check` refuse it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use prowess_testkit::rows;

use crate::bad_input::{make_fifo, without_override};
use crate::configuration::{machine, run};
use crate::program::Program;

const USER: &str = "home/.config/prowess/config.yaml";

/// Files that cannot be used: where they are, what is in them (`-` for a directory, `⏎` for the end
/// of a line), the code, and what the finding names.
const BROKEN: &str = include_str!("../data/doctor-broken.txt");

#[test]
fn broken_file_is_a_finding_and_the_report_goes_on() {
    for [path, content, code, named] in rows(BROKEN, "") {
        let tree = machine();
        run(&tree, &["trust"]).text();
        match &*content {
            "-" => fs::create_dir_all(tree.join(&path)).unwrap(),
            text => tree.write(&path, text),
        }
        let ran = run(&tree, &["doctor", "--format", "json"]);
        assert_eq!(ran.code, Some(1), "{path}: {ran:?}");
        let report = ran.json();
        let found = report["diagnostics"].as_array().unwrap();
        let found = found.iter().find(|found| found["code"] == code);
        let found = found.unwrap_or_else(|| panic!("{path}: no {code}: {report}")).to_string();
        assert!(found.contains(&named), "{path}: `{named}` is named: {found}");
        let is_whole = ["roots", "sandbox", "summary"].iter().all(|part| !report[part].is_null());
        assert!(is_whole, "{path}: the rest is reported: {report}");
    }
}

/// Commands end at these values, so they are neither set nor called valid.
#[test]
fn value_that_commands_refuse_is_not_set() {
    let tree = machine();
    for line in include_str!("../data/refused-values.txt").lines() {
        let parts: Vec<_> = line.split(" ¦ ").collect();
        let [key, value, why] = parts[..] else { panic!("{line}") };
        let set = run(&tree, &["config", "set", key, value]);
        let said = set.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(set.code != Some(0) && said.contains(why), "{key}: {set:?}");
        assert!(!tree.join(USER).exists(), "{key}: nothing was written");
        let nested =
            key.rsplit('.').fold(value.to_owned(), |value, key| format!("{{ {key}: {value} }}"));
        tree.write("home/own.yaml", nested);
        let file = tree.join("home/own.yaml").display().to_string();
        let checked = run(&tree, &["config", "check", &file]);
        assert_ne!(checked.code, Some(0), "{key} is not valid: {checked:?}");
    }
}

#[test]
fn error_of_a_server_names_the_key_once_and_the_step() {
    let clients = "clients={ x: { surfaces: [skill] } }";
    let served = run(&machine(), &["--set", clients, "serve"]);
    assert!(served.stderr.contains("]: `clients.x.surfaces` has"), "{served:?}");
    assert!(served.stderr.contains("help: add it to `tools.surfaces`"), "{served:?}");
}

/// An older fault is no reason to refuse another key, and is removed.
#[test]
fn broken_configuration_is_repaired_key_by_key() {
    let tree = machine();
    tree.write(USER, "discovery:\n  roots:\n    nosuch: [/x]\n");
    run(&tree, &["config", "set", "prompt.max_tokens", "7"]).text();
    let checked = run(&tree, &["config", "check"]);
    let place = format!("{USER}:3:5");
    assert!(checked.stderr.contains(&place), "the line of the key: {}", checked.stderr);
    run(&tree, &["config", "unset", "discovery.roots.nosuch"]).text();
    run(&tree, &["config", "check"]).text();
    // Of two faults in one file, each is removed before the other.
    tree.write(USER, "promt: 5\nfoo: 3\n");
    for args in [&["config", "set", "prompt.max_tokens", "7"][..], &["config", "unset", "promt"]] {
        let ran = run(&tree, args);
        assert!(ran.code == Some(0) && ran.stderr.contains("unknown key"), "{args:?}: {ran:?}");
    }
    run(&tree, &["config", "unset", "foo"]).text();
    run(&tree, &["config", "check"]).text();
}

#[test]
fn pipe_at_the_place_of_a_file_stops_nothing() {
    let tree = machine();
    fs::create_dir_all(tree.join("home/.config/prowess")).unwrap();
    make_fifo(&tree.join(USER));
    for args in [&["list"][..], &["config", "set", "prompt.max_tokens", "7"]] {
        let ran = run(&tree, &[args, &["--format", "json"]].concat());
        assert_eq!(ran.error()["code"], "config-unreadable", "{ran:?}");
    }
    assert_eq!(run(&tree, &["doctor"]).code, Some(1));
    fs::remove_file(tree.join(USER)).unwrap();
    let state = tree.join("home/.local/state/prowess");
    fs::create_dir_all(&state).unwrap();
    make_fifo(&state.join("audit.jsonl"));
    make_fifo(&state.join("trust.json.lock"));
    for args in [&["doctor"][..], &["audit", "show"], &["audit", "verify"], &["audit", "stats"]] {
        let ran = run(&tree, args);
        let said = [ran.stdout, ran.stderr].concat();
        assert!(said.contains("[audit-log-unreadable]"), "{args:?}: {said}");
    }
    assert_eq!(run(&tree, &["trust"]).code, Some(1), "the lock is no file");
}

/// A path that this machine lacks may come later: a warning.
#[test]
fn missing_paths_of_the_configuration_are_warnings() {
    let tree = machine();
    for (key, value, named) in [
        ("plugins.directories", "[/nosuch]", "/nosuch"),
        ("scripts.read", "[/nosuch]", "/nosuch"),
        ("scripts.write", "[/nosuch]", "/nosuch"),
        ("scripts.interpreters", "{ sh: [nosuchsh] }", "nosuchsh"),
    ] {
        let ran = run(&tree, &["--set", &format!("{key}={value}"), "doctor"]);
        let words = ran.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let found = format!("warning[path-not-found]: `{key}`: `{named}` does not exist");
        assert!(words.contains(&found), "{ran:?}");
    }
}

#[test]
fn proposals_that_models_are_not_offered_are_a_warning() {
    let tree = machine();
    tree.write("home/file", "");
    let places = [tree.join("home/proposals"), tree.join("home/file")];
    let [directory, file] = places.map(|place| place.display().to_string());
    for (set, directory, reason) in [
        ("tools.surfaces=[get_skill]", &directory, None),
        ("tools.surfaces=[]", &directory, Some("`tools.surfaces` names no surface")),
        (
            "gate.ceiling.deny=[propose-skill-update]",
            &directory,
            Some("`gate.ceiling.deny` refuses them"),
        ),
        ("tools.surfaces=[get_skill]", &file, Some("not a directory")),
    ] {
        let directory = format!("proposals.directory={directory}");
        let options = ["--set", set, "--set", &directory];
        for command in [&["doctor"][..], &["config", "check"]] {
            let ran = run(&tree, &[&options[..], command].concat());
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let said = [ran.stdout, ran.stderr].concat();
            let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_said = words.contains("warning[proposals-unavailable]: `proposals.directory`: ");
            assert_eq!(is_said, reason.is_some(), "{command:?} {set}: {said}");
            assert!(words.contains(reason.unwrap_or_default()), "{command:?} {set}: {said}");
        }
    }
}

#[test]
fn values_without_an_effect_are_warnings() {
    let tree = machine();
    let title = "a value, another one, and the warning that the first has no effect beside it";
    for [set, other, warning] in rows(include_str!("../data/idle-keys.txt"), title) {
        let options = ["--set", &*set, "--set", &other];
        for command in [&["doctor"][..], &["config", "check"]] {
            let ran = run(&tree, &[&options[..], command].concat());
            let said = [ran.stdout, ran.stderr].concat();
            let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_said = words.contains("without-effect") || words.contains("scripts-unavailable");
            assert!(words.contains(&warning), "{command:?} {set} {other}: {said}");
            assert_eq!(is_said, !warning.is_empty(), "{command:?} {set} {other}: {said}");
        }
    }
}

/// As `run` and `serve` would say, before they need it.
#[test]
fn state_that_this_user_may_not_use_is_a_finding() {
    let tree = machine();
    let state = tree.join("home/.local/state/prowess");
    let may = |mode: u32| fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir_all(&state).unwrap();
    may(0o555);
    let args = ["--set", "audit={ log: keep, policy: required }"];
    let doctor = without_override(|| run(&tree, &[&args[..], &["doctor"]].concat()));
    assert!(doctor.stdout.contains("error[audit-log-unavailable]"), "{doctor:?}");
    may(0o000);
    let approvals = without_override(|| run(&tree, &["approvals"]));
    may(0o755);
    assert!(approvals.stderr.contains("[state-database-invalid]"), "{approvals:?}");
}

#[test]
fn root_and_home_that_are_missing_are_findings() {
    let tree = machine();
    let ran = run(&tree, &["--root", "gone", "doctor"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("error[root-missing]"), "{ran:?}");
    let ran = Program::new().variable("HOME", "here").run(&["doctor"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("error[home-unknown]"), "{ran:?}");
}

#[test]
fn hook_that_needs_a_shell_is_shown() {
    let tree = machine();
    let hook = "hooks: { Stop: [{ hooks: [{ type: command, command: bash $HOME/a.sh }] }] }";
    let skill = format!("---\nname: hooked\ndescription: Checks.\n{hook}\n---\n");
    tree.write("home/.agents/skills/hooked/SKILL.md", skill);
    let text = run(&tree, &["doctor"]).stdout;
    assert!(text.contains("warning[hook-needs-shell]"), "{text}");
}
