//! The places of the configuration, their order, and what a project may set.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use prowess_testkit::{Tree, rows};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

use crate::program::{Program, Ran};
use crate::{plain_skill, skill_md};

/// A home, and a repository with a skill.
pub(crate) fn machine() -> Tree {
    let tree = Tree::new("//- /repository/.git/HEAD\nref: refs/heads/main\n");
    tree.write("repository/.agents/skills/deploy/SKILL.md", plain_skill("deploy"));
    fs::create_dir_all(tree.join("home")).unwrap();
    tree
}

fn program(tree: &Tree) -> Program {
    Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("repository"))
}

pub(crate) fn run(tree: &Tree, args: &[&str]) -> Ran {
    program(tree).run(args)
}

/// The value of a key and the last part of its origin.
pub(crate) fn value(ran: &Ran, key: &str) -> String {
    let shown = ran.json();
    let values = shown["values"].as_array().unwrap();
    let value = values.iter().find(|value| value["key"] == key).expect("the key is shown");
    let origin = value["origin"]["name"].as_str().unwrap_or_default();
    let origin = origin.rsplit_once("/home/").or(origin.rsplit_once("/repository/"));
    let origin = origin.map_or(value["origin"]["name"].as_str().unwrap_or_default(), |it| it.1);
    format!("{} {origin}", value["value"])
}

/// A shell's `<(...)` is empty for the second reader.
#[test]
fn file_is_read_once() {
    let tree = machine();
    let script =
        "prowess --config <(echo 'registry: { profile: strict }') validate --format json .";
    let program = Path::new(env!("CARGO_BIN_EXE_prowess")).parent().unwrap();
    let output = Command::new("bash")
        .args(["-c", script])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("HOME", tree.join("home"))
        .current_dir(tree.join("repository"))
        .output()
        .expect("bash runs");
    let checked: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(checked["profile"], "strict", "the policies and the profile come from one reading");
}

#[test]
fn project_file_is_above_the_user_and_below_the_environment() {
    let tree = machine();
    tree.write("repository/.prowess/config.yaml", "registry: { profile: strict }\n");
    tree.write("home/.config/prowess/config.yaml", "registry: { profile: extended }\n");
    run(&tree, &["trust"]).text();
    let show = ["config", "show", "registry.profile", "--format", "json"];
    assert_eq!(value(&run(&tree, &show), "registry.profile"), "\"strict\" .prowess/config.yaml");
    let above = program(&tree).variable("PROWESS_REGISTRY__PROFILE", "spec").run(&show);
    assert_eq!(value(&above, "registry.profile"), "\"spec\" PROWESS_REGISTRY__PROFILE");
}

#[test]
fn project_file_hides_no_skill_of_the_user() {
    let tree = machine();
    tree.write("home/.agents/skills/mine/SKILL.md", plain_skill("mine"));
    run(&tree, &["trust"]).text();
    let limits = "registry: { limits: { body_tokens: { max: 1, severity: error } } }\n";
    let skip = "discovery: { skip: [mine] }\n";
    for (file, is_own) in [(limits, false), (skip, true), ("promt: 5\n", true)] {
        tree.write("repository/.prowess/config.yaml", file);
        let listed = run(&tree, &["list"]);
        assert!(listed.text().contains("mine"), "{file}: {listed:?}");
        assert_eq!(listed.stdout.contains("deploy"), is_own, "{file}: {listed:?}");
    }
    let found = run(&tree, &["list", "--format", "json"]).json()["diagnostics"][0].take();
    assert_eq!((&found["code"], &found["severity"]), (&"config-invalid".into(), &"error".into()));
    let called = run(&tree, &["call", "skills_list"]);
    assert!(called.text().contains("mine") && called.stderr.contains("left out"), "{called:?}");
    let validated = run(&tree, &["validate", ".agents/skills", "--format", "json"]);
    assert_eq!(validated.error()["code"], "config-invalid", "a verdict is by all rules");
}

#[test]
fn project_file_counts_once_its_folder_is_trusted() {
    let tree = machine();
    let path = tree.join("repository/.prowess/config.yaml");
    // With this rule the skill's name is not valid, and with the default one it is.
    tree.write("repository/.prowess/config.yaml", "registry: { profile: strict }\n");
    let extra = skill_md("name: deploy\ndescription: Use when deploying.\nauthor: me");
    tree.write("repository/.agents/skills/deploy/SKILL.md", extra);
    let loads = |ran: &Ran| {
        let listed = ran.json();
        listed["skills"].as_array().unwrap().iter().any(|skill| skill["id"] == "deploy")
    };
    let list = ["list", "--format", "json"];
    let before = run(&tree, &list);
    assert!(loads(&before), "the project's rules do not count: {before:?}");
    let codes = |ran: &Ran| ran.json()["diagnostics"].to_string();
    assert!(codes(&before).contains("project-config-not-trusted"), "{before:?}");
    let checked = run(&tree, &["validate", ".agents/skills"]);
    assert!(checked.stderr.contains("project-config-not-trusted"), "{checked:?}");
    run(&tree, &["trust"]).text();
    let after = run(&tree, &list);
    assert!(!loads(&after), "its rules count: {after:?}");
    assert!(!codes(&after).contains("project-config-not-trusted"), "{after:?}");

    // Another folder at the path is not the trusted one.
    fs::rename(tree.join("repository"), tree.join("old")).unwrap();
    tree.write("repository/.git/HEAD", "ref: refs/heads/main\n");
    tree.write("repository/.prowess/config.yaml", "registry: { profile: strict }\n");
    let shown = run(&tree, &["config", "show", "--format", "json"]).json();
    let file = shown["files"].as_array().unwrap().iter().find(|file| {
        file["path"]
            .as_str()
            .is_some_and(|shown| shown.ends_with("repository/.prowess/config.yaml"))
    });
    assert_eq!(file.expect("it is a place")["state"], "not_trusted", "{}", path.display());
}

#[test]
fn project_file_cannot_lead_out_of_the_project() {
    let tree = machine();
    tree.write("outside.yaml", "registry: { profile: strict }\n");
    fs::create_dir(tree.join("repository/.prowess")).unwrap();
    let link = tree.join("repository/.prowess/config.yaml");
    symlink("../../outside.yaml", link).unwrap();
    run(&tree, &["trust"]).text();
    let error = run(&tree, &["config", "check", "--format", "json"]).error();
    assert_eq!(error["code"], "config-unreadable", "{error}");
}

#[test]
fn error_names_file_line_and_column() {
    let tree = machine();
    run(&tree, &["trust"]).text();
    for [path, text, code, message, help, line, column] in
        rows(include_str!("../data/config-errors.txt"), "")
    {
        tree.write(&path, &text);
        let ran = run(&tree, &["config", "check", "--format", "json"]);
        let error = ran.error();
        assert_eq!((ran.code, error["code"].as_str()), (Some(2), Some(&*code)));
        for (key, part) in [("message", message), ("help", help), ("path", path.clone())] {
            assert!(error[key].as_str().unwrap().contains(&part), "{key}: {error}");
        }
        assert_eq!(format!("{}:{}", error["line"], error["column"]), format!("{line}:{column}"));
        let printed = run(&tree, &["config", "check"]);
        let place = format!("{path}:{line}:{column}\n");
        assert!(printed.stderr.contains(&place), "people see the place: {}", printed.stderr);
        fs::remove_file(tree.join(&path)).unwrap();
    }
}

#[test]
fn broken_file_stops_only_what_needs_it() {
    type Write = fn(&Path);
    let files: [(&str, Write); 6] = [
        ("bad YAML", |file| fs::write(file, "prompt: [\n").unwrap()),
        ("unknown key", |file| fs::write(file, "promt: 5\n").unwrap()),
        ("wrong type", |file| fs::write(file, "prompt: { max_tokens: many }\n").unwrap()),
        ("unknown layer", |file| fs::write(file, "discovery: { roots: { x: [/a] } }\n").unwrap()),
        ("directory", |file| fs::create_dir(file).unwrap()),
        ("pipe", |file| mknodat(CWD, file, FileType::Fifo, Mode::RUSR, 0).unwrap()),
    ];
    for (fault, write) in files {
        let tree = machine();
        fs::create_dir_all(tree.join("home/.config/prowess")).unwrap();
        write(&tree.join("home/.config/prowess/config.yaml"));
        // An unknown layer is no fault for those that have no layers.
        let one = usize::from(fault != "unknown layer");
        let meant = "did you mean `unquoted-colon`?";
        for (args, code, part, warnings) in [
            (&["new", "other"][..], 0, "Created", one),
            (&["validate", ".agents/skills"], 0, "valid", one),
            (&["config", "show"], 0, "config.yaml", one),
            (&["config", "get", "prompt.max_tokens"], 0, "4000", one),
            (&["plugin", "trust", "--list"], 0, "no plugin", one),
            (&["explain", "deploy"], 1, "not trusted", 1),
            (&["explain", "unquoted-colom"], 1, meant, 1),
            (&["explain", "unquoted-colon"], 0, "", 0),
            (&["help", "trust"], 0, "", 0),
            (&["list"], 2, "", 0),
        ] {
            let ran = run(&tree, args);
            assert_eq!(ran.code, Some(code), "{fault}, {args:?}: {ran:?}");
            assert!(ran.stdout.contains(part), "{fault}, {args:?}: {ran:?}");
            let seen = ran.stderr.matches("is left out").count();
            assert_eq!(seen, warnings, "{fault}, {args:?}: {ran:?}");
        }
    }
    let tree = machine();
    tree.write("repository/bad.yaml", "promt: 5\n");
    let named = run(&tree, &["--config", "bad.yaml", "validate", "."]);
    assert_eq!(named.code, Some(2), "who names a file means it: {named:?}");
}

#[test]
fn variable_with_an_unknown_key_is_an_error() {
    let tree = machine();
    let ran = program(&tree).variable("PROWESS_SESION__MAX_ACTIVE", "1").run(&["list"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("did you mean `session`?"), "{}", ran.stderr);
    let other = program(&tree).variable("PROWESS_COLOUR", "1").run(&["config", "check"]);
    assert_eq!(other.code, Some(0), "it may be another program's: {other:?}");
    assert!(other.stderr.contains("`PROWESS_COLOUR` is not a variable of prowess"), "{other:?}");
}

#[test]
fn shown_configuration_reads_back() {
    let tree = machine();
    let shown = run(&tree, &["--preset", "boxxy", "config", "show", "--all"]);
    tree.write("home/shown.yaml", shown.text());
    let file = tree.join("home/shown.yaml").display().to_string();
    let show = ["config", "show", "--all", "--format", "json"];
    let again = run(&tree, &[&["--config", &file], &show[..]].concat()).json();
    let first = run(&tree, &[&["--preset", "boxxy"], &show[..]].concat()).json();
    let values = |shown: &Value| -> Vec<_> {
        let values = shown["values"].as_array().unwrap().iter();
        values.map(|value| (value["key"].clone(), value["value"].clone())).collect()
    };
    assert_eq!(values(&again), values(&first), "the text is a configuration with the same values");
}

#[test]
fn show_prints_the_origin_of_each_value() {
    let tree = machine();
    tree.write("home/.config/prowess/config.yaml", "prompt: { max_tokens: 5 }\n");
    let args = ["--preset", "mounted", "--set", "name_style=dot", "config", "show", "--changed"];
    let shown = run(&tree, &args);
    let text = shown.text().replace(&tree.path().display().to_string(), "$TREE");
    expect_file!["configuration.txt"].assert_eq(&text);
    let wrong = run(&tree, &["config", "show", "promt"]);
    assert!(wrong.stderr.contains("did you mean `prompt`?"), "{}", wrong.stderr);
}

#[test]
fn show_prints_the_tiers_that_are_asked_for() {
    let tree = machine();
    let keys = |args: &[&str]| -> Vec<String> {
        let shown = run(&tree, &[&["config", "show", "--format", "json"], args].concat()).json();
        let values = shown["values"].as_array().unwrap().iter();
        values.map(|value| value["key"].as_str().unwrap().to_owned()).collect()
    };
    let has = |args: &[&str], key: &str| keys(args).iter().any(|shown| shown == key);
    assert!(has(&[], "prompt.max_tokens"), "people set it");
    assert!(!has(&[], "prompt.catalog_every"), "hardly anybody sets it");
    assert!(has(&["--all"], "prompt.catalog_every") && has(&["--all"], "prompt.max_tokens"));
    assert!(has(&["prompt"], "prompt.catalog_every"), "a user who names a key means it");
    assert!(has(&["--set", "name_style=dot"], "name_style"), "somebody has set it");
    assert!(!has(&["--preset", "sandbox"], "tools.skill_lookup"), "the preset has set it");
    let get = |key: &str, args: &[&str]| run(&tree, &[&["config", "get", key], args].concat());
    assert_eq!(get("preset", &["--preset", "boxxy"]).text(), "boxxy\n");
    let settings = ["--set", "plugins.settings={x: {layer: user}}"];
    assert!(get("plugins.settings", &settings).text().contains("layer: \"user\""));
    let set = "`prowess config set sources.mcp.a.url VALUE` sets it";
    assert!(get("sources.mcp.a.url", &[]).stderr.contains(set), "it is a key");
    let changed = ["--changed", "--set", "prompt.catalog_every=call"];
    assert_eq!(keys(&changed), ["registry.limits.body_tokens.severity", "prompt.catalog_every"]);
}

#[test]
fn created_file_changes_nothing_and_is_never_overwritten() {
    let tree = machine();
    let before = run(&tree, &["config", "show", "--format", "json"]).json();
    let created = run(&tree, &["config", "init"]);
    assert!(created.text().starts_with("Created "), "{created:?}");
    let after = run(&tree, &["config", "show", "--format", "json"]).json();
    assert_eq!(before["values"], after["values"], "every key is commented out");
    let path = tree.join("home/.config/prowess/config.yaml");
    fs::write(&path, "prompt: { max_tokens: 5 }\n").unwrap();
    assert_eq!(
        run(&tree, &["config", "init", "--format", "json"]).error()["code"],
        "config-exists"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "prompt: { max_tokens: 5 }\n");
    let print = |args: &[&str]| run(&tree, &[&["config", "init", "--print"], args].concat());
    let (common, every) = (print(&[]), print(&["--all"]));
    assert!(common.text().contains("#  max_tokens: 4000 "));
    assert!(!common.text().contains("catalog_every") && every.text().contains("#  catalog_every"));
}

#[test]
fn check_reads_a_file_by_the_rules_of_its_place() {
    let tree = machine();
    tree.write("repository/ours.yaml", "gate: { ungranted: allow }\n");
    assert!(run(&tree, &["config", "check", "ours.yaml"]).text().starts_with("valid: ours.yaml"));
    tree.write("repository/.prowess/config.yaml", "gate: { ungranted: allow }\n");
    let args = ["config", "check", ".prowess/config.yaml", "--format", "json"];
    assert_eq!(run(&tree, &args).error()["code"], "config-key-forbidden");
    assert_eq!(run(&tree, &["config", "check", "gone.yaml"]).code, Some(2));
}

#[test]
fn schema_is_one_json_document() {
    let schema = Program::new().run(&["config", "schema"]).json();
    assert_eq!(schema["properties"]["registry"]["properties"]["profile"]["default"], "lenient");
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn directory_option_is_the_working_directory() {
    let tree = machine();
    let elsewhere = |args: &[&str]| {
        let repository = tree.join("repository").display().to_string();
        Program::new().at_home_in(&tree.join("home")).run(&[&["-C", &repository], args].concat())
    };
    assert_eq!(elsewhere(&["list"]).stdout, run(&tree, &["list"]).stdout);
    let gone = Program::new().run(&["-C", "gone", "list", "--format", "json"]);
    assert_eq!((gone.code, &gone.error()["code"]), (Some(2), &"path-not-found".into()));
}

#[test]
fn value_is_set_read_and_removed_and_the_rest_of_the_file_stays() {
    let tree = machine();
    let user = "home/.config/prowess/config.yaml";
    run(&tree, &["config", "set", "prompt.max_tokens", "7"]).text();
    tree.write(user, "# mine\nprompt: { max_tokens: 7 } # why\n");
    run(&tree, &["config", "set", "discovery.also", "[acme]"]).text();
    let expected = "# mine\nprompt: { max_tokens: 7 } # why\ndiscovery:\n  also: [acme]\n";
    assert_eq!(fs::read_to_string(tree.join(user)).unwrap(), expected);
    assert_eq!(run(&tree, &["config", "get", "discovery.also"]).text(), "[\"acme\"]\n");
    run(&tree, &["config", "unset", "discovery.also"]).text();
    let kept = "# mine\nprompt: { max_tokens: 7 } # why\n";
    assert_eq!(fs::read_to_string(tree.join(user)).unwrap(), kept);
    let refused = |args: &[&str], code: &str| {
        let args = [&["config"], args, &["--format", "json"]].concat();
        assert_eq!(run(&tree, &args).error()["code"], code, "{args:?}");
        assert_eq!(fs::read_to_string(tree.join(user)).unwrap(), kept, "nothing was written");
    };
    run(&tree, &["config", "set", "--project", "discovery.skip", "[old]"]).text();
    let of_project = run(&tree, &["config", "get", "--project", "discovery.skip"]);
    assert_eq!(of_project.text(), "[\"old\"]\n", "also before the folder is trusted");
    refused(&["set", "prompt.max_tokns", "7"], "config-invalid");
    refused(&["set", "prompt.max_tokens", "many"], "config-invalid");
    refused(&["set", "--project", "gate.ungranted", "allow"], "config-key-forbidden");
    refused(&["unset", "discovery.also"], "config-key-not-set");
    refused(&["get", "--project", "prompt.max_tokens"], "config-key-not-set");
    let section = run(&tree, &["config", "get", "--project", "discovery"]);
    assert!(!section.text().contains("also:") && !section.stdout.contains("home/"), "{section:?}");
    refused(&["edit"], "editor-unknown");
    let editor = program(&tree).variable("EDITOR", "echo 'bad: 1' >>");
    let error = editor.run(&["config", "edit", "--format", "json"]).error();
    assert_eq!((&error["code"], &error["line"]), (&"config-invalid".into(), &3.into()), "{error}");
    let text = fs::read_to_string(tree.join(user)).unwrap();
    assert!(text.ends_with("bad: 1\n"), "the person's text stays: {text}");
}

#[test]
fn link_to_the_file_stays_a_link() {
    let tree = machine();
    tree.write("dotfiles/config.yaml", "prompt:\n  max_tokens: 7\n");
    fs::create_dir_all(tree.join("home/.config/prowess")).unwrap();
    let link = tree.join("home/.config/prowess/config.yaml");
    symlink("../../../dotfiles/config.yaml", &link).unwrap();
    run(&tree, &["config", "set", "prompt.max_tokens", "8"]).text();
    assert!(link.is_symlink(), "the link is the person's");
    let text = fs::read_to_string(tree.join("dotfiles/config.yaml")).unwrap();
    assert_eq!(text, "prompt:\n  max_tokens: 8\n");
}

/// Types the lines between backticks that a text has behind "run", as a shell would.
fn type_commands(program: impl Fn() -> Program, text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = text.split("to read them, run `").skip(1).collect();
    assert!(!lines.is_empty(), "there are commands: {text}");
    let commands = lines.iter().flat_map(|line| line.split('`').next());
    for command in commands.flat_map(|line| line.split(" && ")) {
        program().run(&command.split_whitespace().collect::<Vec<_>>()[1..]).text();
    }
}

/// Each directory is still there after the other commands, and after the same ones again.
#[test]
fn commands_that_add_directories_work_one_after_the_other() {
    for [working, skills, file, options, expected] in
        rows(include_str!("../data/added-places.txt"), "")
    {
        let tree = machine();
        for skill in skills.split(' ') {
            tree.write(
                &format!("{skill}/SKILL.md"),
                plain_skill(skill.rsplit('/').next().unwrap()),
            );
        }
        let place = tree.join(&working);
        let program = || Program::new().at_home_in(&tree.join("home")).working_in(&place);
        if let Some((path, text)) = file.split_once('=') {
            program().run(&["trust"]).text();
            tree.write(path, text);
        }
        let options: Vec<_> = options.split_whitespace().chain(["list"]).collect();
        let list =
            || program().run(&options).stderr.replace(tree.path().to_str().unwrap(), "PLACE");
        let said = list();
        let found = said.lines().filter_map(|line| line.split_once("to read them, "));
        assert_eq!(found.map(|(_, how)| how).collect::<Vec<_>>().join(" / "), expected);
        if file.is_empty() {
            let said = program().run(&["list"]).stderr;
            (0..2).for_each(|_| type_commands(program, &said));
            assert!(!list().contains("not read"), "all are added: {}", list());
        }
    }
}

#[test]
fn skills_in_a_repository_are_added_for_it_alone_below_its_clients() {
    let tree = machine();
    tree.write("repository/skills/ship/SKILL.md", plain_skill("ship"));
    tree.write("repository/.agents/skills/plan/SKILL.md", plain_skill("plan"));
    tree.write("repository/teams/a/skills/plan/SKILL.md", plain_skill("plan"));
    tree.write("other/.git/HEAD", "");
    tree.write("other/skills/own/SKILL.md", plain_skill("own"));
    let commands = ["", "list", "doctor", "explain ship"].map(|args| {
        let ran = run(&tree, &args.split_whitespace().collect::<Vec<_>>());
        let said = (ran.stdout + &ran.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains("run `prowess trust && prowess config set --add --project"),
            "{said}"
        );
        said
    });
    type_commands(|| program(&tree), &commands[1]);
    let listed = run(&tree, &["list", "--format", "json"]).json();
    let offered: Vec<_> = listed["skills"].as_array().unwrap().iter().collect();
    let location =
        |id: &str| offered.iter().find(|it| it["id"] == id).unwrap()["location"].to_string();
    assert!(location("ship").contains("/skills/ship/"), "{listed:#}");
    assert!(location("plan").contains("/.agents/skills/plan/"), "a client's own is above it");
    assert_eq!(listed["unread"], serde_json::json!([]), "{listed:#}");
    let other = || program(&tree).working_in(&tree.join("other"));
    other().run(&["trust"]).text();
    let elsewhere = other().run(&["list", "--format", "json"]).json();
    assert!(!elsewhere.to_string().contains("/repository/"), "it counts there only: {elsewhere:#}");
    let above = Program::new().at_home_in(&tree.join("home")).working_in(tree.path());
    let said = above.run(&["-C", "other", "list"]).stderr;
    assert!(
        said.contains("`prowess -C other config set --add --project discovery.also ./skills`"),
        "{said}"
    );
}

#[test]
fn skills_that_are_not_read_are_named_with_the_command_that_adds_them() {
    let tree = machine();
    tree.write("repository/.acme/skills/zed/SKILL.md", plain_skill("zed"));
    let command = "prowess config set --add discovery.also acme";
    let said = |args: &[&str]| {
        let ran = run(&tree, args);
        ran.stdout + &ran.stderr
    };
    for args in [&[][..], &["list"], &["doctor"], &["explain", "zed"]] {
        let said = said(args);
        // Long lines are wrapped.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(command), "{args:?}: {said}");
    }
    tree.write("repository/.claude/skills/yak/SKILL.md", plain_skill("yak"));
    run(&tree, &["config", "set", "discovery.only", "[]"]).text();
    for args in [&[][..], &["list"], &["doctor"]] {
        let said = said(args).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("left out by your configuration"), "{args:?}: {said}");
        assert!(said.contains("config set --add discovery.also claude"), "{args:?}: {said}");
    }
    run(&tree, &["config", "unset", "discovery.only"]).text();
    run(&tree, &["config", "set", "discovery.also", "[acme]"]).text();
    assert!(!said(&["list"]).contains("not read"), "it is read now");
    assert!(said(&["list"]).contains("zed"), "it is listed");
    tree.write("repository/lib/skills/elk/SKILL.md", plain_skill("elk"));
    assert!(said(&["list"]).contains("not read"), "until there is a link");
    symlink("../../lib/skills/elk", tree.join("repository/.acme/skills/elk")).unwrap();
    assert!(!said(&["list"]).contains("not read"), "it is read by the link");
    // The skills about this program are offered beside what else is set.
    run(&tree, &["config", "set", "visibility.skills", "[{match: zed, show: disabled}]"]).text();
    let hint = said(&[]);
    let value = hint.split_once("config set --add visibility.skills '").expect(&hint).1;
    let value = value.split_once('\'').expect(&hint).0;
    run(&tree, &["config", "set", "--add", "visibility.skills", value]).text();
    let hidden = said(&["list", "--hidden"]);
    assert!(hidden.contains("zed") && !hidden.contains("about prowess itself"), "{hidden}");
}

#[test]
fn differences_of_a_preset_are_explained() {
    let tree = machine();
    let explain = |name: &str, format: &str| {
        run(&tree, &["config", "explain-preset", name, "--format", format])
    };
    let explained = explain("omniforge", "json").json();
    let differences = explained["differences"].as_array().unwrap();
    assert!(differences.iter().any(|it| it["key"] == "none"), "a row without a key says so");
    let text = explain("enterprise-layers", "text").text().to_owned();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (heads, table) = text.split_once("\n\n").expect("a table");
    let columns = ["the document says", "prowess does", "why", "key"];
    let starts = columns.map(|head| heads.find(head).expect(head));
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    let table: Vec<_> = table.split("\n\n").collect();
    assert_eq!(table.len(), differences.len());
    for (row, difference) in table.iter().zip(differences) {
        for (at, field) in ["document", "prowess", "why", "key"].into_iter().enumerate() {
            let width = starts.get(at + 1).map_or(100, |next| next - starts[at]);
            let cell = |line: &str| line.chars().skip(starts[at]).take(width).collect::<String>();
            let cell = letters(&row.lines().map(cell).collect::<String>());
            assert_eq!(cell, letters(difference[field].as_str().unwrap()), "{field}");
        }
    }
    assert!(explain("standard", "text").text().contains("reproduces no runtime"));
    assert_eq!(explain("omniforg", "json").error()["code"], "config-invalid");
}
