//! Findings about one package.

use std::collections::BTreeMap;

use prowess_core::Severity;
use prowess_format::{Limit, LimitSeverity, Limits, Profile};
use prowess_lint::{LintOptions, NoProgress, check_tree};

use crate::fixture::{BODY, checked, codes, codes_of, described, memory, skill_md};

/// Checks that a body with files beside it gives just these codes.
fn check(body: &str, files: &[(&str, &str)], expected: &[&str]) {
    let codes: Vec<String> = codes_of(body, files).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, expected, "{body:?} beside {files:?}");
}

/// The rows of a table of cases.
fn rows<T: serde::de::DeserializeOwned>(lines: &str) -> impl Iterator<Item = T> {
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON"))
}

/// [`BODY`] with one more line.
fn with(line: &str) -> String {
    format!("{BODY}\n{line}\n")
}

/// Each row has a line of the body, the files beside it, and the codes.
#[test]
fn bodies_and_files_give_their_codes() {
    type Row = (String, BTreeMap<String, String>, Vec<String>);
    for (line, files, expected) in rows::<Row>(include_str!("../data/package.jsonl")) {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (format!("notes/{path}"), &**text)).collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        let expected: Vec<_> = expected.iter().map(|code| &**code).collect();
        check(&if line.is_empty() { BODY.to_owned() } else { with(&line) }, &files, &expected);
    }
}

/// The list of a skill reaches no other files without a person, so such rules are named.
#[test]
fn rules_that_reach_out_are_named() {
    for (rules, count) in rows::<(String, usize)>(include_str!("../data/outside.jsonl")) {
        let text =
            skill_md("notes", BODY).replace("\n---\n", &format!("\nallowed-tools: {rules}\n---\n"));
        let found = codes(&text, Profile::Spec);
        let named = found.iter().filter(|code| *code == "tool-path-outside").count();
        assert_eq!(named, count, "{rules}: {found:?}");
    }
}

#[test]
fn a_link_is_shown_where_it_stands() {
    let text = skill_md("notes", &with("See [é](gone.md)."));
    let source = memory(&[("notes/SKILL.md", &text)]);
    let checked = checked(&source, Profile::Spec);
    let found = &checked.packages[0].diagnostics[0];
    let span = found.span.clone().expect("it has a place");
    assert_eq!(&text[span], "gone.md");
    assert_eq!((found.line, found.column), (Some(11), Some(9)));
    assert_eq!(found.path.as_deref(), Some("memory://user/notes/SKILL.md"));
}

#[test]
fn a_body_costs_tokens() {
    for (characters, expected) in [
        (17_996, None),
        (17_997, Some("body-tokens-near-limit")),
        (20_000, Some("body-tokens-near-limit")),
        (20_001, Some("body-tokens")),
        (32_000, Some("body-tokens")),
        (32_001, Some("body-tokens-soft-limit")),
    ] {
        let body = format!("{BODY}{}", "x".repeat(characters - BODY.len()));
        let expected: Vec<&str> = expected.into_iter().collect();
        check(&body, &[], &expected);
    }
}

#[test]
fn a_body_has_five_hundred_lines_at_most() {
    let lines = BODY.lines().count();
    check(&format!("{BODY}{}", "x\n".repeat(500 - lines)), &[], &[]);
    check(&format!("{BODY}{}", "x\n".repeat(501 - lines)), &[], &["body-too-long"]);
}

#[test]
fn a_body_is_built_for_a_model() {
    check("When to use: for example now.\n", &[], &["body-no-headings"]);
    check("# Notes\n\nFor example so.\n", &[], &[]);
    check("# Notes\n\nWhen to use: now.\n", &[], &["body-no-example"]);
    check("# Notes\n\nUse when asked.\n\n    indented code\n", &[], &[]);
    check(" \n", &[], &["body-empty"]);
}

#[test]
fn nothing_hides_in_a_body_or_a_name() {
    check(&BODY.replace('\n', "\r\n"), &[], &[]);
    let found = codes_of(&with("plain\nthen a\u{202e}b"), &[]);
    assert_eq!(found, [("body-hidden-character".to_owned(), Some(12))]);
}

#[test]
fn the_instructions_have_one_name() {
    let source = memory(&[("notes/skill.md", &skill_md("notes", BODY))]);
    let profiles = [(Profile::Lenient, true), (Profile::Spec, true), (Profile::Strict, false)];
    for (profile, is_valid) in profiles {
        let checked = checked(&source, profile);
        let codes: Vec<_> = checked.diagnostics().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, ["instructions-file-case"], "{profile}");
        assert_eq!(checked.packages[0].valid, is_valid, "{profile}");
    }
}

#[test]
fn a_missing_file_is_shown_where_it_is_named() {
    let found = codes_of(&with("See\n`scripts/x.py`"), &[]);
    assert_eq!(found, [("path-missing".to_owned(), Some(12))]);
}

/// Each row has hooks, those with a command in the form of Claude Code, and the codes.
#[test]
fn the_script_of_a_hook_is_there() {
    for (hooks, expected) in rows::<(String, Vec<String>)>(include_str!("../data/hooks.jsonl")) {
        let text = skill_md("notes", BODY)
            .replace("---\n# Notes", &format!("hooks: {hooks}\n---\n# Notes"));
        let files = [("notes/SKILL.md", text.as_str()), ("notes/scripts/a.sh", "# Runs.\n")];
        let lenient = checked(&memory(&files), Profile::Lenient);
        let checked = checked(&memory(&files), Profile::Extended);
        let codes: Vec<_> = checked.diagnostics().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, expected, "{hooks}");
        let is_known = lenient.diagnostics().any(|found| found.code.as_str() == "hook-needs-shell");
        assert_eq!(
            is_known,
            expected.iter().any(|it| it == "hook-needs-shell"),
            "lenient: {hooks}"
        );
    }
}

#[test]
fn files_whose_names_look_alike_are_reported() {
    let text = skill_md("notes", BODY);
    let files =
        [("notes/SKILL.md", text.as_str()), ("notes/caf\u{e9}", ""), ("notes/cafe\u{301}", "")];
    let found = checked(&memory(&files), Profile::Spec).packages.remove(0).diagnostics.remove(0);
    let message = "the files `cafe\\u{301}` and `caf\\u{e9}` have names that look alike";
    assert_eq!(found.message, message, "the eye can tell them apart in the message");
}

#[test]
fn each_package_gets_a_verdict_by_the_whole_file() {
    let long = skill_md("long", &format!("{BODY}{}", "line\n".repeat(600)));
    let source = memory(&[
        ("good/SKILL.md", &*skill_md("good", BODY)),
        ("other/SKILL.md", &skill_md("name", BODY)),
        ("long/SKILL.md", &long),
        ("broken/SKILL.md", "nonsense"),
    ]);
    let checked = checked(&source, Profile::Spec);
    let expected = [
        ("memory://user/broken", false, &["frontmatter-missing"][..]),
        ("memory://user/good", true, &[]),
        ("memory://user/long", true, &["body-too-long"]),
        ("memory://user/other", false, &["name-directory-mismatch"]),
    ];
    assert_eq!(checked.packages.len(), expected.len());
    for (report, expected) in checked.packages.iter().zip(expected) {
        let codes: Vec<_> = report.diagnostics.iter().map(|found| found.code.as_str()).collect();
        assert_eq!((&*report.path, report.valid, &*codes), expected);
    }
}

#[test]
fn a_package_that_the_profile_refuses_is_still_looked_at() {
    let text = skill_md("other", &with("[x](gone.md)"));
    let text = text.replace("---\nname", "---\nfoo: 1\nname");
    let checked = checked(&memory(&[("notes/SKILL.md", &text)]), Profile::Spec);
    let codes: Vec<_> = checked.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["unknown-field", "name-directory-mismatch", "link-broken"]);
    assert_eq!(checked.packages[0].diagnostics[1].line, Some(3), "the name's own place");
}

#[test]
fn a_thousand_mistakes_of_a_kind_give_twenty_findings() {
    let body = with(&"[x](gone.md) ".repeat(1000));
    assert_eq!(codes_of(&body, &[]).len(), 20);
}

#[test]
fn another_counter_of_tokens_is_asked() {
    struct Dear;
    impl prowess_core::TokenCounter for Dear {
        fn count(&self, text: &str) -> usize {
            text.len() * 1000
        }
        fn is_exact(&self) -> bool {
            true
        }
    }
    let source = memory(&[("notes/SKILL.md", &skill_md("notes", BODY))]);
    let options = LintOptions { tokens: &Dear, ..LintOptions::default() };
    let checked = check_tree(&source, &options, &NoProgress, &prowess_core::Cancel::default())
        .expect("it is in memory");
    let codes: Vec<_> = checked.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["catalog-entry-long", "body-tokens-soft-limit"]);
}

#[test]
fn severity_of_a_limit_is_that_of_the_registry() {
    let text = skill_md("notes", BODY);
    let tokens = text.len().div_ceil(4);
    let source = memory(&[("notes/SKILL.md", &text)]);
    let options = LintOptions::default();
    for (max, severity, expected) in [
        (tokens, LimitSeverity::Error, None),
        (tokens - 1, LimitSeverity::Error, Some(Severity::Error)),
        (1, LimitSeverity::Hint, Some(Severity::Hint)),
        (1, LimitSeverity::Profile, Some(Severity::Warning)),
        (1, LimitSeverity::Allow, None),
    ] {
        let limits = Limits { body_tokens: Limit { max, severity }, ..options.limits };
        let options = LintOptions { limits, ..LintOptions::default() };
        let checked = check_tree(&source, &options, &NoProgress, &prowess_core::Cancel::default());
        let checked = checked.expect("it is in memory");
        let mut found = checked.diagnostics().filter(|it| it.code.as_str().ends_with("soft-limit"));
        assert_eq!(found.next().map(|it| it.severity), expected, "{max} {severity:?}");
    }
}

/// Each row has a description, the end of a body, and the codes about words for `when`.
#[test]
fn the_body_need_not_repeat_when_to_use_the_skill() {
    type Row = (String, String, Vec<String>);
    let long = |length: usize| format!("Use when {}", "x".repeat(length - 9));
    assert_eq!(codes(&described("notes", &long(392), BODY), Profile::Spec), [""; 0]);
    assert_eq!(codes(&described("notes", &long(393), BODY), Profile::Spec), ["catalog-entry-long"]);
    for row in rows::<Row>(include_str!("../data/when.jsonl")) {
        let (description, body, expected) = &row;
        let body = format!("# Notes\n\nFor example so.\n{body}\n");
        let mut found = codes(&described("notes", description, &body), Profile::Spec);
        found.retain(|code| code.ends_with("-no-when"));
        assert_eq!(found, *expected, "{row:?}");
    }
}

#[test]
fn a_skill_that_people_invoke_needs_no_word_of_when() {
    let body = "# Notes\n\nFor example so.\n";
    let text = described("notes", "Takes notes.\ndisable-model-invocation: true", body);
    assert_eq!(codes(&text, Profile::Extended), [""; 0]);
    // As the catalog reads the switch.
    for switch in ["disable-model-invocation: y", "disable_model_invocation: on"] {
        let text = described("notes", &format!("Takes notes.\n{switch}"), body);
        let found = codes(&text, Profile::Lenient);
        assert!(!found.iter().any(|code| code.ends_with("no-when")), "{switch}: {found:?}");
    }
}

#[test]
fn existing_files_outside_are_a_warning_at_most() {
    let body =
        with("See [pdf](../pdf/SKILL.md) and [gone](../gone/SKILL.md). Run `scripts/all.sh`.");
    let text = skill_md("notes", &body);
    let source = memory(&[("skills/notes/SKILL.md", &text)]);
    let there = ["memory://user/skills/pdf/SKILL.md", "memory://user/scripts/all.sh"];
    let exists_outside = |path: &str| there.contains(&path);
    for (profile, expected) in [
        (Profile::Lenient, ["warning", "warning"]),
        (Profile::Spec, ["warning", "error"]),
        (Profile::Strict, ["warning", "error"]),
    ] {
        let options =
            LintOptions { profile, exists_outside: &exists_outside, ..LintOptions::default() };
        let checked = check_tree(&source, &options, &NoProgress, &Default::default());
        let checked = checked.expect("it is in memory");
        let found: Vec<_> = checked.diagnostics().collect();
        assert!(found.iter().all(|it| it.code.as_str() == "link-leaves-package"), "{found:?}");
        let severities: Vec<_> = found.iter().map(|it| it.severity.as_str()).collect();
        assert_eq!(severities, expected, "{profile}");
    }
}

#[test]
fn templates_are_reported() {
    let scaffold = prowess_format::write::scaffold("notes", "Takes notes. Use when asked.");
    let scaffold = scaffold.expect("the name and the description are good");
    let body = with("# Insert instructions below");
    let codes = |text: &str| codes(text, Profile::Spec);
    assert_eq!(codes(&scaffold), ["template-unedited"], "the body of a new skill");
    assert_eq!(codes(&skill_md("notes", &body)), ["template-unedited"]);
    let description = "Replace with description of the skill and when Claude should use it.";
    assert_eq!(codes(&described("notes", description, BODY)), ["template-unedited"]);
    assert_eq!(codes(&described("notes", "Replaces templates when asked.", BODY)), [""; 0]);
}
