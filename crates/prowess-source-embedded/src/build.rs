//! Writing the table of files, for a host's `build.rs`.
//!
//! ```no_run
//! // build.rs
//! # fn main() -> std::io::Result<()> {
//! let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
//! let table = std::path::Path::new(&out).join("skills.rs");
//! prowess_source_embedded::build::write_table("skills".as_ref(), &table)
//! # }
//! ```
//!
//! ```text
//! // src/main.rs
//! use prowess_source_embedded::EmbeddedFile;
//!
//! static FILES: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));
//! ```

use std::fmt::Write as _;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Directories that are never embedded.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// Writes a Rust expression, `&[EmbeddedFile { path, bytes: include_bytes!(…) }, …]`, of every file
/// below `directory`, sorted by path, and makes cargo run `build.rs` again when one changes.
///
/// Hidden files are part of it, `.git` and `node_modules` are not. Links are followed: what is
/// built into a program is the builder's choice.
///
/// # Errors
///
/// A directory or file cannot be read, a name is not UTF-8, or `table` cannot be written.
pub fn write_table(directory: &Path, table: &Path) -> Result<()> {
    let directory = directory.canonicalize()?;
    let mut found = Found::default();
    found.walk(&directory, "", 0)?;
    found.files.sort();
    for watched in &found.directories {
        tell_cargo(watched);
    }
    for (_, file) in &found.files {
        tell_cargo(file);
    }
    fs::write(table, expression(&found.files)?)
}

/// Prints the instruction by which cargo watches a path.
#[allow(clippy::print_stdout)]
fn tell_cargo(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

#[derive(Default)]
struct Found {
    directories: Vec<PathBuf>,
    /// By the path from the first directory.
    files: Vec<(String, PathBuf)>,
}

impl Found {
    fn walk(&mut self, directory: &Path, prefix: &str, depth: usize) -> Result<()> {
        /// Deeper than any skill; links that form a loop end here.
        const MOST_DEEP: usize = 32;

        if depth > MOST_DEEP {
            return Err(failed(directory, "lies more than 32 directories deep"));
        }
        self.directories.push(directory.to_owned());
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| failed(&path, "has a name that is not UTF-8"))?;
            // In a worktree `.git` is a file.
            if SKIPPED.contains(&name) {
                continue;
            }
            // A link that leads nowhere is an error, as a skill without one of its files is none.
            let metadata =
                fs::metadata(&path).map_err(|error| failed(&path, &error.to_string()))?;
            if metadata.is_file() {
                self.files.push((format!("{prefix}{name}"), path));
            } else if metadata.is_dir() {
                self.walk(&path, &format!("{prefix}{name}/"), depth + 1)?;
            }
        }
        Ok(())
    }
}

fn expression(files: &[(String, PathBuf)]) -> Result<String> {
    let mut text = String::from("&[\n");
    for (path, file) in files {
        let file_text = file.to_str();
        let file = file_text.ok_or_else(|| failed(file, "has a name that is not UTF-8"))?;
        // Rust's own escapes: a quote or a newline in a name stays in its string.
        writeln!(text, "    EmbeddedFile {{ path: {path:?}, bytes: include_bytes!({file:?}) }},")
            .expect("a string takes all that is written");
    }
    text.push_str("]\n");
    Ok(text)
}

fn failed(path: &Path, why: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, format!("`{}` {why}", path.display()))
}
