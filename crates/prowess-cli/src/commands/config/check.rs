//! `prowess config check`: reads a configuration and reports its first error.

use std::path::Path;

use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::policies::{FileState, Found, FoundFile, check_file, unknown_variables};
use crate::terminal::plain;

/// The output of `config check --format json`.
#[derive(Serialize)]
struct Checked {
    valid: bool,
    files: Vec<FoundFile>,
    unknown_variables: Vec<String>,
}

pub(super) fn run(global: &Global, file: Option<&Path>, output: &Output) -> Result<(), Failure> {
    let (files, finding) = match file {
        Some(file) => {
            check_file(file)?;
            (vec![FoundFile { path: file.to_owned(), state: FileState::Used }], None)
        }
        None => {
            let found = Found::of(global)?;
            let finding = found.finding();
            (found.files.clone(), finding)
        }
    };
    let unknown_variables = if file.is_some() { Vec::new() } else { unknown_variables() };
    let checked = Checked { valid: true, files, unknown_variables };
    output.result(&checked, text)?;
    output.diagnostics(&finding);
    for name in &checked.unknown_variables {
        output.remark(&format!("`{}` is not a variable of prowess\n", plain(name)));
    }
    Ok(())
}

fn text(checked: &Checked) -> String {
    let used = checked.files.iter().filter(|file| file.state == FileState::Used);
    let lines = used.map(|file| format!("valid: {}\n", plain(&file.path.to_string_lossy())));
    let text: String = lines.collect();
    if text.is_empty() { "no configuration file; the defaults apply\n".to_owned() } else { text }
}
