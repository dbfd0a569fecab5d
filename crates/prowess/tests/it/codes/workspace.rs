//! The codes that the crates of the workspace declare, as their sources have them.

use std::fs;
use std::path::{Path, PathBuf};

/// The start of a declaration at the beginning of a line, with or without a path.
const DECLARATION: &str = "declare_codes! {\n";

#[test]
fn declared_codes_are_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = super::page();
    let mut files = Vec::new();
    for folder in ["crates", "plugins", "examples"] {
        push_sources(&root.join(folder), &mut files);
    }
    let mut crates = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("sources are text");
        let codes = declared(&text);
        crates += usize::from(!codes.is_empty());
        for code in codes {
            let is_listed =
                page.contains(&format!("| `{code}` |")) || page.contains(&format!("| [`{code}`]("));
            assert!(is_listed, "`{code}` of {} is on the page of codes", file.display());
        }
    }
    assert!(crates >= 10, "{crates} files declare codes");
}

/// Finds the sources of packages, without their tests.
pub(super) fn push_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        let is_left_out =
            ["tests", "target", "fixtures", "fuzz"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_left_out {
            push_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the codes of every declaration in a file, except those in comments.
fn declared(text: &str) -> Vec<&str> {
    let mut codes = Vec::new();
    for (at, _) in text.match_indices(DECLARATION) {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let is_code = line.chars().all(|c| c.is_ascii_alphanumeric() || "_:$".contains(c));
        let block = &text[at + DECLARATION.len()..];
        let block = &block[..block.find("\n}").unwrap_or(block.len())];
        let lines = block.lines().map(str::trim).filter(|line| is_code && !line.starts_with("//"));
        codes.extend(lines.filter_map(|line| line.split(" = \"").nth(1)?.split('"').next()));
    }
    codes
}

#[test]
fn declarations_are_found_in_every_form() {
    let text = "declare_codes! {\n    [a b]\n    /// One.\n    ONE = \"one\" [error];\n}\n\
                prowess_core::declare_codes! {\n    /// Two.\n    TWO = \"two\";\n}\n\
                /// prowess_core::declare_codes! {\n///    THREE = \"three\";\n/// }\n";
    assert_eq!(declared(text), ["one", "two"]);
}
