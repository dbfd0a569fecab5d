//! `prowess plugin new` and the guide: from nothing to a plugin that passes its check.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::{Program, Ran};

/// The root of the repository.
fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the crate lies in the repository")
}

fn new(directory: &Path, args: &[&str]) -> Ran {
    let directory = directory.display().to_string();
    let args = [&["plugin", "new", "--directory", &directory, "--format", "json"], args].concat();
    Program::new().run(&args)
}

/// The commands of the guide's first block.
fn guide() -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("plugins/README.md"));
    let text = text.expect("the guide is there");
    let (_, rest) = text.split_once("```console\n").expect("the guide has commands");
    let (block, _) = rest.split_once("```").expect("the block ends");
    block.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

/// Runs commands in an empty directory that has a checkout, and a home without anything.
///
/// What cargo builds goes where other tests build plugins, by the versions of the repository's lock
/// file, so that the dependencies are built once and nothing is fetched.
fn follow(commands: &[String]) -> String {
    let place = tempfile::tempdir().expect("a temporary directory");
    let at = |path: &str| place.path().join(path);
    std::fs::create_dir(at("home")).expect("a directory can be made");
    std::os::unix::fs::symlink(repository(), at("prowess")).expect("a link can be made");
    let target = repository().join("target/plugin-fixtures");
    std::fs::create_dir_all(&target).expect("a directory can be made");
    let prepare =
        format!("ln -s '{}' target && cp ../prowess/Cargo.lock . && umask 022", target.display());
    let commands: Vec<_> = commands
        .iter()
        .flat_map(|command| match command.starts_with("cd ") {
            true => vec![command.clone(), prepare.clone()],
            false => vec![command.clone()],
        })
        .collect();
    let program = Path::new(env!("CARGO_BIN_EXE_prowess"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let own = program.parent().expect("a program lies in a directory").to_owned();
    let paths = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&paths)));
    // Cargo and rustup look in the home for what they have.
    let home = std::env::home_dir().unwrap_or_default();
    let kept = |name: &str, otherwise: &str| {
        std::env::var_os(name).unwrap_or_else(|| home.join(otherwise).into())
    };
    let output = Command::new("sh")
        .args(["-e", "-c", &commands.join("\n")])
        .current_dir(place.path())
        .env("CARGO_HOME", kept("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", kept("RUSTUP_HOME", ".rustup"))
        .env("HOME", at("home"))
        .env("PATH", paths.expect("directories of a path"))
        .env("CARGO_NET_OFFLINE", "true")
        // Debug information is most of what would be written.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("`sh` runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, wrong) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "each command succeeds:\n{said}\n{wrong}");
    said
}

#[test]
fn guide_creates_a_plugin_that_passes() {
    let commands = guide();
    let said = follow(&commands);
    assert!(said.contains("0 failed"), "the check passes: {said}");
    assert!(said.contains("Begin with \"Good morning\""), "the skill is loaded: {said}");

    let is_of_skills = |command: &String| command.contains(" list") || command.contains(" prompt");
    let mut tools: Vec<_> = commands.into_iter().filter(|command| !is_of_skills(command)).collect();
    for command in &mut tools {
        *command = command.replace("--kind source", "--kind tools").replace("greeter", "counter");
    }
    let call =
        r#"prowess --plugin target/debug/libcounter.so call words_count '{"text": "one two"}'"#;
    tools.push(call.to_owned());
    let said = follow(&tools);
    assert!(said.contains("0 failed"), "the check passes: {said}");
    assert!(said.contains("\"words\": 2"), "the tool answers: {said}");
}

#[test]
fn a_new_plugin_depends_on_the_sdk_by_its_path() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let sdk = repository().display().to_string();
    let ran = new(place.path(), &["by-path", "--kind", "source", "--sdk", &sdk]);
    let manifest = place.path().join("by-path/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("it is written");
    let by_path = format!("{{ path = \"{sdk}/crates/prowess-plugin-sdk\" }}");
    assert!(manifest.contains(&by_path), "the checkout's crate is named: {manifest}");
    let next = &ran.json()["next"];
    let has_check = next.as_array().is_some_and(|next| {
        next.iter().any(|step| step.as_str().is_some_and(|step| step.contains("plugin check")))
    });
    assert!(has_check, "the way to the check is named: {next:#}");

    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let ran = new(elsewhere.path(), &["without", "--kind", "tools"]);
    assert_eq!(ran.code, Some(2), "without a checkout it would not build: {ran:?}");
    assert_eq!(ran.error()["code"], "sdk-required", "and that is reported: {ran:?}");
    assert!(!elsewhere.path().join("without").exists(), "before anything is written");
}

#[test]
fn plugin_that_cannot_be_created_is_an_error() {
    let place = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(place.path().join("there")).expect("a directory can be made");
    let nowhere = place.path().display().to_string();
    let sdk = repository().display().to_string();
    let cases: [(&[&str], i32, &str); 5] = [
        (&["there", "--kind", "tools", "--sdk", &sdk], 1, "plugin-exists"),
        (&["Notes", "--kind", "tools"], 2, "name-invalid"),
        (&["7notes", "--kind", "tools"], 2, "name-invalid"),
        (&["../notes", "--kind", "tools"], 2, "name-invalid"),
        (&["notes", "--kind", "tools", "--sdk", &nowhere], 2, "sdk-not-found"),
    ];
    for (args, code, expected) in cases {
        let ran = new(place.path(), args);
        assert_eq!(ran.code, Some(code), "{args:?} is refused: {}", ran.stdout);
        let error: Value = ran.error();
        assert_eq!(error["code"], expected, "{args:?}: {error:#}");
    }
    let left = std::fs::read_dir(place.path()).expect("it is there").count();
    assert_eq!(left, 1, "nothing is written");
}
