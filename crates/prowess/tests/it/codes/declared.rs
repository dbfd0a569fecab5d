//! The codes that the sources of the workspace have are on the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::written;

/// The start of a declaration at the beginning of a line, with or without a path.
const DECLARATION: &str = "declare_codes! {\n";

#[test]
fn declared_codes_are_on_the_page() {
    let page = super::page();
    let mut crates = 0;
    for text in ["crates", "plugins", "examples"].into_iter().flat_map(sources) {
        let codes = declared(&text);
        crates += usize::from(!codes.is_empty());
        for code in codes {
            let is_listed =
                page.contains(&format!("| `{code}` |")) || page.contains(&format!("| [`{code}`]("));
            assert!(is_listed, "`{code}` is on the page of codes");
        }
    }
    assert!(crates >= 10, "{crates} files declare codes");
}

/// Returns the sources below a folder of the repository, without tests.
fn sources(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    push_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut files);
    files.iter().map(|file| fs::read_to_string(file).expect("sources are text")).collect()
}

fn push_sources(folder: &Path, files: &mut Vec<PathBuf>) {
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

/// Returns the literals that are the first argument of these calls.
fn literals<'t>(text: &'t str, calls: &[&str]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for call in calls {
        let arguments =
            text.match_indices(call).map(|(at, _)| text[at + call.len()..].trim_start());
        let literals = arguments.filter_map(|rest| rest.strip_prefix('"')?.split('"').next());
        // Other functions of these names take sentences.
        found.extend(literals.filter(|text| !text.contains(' ')));
    }
    found
}

fn listed(title: &str) -> BTreeSet<&'static str> {
    written::rows(title).map(|(code, _)| code).collect()
}

#[test]
fn codes_of_the_command_line_are_listed() {
    let text = sources("crates/prowess-cli/src").concat();
    let calls = ["Failure::new(", "Failure::usage(", "Self::usage(", "Self::new(", "missing("];
    let used = literals(&text, &[&calls[..], &["Code::new("]].concat());
    assert!(used.len() >= 45, "{} codes were found", used.len());
    let listed = listed("Codes of the command line");
    let unlisted: Vec<_> = used.difference(&listed).collect();
    assert!(unlisted.is_empty(), "these codes have no meaning on the page: {unlisted:?}");
    // A command prints those of reviews as they are, and `serve` sends those of the protocol.
    let others = ["crates/prowess-governance/src", "crates/prowess-mcp/src"].map(sources).concat();
    let others = others.concat();
    for code in listed {
        let is_used = |text: &str| text.contains(&format!("\"{code}\""));
        assert!(is_used(&text) || is_used(&others), "no command fails with `{code}`");
    }
}

#[test]
fn kinds_of_sandbox_errors_are_listed() {
    let text = sources("crates/prowess-sandbox/src").concat();
    let kinds =
        text.lines().filter_map(|line| line.trim().strip_prefix("Self::")?.split('"').nth(1));
    let codes: BTreeSet<_> = kinds.filter(|code| code.starts_with("sandbox-")).collect();
    assert_eq!(codes, listed("Codes of the sandbox"));
}
