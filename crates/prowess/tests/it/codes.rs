//! Each code is explained by an example that gives it, and the page of all codes is up to date and
//! has every code that a crate declares.
//!
//! The page itself is where texts are written that nothing computes: what an example shows, the
//! next steps, and the whole of some tables. The rest of it is computed, and compared.

mod calls;
mod declared;
mod examples;
mod hosts;
mod results;
mod setup;
mod written;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::format::agent;
use prowess::{
    Code, CodeEntry, Diagnostic, codes, gating, lint, plugin_host, registry, source_fs, state,
    tools, vendor,
};

use calls::Given;
use examples::EXAMPLES;
use results::RESULTS;

/// A manifest for each of its codes.
const MANIFESTS: [&str; 6] = [
    "id: builder\n",
    "id: builder\nagent:\n  uses_skills: pdf\n",
    "id: builder\nagent:\n  uses_skills: [pdf, pdf]\n",
    "id: builder\nagent:\n  uses_tools: [web_serch]\n",
    "id: builder\nagent:\n  uses_skills: [excel]\n",
    "id: builder\nagent: {}\ndepends_on: [skill_registry]\n",
];

/// Returns the example of a code; `None` for one that takes an operating system that fails.
fn example(code: &Code) -> Option<Diagnostic> {
    let (_, setup) = EXAMPLES.iter().find(|(known, _)| known == code)?;
    let found = setup.found().into_iter().find(|found| found.code == *code);
    Some(found.unwrap_or_else(|| panic!("the example of `{code}` gives it")))
}

/// The codes of a catalog's findings that the page of a whole package does not have.
fn catalog_entries() -> Vec<&'static CodeEntry> {
    let known = prowess::format::codes::ALL.iter().chain(lint::codes::ALL);
    let mut known: BTreeSet<&str> = known.map(|entry| entry.code.as_str()).collect();
    let entries = [registry::codes::ALL, source_fs::codes::ALL, state::codes::ALL];
    entries.into_iter().flatten().filter(|entry| known.insert(entry.code.as_str())).collect()
}

#[test]
fn each_finding_says_what_to_do() {
    for (code, _) in EXAMPLES {
        let found = example(code).expect("it is in the list");
        assert!(!found.help.is_empty(), "`{code}` says what to do");
    }
}

fn page() -> String {
    let mut page = lint::codes::page();
    page.push_str(written::head("Diagnostics of a catalog"));
    let entries = catalog_entries();
    for CodeEntry { code, meaning, .. } in &entries {
        let _ = writeln!(page, "| [`{code}`](#{code}) | {meaning} |");
    }
    for CodeEntry { code, meaning, .. } in entries {
        let (shown, _) = written::example(code.as_str());
        let _ = write!(page, "\n## {code}\n\n{meaning}\n\n````text\n{shown}\n````\n");
        if let Some(found) = example(code) {
            let _ = write!(page, "\n````text\n{found}\n  help: {}\n````\n", found.help);
        }
    }
    push_results(&mut page);
    let steps =
        [("plugins", plugin_host::codes::ALL, 2), ("installs", prowess_store::codes::ALL, 1)];
    for (of, entries, cells) in steps {
        let title = format!("Codes of {of}");
        page.push_str(written::head(&title));
        for CodeEntry { code, meaning, .. } in entries {
            let end = written::end_of_row(&title, code.as_str(), cells);
            let _ = writeln!(page, "| `{code}` | {meaning} | {end} |");
        }
    }
    for of in ["servers and catalogs as sources", "the command line", "the sandbox"] {
        page.push_str(written::section(&format!("Codes of {of}")));
    }
    push_manifests(&mut page);
    page
}

/// The codes of results and their meanings, each once.
fn result_entries() -> Vec<(&'static str, &'static str)> {
    let of_tools = [
        tools::codes::ALL,
        vendor::codes::ALL,
        gating::codes::ALL,
        codes::ALL,
        prowess_script::codes::ALL,
    ];
    let of = |entry: &'static CodeEntry| (entry.code.as_str(), entry.meaning);
    let before = of_tools.into_iter().flatten().map(of);
    let entries =
        before.chain(shell_entries()).chain(prowess_governance::codes::ALL.iter().map(of));
    let mut known = BTreeSet::new();
    entries.filter(|(code, _)| known.insert(*code)).collect()
}

/// The codes of the built-in shell, whose feature only some builds have.
#[cfg(feature = "virtual-shell")]
fn shell_entries() -> Vec<(&'static str, &'static str)> {
    let entries = prowess::shell::codes::ALL.iter();
    entries.map(|entry| (entry.code.as_str(), entry.meaning)).collect()
}

#[cfg(not(feature = "virtual-shell"))]
fn shell_entries() -> Vec<(&'static str, &'static str)> {
    written::rows_between("Codes of tool results", "host-unreachable", "proposal-too-long")
}

fn push_results(page: &mut String) {
    let heading = |page: &str, code: &str| match page.contains(&format!("\n## {code}\n")) {
        true => format!("{code}-result"),
        false => code.to_owned(),
    };
    let entries: Vec<_> = result_entries()
        .into_iter()
        .map(|(code, meaning)| (heading(page, code), code, meaning))
        .collect();
    page.push_str(written::head("Codes of tool results"));
    for (heading, code, meaning) in &entries {
        let _ = writeln!(page, "| [`{code}`](#{heading}) | {meaning} |");
    }
    for (heading, code, meaning) in entries {
        let given = RESULTS.iter().find(|(known, _)| known.as_str() == code);
        let shown = match given {
            Some((_, Given::Calls { files, policies, calls })) => {
                calls::shown(files, policies, calls)
            }
            _ => written::example(&heading).0.to_owned(),
        };
        let message = match given {
            None => written::example(&heading).1.to_owned(),
            Some((_, given)) => {
                let (found, message) = given.result().expect("the last call fails");
                assert_eq!(found.as_str(), code, "the code of the example: {message}");
                message
            }
        };
        let _ = write!(
            page,
            "\n## {heading}\n\n{meaning}\n\n````text\n{}\n````\n\n````text\n{message}\n````\n",
            shown.trim()
        );
    }
}

fn push_manifests(page: &mut String) {
    page.push_str(written::head("Findings about manifests of agents"));
    for CodeEntry { code, meaning, .. } in agent::codes::ALL {
        let _ = writeln!(page, "| [`{code}`](#{code}) | {meaning} |");
    }
    for (CodeEntry { code, meaning, .. }, text) in agent::codes::ALL.iter().zip(MANIFESTS) {
        let parsed = agent::parse(text.as_bytes());
        let known =
            agent::KnownNames { tools: &["web_search"], skills: &["pdf"], services: &["memory"] };
        let unknown = parsed.manifest.iter().flat_map(|it| agent::unknown_names(it, &known));
        let found = parsed.diagnostics.iter().cloned().chain(unknown);
        let found = found.into_iter().find(|found| found.code == *code);
        let found = found.unwrap_or_else(|| panic!("the example of `{code}` gives it"));
        let _ = write!(
            page,
            "\n## {code}\n\n{meaning}\n\n````yaml\n{text}````\n\n````text\n{found}\n  help: {}\n````\n",
            found.help
        );
    }
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    // `cargo xtask codes` writes what is computed.
    expect_test::expect_file!["../../../prowess-cli/DIAGNOSTICS.md"].assert_eq(&page());
}
