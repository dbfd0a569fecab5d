//! Each code is explained by an example that gives it, and the page of all codes is up to date and
//! has every code that a crate declares.

mod calls;
mod command_line;
mod examples;
mod hosts;
mod installs;
mod mcp;
mod plugins;
mod results;
mod setup;
mod workspace;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use prowess::format::agent;
use prowess::{
    Code, CodeEntry, Diagnostic, codes, gating, lint, plugin_host, registry, source_fs, state,
    tools, vendor,
};

use examples::EXAMPLES;
use installs::INSTALLS;
use plugins::PLUGINS;
use results::RESULTS;
use setup::Setup;

const INTRODUCTION: &str = "
# Diagnostics of a catalog

Findings of discovery and of resolving which skill is used. The severity of each is part of its meaning.
";

const TOOL_RESULTS: &str = "
# Codes of tool results

A tool call that fails returns a result with one of these codes and with the next step. The examples show policies, files other
than those of a skill `pdf`, and calls; the last call has the result.
";

const PLUGIN_CODES: &str = "
# Codes of plugins

A plugin that is refused or fails is a diagnostic with one of these codes, and so is the result of its tool.

| Code | Meaning | Example | Next step |
|---|---|---|---|
";

const INSTALL_CODES: &str = "
# Codes of installs

An archive is refused as a whole, and a lock file that cannot be read installs nothing.

| Code | Meaning | Next step |
|---|---|---|
";

const AGENT_MANIFESTS: &str = "
# Findings about manifests of agents

A manifest that is not YAML has a code of a single `SKILL.md`.
";

/// A manifest for each of its codes.
const MANIFESTS: [&str; 6] = [
    "id: builder\n",
    "id: builder\nagent:\n  uses_skills: pdf\n",
    "id: builder\nagent:\n  uses_skills: [pdf, pdf]\n",
    "id: builder\nagent:\n  uses_tools: [web_serch]\n",
    "id: builder\nagent:\n  uses_skills: [excel]\n",
    "id: builder\nagent: {}\ndepends_on: [skill_registry]\n",
];

/// A code with what shows it: a place on the disk, and what a host does with it.
struct Example {
    code: Code,
    /// The text on the page.
    shown: &'static str,
    setup: Setup,
}

impl Example {
    fn diagnostic(&self) -> Option<Diagnostic> {
        self.setup.found().into_iter().find(|found| found.code == self.code)
    }
}

fn entries() -> impl Iterator<Item = &'static CodeEntry> {
    [registry::codes::ALL, source_fs::codes::ALL, state::codes::ALL].into_iter().flatten()
}

/// The meanings of the codes that the page of a single skill and of a whole package does not have.
fn own_entries() -> Vec<&'static CodeEntry> {
    let mut known: BTreeSet<&str> =
        prowess::format::codes::ALL.iter().map(|entry| entry.code.as_str()).collect();
    known.extend(lint::codes::ALL.iter().map(|entry| entry.code.as_str()));
    entries().filter(|entry| known.insert(entry.code.as_str())).collect()
}

#[test]
fn every_code_is_shown_by_an_example_that_gives_it() {
    for CodeEntry { code, meaning, .. } in entries() {
        let example = EXAMPLES.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        assert!(meaning.ends_with('.'), "`{code}` is explained in a sentence");
        match example.setup {
            Setup::Reported => continue,
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
    page.push_str("\n| Code | Meaning |\n|---|---|\n");
    let own = own_entries();
    for CodeEntry { code, meaning, .. } in &own {
        let _ = writeln!(page, "| [`{code}`](#{code}) | {meaning} |");
    }
    for CodeEntry { code, meaning, .. } in own {
        let example = EXAMPLES.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        let shown = example.shown.trim();
        let _ = write!(page, "\n## {code}\n\n{meaning}\n\n````text\n{shown}\n````\n");
        if let Some(found) = example.diagnostic() {
            let _ = write!(page, "\n````text\n{found}\n  help: {}\n````\n", found.help);
        }
    }
    page.push_str(TOOL_RESULTS);
    push_results(&mut page);
    page.push_str(PLUGIN_CODES);
    for CodeEntry { code, meaning, .. } in plugin_host::codes::ALL {
        let example = PLUGINS.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        let _ = writeln!(page, "| `{code}` | {meaning} | {} | {} |", example.plugin, example.next);
    }
    page.push_str(INSTALL_CODES);
    for CodeEntry { code, meaning, .. } in prowess_store::codes::ALL {
        let next = INSTALLS.iter().find(|(codes, _)| codes.contains(code));
        let (_, next) = next.unwrap_or_else(|| panic!("`{code}` has a next step"));
        let _ = writeln!(page, "| `{code}` | {meaning} | {next} |");
    }
    mcp::push(&mut page);
    command_line::push(&mut page);
    page.push_str(AGENT_MANIFESTS);
    push_manifests(&mut page);
    page
}

/// The codes of results, each once.
fn result_entries() -> Vec<&'static CodeEntry> {
    let mut known = BTreeSet::new();
    [
        tools::codes::ALL,
        vendor::codes::ALL,
        gating::codes::ALL,
        codes::ALL,
        prowess_script::codes::ALL,
        prowess_shell::codes::ALL,
        prowess_governance::codes::ALL,
    ]
    .into_iter()
    .flatten()
    .filter(|entry| known.insert(entry.code.as_str()))
    .collect()
}

fn push_manifests(page: &mut String) {
    page.push_str("\n| Code | Meaning |\n|---|---|\n");
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

fn push_results(page: &mut String) {
    let heading = |page: &str, code: &Code| match page.contains(&format!("\n## {code}\n")) {
        true => format!("{code}-result"),
        false => code.to_string(),
    };
    let entries: Vec<_> =
        result_entries().into_iter().map(|entry| (heading(page, &entry.code), entry)).collect();
    page.push_str("\n| Code | Meaning |\n|---|---|\n");
    for (heading, CodeEntry { code, meaning, .. }) in &entries {
        let _ = writeln!(page, "| [`{code}`](#{heading}) | {meaning} |");
    }
    for (heading, CodeEntry { code, meaning, .. }) in entries {
        let example = RESULTS.iter().find(|example| example.code == *code);
        let example = example.unwrap_or_else(|| panic!("`{code}` has an example"));
        let shown = example.given.shown();
        let (found, message) = example.given.result();
        assert!(found.is_none_or(|found| found == *code), "the example of `{code}`: {message}");
        let _ = write!(
            page,
            "\n## {heading}\n\n{meaning}\n\n````text\n{}\n````\n\n````text\n{message}\n````\n",
            shown.trim()
        );
    }
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    // `cargo xtask codes` writes it.
    expect_test::expect_file!["../../../prowess-cli/DIAGNOSTICS.md"].assert_eq(&page());
}
