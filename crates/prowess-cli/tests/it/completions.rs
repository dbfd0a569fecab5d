//! Completion scripts, by their text.

use crate::help::COMMANDS;
use crate::program::Program;

#[test]
fn powershell_script_names_every_command() {
    let script = Program::new().run(&["completions", "powershell"]).text().to_owned();
    assert!(script.contains("Register-ArgumentCompleter"), "it registers itself");
    for command in COMMANDS.iter().filter(|command| !command.is_empty()) {
        let case = format!("\n        'prowess;{}' {{\n", command.join(";"));
        let (_, candidates) = script.split_once(&case).unwrap_or_else(|| panic!("{case}"));
        let candidates = candidates.split("break\n").next().unwrap_or_default();
        assert!(candidates.contains("'--format'"), "{case}: {candidates}");
    }
}
