//! Every code that building a catalog can give is explained by an example that gives it, and the page of
//! all codes is up to date.

mod examples;
mod setup;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::{Code, Diagnostic, lint, registry, source_fs, state};

use examples::EXAMPLES;
use setup::Setup;

/// A code with what it means.
type Meaning = (Code, &'static str);

const INTRODUCTION: &str = "
# Diagnostics of a catalog

What finding skills and settling which of them is used can tell beside the above. How much each matters is part of what it means.
";

/// A code with what shows it: a place on the disk, and what a host does with it.
struct Example {
    code: Code,
    /// What the page shows.
    shown: &'static str,
    setup: Setup,
}

impl Example {
    fn diagnostic(&self) -> Option<Diagnostic> {
        self.setup.found().into_iter().find(|found| found.code == self.code)
    }
}

fn meanings() -> impl Iterator<Item = &'static Meaning> {
    [registry::codes::ALL, source_fs::codes::ALL, state::codes::ALL].into_iter().flatten()
}

/// The meanings of the codes that the page of a single skill and of a whole package does not have.
fn own_meanings() -> Vec<&'static Meaning> {
    let mut known: BTreeSet<&str> = prowess::format::codes::ALL.iter().map(Code::as_str).collect();
    known.extend(lint::codes::ALL.iter().map(Code::as_str));
    meanings().filter(|(code, _)| known.insert(code.as_str())).collect()
}

#[test]
fn every_code_is_shown_by_an_example_that_gives_it() {
    for (code, meaning) in meanings() {
        let example = EXAMPLES.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        assert!(meaning.trim_end().ends_with('.'), "`{code}` is explained in a sentence");
        match example.setup {
            Setup::Told => continue,
            _ => {
                let found = example.diagnostic();
                let found = found.unwrap_or_else(|| panic!("the example of `{code}` gives it"));
                assert!(!found.help.is_empty(), "`{code}` says what to do");
            }
        }
    }
}

fn page() -> String {
    let mut page = lint::codes::page() + INTRODUCTION;
    page.push_str("\n| Code | What it means |\n|---|---|\n");
    let own = own_meanings();
    for (code, meaning) in &own {
        let _ = writeln!(page, "| [`{code}`](#{code}) | {} |", meaning.trim());
    }
    for (code, meaning) in own {
        let example = EXAMPLES.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        let shown = example.shown.trim();
        let _ = write!(page, "\n## {code}\n\n{}\n\n````text\n{shown}\n````\n", meaning.trim());
        if let Some(found) = example.diagnostic() {
            let _ = write!(page, "\n````text\n{found}\n  help: {}\n````\n", found.help);
        }
    }
    page
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    // `cargo xtask codes` writes it.
    expect_test::expect_file!["../../../../DIAGNOSTICS.md"].assert_eq(&page());
}
