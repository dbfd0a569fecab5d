//! The shell knows files, not skills.

use prowess_shell::ShellPolicy;

use crate::fixture::Setup;

const SCRIPT: &str = "echo $0 $1\nX=kept\npwd\nls \"$(dirname \"$0\")\"\ncat /nonexistent\n";

/// Runs the script at a path, in a directory with the same files as a skill's.
fn output_at(setup: &Setup, directory: &str) -> String {
    let outcome = setup.run(&format!("cd /tmp; sh {directory}/scripts/run.sh argument"));
    let output = format!("{} {}{}", outcome.exit_code, outcome.stdout, outcome.stderr);
    output.replace(directory, "DIRECTORY")
}

#[test]
fn script_of_a_skill_runs_as_any_other() {
    let setup = Setup::new(&[("a/scripts/run.sh", SCRIPT)], ShellPolicy::default());
    let copied = "mkdir -p /copies && cp -r /.sandbox/skills/a /copies/a";
    assert_eq!(setup.run(copied).exit_code, 0, "the files of a skill are files");
    let of_skill = output_at(&setup, "/.sandbox/skills/a");
    assert!(
        of_skill.starts_with("1 DIRECTORY/scripts/run.sh argument\n/tmp\nrun.sh\n"),
        "{of_skill}"
    );
    assert_eq!(output_at(&setup, "/copies/a"), of_skill, "the place of a script changes nothing");
}

#[test]
fn interpreter_does_not_depend_on_skills() {
    let manifest = include_str!("../../Cargo.toml");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("there are some");
    let (dependencies, _) = dependencies.split_once("[dev-dependencies]").expect("there are some");
    let own: Vec<_> = dependencies.lines().filter(|line| line.starts_with("prowess-")).collect();
    assert_eq!(
        own,
        ["core", "sandbox", "text"].map(|name| format!("prowess-{name}.workspace = true")),
        "the shell knows neither registries, sessions nor tools"
    );
    let interpreter = include_str!("../../src/interpreter.rs");
    for word in ["Catalog", "Record", "SKILL.md", "/.sandbox"] {
        assert!(!interpreter.contains(word), "`sh` is generic, and knows no {word}");
    }
}
