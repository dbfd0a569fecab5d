//! Files that may hold credentials reach no archive, no list and no result of a model.

use prowess_testkit::rows;
use serde_json::json;

use crate::install::Machine;
use crate::program::Program;

const KEY: &str =
    "-----BEGIN PRIVATE KEY-----\nMIIEvCANARYQIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQ\n";

/// The files beside the skill, of which each has a text that must not leave.
fn planted() -> Vec<(String, String)> {
    let names = ".env .env.local a/prod.env .npmrc .netrc .pypirc id_rsa keys/id_ed25519 .envrc \
                 .git-credentials store.p12 .ssh/config .aws/credentials secrets.yaml \
                 node_modules/a/index.js .venv/lib/a.py __pycache__/a.txt credentials.json \
                 tools/lib/a.py kept/deep/a.txt";
    let mut files: Vec<_> =
        names.split(' ').map(|name| (name.to_owned(), "token = CANARY\n".to_owned())).collect();
    let contents = [
        ("deploy.pem", KEY.to_owned()),
        ("notes/aws.md", "id AKIACANARY0123456789 of an account\n".to_owned()),
        ("notes/forge.txt", format!("use ghp_CANARY{} here\n", "a1B2c3D4e5".repeat(3))),
        ("config.json", format!("{{\"key\": {}}}", json!(KEY))),
    ];
    files.extend(contents.map(|(name, text)| (name.to_owned(), text)));
    files
}

/// Links to such files: each target, and the name of the link.
const LINKS: [(&str, &str); 4] = [
    (".env", ".env.sample"),
    (".env.sample", "again.md"),
    ("keys/id_ed25519", "linked.txt"),
    (".ssh", "directory"),
];

const PUBLIC: [&str; 4] = [".env.example", "certs/ca.pem", "docs/credentials.md", "run.sh"];

#[test]
fn credentials_leave_no_machine() {
    let machine = Machine::new();
    for (name, text) in planted() {
        machine.tree.write(&format!("skills/pdf/{name}"), text);
    }
    for mark in ["tools/pyvenv.cfg", "kept/CACHEDIR.TAG"] {
        machine.tree.write(&format!("skills/pdf/{mark}"), "");
    }
    for name in PUBLIC {
        let text = "-----BEGIN CERTIFICATE-----\nnot a -----BEGIN PRIVATE KEY-----\n";
        machine.tree.write(&format!("skills/pdf/{name}"), text);
    }
    let package = machine.tree.join("skills/pdf");
    for (target, link) in LINKS {
        std::os::unix::fs::symlink(target, package.join(link)).unwrap();
    }
    std::fs::hard_link(package.join(".env"), package.join("hard.txt")).unwrap();
    let links = LINKS.map(|(_, link)| link).into_iter().chain(["hard.txt", "directory/config"]);
    let names: Vec<_> =
        planted().into_iter().map(|(name, _)| name).chain(links.map(str::to_owned)).collect();
    let (skills, site) = (machine.path("skills"), machine.path("other"));
    let published = machine.run(&["publish", &skills, &site]);
    assert_eq!(published.code, Some(0), "{}", published.stderr);
    for name in &names {
        let directory = name.split('/').next().unwrap_or_default();
        let is_named = published.stderr.contains(name) || published.stderr.contains(directory);
        assert!(is_named, "{name} is named: {}", published.stderr);
    }
    assert_eq!(machine.run(&["add", "--user", &site, "pdf"]).code, Some(0));
    let store = machine.state("store");
    let lines = || {
        let ran = std::process::Command::new("grep").args(["-rl", "CANARY"]).arg(&store).output();
        String::from_utf8(ran.unwrap().stdout).unwrap()
    };
    assert_eq!(lines(), "", "no archive has it");
    for name in PUBLIC {
        let found = std::process::Command::new("find").arg(&store).output().unwrap();
        assert!(String::from_utf8_lossy(&found.stdout).contains(name), "{name} is published");
    }

    let (mut id, mut input) = (0, String::new());
    let mut request = |method: &str, params: serde_json::Value| {
        id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        input += &format!("{request}\n");
    };
    let client = json!({ "name": "test", "version": "1" });
    let start =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    request("initialize", start);
    let load = json!({ "name": "skills_load", "arguments": { "names": ["pdf"], "mode": "add" } });
    request("tools/call", load);
    for name in &names {
        let arguments = json!({ "skill": "pdf", "path": name });
        request("tools/call", json!({ "name": "skills_read", "arguments": arguments }));
        request("resources/read", json!({ "uri": format!("skill://pdf/{name}") }));
    }
    request("skills/list", json!({}));
    let root = format!("user={skills}");
    let program = Program::new().at_home_in(&machine.tree.join("home")).with_input(&input);
    let served = program.run(&["--no-config", "--root", &root, "serve"]).stdout;
    assert_eq!(served.lines().count(), 3 + 2 * names.len(), "{served}");
    assert!(!served.contains("CANARY"), "{served}");
    for (name, is_listed) in
        [(".env.example", true), ("certs/ca.pem", true), (".env", false), ("hard.txt", false)]
    {
        let listed = served.contains(&format!("<file>{name}</file>"));
        assert_eq!(listed, is_listed, "{name} at a load: {served}");
    }

    for [path] in rows(include_str!("../data/tables.txt"), "credentials_leave_no_machine") {
        let path = &*path;
        machine.tree.write(&format!("skills/{path}"), "a");
    }
    let several = machine.run(&["publish", &skills, &site, "--include", ".env.local"]);
    assert_eq!(several.code, Some(1), "{}", several.stderr);
    assert!(several.stderr.contains("`./pdf/sub/.env.local`"), "{}", several.stderr);
    let included = machine.run(&["publish", &skills, &site, "--include", "pdf/.env.local"]);
    for left_out in ["left out: pdf/env/ ", "left out: pdf/out/ "] {
        assert_eq!(included.stderr.matches(left_out).count(), 1, "{}", included.stderr);
    }
    std::fs::remove_dir_all(machine.tree.join("skills/pdf/sub")).unwrap();
    let included = machine.run(&["publish", &skills, &site, "--include", ".env.local"]);
    assert!(!included.stderr.contains(".env.local"), "{}", included.stderr);
    let add = ["update", "--user", "--accept"];
    assert_eq!(machine.run(&add).code, Some(0));
    assert_eq!(lines().lines().count(), 1, "one by name: {}", lines());
}

#[test]
fn instructions_with_a_credential_are_not_published() {
    let machine = Machine::new();
    let text = crate::plain_skill("pdf") + "Run it with `--password Xk9-mP2vLq8w`.\n";
    let line = text.lines().count();
    machine.tree.write("skills/pdf/SKILL.md", text);
    let (skills, site) = (machine.path("skills"), machine.path("other"));
    let alone = machine.path("skills/pdf");
    let refused = machine.run(&["publish", &alone, &site, "--format", "json"]);
    let message = refused.stdout;
    assert!(message.contains(&format!("`SKILL.md` has a credential in line {line}")), "{message}");
    assert_eq!(refused.code, Some(1), "nothing is left");
    assert!(!machine.tree.join("other").exists() && !message.contains("Xk9"), "{message}");
    let checked = machine.run(&["validate", &skills]);
    assert!(checked.stdout.contains("warning[credential]"), "{}", checked.stdout);
    let included = machine.run(&["publish", &skills, &site, "--include", "pdf/SKILL.md"]);
    assert_eq!(included.code, Some(0), "{}", included.stderr);
    // Next to it, a sound one is published.
    let part = machine.run(&["publish", &skills, &machine.path("part")]);
    assert_eq!(part.code, Some(3), "{}", part.stderr);
    assert!(part.stdout.contains("`pdf/SKILL.md` has a credential in line"), "{}", part.stdout);
    assert!(part.stdout.contains("notes") && !part.stdout.contains("pdf.tar"), "{}", part.stdout);
    let doctor = machine.run(&["doctor", "--root", &format!("user={skills}")]);
    assert!(doctor.stdout.contains("warning[credential]"), "{}", doctor.stdout);
}
