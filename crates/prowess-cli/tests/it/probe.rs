//! `prowess probe` and `search --probe`.

use expect_test::{expect, expect_file};
use prowess_testkit::Tree;

use crate::program::{Program, Ran};
use crate::skill_md;

const QUERIES: &str = include_str!("../data/probe-queries.txt");

fn probe(queries: &str, more: &[&str]) -> Ran {
    let tree = Tree::new("");
    for (name, description) in [
        ("pdf-forms", "Fills in forms of any kind."),
        ("web-forms", "Builds forms for a site."),
        ("sql", "Asks tables."),
    ] {
        let frontmatter = format!("name: {name}\ndescription: {description}");
        tree.write(&format!("{name}/SKILL.md"), skill_md(&frontmatter));
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), queries).expect("it can be written");
    let path = file.path().display().to_string();
    let mut ran = Program::new()
        .root("user", tree.path())
        .run(&[&["search", "--probe", &path], more].concat());
    ran.stderr = ran.stderr.replace(&path, "$FILE");
    ran
}

#[test]
fn text_has_ranks_measures_confusions_and_suggestions() {
    let ran = probe(QUERIES, &["--suggest"]);
    expect_file!["probe.txt"].assert_eq(ran.text());
    assert!(ran.stderr.contains("no skill named `kitchen`"), "an unknown id is reported");
}

#[test]
fn programs_get_the_evaluation() {
    let query = r#"[{"query": "form", "expect": ["web-forms", "kitchen"], "not": ["pdf-forms"]}]"#;
    let ran = probe(query, &["--limit", "1", "--suggest", "--format", "json"]);
    assert_eq!(ran.code, Some(0));
    let mut document = ran.json();
    document["answers"][0]["offers"][0]["score"] = 0.into();
    expect![[r#"
        {"limit":1,"precision":0.0,"recall":0.0,"mean_reciprocal_rank":0.0,"forbidden":1,"unknown":["kitchen"],"confusions":[{"expected":"kitchen","offered":"pdf-forms","times":1},{"expected":"web-forms","offered":"pdf-forms","times":1}],"answers":[{"query":"form","offers":[{"id":"pdf-forms","rank":1,"score":0,"is_expected":false,"is_forbidden":true}],"missing":["kitchen","web-forms"]}],"suggestions":[{"id":"web-forms","queries":["form"],"add":[],"above":["pdf-forms"]}]}
    "#]]
    .assert_eq(&format!("{document}\n"));
    let without = probe(query, &["--format", "json"]).json();
    assert!(without["suggestions"].is_null(), "they are printed on request only");
}

#[test]
fn missed_recall_is_a_failure() {
    let code = |least: &str| probe(QUERIES, &["--min-recall", least]).code;
    assert_eq!(code("0.75"), Some(0), "3 of 4 are offered");
    assert_eq!(code("0.76"), Some(1));
    assert_eq!(code("1.5"), Some(2), "a share is at most 1");
    assert_eq!(code("NaN"), Some(2), "and a number");
}

#[test]
fn invalid_query_file_is_a_usage_error() {
    let ran = probe(r#"[{"query": "a", "expects": ["b"]}]"#, &["--format", "json"]);
    assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &"probe-invalid".into()));
    let ran = Program::new().run(&["search", "--probe", "/nowhere", "--format", "json"]);
    assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &"probe-unreadable".into()));
}

#[test]
fn skill_that_is_not_ready_is_named_with_its_reason() {
    let tree = Tree::new("");
    let frontmatter = "name: sheets\ndescription: Reads sheets.\nmetadata:\n  openclaw:\n    \
                       requires:\n      bins: [no-such-program]";
    tree.write("sheets/SKILL.md", skill_md(frontmatter));
    tree.write("queries.json", r#"[{"query": "read a sheet", "expect": ["sheets"]}]"#);
    let file = tree.join("queries.json").display().to_string();
    let ran = Program::new().root("user", tree.path()).run(&["search", "--probe", &file]);
    assert!(ran.text().contains("sheets  missing"), "a model cannot find it: {}", ran.stdout);
    assert!(ran.stderr.starts_with("the skill `sheets` is not offered: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("no-such-program"), "the reason is named: {}", ran.stderr);
}

#[test]
fn messages_are_evaluated_without_a_file() {
    let tree = Tree::new("");
    tree.write("sheets/SKILL.md", skill_md("name: sheets\ndescription: Reads columns."));
    let probe = |args: &[&str]| Program::new().root("user", tree.path()).run(args);
    let found = probe(&["probe", "sheets", "a column", "make a pdf", "--format", "json"]).json();
    assert_eq!(found["answers"][0]["offers"][0]["id"], "sheets");
    assert_eq!(found["answers"][1]["missing"][0], "sheets");
    assert_eq!(probe(&["probe", "sheets", "a column", "--min-recall", "1"]).code, Some(0));
    let alone = probe(&["probe", "sheets", "--format", "json"]).error();
    assert!(alone["help"].as_str().unwrap().contains("prowess probe sheets 'MESSAGE'"), "{alone}");
    assert_eq!(probe(&["search", "sheets", "--suggest"]).code, Some(2), "it needs answers");
    let help = probe(&["probe", "--help"]);
    let first = help.text().lines().next().unwrap();
    assert!(first.contains("BM25") && first.contains("without a model"), "{first}");
}
