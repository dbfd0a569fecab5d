//! The files beside the instructions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use prowess_core::{PackagePath, ReadLimit, Resource, SkillSource};
use prowess_format::{for_message, name_skeleton};
use prowess_text::{ascii_only, find_invisible};

use crate::codes;
use crate::findings::Findings;
use crate::package::Package;

/// Files for people, which a model only trips over.
#[rustfmt::skip]
const EXTRANEOUS: [&str; 8] = [
    "readme.md", "readme.txt", "readme", "changelog.md", "contributing.md", "installation.md",
    "installation_guide.md", "quick_reference.md",
];

/// Ends of names of scripts that can begin with a comment.
const SCRIPTS: [&str; 11] = ["py", "sh", "bash", "zsh", "js", "mjs", "ts", "rb", "pl", "ps1", "r"];

/// The most scripts of a package that are looked into.
const MOST_SCRIPTS: usize = 50;

/// The largest script that is looked into, in bytes.
const MOST_SCRIPT_BYTES: usize = 256 * 1024;

/// How a comment, or a text that documents a module, begins.
const COMMENTS: [&str; 8] = ["#", "//", "/*", "\"\"\"", "'''", "<#", "=begin", "r\"\"\""];

/// The files of a package.
pub(crate) fn list(
    source: &dyn SkillSource,
    path: &PackagePath,
    most: usize,
    findings: &mut Findings<'_>,
) -> Vec<Resource> {
    match source.list(path, most) {
        Ok(listing) => listing.resources,
        Err(error) => {
            let message = format!("the package's files cannot be listed: {error}");
            findings.report(
                codes::LISTING_FAILED,
                message,
                "see that you may read the package's directory, then check again",
            );
            Vec::new()
        }
    }
}

pub(crate) fn check(package: &Package<'_>, findings: &mut Findings<'_>) {
    check_extraneous(package, findings);
    check_names(package, findings);
    check_names_alike(package, findings);
    check_scripts(package, findings);
}

fn check_extraneous(package: &Package<'_>, findings: &mut Findings<'_>) {
    for file in package.files {
        let name = file.path.as_str();
        if EXTRANEOUS.contains(&name.to_ascii_lowercase().as_str()) {
            let message = format!("`{}` is for people, not for a model", for_message(name));
            let help = "move it out of the package, or what a model needs of it into `references/`";
            findings.report(codes::EXTRANEOUS_FILE, message, help);
        }
    }
}

fn check_names(package: &Package<'_>, findings: &mut Findings<'_>) {
    for file in package.files {
        let name = file.path.as_str();
        if let Some(character) =
            find_invisible(name).or_else(|| name.contains('\n').then_some('\n'))
        {
            let code = u32::from(character);
            let message = format!(
                "the file's name `{}` has the hidden character U+{code:04X}",
                for_message(name)
            );
            let help = "rename the file: a reader cannot see what a model reads";
            findings.report(codes::FILE_NAME_HIDDEN_CHARACTER, message, help);
        }
    }
}

/// A model or a person may name one and mean the other. Whole paths are compared: equal names in
/// two directories are distinct.
fn check_names_alike(package: &Package<'_>, findings: &mut Findings<'_>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for file in package.files {
        let name = file.path.as_str();
        match seen.entry(name_skeleton(name)) {
            Entry::Vacant(place) => {
                place.insert(name);
            }
            Entry::Occupied(first) => {
                let one = for_message(&ascii_only(first.get()));
                let other = for_message(&ascii_only(name));
                let message = format!("the files `{one}` and `{other}` have names that look alike");
                let help = "rename one of the two, or remove it if it is a copy";
                findings.report(codes::FILE_NAMES_ALIKE, message, help);
            }
        }
    }
}

fn check_scripts(package: &Package<'_>, findings: &mut Findings<'_>) {
    let bare: Vec<&str> = package
        .files
        .iter()
        .filter(|file| is_script(file))
        .take(MOST_SCRIPTS)
        .filter(|file| has_no_header(package, file))
        .map(|file| file.path.as_str())
        .collect();
    let Some(first) = bare.first() else {
        return;
    };
    let message = match bare.len() {
        1 => format!("the script `{}` does not start with a comment", for_message(first)),
        count => {
            format!(
                "{count} scripts do not start with a comment, `{}` is the first",
                for_message(first)
            )
        }
    };
    let help = "say at the top what the script does, what it needs and how it is called";
    findings.report(codes::SCRIPT_NO_HEADER, message, help);
}

fn is_script(file: &Resource) -> bool {
    let path = file.path.as_str();
    let end = path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    path.starts_with("scripts/")
        && !path.ends_with("__init__.py")
        && file.bytes > 0
        && end.is_some_and(|end| SCRIPTS.contains(&end.as_str()))
}

fn has_no_header(package: &Package<'_>, file: &Resource) -> bool {
    let Ok(text) = package.source.read(package.path, &file.path, ReadLimit(MOST_SCRIPT_BYTES))
    else {
        return false;
    };
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_directive(line));
    let mut first = lines.take(1);
    first.next().is_some_and(|line| !COMMENTS.iter().any(|comment| line.starts_with(comment)))
}

/// Lines that stand before a header: for the system, the interpreter or a checker of types.
fn is_directive(line: &str) -> bool {
    line.starts_with("#!")
        || line.contains("-*- coding")
        || line.starts_with("set -")
        || line.starts_with("'use strict'")
        || line.starts_with("\"use strict\"")
        || line.starts_with("from __future__")
}
