//! `prowess search --probe`.

use expect_test::expect;
use prowess_testkit::Tree;

use crate::program::{Program, Ran};
use crate::skill_md;

const QUERIES: &str = r#"[
    {"query": "fill in a form", "expect": ["pdf-forms"], "not": ["web-forms"]},
    {"query": "a form on the web", "expect": ["web-forms"]},
    {"query": "cook dinner", "expect": ["kitchen"]},
    {"query": "fill in any kind of form of the site", "expect": ["web-forms"]},
    {"query": "nothing of this"}
]"#;

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
fn people_see_ranks_measures_and_confusions() {
    let ran = probe(QUERIES, &[]);
    expect![[r#"
        fill in a form
           1   0.86  pdf-forms  expected
           2   0.37  web-forms  forbidden

        a form on the web
           1   1.11  web-forms  expected
           2   0.37  pdf-forms

        cook dinner
           -         kitchen  missing

        fill in any kind of form of the site
           1   1.35  pdf-forms
           2   0.86  web-forms  expected

        nothing of this

        5 queries, the best 5 of each
          recall     0.750  of what was expected was offered
          precision  0.500  of what was offered was expected
          MRR        0.625  is the mean of 1/rank
          forbidden  1 offer

        Confused
          pdf-forms above web-forms  1 time
    "#]]
    .assert_eq(ran.text());
    assert!(ran.stderr.contains("no skill named `kitchen`"), "an unknown id is reported");
}

#[test]
fn programs_get_the_evaluation() {
    let ran = probe(QUERIES, &["--format", "json"]);
    assert_eq!(ran.code, Some(0));
    let mut document = ran.json();
    for offer in document["answers"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .filter_map(|answer| answer["offers"].as_array_mut())
        .flatten()
    {
        offer["score"] = 0.into();
    }
    expect![[r#"
        {
          "limit": 5,
          "precision": 0.5,
          "recall": 0.75,
          "mean_reciprocal_rank": 0.625,
          "forbidden": 1,
          "unknown": [
            "kitchen"
          ],
          "confusions": [
            {
              "expected": "web-forms",
              "offered": "pdf-forms",
              "times": 1
            }
          ],
          "answers": [
            {
              "query": "fill in a form",
              "offers": [
                {
                  "id": "pdf-forms",
                  "rank": 1,
                  "score": 0,
                  "is_expected": true,
                  "is_forbidden": false
                },
                {
                  "id": "web-forms",
                  "rank": 2,
                  "score": 0,
                  "is_expected": false,
                  "is_forbidden": true
                }
              ],
              "missing": []
            },
            {
              "query": "a form on the web",
              "offers": [
                {
                  "id": "web-forms",
                  "rank": 1,
                  "score": 0,
                  "is_expected": true,
                  "is_forbidden": false
                },
                {
                  "id": "pdf-forms",
                  "rank": 2,
                  "score": 0,
                  "is_expected": false,
                  "is_forbidden": false
                }
              ],
              "missing": []
            },
            {
              "query": "cook dinner",
              "offers": [],
              "missing": [
                "kitchen"
              ]
            },
            {
              "query": "fill in any kind of form of the site",
              "offers": [
                {
                  "id": "pdf-forms",
                  "rank": 1,
                  "score": 0,
                  "is_expected": false,
                  "is_forbidden": false
                },
                {
                  "id": "web-forms",
                  "rank": 2,
                  "score": 0,
                  "is_expected": true,
                  "is_forbidden": false
                }
              ],
              "missing": []
            },
            {
              "query": "nothing of this",
              "offers": [],
              "missing": []
            }
          ]
        }
    "#]]
    .assert_eq(&format!("{document:#}\n"));
}

#[test]
fn a_missed_recall_is_a_failure() {
    let code = |least: &str| probe(QUERIES, &["--min-recall", least]).code;
    assert_eq!(code("0.75"), Some(0), "3 of 4 are offered");
    assert_eq!(code("0.76"), Some(1));
    assert_eq!(code("1.5"), Some(2), "a share is at most 1");
    assert_eq!(code("NaN"), Some(2), "and a number");
    let ran = probe(QUERIES, &["--min-recall", "1"]);
    assert!(ran.stdout.contains("recall"), "the measures are printed all the same");
}

#[test]
fn limit_sets_the_number_of_results() {
    let ran = probe(QUERIES, &["--limit", "1", "--format", "json"]).json();
    assert_eq!(ran["limit"], 1);
    let answers = ran["answers"].as_array().expect("a list");
    let is_short = |answer: &serde_json::Value| answer["offers"].as_array().unwrap().len() <= 1;
    assert!(answers.iter().all(is_short));
}

#[test]
fn invalid_query_file_is_a_usage_error() {
    for (queries, code) in [
        ("{", "probe-invalid"),
        (r#"[{"query": "a", "expects": ["b"]}]"#, "probe-invalid"),
        (r#"[{"expect": ["b"]}]"#, "probe-invalid"),
    ] {
        let ran = probe(queries, &["--format", "json"]);
        assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &code.into()), "{queries}");
    }
    let ran = Program::new().run(&["search", "--probe", "/nowhere", "--format", "json"]);
    assert_eq!((ran.code, &ran.error()["code"]), (Some(2), &"probe-unreadable".into()));
}

#[test]
fn suggestions_name_the_words_that_are_missing() {
    let ran = probe(QUERIES, &["--suggest"]);
    let advice = "\nweb-forms is outranked in 1 query\n  add to its description: fill, kind\n";
    assert!(ran.stdout.ends_with(advice), "{}", ran.stdout);
    let json = probe(QUERIES, &["--suggest", "--format", "json"]).json();
    assert_eq!(json["suggestions"][0]["id"], "web-forms");
    assert!(probe(QUERIES, &["--format", "json"]).json()["suggestions"].is_null());
}

/// Ranks of the expected skill, with the proposed words in its description or without them.
#[test]
fn suggested_words_win_the_query() {
    let tree = Tree::new("");
    let skill = |name: &str, description: &str| {
        let frontmatter = format!("name: {name}\ndescription: {description}");
        tree.write(&format!("skills/{name}/SKILL.md"), skill_md(&frontmatter));
    };
    skill("pdf-forms", "Fills in forms of any kind.");
    skill("web-forms", "Builds forms for a site.");
    let queries = r#"[{"query": "fill in any kind of form of the site", "expect": ["web-forms"]}]"#;
    tree.write("queries.json", queries);
    let file = tree.join("queries.json").display().to_string();
    let probe = || {
        let program = Program::new().root("user", &tree.join("skills"));
        program.run(&["search", "--probe", &file, "--suggest", "--format", "json"]).json()
    };
    let first = |probed: &serde_json::Value| probed["answers"][0]["offers"][0]["id"].clone();
    let before = probe();
    assert_eq!(first(&before), "pdf-forms", "another skill is above it: {before}");
    let words = before["suggestions"][0]["add"].as_array().expect("words").iter();
    let words: Vec<_> = words.map(|word| word.as_str().expect("a word")).collect();
    skill("web-forms", &format!("Builds forms for a site. {}.", words.join(", ")));
    let after = probe();
    assert_eq!(first(&after), "web-forms", "with {words:?} it wins: {after}");
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
    assert!(ran.text().contains("sheets  missing"), "{}", ran.stdout);
    assert!(ran.stdout.contains("recall     0.000"), "a model cannot find it here: {}", ran.stdout);
    let reason = "the skill `sheets` is not offered: ";
    assert!(ran.stderr.starts_with(reason), "the skill exists: {}", ran.stderr);
    assert!(ran.stderr.contains("no-such-program"), "the reason is named: {}", ran.stderr);
}
