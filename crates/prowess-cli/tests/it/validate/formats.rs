//! The formats for programs.

use expect_test::expect_file;
use serde_json::{Value, json};

#[cfg(feature = "reference")]
use super::skill;
use super::{mistaken, shown, validate};
use crate::program::Program;

#[test]
fn a_workflow_gets_annotations() {
    let tree = mistaken();
    expect_file!["../../data/validate-github.txt"].assert_eq(&shown(
        &tree,
        &["pdf", "--format", "github"],
        1,
    ));
    let all = validate(&tree, &["pdf", "--format", "github", "--hints"]).stdout;
    assert!(all.contains("::notice "), "{all}");
}

#[test]
fn code_scanning_gets_sarif() {
    let ran = validate(&mistaken(), &["pdf", "--format", "sarif"]);
    assert_eq!(ran.code, Some(1));
    let log: Value = serde_json::from_str(&ran.stdout).expect("it is one JSON document");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["version"], env!("CARGO_PKG_VERSION"));
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "pdf/SKILL.md");
    assert_eq!(place["region"], json!({"startLine": 4, "startColumn": 1}));
}

#[cfg(feature = "reference")]
#[test]
fn the_reference_tool_judges_a_tree() {
    let tree = mistaken();
    tree.write("good/SKILL.md", skill("good", ""));
    let document = validate(&tree, &[".", "--profile", "skills-ref", "--format", "json"]).json();
    let verdicts: Vec<_> = document["packages"]
        .as_array()
        .expect("packages are a list")
        .iter()
        .map(|package| (package["name"].clone(), package["valid"].clone()))
        .collect();
    assert_eq!(verdicts, [(json!("good"), json!(true)), (json!("pdf"), json!(false))]);
    let message = document["packages"][1]["diagnostics"][0]["message"].as_str();
    assert!(
        message.is_some_and(|it| it.starts_with("Unexpected fields in frontmatter: colour.")),
        "{message:?}"
    );
}

#[test]
fn formats_of_other_programs_are_those_of_validate() {
    let ran = Program::new().run(&["list", "--format", "sarif"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("format-unsupported"), "{}", ran.stderr);
}
