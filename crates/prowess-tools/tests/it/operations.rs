//! The operations `list`, `search`, `describe` and `run`, and reading by lines.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Code, Content, ScriptError, ScriptIsolation, ScriptOutcome};
use prowess_tools::{DiscoveryTools, ReadGate, ScriptRead, SkillLookup, ToolPolicy, WordFilter};
use serde_json::{Value, json};

use crate::fixture::{Host, Scripts, Setup, check_error, code, skill_md, text};

fn data(host: &Host, tool: &str, arguments: Value) -> Value {
    host.done(tool, arguments).result.structured.expect("the result is data")
}

#[test]
fn list_goes_on_where_the_page_before_ended() {
    let host = Host::new(Setup::default());
    let first = data(&host, "skills_list", json!({ "limit": 2 }));
    let skill = |id: &str| json!({ "id": id, "name": id, "description": format!("Does {id}. Use it for {id}.") });
    let expected = json!({
        "generation": 7, "skills": [skill("alpha"), skill("beta")], "next_cursor": "skill://beta",
    });
    assert_eq!(first, expected);
    let second = data(&host, "skills_list", json!({ "cursor": first["next_cursor"] }));
    assert_eq!(second["skills"][0]["id"], "pdf-processing");
    assert!(second.get("next_cursor").is_none(), "the last page has no next: {second}");
    for (cursor, count) in [("", 3), ("alpha", 2), ("zzz", 0), ("skill://%FF", 0)] {
        let page = data(&host, "skills_list", json!({ "cursor": cursor }));
        let skills = page["skills"].as_array().expect("it is a list");
        assert_eq!(skills.len(), count, "any text may be a cursor: {cursor:?}");
    }
}

#[test]
fn list_page_has_a_limit() {
    let host = Host::of_many(ToolPolicy::default(), 250);
    for (limit, count) in [(json!(null), 50), (json!(0), 1), (json!(u64::MAX), 200)] {
        let page = data(&host, "skills_list", json!({ "limit": limit }));
        assert_eq!(page["skills"].as_array().map(Vec::len), Some(count), "{limit}");
    }
    check_error(
        &host.call("skills_list", json!({ "limit": "all" })),
        "invalid-arguments",
        "`skills_list`: `limit` must be an integer, not a string. Correct this and call again",
    );
}

#[test]
fn ten_thousand_skills_are_listed_by_pages() {
    let host = Host::of_many(ToolPolicy::default(), 10_000);
    let most = ToolPolicy::default().list_page;
    let mut ids = Vec::new();
    let mut arguments = json!({});
    loop {
        let page = data(&host, "skills_list", arguments);
        let skills = page["skills"].as_array().expect("it is a list");
        assert!((1..=most).contains(&skills.len()), "a page has up to {most}: {}", skills.len());
        ids.extend(skills.iter().map(|skill| skill["id"].as_str().expect("an id").to_owned()));
        match page.get("next_cursor") {
            Some(cursor) => arguments = json!({ "cursor": cursor }),
            None => break,
        }
    }
    let all = (0..10_000).map(|number| format!("skill-{number:05}"));
    assert!(ids.iter().cloned().eq(all), "each skill once, in order: {}", ids.len());
}

#[test]
fn search_ranks_and_blank_lists_all() {
    let host = Host::new(Setup::default());
    let ids = |query: &str| {
        let found = data(&host, "skills_search", json!({ "query": query }));
        let hits = found["hits"].as_array().expect("it is a list").clone();
        hits.iter().map(|hit| hit["id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("Does BETA"), ["beta"], "every word must be there, in any case");
    assert_eq!(ids(" "), ["alpha", "beta", "pdf-processing"]);
    assert_eq!(ids("no such thing"), [""; 0]);
    let hit = &data(&host, "skills_search", json!({ "query": "pdf", "limit": 1 }))["hits"][0];
    let expected = json!({
        "id": "pdf-processing",
        "name": "pdf-processing",
        "description": "Does pdf-processing. Use it for pdf-processing.",
        "score": 1.0,
    });
    assert_eq!(*hit, expected);
}

#[test]
fn word_filter_is_a_ranker() {
    prowess_testkit::check_ranker(&WordFilter);
}

#[test]
fn describe_does_not_load() {
    let host = Host::new(Setup::default());
    let described = data(&host, "skills_describe", json!({ "skill": "skill://alpha/SKILL.md" }));
    let file = |path: &str, bytes: u64| json!({ "path": path, "bytes": bytes });
    let expected = json!({
        "id": "alpha",
        "name": "alpha",
        "location": "memory://shelf/alpha/SKILL.md",
        "root_dir": "memory://shelf/alpha",
        "layer": "user",
        "digest": "sha256:bf18980e2b505f19051912bb6a36738dbe2c4e3971c8d75f5a84bf5ef3ba98c3",
        "properties": { "name": "alpha", "description": "Does alpha. Use it for alpha." },
        "description": "Does alpha. Use it for alpha.",
        "tags": [],
        "active": false,
        "body_tokens": 11,
        "script_paths": [],
        "files": [
            file("assets/dot.png", 10),
            file("large.txt", 1000),
            file("other.txt", 5),
            file("references/guide.md", 19),
            file("references/latin.txt", 4),
        ],
        "files_complete": true,
    });
    assert_eq!(described, expected);
    assert_eq!(host.active(), "", "nothing was loaded");
    host.done("skills_load", json!({ "names": ["alpha"] }));
    assert_eq!(data(&host, "skills_describe", json!({ "skill": "alpha" }))["active"], true);
    let skill = skill_md("alpha", "");
    let files = [("alpha/SKILL.md", skill.as_bytes()), ("alpha/scripts/run.sh", b"")];
    let others = [
        ("alpha/scripts/a.txt", &b""[..]),
        ("alpha/scripts/settings.ini", b"a=1"),
        ("alpha/scripts/data.bin", b"\x00\x01"),
        ("alpha/scripts/plain", b"no script"),
        ("alpha/scripts/lined", b"#!/bin/sh\n"),
        ("alpha/scripts/lined.ini", b"#!/usr/bin/env python3\n"),
        ("alpha/scripts/program", b"\x7fELF\x02"),
        ("alpha/other/run.sh", b""),
        ("alpha/bin/run.sh", b""),
    ];
    let scripts = Host::with(Setup::default(), &[&files[..], &others].concat());
    let described = data(&scripts, "skills_describe", json!({ "skill": "alpha" }));
    let expected = "scripts/lined scripts/lined.ini scripts/program scripts/run.sh";
    let paths = described["script_paths"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    assert_eq!(paths.collect::<Vec<_>>().join(" "), expected);
    check_error(
        &host.call("skills_describe", json!({ "skill": "alfa" })),
        "skill-not-found",
        "no skill named `alfa`; did you mean `alpha`?",
    );
}

#[test]
fn discovery_is_offered_when_lists_are_incomplete() {
    let names = |discovery, ids_in_schema| {
        let host = Host::by(ToolPolicy { discovery, ids_in_schema, ..ToolPolicy::default() });
        let definitions = host.toolbox.definitions(&host.catalog);
        let names = definitions.iter().map(|definition| definition.name.clone());
        names.filter(|name| name.ends_with("search")).count()
    };
    assert_eq!(names(DiscoveryTools::Overflow, 3), 0, "three skills are listed in the schema");
    assert_eq!(names(DiscoveryTools::Overflow, 2), 1, "more are not");
    assert_eq!(names(DiscoveryTools::Always, 3), 1);
    assert_eq!(names(DiscoveryTools::Never, 2), 0);
}

#[test]
fn names_in_another_spelling_are_found_by_policy() {
    for (skill_lookup, case, spelling) in [
        (SkillLookup::Spelling, None, None),
        (SkillLookup::CasefoldUnique, None, Some("skill-not-found")),
        (SkillLookup::Exact, Some("skill-not-found"), Some("skill-not-found")),
    ] {
        let host = Host::by(ToolPolicy { skill_lookup, ..ToolPolicy::default() });
        for (name, expected) in [("PDF-Processing", case), ("pdf_processing", spelling)] {
            let loaded = host.call("skills_load", json!({ "names": [name] }));
            assert_eq!(code(&loaded), expected, "{name} by {skill_lookup:?}");
        }
    }
    let host = Host::new(Setup::default());
    host.done("skills_load", json!({ "names": ["Pdf Processing"] }));
    host.done("skills_read", json!({ "skill": "pdf_processing", "path": "SKILL.md" }));
}

#[test]
fn allowlisted_skills_are_read_without_loading() {
    let host = Host::by(ToolPolicy {
        read_gate: Some(ReadGate::Allowlisted),
        read_allowlist: vec!["alpha".to_owned()],
        ..ToolPolicy::default()
    });
    let read = |skill: &str| {
        host.call("skills_read", json!({ "skill": skill, "path": "references/guide.md" }))
    };
    assert_eq!(text(&read("alpha")), "The guide of alpha\n");
    let refused = "skill `beta` is not active; load it, then read";
    check_error(&read("beta"), "skill-not-active", refused);
    host.done("skills_load", json!({ "names": ["beta"] }));
    assert_eq!(text(&read("beta")), "The guide of beta\n");
}

#[test]
fn long_text_is_read_in_pages() {
    let long: String = (1..=100).map(|number| format!("line {number}\n")).collect();
    let skill = skill_md("alpha", "Body");
    let files: [(&str, &[u8]); 3] = [
        ("alpha/SKILL.md", skill.as_bytes()),
        ("alpha/long.txt", long.as_bytes()),
        ("alpha/dot.bin", b"\0\x01"),
    ];
    // Only what has no lines is too large.
    let policy = ToolPolicy { page_bytes: 100, read_limit_bytes: 500, ..ToolPolicy::default() };
    let host = Host::with(Setup { policy, ..Setup::default() }, &files);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let mut from = 1;
    let mut read = String::new();
    while from <= 100 {
        let lines = json!({ "from": from });
        let answer = host.done("skills_read", json!({ "path": "long.txt", "lines": lines }));
        let Content::Text { text } = &answer.result.content[0] else { panic!("it is text") };
        assert!(text.len() <= 100 && text.ends_with('\n'), "a page is of whole lines: {text:?}");
        from += text.lines().count();
        read.push_str(text);
        let note = answer.result.content.get(1).map(|note| format!("{note:?}"));
        let next = format!("{{\\\"from\\\": {from}}}");
        let note = note.expect("each page says which lines it has");
        assert_eq!(note.contains(&next), from <= 100, "the next page is named: {note}");
    }
    assert_eq!(read, long, "the pages are the file");
    let invalid = |lines: Value, path: &str, expected: &str| {
        let answer = host.call("skills_read", json!({ "path": path, "lines": lines }));
        check_error(&answer, "invalid-arguments", expected);
    };
    let outside = "`long.txt` has 100 lines; choose `lines`, and a `column`, among them";
    invalid(json!({ "from": 101 }), "long.txt", outside);
    invalid(json!({ "from": 0 }), "long.txt", outside);
    invalid(json!({ "from": 5, "to": 4 }), "long.txt", outside);
    invalid(json!({ "to": 3 }), "dot.bin", "`dot.bin` is not text; read it without `lines`");
}

fn host_with(answer: Result<ScriptOutcome, ScriptError>) -> (Host, Arc<Scripts>) {
    let runner = Scripts::ending(move |_, _| answer.clone());
    let host = Host::new(Setup { runner: Some(runner.clone()), ..Setup::default() });
    (host, runner)
}

#[test]
fn run_without_a_runner_is_refused_and_not_offered() {
    let host = Host::new(Setup::default());
    let is_offered = |host: &Host| {
        let definitions = host.toolbox.definitions(&host.catalog);
        definitions.iter().any(|definition| definition.name == "skills_run")
    };
    assert!(!is_offered(&host));
    host.done("skills_load", json!({ "names": ["alpha"] }));
    check_error(
        &host.call("skills_run", json!({ "path": "scripts/a.py" })),
        "scripts-unavailable",
        "no script can be run here; follow the skill's instructions without it, or tell the user",
    );
    assert!(is_offered(&host_with(Ok(ScriptOutcome::default())).0));
}

#[test]
fn run_passes_its_arguments_unchanged() {
    let (host, runner) = host_with(Ok(ScriptOutcome {
        exit_code: Some(3),
        stdout: "out\u{1b}[2J </skill_content>\n".to_owned(),
        stderr: "err".to_owned(),
        duration: Duration::from_millis(12),
        truncated: true,
        stdout_dropped: 7,
        isolation: Some(ScriptIsolation {
            level: "floor".to_owned(),
            layers: vec!["seccomp".to_owned()],
            missing: Vec::new(),
        }),
        ..ScriptOutcome::default()
    }));
    host.done("skills_load", json!({ "names": ["beta", "alpha"] }));
    let arguments = json!({
        "path": "scripts/a.py",
        "args": ["--flag", "", "a b", "$HOME; rm -rf /", "ü"],
        "env": { "KEY": "va lue", "EMPTY": "" },
        "workdir": "../../etc",
    });
    let result = data(&host, "skills_run", arguments);
    let expected = json!({
        "path": "scripts/a.py",
        "exit_code": 3,
        "stdout": "out[2J &lt;/skill_content>\n",
        "stderr": "err",
        "duration_ms": 12,
        "timed_out": false,
        "truncated": true,
        "dropped_bytes": { "stdout": 7, "stderr": 0 },
        "isolation": { "level": "floor", "layers": ["seccomp"], "missing": [] },
        "hint": "the script failed; read `stderr` and correct the arguments, or follow the \
            skill's instructions without the script",
    });
    assert_eq!(result, expected);
    host.done("skills_run", json!({ "path": "skill://beta/scripts/b.sh" }));
    let [first, second] = &runner.taken()[..] else { panic!("both ran") };
    let words = r#"["--flag", "", "a b", "$HOME; rm -rf /", "ü"]"#;
    let request = format!(r#"{words} {{"EMPTY": "", "KEY": "va lue"}} Some("../../etc")"#);
    assert_eq!(first.request, request);
    assert_eq!((&*second.script, &*second.request), ("beta scripts/b.sh", "[] {} None"));
    assert_eq!(second.time, Duration::from_secs(30));
}

#[test]
fn run_needs_an_active_skill_and_a_script() {
    let (host, runner) = host_with(Ok(ScriptOutcome::default()));
    let run = |arguments| host.call("skills_run", arguments);
    let refused = "skill `alpha` is not active; load it, then run";
    check_error(
        &run(json!({ "skill": "alpha", "path": "scripts/a" })),
        "skill-not-active",
        refused,
    );
    host.done("skills_load", json!({ "names": ["alpha"] }));
    for path in ["other.txt", "scripts", "scriptsx/a", "scripts/../other.txt"] {
        assert_eq!(code(&run(json!({ "path": path }))), Some("path-not-allowed"), "{path}");
    }
    for path in ["../a", "/bin/sh", "scripts/../../a"] {
        assert!(run(json!({ "path": path })).result.is_error, "{path}");
    }
    let wrong = run(json!({ "path": "scripts/a", "env": { "KEY": 1 } }));
    assert_eq!(code(&wrong), Some("invalid-arguments"), "a variable is a text");
    assert!(runner.taken().is_empty(), "nothing ran");
}

#[test]
fn run_reports_a_script_that_was_not_started() {
    let error = ScriptError::new(Code::new("sandbox-unavailable"), "no sandbox; tell the user");
    let (host, _) = host_with(Err(error));
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let answer = host.call("skills_run", json!({ "path": "scripts/a" }));
    check_error(&answer, "sandbox-unavailable", "no sandbox; tell the user");
}

/// Reads a path of `alpha` under a policy and returns the code of the refusal.
fn read_code(script_read: ScriptRead, is_loaded: bool, path: &str) -> Option<String> {
    let read_gate = Some(ReadGate::Known);
    let script_directories = vec!["scripts".to_owned(), "jobs/".to_owned()];
    let script_extensions = vec!["lua".to_owned()];
    let runs = ToolPolicy { script_directories, script_extensions, ..ToolPolicy::default() };
    let host = Host::by(ToolPolicy { script_read, read_gate, ..runs });
    if is_loaded {
        host.done("skills_load", json!({ "names": ["alpha"] }));
    }
    let answer = host.call("skills_read", json!({ "skill": "alpha", "path": path }));
    code(&answer).map(str::to_owned)
}

#[test]
fn scripts_are_run_and_not_read() {
    let blocked = Some("script-read-blocked".to_owned());
    // The refusal does not depend on the existence of the file.
    let missing = Some("resource-not-found".to_owned());
    let scripts = "scripts/a.py ./scripts/a.py references/../scripts/a.py scripts/deep/er/a.SH \
                   bin/a.rb tools/a.js tools/a.ts scripts/a.pl skill://alpha/scripts/a.py \
                   scripts/a.mjs tools/a.bash bin/a.cjs jobs/a.sh scripts/a.LUA";
    for path in scripts.split(' ') {
        assert_eq!(read_code(ScriptRead::Block, false, path), blocked, "{path}");
        assert_eq!(read_code(ScriptRead::BlockWhenActive, true, path), blocked, "{path}");
        assert_eq!(read_code(ScriptRead::BlockWhenActive, false, path), missing, "{path}");
        assert_eq!(read_code(ScriptRead::Allow, true, path), missing, "{path}");
    }
    let others = "scripts/a.txt jobs/a.json tools/a bin/a.lua a.py references/a.py myscripts/a.py \
                  scripts/a jobs/a";
    for path in others.split(' ') {
        assert_eq!(read_code(ScriptRead::Block, true, path), missing, "{path}");
    }
    assert_eq!(read_code(ScriptRead::Block, true, "references/guide.md"), None);
}
