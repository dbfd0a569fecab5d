//! `skills.load`.

use expect_test::expect;
use prowess_core::{
    BodyDelivery, DeliveryPolicy, Digest, Session, SourceErrorKind, ToolCall, ToolContext,
};
use prowess_format::{Profile, Rules};
use prowess_tools::{RequiresMode, SkillContent, ToolPolicy};
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, catalog_by, catalog_hiding, check_error, skill_md, text};

fn host() -> Host {
    Host::new(Setup::default())
}

#[test]
fn a_receipt_says_what_is_active_and_leaves_the_body_out() {
    let host = host();
    let answer = host.done("skills_load", json!({ "names": ["alpha"] }));
    let expected = json!({ "active_skills": [{
        "id": "alpha",
        "name": "alpha",
        "location": "memory://shelf/alpha/SKILL.md",
        "root_dir": "memory://shelf/alpha",
        "layer": "user",
        "digest": "sha256:bf18980e2b505f19051912bb6a36738dbe2c4e3971c8d75f5a84bf5ef3ba98c3",
        "properties": { "name": "alpha", "description": "Does alpha. Use it for alpha." },
    }] });
    let read: Value = serde_json::from_str(&text(&answer)).expect("a receipt is JSON");
    assert_eq!(read, expected, "a receipt has no body");
    assert_eq!(answer.result.structured, Some(read), "the host reads the same receipt");
}

#[test]
fn a_receipt_names_the_version_where_there_is_one() {
    let file = "---\nname: pdf\ndescription: x\nmetadata: {author: us, version: 1.10}\n---\nBody\n";
    let host = Host::with(Setup::default(), &[("pdf/SKILL.md", file.as_bytes())]);
    let answer = host.done("skills_load", json!({ "names": ["pdf"] }));
    let receipt = answer.result.structured.expect("a receipt is data too");
    assert_eq!(receipt["active_skills"][0]["version"], "1.10");
    assert_eq!(receipt["active_skills"][0]["properties"]["metadata"]["author"], "us");
    let record = host.catalog.get("pdf").expect("the skill is offered");
    let record = serde_json::to_value(record).expect("a record is data");
    assert_eq!(record["version"], "1.10", "and so does the record");
}

#[test]
fn what_is_kept_is_the_whole_skill_as_it_was_read() {
    let host = host();
    host.clock.advance(std::time::Duration::from_secs(5));
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let state = host.session.state().expect("the session is open");
    let skill = state.current().expect("a skill is active");
    let file = skill_md("alpha", "# Alpha\n\nRead `references/guide.md` first.");
    assert_eq!(skill.digest, Digest::of(file.as_bytes()), "the digest is of the whole file");
    assert_eq!(&*skill.body, "# Alpha\n\nRead `references/guide.md` first.", "trimmed");
    assert_eq!(skill.root_dir, "memory://shelf/alpha");
    assert_eq!(skill.location, "memory://shelf/alpha/SKILL.md");
    assert_eq!(skill.loaded_at.0, 1_767_225_605_000, "the host's clock tells when");
}

#[test]
fn modes_and_duplicates() {
    let [alpha, beta] = [json!({ "names": ["alpha"] }), json!({ "names": ["beta"] })];
    let cases = [
        (&alpha, beta.clone(), "beta"),
        (&alpha, json!({ "names": ["alpha", "beta"], "mode": "replace" }), "alpha beta"),
        (&alpha, json!({ "names": ["beta"], "mode": "" }), "beta"),
        (&alpha, json!({ "names": ["beta"], "mode": null }), "beta"),
        (&alpha, json!({ "names": ["beta", "beta"], "mode": "add" }), "alpha beta"),
        (&beta, json!({ "names": ["alpha", "alpha", "beta"] }), "alpha beta"),
    ];
    for (first, second, active) in cases {
        let host = host();
        host.done("skills_load", first.clone());
        host.done("skills_load", second.clone());
        assert_eq!(host.active(), active, "what is active after {second}");
    }
}

#[test]
fn a_location_is_as_good_as_a_name() {
    let host = host();
    let names = json!({ "names": ["memory://shelf/beta/SKILL.md", "beta", "alpha"] });
    host.done("skills_load", names);
    assert_eq!(host.active(), "beta alpha", "the location and the name are one skill");
}

#[test]
fn an_unknown_name_loads_nothing_and_gets_a_suggestion() {
    let cases = [
        ("pdf", "no skill named `pdf`; did you mean `pdf-processing`?"),
        ("alpa", "no skill named `alpa`; did you mean `alpha`?"),
        ("zzz", "no skill named `zzz`; choose one from the list of skills"),
        ("", "no skill named ``; choose one from the list of skills"),
        ("/etc/passwd", "no skill named `/etc/passwd`; choose one from the list of skills"),
    ];
    for (name, sentence) in cases {
        let host = host();
        host.done("skills_load", json!({ "names": ["beta"] }));
        let answer = host.call("skills_load", json!({ "names": ["alpha", name], "mode": "add" }));
        check_error(&answer, "skill-not-found", sentence);
        assert_eq!(host.active(), "beta", "all or nothing");
        assert_eq!(host.source.reads(), ["beta/SKILL.md"], "names are resolved before any read");
    }
}

#[test]
fn a_hidden_skill_is_listed_nowhere_and_says_why() {
    let mut host = host();
    host.catalog = catalog_hiding(host.source.clone(), 8, "beta");
    for name in ["beta", "user:beta", "memory://shelf/beta/SKILL.md"] {
        let answer = host.call("skills_load", json!({ "names": [name] }));
        let sentence = "skill `beta` cannot be loaded: its user switched it off; go on without it";
        check_error(&answer, "skill-hidden", sentence);
    }
    let answer = host.call("skills_load", json!({ "names": ["bet"] }));
    let sentence = "no skill named `bet`; choose one from the list of skills";
    check_error(&answer, "skill-not-found", sentence);
    let shown = serde_json::to_string(&host.toolbox.definitions(&host.catalog));
    assert!(!shown.expect("definitions are plain data").contains("beta"), "nor is it listed");
}

#[test]
fn over_the_cap_nothing_is_loaded_and_the_error_asks_for_fewer() {
    let host = Host::new(Setup { cap: Some(1), ..Setup::default() });
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let answer = host.call("skills_load", json!({ "names": ["beta", "pdf-processing"] }));
    check_error(
        &answer,
        "too-many-skills",
        "2 skills would be active and at most 1 may be; load fewer, or unload some first",
    );
    assert_eq!(host.active(), "alpha");
}

#[test]
fn one_call_names_a_bounded_number_of_skills() {
    let policy = ToolPolicy { names_per_call: 2, ..ToolPolicy::default() };
    let host = Host::new(Setup { policy, ..Setup::default() });
    let answer = host.call("skills_load", json!({ "names": ["alpha", "alpha", "beta"] }));
    check_error(&answer, "too-many-names", "3 skills in one call and at most 2 may be; load fewer");
    assert_eq!(host.source.reads(), Vec::<String>::new(), "it ends before any file is read");
}

#[test]
fn a_skill_that_changed_since_the_scan_is_not_passed_off_as_itself() {
    let other = skill_md("gamma", "Another skill's body");
    let renamed = "skill `beta` has changed its name since the list of skills was made; nothing \
                   was loaded, choose from the next list";
    let changed = "it changed; nothing was loaded, go on without it";
    let gone = "skill `beta` cannot be read any more; nothing was loaded, go on without it";
    for (file, code, sentence) in [
        (Ok(&other), "skill-changed", renamed),
        (Err(SourceErrorKind::NotFound), "resource-not-found", gone),
        (Err(SourceErrorKind::Denied), "permission-denied", gone),
        (Err(SourceErrorKind::Changed), "package-changed", changed),
    ] {
        let host = host();
        host.done("skills_load", json!({ "names": ["pdf-processing"] }));
        match file {
            Ok(text) => host.source.change("beta/SKILL.md", text),
            Err(kind) => host.source.fail("beta/SKILL.md", kind),
        }
        let answer = host.call("skills_load", json!({ "names": ["alpha", "beta"] }));
        check_error(&answer, code, sentence);
        assert_eq!(host.active(), "pdf-processing", "all or nothing");
    }
}

#[test]
fn skill_that_was_loaded_before_is_read_again() {
    let host = host();
    let load = || host.call("skills_load", json!({ "names": ["beta"], "mode": "add" }));
    let bodies = || host.session.state().expect("the session is open").active[0].body.clone();
    for body in ["First.", "Second", "First."] {
        host.source.change("beta/SKILL.md", skill_md("beta", body));
        for _ in 0..2 {
            host.done("skills_unload", json!({ "all": true }));
            assert!(!load().result.is_error);
            assert_eq!(&*bodies(), body, "a load has the text that its file has now");
        }
    }
    host.source.change("beta/SKILL.md", "no frontmatter at all");
    host.done("skills_unload", json!({ "all": true }));
    assert!(load().result.is_error, "what was loaded before is no excuse for a broken file");
    assert_eq!(host.source.reads().len(), 7, "each load reads the file");
}

/// The note is in front of each text and of its first page, whose lines are those of the file.
#[test]
fn altered_copy_is_announced_with_its_text() {
    let note = "\nNote of the host: this copy is altered.\n\n";
    let file = skill_md("beta", &"Line.\n".repeat(900));
    for (skill_content, start) in [(SkillContent::Body, "Line"), (SkillContent::File, "---")] {
        let policy = ToolPolicy { skill_content: Some(skill_content), ..ToolPolicy::default() };
        let bodies = BodyDelivery::ToolResult;
        let delivery = DeliveryPolicy { bodies, ..DeliveryPolicy::default() };
        let setup = Setup { policy, delivery, ..Setup::default() };
        let host = Host::with(setup, &[("beta/SKILL.md", file.as_bytes())]);
        let load = |result_bytes| {
            let arguments = json!({ "names": ["beta"], "force": true });
            let call = ToolCall { name: "skills_load".to_owned(), arguments };
            let context = ToolContext { result_bytes, ..host.context() };
            host.toolbox.dispatch(&context, &call).result.texts().collect::<String>()
        };
        assert!(!load(None).contains("Note of the host"));
        host.source.change("beta/lock", "");
        let (whole, page) = (load(None), load(Some(4_000)));
        assert!(whole.contains(&format!("{note}{start}")), "{whole}");
        // The frontmatter is four lines.
        let next = format!("\"from\": {}", page.matches("Line.\n").count() + 5);
        assert!(page.contains(&format!("{note}Note: ")) && page.contains(&next), "{page}");
        let read = host.done("skills_read", json!({ "skill": "beta", "path": "lock" }));
        assert!(read.result.texts().any(|text| text == note.trim()), "{read:?}");
        for (tool, arguments) in [
            ("skills_list", json!({})),
            ("skills_search", json!({ "query": "beta" })),
            ("skills_describe", json!({ "skill": "beta" })),
        ] {
            let shown = host.done(tool, arguments).result.texts().collect::<String>();
            assert!(shown.contains(note.trim()), "{tool}: {shown}");
        }
    }
}

#[test]
fn a_cancelled_load_changes_nothing() {
    let host = host();
    host.source.cancel_when_read(&host.cancel);
    let answer = host.call("skills_load", json!({ "names": ["alpha", "beta"] }));
    check_error(&answer, "cancelled", "the turn was cancelled, so nothing was changed");
    assert_eq!(host.source.reads(), ["alpha/SKILL.md"], "it ends soon after");
    assert_eq!(host.active(), "");
}

#[test]
fn broken_file_is_refused_with_each_error_and_its_place() {
    let host = host();
    host.source
        .change("beta/SKILL.md", "---\nname: beta\ndescription: x\nscope: a\nscope: b\n---\n");
    let answer = host.call("skills_load", json!({ "names": ["beta"] }));
    let expected = expect![[r#"
        the `SKILL.md` of skill `beta` is broken: 5:1: error[yaml-duplicate-key]: duplicate key `scope`, which is at 4:1 already; nothing was loaded, go on without it"#]];
    expected.assert_eq(&text(&answer));
}

/// A field that `spec` does not know is refused by it, and ignored by `lenient`.
#[test]
fn file_is_parsed_by_the_rules_of_its_catalog() {
    let file = "---\nname: pdf\ndescription: x\ncolour: red\n---\nBody\n";
    let mut host = Host::with(Setup::default(), &[("pdf/SKILL.md", file.as_bytes())]);
    host.done("skills_load", json!({ "names": ["pdf"] }));
    host.catalog = catalog_by(host.source.clone(), &Rules::of(Profile::Spec));
    let answer = host.call("skills_load", json!({ "names": ["pdf"] }));
    let message = text(&answer);
    assert!(message.contains(": 4:1: error[unknown-field]: "), "{message}");
    check_error(&answer, "skill-invalid", &message);
}

/// Returns the error of a failed load for hosts that branch on one type.
fn load_error(host: &Host, name: &str) -> String {
    let answer = host.call("skills_load", json!({ "names": [name] }));
    assert!(answer.result.is_error, "{name} is not loaded");
    let error = answer.result.error.expect("it is an error about a skill");
    error.to_string()
}

#[test]
fn failures_are_skill_errors() {
    let broken = b"---\nname: broken\ndescription: x\n---\nBody\n";
    let host = Host::with(Setup::default(), &[("broken/SKILL.md", broken)]);
    assert_eq!(
        load_error(&host, "gone"),
        "[SKILL_NOT_FOUND] Skill 'gone' not found (skill_name=gone)"
    );
    host.source
        .change("broken/SKILL.md", "---\nname: broken\ndescription: x\nscope: a\nscope: b\n---\n");
    let error = load_error(&host, "broken");
    assert!(
        error.starts_with("[SKILL_PARSE_ERROR] Failed to parse memory://shelf/broken/SKILL.md")
    );
    assert!(error.ends_with("(path=memory://shelf/broken/SKILL.md, line=5, column=1)"), "{error}");
    host.source.fail("broken/SKILL.md", SourceErrorKind::Denied);
    let error = load_error(&host, "broken");
    assert!(error.starts_with("[SKILL_ACTIVATION_ERROR] Failed to activate skill 'broken'"));
}

/// Loads `top` of three skills under a policy of requirements; returns the active skills and the
/// code.
fn load_top(requires: RequiresMode, names: &[&str], mode: &str) -> (String, Option<String>) {
    let skill = |name: &str, further: &str| {
        format!("---\nname: {name}\ndescription: x\n{further}---\nBody\n")
    };
    let files = [
        ("top/SKILL.md", skill("top", "requires: middle\n")),
        ("middle/SKILL.md", skill("middle", "requires: base\n")),
        ("base/SKILL.md", skill("base", "")),
        ("lost/SKILL.md", skill("lost", "requires: gone\n")),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_bytes()));
    let policy = ToolPolicy { requires, ..ToolPolicy::default() };
    let host = Host::with(Setup { policy, ..Setup::default() }, &files);
    host.done("skills_load", json!({ "names": ["base"] }));
    let answer = host.call("skills_load", json!({ "names": names, "mode": mode }));
    (host.active(), answer.result.code.map(|code| code.to_string()))
}

#[test]
fn requirements_are_hints_by_default() {
    assert_eq!(load_top(RequiresMode::Hint, &["top"], "add"), ("base top".to_owned(), None));
}

#[test]
fn checked_requirements_must_be_loaded() {
    let refused = Some("requirement-not-loaded".to_owned());
    let load = |names: &[&str], mode| load_top(RequiresMode::Check, names, mode);
    assert_eq!(load(&["top"], "add"), ("base".to_owned(), refused.clone()));
    assert_eq!(load(&["top", "middle"], "replace"), ("base".to_owned(), refused));
    assert_eq!(load(&["top", "middle"], "add"), ("base top middle".to_owned(), None));
    let unmet = Some("requirement-unmet".to_owned());
    assert_eq!(load(&["lost"], "add"), ("base".to_owned(), unmet));
}

#[test]
fn required_skills_are_loaded_first() {
    let load = |names: &[&str]| load_top(RequiresMode::AutoLoad, names, "replace");
    assert_eq!(load(&["top"]), ("base middle top".to_owned(), None));
    let unmet = Some("requirement-unmet".to_owned());
    assert_eq!(load(&["top", "lost"]), ("base".to_owned(), unmet), "all are loaded or none");
}
