//! Five documents about skills as data, each under its preset as it is.
//!
//! A case has the document's own inputs and results. A case that `differs` has the results of the
//! preset, why they differ and, where a key has the document's form, that key and its results. Each
//! section of a document has a case, a test elsewhere, or the reason why it has neither.

mod host;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use prowess::{FolderAnswer, FolderTrust, NoFolderTrust, Policies};
use serde::Deserialize;
use serde_json::Value;

pub(crate) use host::{Host, Step};

use crate::cases::data::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// The files of a home and of a project, which the user trusts.
    tree: String,
    /// The sections of the document, with semicolons between them. Those without a note have cases;
    /// a note that begins with `FILE::FUNCTION` below `crates` names the test, and any other is the
    /// reason.
    sections: BTreeMap<String, Option<String>>,
    cases: Vec<Case>,
    /// The differences under `prowess serve`, with their cases, which the program's tests check.
    #[serde(default)]
    served: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// The parts of the document, with semicolons between them.
    section: String,
    /// Set if there are no files.
    #[serde(default)]
    empty: bool,
    /// Further files.
    #[serde(default)]
    files: String,
    /// The frontmatter of further skills by their directories, and a body behind `---`.
    #[serde(default)]
    skills: BTreeMap<String, String>,
    /// Set if the user trusts no folder.
    #[serde(default)]
    untrusted: bool,
    steps: Vec<Step>,
    differs: Option<Differs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Differs {
    document: String,
    prowess: String,
    why: String,
    key: Option<String>,
    /// The document's results with the key.
    #[serde(default)]
    steps: Vec<Step>,
}

/// A user with trust in each folder.
pub(crate) struct Trusting;

impl FolderTrust for Trusting {
    fn answer(&self, _: &Path) -> FolderAnswer {
        FolderAnswer::Trusted
    }
}

/// The documents: a plain name of the preset, its runtime, and the cases.
const DOCUMENTS: [(&str, &str, &str); 5] = [
    ("few-active", "flexigpt", include_str!("../documents/flexigpt/cases.yaml")),
    ("enterprise-layers", "omniforge", include_str!("../documents/omniforge/cases.yaml")),
    ("spec-law", "boxxy", include_str!("../documents/boxxy/cases.yaml")),
    ("mounted", "sandbox", include_str!("../documents/sandbox/cases.yaml")),
    ("directory-ids", "yodoca", include_str!("../documents/yodoca/cases.yaml")),
];

/// Runs the cases of a document.
fn check(preset: &str) {
    let (_, _, text) = DOCUMENTS.iter().find(|document| document.1 == preset).expect("it has one");
    let document: Document = read(text);
    let mut failures = Vec::new();
    let mut try_steps = |case: &Case, key: Option<&str>, steps: &[Step]| {
        let files = if case.empty { "" } else { &document.tree };
        let skills = case.skills.iter().map(|(directory, text)| {
            format!("//- /{directory}/SKILL.md\n---\n{text}\n---\n# {directory}\n")
        });
        let files = [files, &case.files, &skills.collect::<String>()].concat();
        let trust: Arc<dyn FolderTrust> = match case.untrusted {
            true => Arc::new(NoFolderTrust),
            false => Arc::new(Trusting),
        };
        let found = Host::new(preset, key, &repeated(&files), trust).failures(steps);
        failures.extend(found.iter().map(|found| format!("{}, {key:?}, {found}", case.id)));
    };
    for case in &document.cases {
        try_steps(case, None, &case.steps);
        if let Some(differs) = &case.differs {
            let Differs { document, prowess, why, key, steps } = differs;
            let texts = [document, prowess, why];
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{}: a reason", case.id);
            assert_eq!(key.is_some(), !steps.is_empty(), "{}: a key has results", case.id);
            try_steps(case, key.as_deref(), steps);
        }
    }
    failures.extend(unread(&document).into_iter().map(|name| format!("section {name}")));
    assert!(failures.is_empty(), "{preset}:\n{}", failures.join("\n"));
}

/// Writes `{500 * word }` as 500 words.
fn repeated(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{') else { return text.to_owned() };
    let written = rest.split_once('}').and_then(|(inside, rest)| {
        let (count, word) = inside.split_once(" * ")?;
        Some(word.repeat(count.parse().ok()?) + &repeated(rest))
    });
    before.to_owned() + &written.unwrap_or_else(|| format!("{{{}", repeated(rest)))
}

/// Returns the sections without a case, a test or a reason, and those of cases that are not listed.
fn unread(document: &Document) -> Vec<&str> {
    let named: Vec<_> = document.cases.iter().flat_map(|case| case.section.split("; ")).collect();
    let listed = || {
        document
            .sections
            .iter()
            .flat_map(|(names, note)| names.split("; ").map(move |name| (name, note)))
    };
    let unlisted = named.iter().copied().filter(|name| listed().all(|(known, _)| known != *name));
    let unread = listed().filter(|(name, note)| {
        let Some(note) = note else { return !named.contains(name) };
        let test = note.split(' ').next().and_then(|test| test.split_once("::"));
        let is_gone = |(file, function): (&str, &str)| {
            let text = std::fs::read_to_string(Path::new("..").join(file)).unwrap_or_default();
            !text.contains(&format!("fn {function}("))
        };
        test.map_or(note.is_empty(), is_gone)
    });
    unlisted.chain(unread.map(|(name, _)| name)).collect()
}

/// `UPDATE_EXPECT=1` writes the page.
#[test]
fn page_of_the_guide_has_every_difference() {
    let mut page = include_str!("../documents/page.md").to_owned();
    for (preset, _, text) in DOCUMENTS {
        let Document { cases, served, .. } = read(text);
        let explained = cases.iter().filter(|case| case.differs.is_some()).count();
        let listed = Policies::differences(preset).expect("it is a preset");
        assert_eq!(listed.len(), explained + served.len(), "each difference is listed");
        let (run, equal, served) = (cases.len(), cases.len() - explained, served.len());
        let rows = listed.into_iter().map(|it| {
            let key = it.key.map_or_else(|| "none".to_owned(), |key| format!("`{key}`"));
            let cells = [it.document, it.prowess, it.why, key];
            format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
        });
        let head = "| the document | prowess | why | the document's form |\n|---|---|---|---|\n";
        let rows = rows.collect::<String>();
        page += &format!(
            "\n# `{preset}`\n\nCases: {run}, of which {equal} are as in the document and {explained} have a row. \
             Rows about `prowess serve` alone: {served}.\n\n{head}{rows}"
        );
    }
    expect_test::expect_file!["../../src/guide/differences.md"].assert_eq(&page);
}

#[test]
fn flexigpt() {
    check("flexigpt");
}

#[cfg(unix)]
#[test]
fn omniforge() {
    check("omniforge");
}

#[test]
fn boxxy() {
    check("boxxy");
}

#[cfg(feature = "virtual-shell")]
#[test]
fn sandbox() {
    check("sandbox");
}

#[test]
fn yodoca() {
    check("yodoca");
}
