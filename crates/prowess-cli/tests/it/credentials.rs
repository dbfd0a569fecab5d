//! A password, a token or a key is neither stored nor shown.

use std::fs;

use crate::configuration::machine;
use crate::program::Program;

const SECRET: &str = "S3CRETpw";

/// Sources with a secret, `#` stands for it.
const SOURCES: &str = include_str!("../data/sources-with-credentials.txt");

#[test]
fn secret_of_a_source_is_refused_and_not_repeated() {
    let tree = machine();
    let commands = [
        &["add"][..],
        &["add", "--list"],
        &["trust", "--source"],
        &["trust", "--revoke"],
        &["publish", ".agents/skills", "--to"],
    ];
    for source in SOURCES.split_ascii_whitespace().map(|source| source.replace('#', SECRET)) {
        for command in commands {
            let program = Program::new().at_home_in(&tree.join("home"));
            let program = program.working_in(&tree.join("repository"));
            let ran = program.run(&[command, &[&source]].concat());
            let said = format!("{}{}", ran.stdout, ran.stderr);
            // A user without a password is left out.
            let is_taken = ran.code == Some(0) && !source.starts_with("https://S3");
            assert!(!is_taken && !said.contains(SECRET), "{command:?} {source}: {said}");
        }
    }
    for entry in walk(tree.path()) {
        let has_secret = String::from_utf8_lossy(&fs::read(&entry).unwrap()).contains(SECRET);
        assert!(!has_secret, "{} has it", entry.display());
    }
}

fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    directories.iter().flat_map(|path| walk(path)).chain(files).collect()
}

/// Those of older versions and of other hands are in files already.
#[test]
fn stored_secret_is_not_shown() {
    let tree = machine();
    let source = format!("https://me:{SECRET}@example.com/x.git");
    let bare = format!("me:{SECRET}@example.com/x.git");
    let origin = |name: &str| format!(r#"{{"name":"{name}","since":"2026-01-01T00:00:00Z"}}"#);
    let origins = [origin(&source), origin(&bare)].join(",");
    let trusted = format!(r#"{{"version":1,"folders":[],"sources":[{origins}]}}"#);
    tree.write("home/.local/state/prowess/trust.json", trusted);
    let digest = format!("sha256:{}", "0".repeat(64));
    let skill = |name: &str, source: &str| {
        format!(
            "[skill.{name}]\nsource = \"{source}\"\nrevision = \"1\"\n\
             artifact = \"{digest}\"\ntree = \"{digest}\"\nsigner = \"unsigned\"\n"
        )
    };
    let lock = format!("version = 1\n{}{}", skill("pdf", &source), skill("notes", &bare));
    tree.write("repository/prowess.lock", lock);
    tree.write(
        "home/.config/prowess/config.yaml",
        format!(
            "scripts:\n  environment: {{ API_KEY: {SECRET}, PROXY: 'http://me:{SECRET}@proxy' }}\n\
             plugins:\n  settings:\n    x:\n      config: {{ headers: {{ Authorization: Bearer {SECRET} }}, \
             args: [--token, {SECRET}], url: 'https://h/?key={SECRET}' }}\n"
        ),
    );
    let commands = "trust --list; config show; config show --all; config show --changed; config get \
                    scripts.environment.API_KEY; config get plugins.settings; config check; doctor; \
                    sync; sync --check; update; update --check; verify; remove pdf; list; explain pdf";
    for command in commands.split("; ").map(|line| line.split(' ').collect::<Vec<_>>()) {
        for format in ["text", "json"] {
            let program = Program::new().at_home_in(&tree.join("home"));
            let program = program.working_in(&tree.join("repository"));
            let ran = program.run(&[&command[..], &["--format", format]].concat());
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!said.contains(SECRET), "{command:?}: {said}");
        }
    }
}
