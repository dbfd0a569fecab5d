//! `prowess config init`: the first configuration file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use prowess::{ConfigTier, Configuration};
use serde_json::json;

use crate::args::ConfigFile;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::policies::user_file;
use crate::terminal::plain;

pub(super) fn run(args: &ConfigFile, output: &Output) -> Result<(), Failure> {
    let tier = if args.all { ConfigTier::Advanced } else { ConfigTier::Common };
    let text = Configuration::template(tier);
    if args.print {
        return output.result(&json!({ "text": text }), |_| text.clone());
    }
    let path = args.file.clone().or_else(user_file).ok_or_else(|| {
        let message = "the user has no home directory for a configuration";
        Failure::usage("home-unknown", message, "name the file")
    })?;
    create(&path, &text).map_err(|error| not_written(&path, &error))?;
    let shown = path.to_string_lossy();
    output.result(&json!({ "path": shown }), |_| {
        let path = plain(&shown);
        format!(
            "Created {ID}{path}{ID:#}\n  {DIM}next:{DIM:#} remove the `#` in front of the keys that \
             you want to set\n  {DIM}next:{DIM:#} prowess config check\n"
        )
    })
}

/// Creates the file and its directory. A file that exists is never changed.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        let message = format!("`{path}` already exists; nothing was written");
        return Failure::new("config-exists", message, "edit that file, or use `--print`");
    }
    let message = format!("`{path}` could not be written: {error}");
    Failure::new("output-failed", message, "name another file")
}
