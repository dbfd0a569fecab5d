//! `prowess mcp install` and `mcp test`: files of clients.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use prowess_testkit::{Tree, rows};

use crate::plain_skill;
use crate::program::{Program, Ran};
use crate::terminal;

const CASES: &str = include_str!("../data/client-cases.txt");

fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("home/.agents/skills/pdf/SKILL.md", plain_skill("pdf"));
    tree.write("shop/.git/HEAD", "");
    tree
}

/// With this program on the `PATH`.
fn program(tree: &Tree) -> Program {
    let directory = Path::new(env!("CARGO_BIN_EXE_prowess")).parent().unwrap().display();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap());
    let program = Program::new().at_home_in(&tree.join("home")).variable("PATH", &path);
    program.working_in(&tree.join("shop"))
}

fn run(tree: &Tree, args: &[&str]) -> Ran {
    // Servers start slowly on a busy machine.
    let patience: &[&str] = if args[0] == "test" { &["--yes", "--seconds", "300"] } else { &[] };
    program(tree).run(&[&["mcp"], args, patience].concat())
}

fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn every_client_starts_what_was_installed() {
    let tree = tree();
    tree.write("shop/a \"b\"/pdf/SKILL.md", plain_skill("pdf"));
    let clients = run(&tree, &["config"]);
    assert!(clients.text().lines().count() >= 15, "{clients:?}");
    for client in clients.text().lines() {
        for scope in [&[][..], &["--project"]] {
            let root = ["--root", "a \"b\""];
            let run = |args: &[&str]| run(&tree, &[args, &root, scope].concat());
            let installed = run(&["install", client, "--yes"]);
            if installed.stderr.contains("client-scope") {
                continue;
            }
            // Claude Code and Copilot share a file.
            let text = installed.text();
            let file = text.lines().find_map(|line| line.split_once("installed in "));
            let file = Path::new(file.expect(client).1);
            let block =
                program(&tree).run(&[&root[..], &["mcp", "config", "--client", client]].concat());
            assert!(block.stderr.contains(" reads this from "), "{block:?}");
            if scope.is_empty() {
                assert_eq!(block.text(), fs::read_to_string(file).unwrap(), "{client}");
            }
            let again = run(&["install", client]);
            assert!(again.text().starts_with("already installed in "), "{client}: {again:?}");
            let tested = run(&["test", client]);
            assert!(tested.text().contains("skills_load"), "{client}: {tested:?}");
            assert!(tested.stdout.contains("skill pdf\n"), "{client}: {tested:?}");
        }
    }
    for client in clients.text().lines() {
        let removed = run(&tree, &["install", client, "--remove", "--yes"]);
        assert!(removed.text().contains("removed from "), "{client}: {removed:?}");
        let again = run(&tree, &["install", client, "--remove"]);
        assert!(again.text().starts_with("not installed in "), "{client}: {again:?}");
        let file = again.stdout.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(!Path::new(&file).exists(), "{client}: nothing was in it before");
    }
}

#[test]
fn client_has_its_usual_names() {
    for [name, words] in rows(CASES, "names of clients, and what the program says of them") {
        let ran = Program::new().run(&["mcp", "config", "--client", &name]);
        assert!(ran.stderr.contains(&words), "{name}: {ran:?}");
        assert_eq!(ran.code == Some(2), ["cursr", "vibe"].contains(&&*name), "{name}: {ran:?}");
    }
}

#[test]
fn file_of_a_project_is_true_on_every_machine() {
    let tree = tree();
    tree.write("shop/sub/.keep", "");
    tree.write("shop/skills/own/SKILL.md", plain_skill("own"));
    tree.write("shop/sub/prowess.yaml", "preset: standard\n");
    let title = "files of a project: the client, the options, and the arguments";
    for [client, options, expected] in rows(CASES, title) {
        let options: Vec<_> = options.split_whitespace().collect();
        let before = fs::read_to_string(tree.join("shop/.cursor/mcp.json")).ok();
        let before = before.filter(|_| client == "cursor");
        let install = ["mcp", "install", &client, "--project", "--yes"];
        let installed = program(&tree).run(&[&options[..], &install].concat());
        let file = installed.text().lines().find_map(|line| line.strip_prefix("installed in "));
        let file = Path::new(file.expect("the file is named")).to_owned();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(&expected), "{client}: {text}");
        assert!(!text.contains(tree.path().to_str().unwrap()), "{client}: {text}");
        assert!(!text.contains(env!("CARGO_BIN_EXE_prowess")), "{client}: {text}");
        assert_eq!(names(file.parent().unwrap()).len(), 1, "{client}: no copy to be committed");
        let copy = installed.text().split_once("the old file is ").map(|(_, copy)| copy);
        let copy = copy.and_then(|copy| copy.lines().next()).map(fs::read_to_string);
        assert_eq!(copy.map(Result::unwrap), before, "{client}: the user has one");
        let tested = run(&tree, &["test", &client, "--project"]);
        assert_eq!(tested.code, Some(0), "{client}: {tested:?}");
    }
    let outside = ["mcp", "install", "vscode", "--project", "--yes", "--root", "../home"];
    let refused = program(&tree).run(&outside);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is outside of the project"), "{refused:?}");
}

/// Options that a server refuses are refused before anything is written.
#[test]
fn options_are_read_as_by_a_server() {
    let tree = tree();
    for options in [
        ["--set", "a=b"],
        ["--set", "prompt.max_tokens=abc"],
        ["--config", "/nosuch.yaml"],
        ["--preset", "nosuch"],
        ["--root", "nosuch"],
        ["--root", "nosuch=."],
        ["--dynamic", "nosuch"],
    ] {
        for command in [&["install", "cursor", "--yes"][..], &["config", "--client", "zed"]] {
            let refused = program(&tree).run(&[&options[..], &["mcp"], command].concat());
            let served = program(&tree).run(&[&options[..], &["serve"]].concat());
            assert_ne!(refused.code, Some(0), "{options:?}: {refused:?}");
            assert_eq!(refused.stderr, served.stderr, "{options:?}");
        }
        assert!(!tree.join("home/.cursor").exists(), "{options:?}");
    }
}

#[test]
fn nothing_of_other_servers_is_shown() {
    let tree = tree();
    for [client, path, text] in rows(CASES, "files with secrets") {
        tree.write(&format!("home/{path}"), &text);
        let installed = run(&tree, &["install", &client, "--yes"]);
        let shown = installed.text();
        assert!(!shown.contains("SECRET"), "{client}: {shown}");
        assert!(shown.contains("+") && shown.contains("serve"), "{client}: {shown}");
        assert_eq!(shown.contains("old\""), text.contains("old"), "{client}: {shown}");
        let after = fs::read_to_string(tree.join("home").join(path)).unwrap();
        assert_eq!(after.matches("SECRET").count(), text.matches("SECRET").count(), "{after}");
    }
}

/// Entries as people edit them.
#[test]
fn entry_is_started_as_the_client_would_or_explained() {
    let tree = tree();
    tree.write("shop/other/.agents/skills/other/SKILL.md", plain_skill("other"));
    let entries = include_str!("../data/client-entries.txt").lines();
    for line in entries.map(|line| line.replace('⏎', "\n")) {
        let parts: Vec<_> = line.split(" ¦ ").collect();
        let [client, entry, words] = parts[..] else { panic!("{line}") };
        let (path, at) = match client {
            "vscode" => (".vscode/mcp.json", "servers"),
            "zed" => (".zed/settings.json", "context_servers"),
            "cursor" => (".cursor/mcp.json", "mcpServers"),
            "gemini" => (".gemini/settings.json", "mcpServers"),
            _ => (".mcp.json", "mcpServers"),
        };
        let entry = entry.replacen("P", r#""command": "prowess""#, 1);
        tree.write(&format!("shop/{path}"), format!(r#"{{"{at}": {{"prowess": {{{entry}}}}}}}"#));
        let tested = run(&tree, &["test", client, "--project"]);
        let all = tested.stdout.clone() + &tested.stderr;
        assert!(all.contains(words), "{client} {entry}: {tested:?}");
        assert_eq!(tested.stderr.contains("help: "), tested.code == Some(1), "{tested:?}");
        if words.ends_with("switches") {
            assert!(all.contains(&format!("mcp install {client} --project`")), "{tested:?}");
            assert_eq!(run(&tree, &["install", client, "--project", "--yes"]).code, Some(0));
            assert_eq!(run(&tree, &["test", client, "--project"]).code, Some(0), "{client}");
        }
    }
    tree.write("shop/.cursor/mcp.json", r#"{"mcpServers": {"prowess": {"command": "cat"}}}"#);
    let test = ["mcp", "test", "cursor", "--project", "--yes", "--seconds", "1"];
    let silent = program(&tree).run(&test);
    assert!(silent.stderr.contains("has not answered `initialize` in 1 second"), "{silent:?}");
    assert!(silent.stderr.contains("raise `--seconds`"), "{silent:?}");
}

#[test]
fn test_of_an_untrusted_project_names_the_command() {
    let tree = tree();
    fs::remove_dir_all(tree.join("home/.agents")).unwrap();
    tree.write("shop/.claude/skills/pdf/SKILL.md", plain_skill("pdf"));
    assert!(run(&tree, &["test", "cursor"]).stderr.contains("does not exist"));
    assert_eq!(run(&tree, &["install", "claude-code", "--project", "--yes"]).code, Some(0));
    let untrusted = run(&tree, &["test", "claude-code", "--project"]);
    let trust = format!("run `prowess trust {}`", tree.join("shop").display());
    let help = untrusted.stderr.lines().find(|line| line.starts_with("  help: "));
    assert!(help.is_some_and(|help| help.contains(&trust)), "{untrusted:?}");
}

/// A clone brings the file of a project along.
#[test]
fn command_of_an_untrusted_project_is_not_started_without_a_question() {
    let tree = tree();
    let test = ["mcp", "test", "roo", "--seconds", "300"];
    let program = || program(&tree).variable("LANG", "C");
    assert_eq!(run(&tree, &["install", "roo", "--yes"]).code, Some(0));
    assert_eq!(program().run(&test).code, Some(0), "this program alone needs no question");
    let mark = tree.join("mark");
    let touch = format!(r#""sh", "args": ["-c", "touch {}; exit 3"]"#, mark.display());
    tree.write("shop/prowess", format!("#!/bin/sh\ntouch {}\n", mark.display()));
    fs::set_permissions(tree.join("shop/prowess"), fs::Permissions::from_mode(0o755)).unwrap();
    for entry in [
        &*touch,
        r#""./prowess", "args": ["serve"]"#,
        r#""prowess", "args": ["--config", "evil.yaml", "serve"]"#,
        r#""prowess", "args": ["--set", "sources.mcp={}", "serve"]"#,
        r#""prowess", "args": ["serve"], "env": {"LD_PRELOAD": "./evil.so"}"#,
        r#""prowess", "args": ["plugin", "check", "evil"]"#,
    ] {
        let file = format!(r#"{{"mcpServers": {{"prowess": {{"command": {entry}}}}}}}"#);
        for (client, path) in [("roo", "shop/.roo/mcp.json"), ("cursor", "shop/.cursor/mcp.json")] {
            tree.write(path, &*file);
            let refused = program().run(&["mcp", "test", client, "--project"]);
            assert_eq!(refused.code, Some(2), "{client} {entry}: {refused:?}");
            assert!(refused.stderr.contains("error[confirmation-required]"), "{refused:?}");
            assert!(!mark.exists(), "{client} {entry}");
        }
    }
    tree.write(
        "shop/.roo/mcp.json",
        format!(r#"{{"mcpServers": {{"prowess": {{"command": {touch}}}}}}}"#),
    );
    for (typed, is_started) in [("n\n", false), ("y\n", true)] {
        let (mut command, _place) = program().into_command();
        command.args(test);
        let (_, _, shown) = terminal::run(command, typed);
        assert!(shown.contains("Start sh -c 'touch "), "{shown}");
        assert_eq!(mark.exists(), is_started, "{shown}");
    }
    fs::remove_file(&mark).unwrap();
    program().run(&["trust"]);
    program().run(&test);
    assert!(mark.exists(), "the user trusts the folder");
}

/// A link that came with a clone leads no write out of it.
#[test]
fn files_of_a_project_are_not_written_through_a_link() {
    let title = "links in a project, where they lead, and a command that would write there";
    for [link, target, command] in rows(CASES, title) {
        let tree = tree();
        tree.write("home/a.json", "{}\n");
        tree.write("home/conf/mcp.json", "{}\n");
        tree.write("home/.config/prowess/config.yaml", "refresh: { mode: never }\n");
        let state = || {
            let files = ["a.json", "conf/mcp.json", ".config/prowess/config.yaml"];
            let texts = files.map(|file| fs::read_to_string(tree.join("home").join(file)).unwrap());
            (texts, names(&tree.join("home")), names(&tree.join("home/conf")))
        };
        let link = tree.join("shop").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(tree.join(&target), link).unwrap();
        let before = state();
        let words: Vec<_> = command.split(' ').collect();
        let refused = program(&tree).run(&words);
        assert_eq!(refused.code, Some(1), "{target} {command}: {refused:?}");
        let words = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("replace the link by") || words.contains("replace it by"),
            "{words}"
        );
        assert_eq!(state(), before, "{target} {command}");
    }
    let tree = tree();
    tree.write("shop/conf/keep", "");
    symlink("conf", tree.join("shop/.cursor")).unwrap();
    assert_eq!(run(&tree, &["install", "cursor", "--project", "--yes"]).code, Some(0));
    assert!(tree.join("shop/conf/mcp.json").exists(), "a link inside of the project is followed");
}

/// Files as clients and people write them, with what is not ours: the client, the path, and the
/// text. `⏎` ends a line, and `⌫` is the mark at the start of some.
const FILES: &str = include_str!("../data/client-files.txt");

#[test]
fn files_of_clients_keep_what_is_not_ours() {
    for line in FILES.lines() {
        let (client, rest) = line.split_once(' ').expect("a client");
        let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
        for end in ["\n", "\r\n"] {
            let tree = tree();
            let before = text.replace('⏎', end).replace('⌫', "\u{feff}");
            tree.write(&format!("home/{path}"), &before);
            let installed = run(&tree, &["install", client, "--yes"]);
            assert!(installed.text().contains(path), "{client}: {installed:?}");
            let after = fs::read_to_string(tree.join("home").join(path)).unwrap();
            let mut letters = after.chars();
            let is_kept = before.chars().all(|letter| letters.any(|other| other == letter));
            assert!(is_kept, "{client}: {before:?} became {after:?}");
            let tested = run(&tree, &["test", client]);
            assert!(tested.text().contains("skill pdf\n"), "{client}: {after}: {tested:?}");
        }
    }
}

/// A client, a file of it, the text, and what the test says. The user's own file has an entry.
const FILTERS: &str = include_str!("../data/client-filters.txt");

#[test]
fn entry_that_counts_is_tested_without_what_the_client_leaves_out() {
    for line in rows(FILTERS, "") {
        let tree = tree();
        let [shop, home] = ["shop", "home"].map(|it| tree.join(it).display().to_string());
        let entry = r#""command": "prowess", "args": ["serve"]"#;
        let [client, path, text, words] = &line.map(|field| {
            field.replace("SHOP", &shop).replace("HOME", &home).replace("ENTRY", entry)
        });
        run(&tree, &["install", client, "--yes"]).text();
        tree.write(path, text);
        let tested = run(&tree, &["test", client]);
        let all = tested.stdout.clone() + &tested.stderr;
        let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(words), "{client} {text}: {tested:?}");
        assert_eq!(tested.code == Some(0), all.contains("tool") && !all.contains("help: "));
    }
    let tree = tree();
    tree.write("shop/.cursor/mcp.json", r#"{"mcpServers": {"prowess": {"command": "x"}}}"#);
    let installed = run(&tree, &["install", "cursor", "--yes"]);
    assert!(installed.stderr.contains("counts before it"), "{installed:?}");
    // The entry of a directory, which the client's own command writes.
    let text = r#"{"projects":{"SHOP":{"mcpServers":{"prowess":{"command":"x"}}}}}"#;
    tree.write("home/.claude.json", text.replace("SHOP", tree.join("shop").to_str().unwrap()));
    run(&tree, &["install", "claude-code", "--yes"]).text();
    run(&tree, &["test", "claude-code"]).text();
    run(&tree, &["install", "claude-code", "--remove", "--yes"]).text();
    let left = fs::read_to_string(tree.join("home/.claude.json")).unwrap();
    assert!(!left.contains("prowess"), "{left}");
}

#[test]
fn file_behind_a_link_keeps_its_text_and_mode() {
    let tree = tree();
    let before = "{\r\n\t// mine\r\n\t\"theme\": 'dark',\r\n}\r\n";
    tree.write("dotfiles/mcp.json", before);
    let real = tree.join("dotfiles/mcp.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(tree.join("home/.cursor")).unwrap();
    symlink(&real, tree.join("home/.cursor/mcp.json")).unwrap();
    let shown = run(&tree, &["install", "cursor"]);
    assert_eq!(shown.code, Some(2), "there is no terminal to ask at: {shown:?}");
    assert!(shown.stdout.contains("+  \"mcpServers\": {"), "the change is shown: {shown:?}");
    assert!(shown.stderr.contains("mcp install cursor --yes"), "{shown:?}");
    assert!(shown.stderr.contains("-C "), "another directory is named: {shown:?}");
    assert!(shown.stderr.contains("is not shown"), "the part is no file: {shown:?}");
    assert_eq!(fs::read_to_string(&real).unwrap(), before);
    let installed = run(&tree, &["install", "cursor", "--yes"]);
    let copy = real.with_extension("json.prowess.bak");
    assert!(installed.text().contains(copy.to_str().unwrap()), "{installed:?}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), before);
    let after = fs::read_to_string(&real).unwrap();
    assert!(after.starts_with(before.trim_end_matches("}\r\n")), "{after:?}");
    for file in [&real, &copy] {
        assert_eq!(fs::metadata(file).unwrap().mode() & 0o777, 0o640, "{}", file.display());
    }
    assert!(tree.join("home/.cursor/mcp.json").is_symlink(), "the link is still one");
    for further in ["--no-config", "--remove"] {
        run(&tree, &["install", "cursor", "--yes", further]).text();
        assert_eq!(fs::read_to_string(&copy).unwrap(), before, "{further}: the person's text");
    }
    fs::write(&real, &after).unwrap();
    fs::write(&copy, "older").unwrap();
    run(&tree, &["install", "cursor", "--remove", "--yes"]).text();
    assert_eq!(fs::read_to_string(&copy).unwrap(), after, "a copy replaces the one before");
    assert_eq!(fs::read_dir(tree.join("dotfiles")).unwrap().count(), 2, "tokens are kept once");
}

#[test]
fn entry_of_the_user_keeps_its_other_keys() {
    let tree = tree();
    let before =
        "# mine\n[mcp_servers.prowess]\ncommand = \"old\" # why\nstartup_timeout_sec = 9\n";
    tree.write("home/.codex/config.toml", before);
    let installed = run(&tree, &["install", "codex", "--yes"]);
    assert!(installed.text().contains("-command = \"old\"\n"), "{installed:?}");
    let after = fs::read_to_string(tree.join("home/.codex/config.toml")).unwrap();
    let expected = "# mine\n[mcp_servers.prowess]\ncommand = \"PROWESS\" # why\n\
                    startup_timeout_sec = 9\nargs = [\"serve\"]\n";
    assert_eq!(after, expected.replace("PROWESS", env!("CARGO_BIN_EXE_prowess")));
    let moved = tree.join("moved");
    for (client, variable, file) in [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("opencode", "OPENCODE_CONFIG_DIR", "opencode.json"),
    ] {
        let program = program(&tree).variable(variable, moved.to_str().unwrap());
        program.run(&["mcp", "install", client, "--yes"]).text();
        assert!(moved.join(file).exists(), "`{variable}` says where {client} reads it");
    }
}

#[test]
fn unclear_file_is_refused_and_left_alone() {
    let tree = tree();
    for [client, path, text, place] in rows(CASES, "files that are unclear, and the place") {
        tree.write(&format!("home/{path}"), &text);
        let refused = run(&tree, &["install", &client, "--yes"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains(&place), "{refused:?}");
        let file = tree.join("home").join(&path);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(names(file.parent().unwrap()).len(), 1, "nothing is added");
    }
}

#[test]
fn person_at_a_terminal_is_asked() {
    let tree = tree();
    let file = tree.join("shop/.cursor/mcp.json");
    for (typed, code, is_written) in [("\n", 1, false), ("n\n", 1, false), ("y\n", 0, true)] {
        let (mut command, _place) = program(&tree).into_command();
        command.args(["mcp", "install", "cursor", "--project"]);
        let (ended, output, shown) = terminal::run(command, typed);
        assert_eq!(ended, Some(code), "{output}{shown}");
        assert!(shown.contains("mcp.json? [y/N]"), "{shown}");
        assert_eq!(file.exists(), is_written, "{typed:?}");
    }
}
