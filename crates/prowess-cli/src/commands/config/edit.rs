//! `prowess config edit`: opens a file in the person's editor, and checks it afterwards.

use std::process::Command;

use prowess::{ConfigTier, Configuration};
use serde_json::json;

use super::check::check_change;
use super::file::ConfigFile;
use crate::args::Global;
use crate::failure::Failure;
use crate::named_file;
use crate::output::Output;
use crate::policies::of_file;
use crate::terminal::plain;

pub(super) fn run(global: &Global, project: bool, output: &Output) -> Result<(), Failure> {
    let editor = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let Some(editor) = editor.into_iter().find(|editor| !editor.trim().is_empty()) else {
        let message = "neither `VISUAL` nor `EDITOR` names an editor";
        let help = "set one, such as `EDITOR=vi`, or use `prowess config set KEY VALUE`";
        return Err(Failure::usage("editor-unknown", message, help));
    };
    let file = ConfigFile::open(project)?;
    let template =
        if project { String::new() } else { Configuration::template(ConfigTier::Common) };
    let failed = |reason: String| {
        let message = format!("`{}` could not be edited: {reason}", file.path.display());
        Failure::new("output-failed", message, "the file is as the editor left it")
    };
    file.create(&template).map_err(|error| failed(error.to_string()))?;
    // As git does, so that `EDITOR` may have arguments.
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{editor} \"$1\""), "editor"]).arg(&file.path);
    let status = shell.status().map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        return Err(failed(format!("`{editor}` ended with {status}")));
    }
    // What is wrong is said, and the text stays as the person wrote it.
    let text = named_file::text(&file.path).map_err(failed)?;
    of_file(&file.path, Some(&text))?;
    check_change(global, &file.path, [&file.text, &text])?;
    let path = file.path.to_string_lossy();
    output.result(&json!({ "path": path }), |_| format!("valid: {}\n", plain(&path)))
}
