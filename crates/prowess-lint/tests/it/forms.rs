//! Findings in the forms that other programs read.

use expect_test::expect;
use prowess_core::{Code, Diagnostic, Severity};
use prowess_format::Profile;
use prowess_lint::{Checked, PackageReport, github, sarif};
use serde_json::{Value, json};

use crate::fixture::{checked, memory, skill_md};

/// Returns the violations of the part of SARIF 2.1.0 that our logs use: what the standard requires,
/// its words, and no property that it does not know.
fn problems(log: &Value) -> Vec<String> {
    let schema = serde_json::from_str(include_str!("../data/sarif.schema.json"));
    let options = jsonschema::options().should_validate_formats(true);
    let validator = options.build(&schema.expect("it is JSON")).expect("it is a schema");
    validator.iter_errors(log).map(|error| error.to_string()).collect()
}

fn found(severity: Severity, path: &str, message: &str) -> Diagnostic {
    let text = b"---\nname: a\n";
    Diagnostic::new(Code::new("name-invalid"), severity, message, "100 % sure: rename")
        .at(text, 4..5)
        .in_file(path)
}

fn report(diagnostics: Vec<Diagnostic>) -> Checked {
    let package = PackageReport {
        path: "/repo/a".to_owned(),
        name: None,
        profile: Profile::Spec,
        valid: false,
        diagnostics,
        package: "a".to_owned(),
        file: "SKILL.md".to_owned(),
    };
    let problem = Diagnostic::new(Code::new("source-failed"), Severity::Warning, "no", "look");
    Checked { packages: vec![package], problems: vec![problem], alike: Vec::new() }
}

#[test]
fn annotations_cannot_be_broken_out_of() {
    let hostile = "a%\r\n::error::forged";
    let checked = report(vec![
        found(Severity::Error, "/repo/a,b: c/SKILL.md", hostile),
        found(Severity::Hint, "/repository/SKILL.md", "plain"),
    ]);
    expect![[r#"
        ::error file=a%2Cb%3A c/SKILL.md,line=2,col=1,title=name-invalid::a%25%0D%0A::error::forged%0Ahelp: 100 %25 sure: rename
        ::notice file=/repository/SKILL.md,line=2,col=1,title=name-invalid::plain%0Ahelp: 100 %25 sure: rename
        ::warning title=source-failed::no%0Ahelp: look
    "#]]
    .assert_eq(&github(&checked, "/repo"));
}

#[test]
fn a_log_has_what_sarif_requires() {
    let checked = report(vec![
        found(Severity::Error, "/repo/a b/SKILL.md", "wrong"),
        found(Severity::Hint, "/elsewhere/50%/SKILL.md", "odd"),
    ]);
    let log = sarif(&checked, "/repo/", "1.2.3");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "prowess");
    assert_eq!(run["tool"]["driver"]["version"], "1.2.3");
    let rules: Vec<_> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules are a list")
        .iter()
        .map(|rule| rule["id"].clone())
        .collect();
    assert_eq!(rules, ["name-invalid", "source-failed"], "each code is a rule once");
    let results = run["results"].as_array().expect("results are a list");
    let levels: Vec<_> = results.iter().map(|result| result["level"].clone()).collect();
    assert_eq!(levels, ["error", "note", "warning"]);
    for result in results {
        assert!(rules.contains(&result["ruleId"]), "each result has a rule");
        assert!(result["message"]["text"].is_string(), "each result has a message");
    }
    assert_eq!(
        results[0]["locations"],
        json!([{"physicalLocation": {
            "artifactLocation": {"uri": "a%20b/SKILL.md"},
            "region": {"startLine": 2, "startColumn": 1},
        }}])
    );
    let uri = &results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "file:///elsewhere/50%25/SKILL.md");
    assert_eq!(results[2].get("locations"), None, "what has no place names none");
}

#[test]
fn every_log_is_one_by_the_standard() {
    let source = memory(&[
        ("a b/SKILL.md", &*skill_md("a", "See [x](gone.md)\u{202e}.\n")),
        ("50%\u{e9}<>/SKILL.md", "nonsense"),
        ("x/skill.md", "---\nname: [\n---\n"),
    ]);
    for profile in Profile::ALL {
        let log = sarif(&checked(&source, profile), "memory://user", "1.2.3");
        assert_eq!(problems(&log), [] as [&str; 0], "{profile}");
        assert!(!log["runs"][0]["results"].as_array().is_none_or(Vec::is_empty), "{profile}");
    }
    assert_eq!(problems(&sarif(&Checked::default(), "", "1")), [] as [&str; 0]);
}

#[test]
fn violations_of_the_standard_are_reported() {
    let good = sarif(&report(vec![found(Severity::Error, "/repo/a/SKILL.md", "no")]), "/repo", "1");
    for (place, value) in [
        ("/version", json!("2.2.0")),
        ("/runs/0/tool/driver/name", json!(null)),
        ("/runs/0/results/0/level", json!("hint")),
        ("/runs/0/results/0/message", json!({})),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!("a b")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect("it is there") = value;
        assert_eq!(problems(&bad).len(), 1, "{place}");
    }
}

#[test]
fn no_finding_is_an_empty_log() {
    let log = sarif(&Checked::default(), "", "1");
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert_eq!(github(&Checked::default(), ""), "");
}
