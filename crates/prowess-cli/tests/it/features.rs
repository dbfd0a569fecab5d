//! A command, an option, a key or a preset whose feature this program lacks names the feature, with
//! exit code 2, and does nothing.

use std::fs;

use prowess_testkit::Tree;

use crate::install::{Machine, states};
use crate::program::Program;
use crate::skill_md;

/// Returns the features of the program; `None` if it has this one, which its own tests check.
fn features_without(feature: &str) -> Option<Vec<String>> {
    let json = Program::new().run(&["version", "--features", "--format", "json"]).json();
    let features = json["features"].as_object().expect("they are listed");
    let is_on = |name: &str| features[name].as_bool().expect("the feature is listed");
    let on = features.keys().filter(|name| is_on(name)).cloned().collect();
    (!is_on(feature)).then_some(on)
}

/// Returns the end of the line about a missing feature: those of the program stay.
fn install(mut on: Vec<String>, feature: &str) -> String {
    on.push(feature.to_owned());
    on.sort();
    let quote = if on.len() > 1 { "\"" } else { "" };
    let features = on.join(" ");
    format!(
        "install it with `cargo install --locked --path crates/prowess-cli --features \
         {quote}{features}{quote}` in a checkout"
    )
}

/// Checks what a program without the feature answers.
#[track_caller]
fn check(feature: &str, what: &str, args: &[&str]) {
    let Some(on) = features_without(feature) else { return };
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill_md("name: pdf\ndescription: Use for forms."));
    tree.write("skills-lock.json", LOCK);
    let ran = Program::new().working_in(tree.path()).run(args);
    let line = format!(
        "error[feature-missing]: `{what}` needs the feature `{feature}`, which this program lacks; {}",
        install(on, feature)
    );
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.stdout, "", "nothing was done: {ran:?}");
    assert_eq!(ran.stderr.lines().next(), Some(&*line), "{ran:?}");
    assert!(!tree.join("site").exists() && !tree.join("oci:").exists(), "nothing was written");
}

/// The lock file of another tool, with a skill of a site.
const LOCK: &str = r#"{"version": 1, "skills": {"pdf": {"source": "https://example.com/pdf.zip",
    "sourceType": "well-known", "computedHash": "0000000000000000000000000000000000000000000000000000000000000000"}}}"#;

#[test]
fn options_name_their_feature() {
    check("http", "serve --http", &["serve", "--http", "127.0.0.1:0"]);
    check("catalog-file", "catalog build", &["catalog", "build"]);
    let store = "postgres://u@127.0.0.1:1/d";
    check("postgres", "serve --store", &["serve", "--store", store]);
    check("postgres", "approvals --store", &["approvals", "list", "--store", store]);
    for command in ["verify", "show", "stats", "sessions"] {
        check("postgres", "audit --store", &["audit", command, "--store", store]);
    }
    check("web", "serve --web", &["serve", "--web", "127.0.0.1:0"]);
    check("mcp-sources", "mcp call", &["mcp", "call", "tools/list", "--", "true"]);
    check("reference", "--profile skills-ref", &["validate", "pdf", "--profile=skills-ref"]);
    let properties = ["read-properties", "pdf", "--profile", "skills-ref"];
    check("reference", "--profile skills-ref", &properties);
    check("sign", "publish --sign", &["publish", "pdf", "site", "--sign", "key"]);
    check("sigstore", "--trusted-root", &["add", "./pdf", "--trusted-root", "root.json"]);
    let signer = "sigstore:https://issuer.example ada@example.com";
    check("sigstore", &format!("--signer {signer}"), &["add", "./pdf", "--signer", signer]);
    check("vendor", "prompt --vendor", &["prompt", "--vendor", "anthropic"]);
    check("virtual-shell", "run --shell", &["run", "--shell", "-c", "ls"]);
}

#[test]
fn sources_name_their_feature() {
    for source in ["https://example.com", "oci://example.com/pdf:1", "s3://bucket/skills"] {
        check("remotes", source, &["add", source]);
    }
    for target in ["s3://bucket/skills", "oci://example.com/pdf:1"] {
        check("remotes", &format!("publish {target}"), &["publish", "pdf", "--to", target]);
        check("remotes", &format!("publish {target}"), &["publish", "pdf", target]);
    }
    let import = ["sync", "--import", "skills-lock.json"];
    // The skill whose line it is comes first.
    check("remotes", "pdf`: `https://example.com/pdf.zip", &import);
}

#[test]
fn keys_and_presets_name_their_feature() {
    for (feature, key, setting) in [
        ("gitignore", "discovery.gitignore", "discovery.gitignore=true"),
        ("proxy", "scripts.network", "scripts.network=[example.com]"),
        ("virtual-shell", "shell", "shell.mount=/skills"),
        ("mcp-sources", "sources.mcp", "sources.mcp={team: {command: [team]}}"),
    ] {
        check(feature, key, &["--set", setting, "list"]);
    }
    check("proxy", "scripts.network", &["run", "pdf", "a.sh", "--host", "example.com"]);
    let Some(_) = features_without("virtual-shell") else { return };
    let sandbox = ["--preset", "sandbox"];
    let listed = Program::new().run(&[&sandbox[..], &["list"]].concat());
    assert_eq!(listed.code, Some(0), "the other tools are there: {listed:?}");
    let refused = Program::new().run(&[&sandbox[..], &["call", "sandbox_execute", "{}"]].concat());
    let needs =
        "error[feature-missing]: the tool `sandbox_execute` needs the feature `virtual-shell`";
    assert!(refused.code == Some(2) && refused.stderr.contains(needs), "{refused:?}");
}

#[test]
fn message_says_all_that_is_to_be_done() {
    let Some(_) = features_without("proxy").filter(Vec::is_empty) else { return };
    let both = ["--set", "discovery.gitignore=true", "--set", "scripts.network=[example.com]"];
    let ran = Program::new().run(&[&both[..], &["list"]].concat());
    assert!(ran.stderr.contains("--features \"gitignore proxy\"`"), "one build has both: {ran:?}");
    assert_eq!(ran.code, Some(2));
    let ran = Program::new().run(&["add", "https://git.example/a/b"]);
    let is_named = ran.stderr.contains("write `git+https://git.example/a/b`");
    assert_eq!((ran.code, is_named), (Some(2), true), "a repository needs no build: {ran:?}");
}

/// Such a target is never written as a folder, with or without the feature.
#[test]
fn target_with_a_scheme_is_no_folder() {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", skill_md("name: pdf\ndescription: Use for forms."));
    for target in ["https://example.com/x", "oci:host/x:1", "s3:b/x", "ftp://host/x"] {
        for args in [&["publish", "pdf", target][..], &["publish", "pdf", "--to", target]] {
            let ran = Program::new().working_in(tree.path()).run(args);
            assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
            assert!(ran.stderr.contains("is neither a registry, a bucket nor a path"), "{ran:?}");
        }
    }
    let names: Vec<_> = fs::read_dir(tree.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing was written: {names:?}");
    let path = ["publish", "pdf", "./oci:x"];
    assert_eq!(Program::new().working_in(tree.path()).run(&path).code, Some(0), "a path is one");
}

/// An entry of a lock whose source this program cannot reach; with `remotes`, it does not try.
const REMOTE: &str = include_str!("../data/features-remote.txt");

#[test]
fn locked_skill_of_a_missing_feature_costs_itself_alone() {
    let Some(on) = features_without("remotes") else { return };
    let machine = Machine::new();
    machine.add();
    let lock = machine.state("prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    fs::write(&lock, text + REMOTE).unwrap();
    let line = format!(
        "`oci://127.0.0.1:1/x:1` needs the feature `remotes`, which this program lacks; {}",
        install(on, "remotes")
    );
    for (args, code) in [
        (&["update", "pdf"][..], 0),
        (&["update"], 3),
        (&["update", "--preview"], 3),
        (&["update", "reg"], 2),
        (&["update", "--check"], 3),
        (&["sync"], 3),
        (&["verify"], 1),
        (&["doctor"], 1),
    ] {
        let ran = machine.run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let all = words(&format!("{} {}", ran.stdout, ran.stderr));
        assert_eq!(all.contains(&line), code != 0, "{args:?}: {ran:?}");
        assert!(!all.contains("`prowess sync`"), "it could not fetch it: {args:?}: {ran:?}");
    }
    let synced = machine.run(&["sync", "--format", "json"]).json();
    assert_eq!(states(&synced), ["notes intact", "pdf intact", "reg failed"]);
}

#[test]
fn bundle_of_sigstore_is_never_unsigned() {
    let Some(on) = features_without("sigstore") else { return };
    for end in ["sigstore.json", "minisig"] {
        let machine = Machine::new();
        let archive = "site/.well-known/agent-skills/pdf.tar.gz";
        machine.tree.write(&format!("{archive}.{end}"), "{}");
        let ran = machine.run(&["add", &machine.path(archive)]);
        let bundle = machine.path(&format!("{archive}.{end}"));
        let line = format!("error[feature-missing]: `{bundle}` needs the feature `sigstore`");
        assert!(ran.stderr.starts_with(&line), "{ran:?}");
        assert!(ran.stderr.contains(&install(on.clone(), "sigstore")), "{ran:?}");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(!machine.state("prowess.lock").exists(), "nothing is installed");
    }
}
