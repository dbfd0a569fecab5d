//! `prowess doctor`.

use std::collections::BTreeSet;

use expect_test::expect;
use prowess_testkit::Tree;
use serde_json::Value;

use super::{check, place, run_here, tree, without_keepers};
use crate::program::Program;
use crate::{run, skill_md};

#[test]
fn doctor() {
    check(
        &["doctor"],
        1,
        &expect![[r#"
            {
              "healthy": false,
              "generation": 1,
              "roots": [
                {
                  "layer": "user",
                  "trust": "trusted",
                  "source": "filesystem",
                  "root": "$ROOT",
                  "exists": true,
                  "skills": 2,
                  "changes": "watched"
                }
              ],
              "diagnostics": [
                {
                  "code": "description-missing",
                  "severity": "error",
                  "path": "$ROOT/broken/SKILL.md",
                  "line": 1,
                  "column": 1,
                  "message": "the frontmatter has no `description`",
                  "help": "add a line `description: ` that says what the skill does and when to use it"
                },
                {
                  "code": "skill-shadowed",
                  "severity": "warning",
                  "path": "$ROOT/zpdf/SKILL.md",
                  "line": null,
                  "column": null,
                  "message": "skill `pdf` is shadowed: `$ROOT/pdf/SKILL.md` of layer `user` is used instead",
                  "help": "rename or remove one of the two, or move the one that you want to a higher layer"
                },
                {
                  "code": "name-directory-mismatch",
                  "severity": "warning",
                  "path": "$ROOT/tables/SKILL.md",
                  "line": 2,
                  "column": 7,
                  "message": "the name `sheets` differs from the directory's name `tables`",
                  "help": "rename one of the two"
                },
                {
                  "code": "name-directory-mismatch",
                  "severity": "warning",
                  "path": "$ROOT/zpdf/SKILL.md",
                  "line": 2,
                  "column": 7,
                  "message": "the name `pdf` differs from the directory's name `zpdf`",
                  "help": "rename one of the two"
                }
              ],
              "authoring": [
                {
                  "root": "$ROOT",
                  "profile": "spec",
                  "skills": 4,
                  "errors": 3,
                  "warnings": 0,
                  "diagnostics": []
                }
              ],
              "sandbox": {
                "level": "namespaces",
                "limits": {
                  "processes": "$KEEPER",
                  "memory": "$KEEPER"
                },
                "missing": [],
                "scripts": null
              },
              "summary": {
                "skills": 2,
                "errors": 1,
                "warnings": 3,
                "hints": 0
              }
            }
        "#]],
    );
}

#[test]
fn for_people_each_finding_has_its_help() {
    let tree = tree();
    let ran = run_here(&tree, &[], &["doctor"]);
    assert_eq!(ran.code, Some(1), "there is an error: {}", ran.stderr);
    expect![[r#"
        error[description-missing]: the frontmatter has no `description`
          --> $ROOT/broken/SKILL.md:1:1
          help: add a line `description: ` that says what the skill does and when to use it

        warning[skill-shadowed]: skill `pdf` is shadowed: `$ROOT/pdf/SKILL.md` of layer `user` is used instead
          --> $ROOT/zpdf/SKILL.md
          help: rename or remove one of the two, or move the one that you want to a higher layer

        warning[name-directory-mismatch]: the name `sheets` differs from the directory's name `tables`
          --> $ROOT/tables/SKILL.md:2:7
          help: rename one of the two

        warning[name-directory-mismatch]: the name `pdf` differs from the directory's name `zpdf`
          --> $ROOT/zpdf/SKILL.md:2:7
          help: rename one of the two

        Roots, highest precedence first
          $ROOT
              user layer · trusted · 2 skills · watched for changes

        Authoring: the skills that load, by the specification
          prowess validate $ROOT
              3 errors, 0 warnings in 4 skills (profile spec)

        Sandbox for plugins in own processes and scripts
          namespaces
          limits: processes by $KEEPER, memory by $KEEPER

        2 skills: 1 error, 3 warnings, 0 hints
    "#]].assert_eq(&without_keepers(ran.stdout.replace(&place(&tree), "$ROOT")));
    assert_eq!(ran.stderr, "", "findings are the result");
}

#[test]
fn change_detection_follows_the_policy() {
    let tree = tree();
    for (mode, changes) in
        [("watch", "watched"), ("poll", "polled"), ("ttl", "aged"), ("manual", "manual")]
    {
        let config = Tree::new(&format!("//- /prowess.yaml\nrefresh: {{ mode: {mode} }}\n"));
        let program = Program::new().root("user", tree.path());
        let program = program.config(&config.join("prowess.yaml"));
        let checked = program.run(&["doctor", "--format", "json"]).json();
        assert_eq!(checked["roots"][0]["changes"], changes, "{mode}: {checked}");
    }
}

/// The (code, path) of each finding in some lists.
fn findings<'f>(lists: &[&'f Value]) -> BTreeSet<(&'f str, &'f str)> {
    let found = lists.iter().flat_map(|list| list.as_array().expect("a list"));
    let text = |found: &'f Value, key: &str| found[key].as_str().unwrap_or_default();
    found.map(|found| (text(found, "code"), text(found, "path"))).collect()
}

#[test]
fn doctor_has_every_error_that_validate_has() {
    let tree = tree();
    tree.write("linked/SKILL.md", skill_md("name: linked\ndescription: Use it.\ncolour: red"));
    tree.write("yaml/SKILL.md", "---\nname: yaml\n- x\n---\nBody\n");
    tree.write("upper/SKILL.md", skill_md("name: Upper\ndescription: Use it."));
    tree.write("empty/SKILL.md", "");
    let doctor = run(tree.path(), &["doctor", "--format", "json"]).json();
    let root = place(&tree);
    let validated = Program::new().run(&["validate", &root, "--format", "json"]).json();
    let authoring = &doctor["authoring"][0];
    for kind in ["errors", "warnings"] {
        assert_eq!(authoring[kind], validated["summary"][kind], "the same number of {kind}");
    }
    let packages = validated["packages"].as_array().expect("a list").iter();
    let lists = packages.map(|package| &package["diagnostics"]);
    let lists: Vec<_> = lists.chain([&validated["diagnostics"]]).collect();
    let errors: Vec<_> = lists.iter().map(|list| errors_of(list)).collect();
    let errors = findings(&errors.iter().collect::<Vec<_>>()).into_iter();
    let shown = findings(&[&doctor["diagnostics"], &authoring["diagnostics"]]);
    let mut codes = BTreeSet::new();
    for (code, path) in errors {
        assert!(shown.contains(&(code, path)), "doctor has {code} of {path}: {doctor:#}");
        codes.insert(code.to_owned());
    }
    assert!(codes.len() >= 4, "there are several kinds: {codes:?}");
}

/// Returns the errors of a list.
fn errors_of(list: &Value) -> Value {
    let errors = list.as_array().expect("a list").iter();
    errors.filter(|found| found["severity"] == "error").cloned().collect()
}
