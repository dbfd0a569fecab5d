//! Names that are not what they seem, through the whole product.

use std::collections::HashSet;

use prowess_testkit::Tree;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::{accounts, plain_skill, run, skill_md};

/// A tree with one skill for each name, in directories of plain names; the names are written as
/// YAML.
fn named(names: &[&str]) -> Tree {
    let tree = Tree::new("");
    for (at, name) in names.iter().enumerate() {
        let text = skill_md(&format!("name: {name}\ndescription: Number {at}."));
        tree.write(&format!("d{at:02}/SKILL.md"), text);
    }
    tree
}

fn list(tree: &Tree) -> Value {
    let listed = run(tree.path(), &["list", "--format", "json"]).json();
    accounts::check(tree.path(), &listed);
    listed
}

fn ids(listed: &Value) -> Vec<&str> {
    let skills = listed["skills"].as_array().expect("a list").iter();
    skills.map(|skill| skill["id"].as_str().expect("an id is text")).collect()
}

/// The codes of the errors about the skill number `at`.
fn errors(tree: &Tree, listed: &Value, at: usize) -> Vec<String> {
    let place = tree.join(&format!("d{at:02}/SKILL.md")).display().to_string();
    let diagnostics = listed["diagnostics"].as_array().expect("a list").iter();
    let about = diagnostics.filter(|found| found["path"] == *place);
    let errors = about.filter(|found| found["severity"] == "error");
    errors.map(|found| found["code"].as_str().unwrap().to_owned()).collect()
}

/// Each of the names is refused with this code, and the good skill beside them is there.
#[track_caller]
fn check_refused(names: &[&str], code: &str) {
    let all: Vec<_> = names.iter().copied().chain(["good"]).collect();
    let tree = named(&all);
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["good"], "none of the names is listed");
    for (at, name) in names.iter().enumerate() {
        assert_eq!(errors(&tree, &listed, at), [code], "why `{name}` is refused");
    }
}

#[test]
fn no_two_skills_of_the_catalog_have_one_spelling() {
    let spellings = [
        "pdf-tools",
        "pdf_tools",
        "PDF-tools",
        "\"pdf-tools \"",
        "pdf\u{2010}tools",
        "\u{ff50}df-tools",
        "\u{ff30}DF-tools",
        "pdf-tools",
    ];
    let tree = named(&spellings);
    let listed = list(&tree);
    let keys: HashSet<String> =
        ids(&listed).iter().map(|id| id.nfkc().collect::<String>().to_lowercase()).collect();
    assert_eq!(keys.len(), ids(&listed).len(), "each id is another word: {:?}", ids(&listed));
    assert_eq!(ids(&listed), ["pdf-tools"], "one of them all is used");
}

#[test]
fn a_letter_of_another_alphabet_is_refused_and_named() {
    let tree = named(&["payment", "p\u{430}yment"]);
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["payment"], "the skill that it imitates is there alone");
    let reported = listed["diagnostics"].to_string();
    assert!(
        reported.contains("U+0430"),
        "the letter that the eye cannot distinguish is named: {reported}"
    );
}

#[test]
fn a_name_of_a_tool_or_of_the_system_is_refused() {
    let names = ["skills-load", "skills-read", "system", "bash", "mcp", "default", "con", "lpt1"];
    check_refused(&names, "name-reserved");
}

#[test]
fn a_name_that_breaks_the_grammar_is_refused() {
    let names = ["..", "\"-\"", "a/b", "~", "\"a\\nb\"", "a\\b", "p\u{430}yment list"];
    check_refused(&names, "name-invalid");
    check_refused(&["[a]", "{a: b}"], "name-not-text");
    check_refused(&["Bash", "Skills Load"], "name-reserved");
}

#[test]
fn a_name_outside_the_grammar_is_called_by_its_slug() {
    let tree = named(&["Ahrefs Automation", "pdf.forms", "a--b", "-c", "", "ahrefs-automation"]);
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["a-b", "ahrefs-automation", "c", "d04", "pdf-forms"]);
    let shown = &listed["skills"][1];
    assert_eq!(shown["name"], "Ahrefs Automation", "the declared name is what people read");
    assert_eq!(listed["shadowed"].as_array().map(Vec::len), Some(1), "one id has one skill");
    let arguments = "{\"names\":[\"ahrefs-automation\",\"d04\"]}";
    let call = run(tree.path(), &["call", "skills_load", arguments, "--format", "json"]);
    assert_eq!(call.json()["is_error"], false, "the model types the id: {}", call.stdout);
    let show = run(tree.path(), &["show", "d04"]);
    assert!(show.text().contains("d04"), "a skill without a name has its directory's");
}

#[test]
fn skill_never_replaces_a_tool() {
    let tree = named(&["skills-load", "good"]);
    let call =
        run(tree.path(), &["call", "skills_load", "{\"names\":[\"good\"]}", "--format", "json"]);
    assert_eq!(call.json()["tool"], "skills.load", "the name still means the tool");
    let loaded = ["call", "skills_load", "{\"names\":[\"skills-load\"]}", "--format", "json"];
    assert_eq!(run(tree.path(), &loaded).json()["code"], "skill-not-found");
}

#[test]
fn name_over_the_limit_is_reported() {
    let (longest, longer) = ("a".repeat(64), "b".repeat(65));
    let tree = named(&[&longest, &longer, "12345"]);
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["12345", &longest, &longer], "a long name is used all the same");
    let codes = listed["diagnostics"].to_string();
    assert!(codes.contains("name-too-long"), "and reported: {codes}");
    let path = tree.join("d01").display().to_string();
    let strict = run(tree.path(), &["validate", &path, "--format", "json"]);
    assert_eq!(strict.code, Some(1), "for an author it is an error");
}

#[test]
fn yaml_keywords_stay_names() {
    let tree = named(&["no", "1e3", "0x10", "2001-01-01"]);
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["0x10", "1e3", "2001-01-01", "no"], "names are what is written");
}

#[test]
fn name_unlike_its_directory_is_reported() {
    let tree = Tree::new("");
    tree.write("folder/SKILL.md", plain_skill("other"));
    let listed = list(&tree);
    assert_eq!(ids(&listed), ["other"], "the declared name is used");
    let found = &listed["diagnostics"][0];
    assert_eq!(
        (&found["code"], &found["severity"]),
        (&"name-directory-mismatch".into(), &"warning".into(),)
    );
    let path = tree.join("folder").display().to_string();
    let strict = run(tree.path(), &["validate", &path, "--profile", "spec", "--format", "json"]);
    assert_eq!((strict.code, &strict.json()["packages"][0]["valid"]), (Some(1), &false.into()));
}

#[test]
fn choice_between_equal_names_is_stable() {
    let tree = named(&["same", "same", "same"]);
    let expected = tree.join("d00/SKILL.md").display().to_string();
    for _ in 0..5 {
        let listed = list(&tree);
        assert_eq!(listed["skills"][0]["location"], *expected, "the first by its path is used");
        assert_eq!(listed["shadowed"].as_array().map(Vec::len), Some(2), "the others are reported");
    }
}
