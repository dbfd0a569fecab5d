//! `prowess completions`, `man` and `version`, written from the definition of the command line.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::args::{EXAMPLES, command};
use crate::failure::Failure;
use crate::features::{FEATURES, Feature};
use crate::output::Output;
use crate::terminal::{columns_behind, wrapped};

/// Prints the completion script of a shell.
pub(crate) fn completions(shell: Option<Shell>, output: &Output) -> Result<ExitCode, Failure> {
    let shell = shell.expect("it is required");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "prowess", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let script = match shell {
        Shell::Bash => script + include_str!("manual/names.bash"),
        Shell::Fish => script + include_str!("manual/names.fish"),
        // The end of the script calls or registers the function, which comes before it.
        Shell::Zsh => match script.split_once("\n_prowess() {") {
            Some((start, rest)) => {
                let names = include_str!("manual/names.zsh");
                format!("{start}\n{names}\n_prowess_static() {{{rest}")
            }
            None => script,
        },
        _ => script,
    };
    print(script.as_bytes(), output)
}

/// Prints the manual page, or writes those of all commands to a directory.
pub(crate) fn pages(directory: Option<&Path>, output: &Output) -> Result<ExitCode, Failure> {
    let Some(directory) = directory else {
        let mut page = Vec::new();
        Man::new(command().after_long_help(EXAMPLES))
            .render(&mut page)
            .map_err(|error| failed(&error))?;
        return print(&page, output);
    };
    let written = fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command().after_long_help(EXAMPLES), directory));
    written.map_err(|error| failed(&error))?;
    let shown = directory.display().to_string();
    output.result(&json!({ "directory": shown }), |_| {
        format!("Created the manual pages in {shown}\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the version.
pub(crate) fn version(output: &Output) -> Result<ExitCode, Failure> {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    output.result(&json!({ "version": VERSION }), |_| format!("prowess {VERSION}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the features, and which of them this program has.
pub(crate) fn features(output: &Output) -> Result<ExitCode, Failure> {
    let is_on: serde_json::Map<_, _> =
        FEATURES.iter().map(|one| (one.name.to_owned(), one.is_on.into())).collect();
    output.result(&json!({ "features": is_on }), |_| {
        let line = |one: &Feature| {
            let mark = if one.is_on { "yes" } else { "no" };
            let purpose = wrapped(one.purpose, columns_behind(20), 20);
            format!("{:13}  {mark:3}  {purpose}\n", one.name)
        };
        FEATURES.iter().map(line).collect()
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print(text: &[u8], output: &Output) -> Result<ExitCode, Failure> {
    let text = String::from_utf8_lossy(text).into_owned();
    output.result(&json!({ "text": text }), |_| text.clone())?;
    Ok(ExitCode::SUCCESS)
}

fn failed(error: &io::Error) -> Failure {
    let message = format!("a manual page could not be written: {error}");
    Failure::new("output-failed", message, "name another directory")
}
