//! `skills.read`: which file it gives, and as what.

use prowess_core::{Content, SourceErrorKind};
use prowess_tools::{ReadGate, ReadScope, ToolPolicy};
use serde_json::json;

use crate::fixture::{Host, Setup, catalog_of, check_error, skill_md, text};

fn loaded() -> Host {
    let host = Host::new(Setup::default());
    host.done("skills_load", json!({ "names": ["beta", "alpha"] }));
    host
}

#[test]
fn the_skill_that_was_loaded_last_is_meant_when_none_is_named() {
    let host = loaded();
    let answer = host.done("skills_read", json!({ "path": "references/guide.md" }));
    assert_eq!(text(&answer), "The guide of alpha\n");
    let cases = [
        ("beta", "The guide of beta\n"),
        ("alpha", "The guide of alpha\n"),
        ("memory://shelf/beta/SKILL.md", "The guide of beta\n"),
        ("", "The guide of alpha\n"),
    ];
    for (skill, guide) in cases {
        let arguments = json!({ "skill": skill, "path": "references/guide.md" });
        assert_eq!(text(&host.done("skills_read", arguments)), guide, "the skill {skill:?}");
    }
}

#[test]
fn a_skill_must_be_active() {
    let host = Host::new(Setup::default());
    let answer = host.call("skills_read", json!({ "path": "references/guide.md" }));
    check_error(
        &answer,
        "skill-not-active",
        "no skill is active; load the skill whose file you want, then read",
    );
    host.done("skills_load", json!({ "names": ["beta"] }));
    let answer = host.call("skills_read", json!({ "skill": "alpha", "path": "other.txt" }));
    check_error(&answer, "skill-not-active", "skill `alpha` is not active; load it, then read");
    let answer = host.call("skills_read", json!({ "skill": "alpa", "path": "other.txt" }));
    check_error(&answer, "skill-not-found", "no skill named `alpa`; did you mean `alpha`?");
    host.done("skills_unload", json!({ "all": true }));
    let answer = host.call("skills_read", json!({ "skill": "beta", "path": "SKILL.md" }));
    check_error(&answer, "skill-not-active", "skill `beta` is not active; load it, then read");
    let reads = host.source.reads();
    assert_eq!(reads, ["beta/SKILL.md"], "nothing but the load read a file");
}

#[test]
fn by_policy_any_visible_skill_s_files_may_be_read() {
    let host = Host::by(ToolPolicy { read_gate: Some(ReadGate::Known), ..ToolPolicy::default() });
    let answer = host.done("skills_read", json!({ "skill": "alpha", "path": "other.txt" }));
    assert_eq!(text(&answer), "Other");
    let answer = host.call("skills_read", json!({ "path": "other.txt" }));
    let expected = "no skill is active; name the skill whose file you want as `skill`";
    check_error(&answer, "skill-not-active", expected);
}

#[test]
fn text_comes_as_text_and_the_rest_as_base64() {
    let cases = [
        ("other.txt", Content::Text { text: "Other".to_owned() }),
        ("assets/dot.png", blob("assets/dot.png", "image/png", "iVBORw0KGgoAAA==")),
    ];
    let host = loaded();
    for (path, content) in cases {
        let answer = host.done("skills_read", json!({ "path": path }));
        assert_eq!(answer.result.content, [content], "the content of {path}");
    }
    let utf16: Vec<_> = "\u{feff}Größe\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, shown) in [(&b"a caf\xe9 here"[..], "a caf\u{fffd} here"), (&utf16, "Größe\n")] {
        host.source.change("alpha/other.txt", bytes);
        let content = host.done("skills_read", json!({ "path": "other.txt" })).result.content;
        assert_eq!(content[0], Content::Text { text: shown.to_owned() }, "clients show texts");
        assert!(format!("{:?}", content[1]).contains("not in UTF-8"));
    }
    host.source.change("alpha/other.txt", b"text\0with NUL");
    let answer = host.done("skills_read", json!({ "path": "other.txt" }));
    assert_eq!(answer.result.content, [blob("other.txt", "text/plain", "dGV4dAB3aXRoIE5VTA==")]);
    host.source.change("alpha/other.txt", b"password: Xk9-mP2vLq8w\n");
    let hidden = host.call("skills_read", json!({ "path": "other.txt" }));
    assert!(hidden.result.is_error && text(&hidden).ends_with("and is not shown"), "{hidden:?}");
    host.source.change("alpha/other.txt", b"");
    assert_eq!(text(&host.done("skills_read", json!({ "path": "other.txt" }))), "");
}

fn blob(path: &str, mime_type: &str, data: &str) -> Content {
    let uri = Some(format!("skill://alpha/{path}"));
    Content::Blob { mime_type: mime_type.to_owned(), data: data.to_owned(), uri }
}

#[test]
fn read_limit_never_exceeds_64_mib() {
    for (given, limit) in [(1, 1), (usize::MAX, 64 << 20), (64 << 20, 64 << 20)] {
        let policy = ToolPolicy { read_limit_bytes: given, ..ToolPolicy::default() };
        assert_eq!(policy.read_limit(), limit, "a limit of {given} cannot exhaust the memory");
    }
}

#[test]
fn a_file_over_the_limit_is_an_error_and_never_cut() {
    let at = |read_limit_bytes| {
        let host = Host::by(ToolPolicy { read_limit_bytes, ..ToolPolicy::default() });
        host.done("skills_load", json!({ "names": ["alpha"] }));
        host.call("skills_read", json!({ "path": "large.txt" }))
    };
    check_error(
        &at(999),
        "file-too-large",
        "`large.txt` of skill `alpha` is larger than the limit of 999 bytes; ask for fewer `lines`",
    );
    assert_eq!(text(&at(1000)).len(), 1000, "a file of just the limit comes whole");
}

#[test]
fn by_policy_only_references_and_assets_are_read() {
    let host = Host::by(ToolPolicy { read_scope: ReadScope::Resources, ..ToolPolicy::default() });
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_read", json!({ "path": "references/guide.md" }));
    host.done("skills_read", json!({ "path": "assets/dot.png" }));
    for path in ["other.txt", "SKILL.md", "references/../other.txt"] {
        let answer = host.call("skills_read", json!({ "path": path }));
        let name = path.rsplit('/').next().expect("a path has a last part");
        check_error(
            &answer,
            "path-not-allowed",
            &format!("`{name}` may not be read; only files under `references/` and `assets/` may"),
        );
    }
}

#[test]
fn a_missing_file_gets_a_suggestion() {
    let cases = [
        (
            "references/guid.md",
            "there is no `references/guid.md` in skill `alpha`; did you mean `references/guide.md`?",
        ),
        (
            "guide.md",
            "there is no `guide.md` in skill `alpha`; did you mean `references/guide.md`?",
        ),
        (
            "zzz",
            "there is no `zzz` in skill `alpha`; its files begin with `assets/dot.png`, `large.txt`, \
             `other.txt`, `references/guide.md` and `references/latin.txt`",
        ),
    ];
    let host = loaded();
    for (path, sentence) in cases {
        let answer = host.call("skills_read", json!({ "path": path }));
        check_error(&answer, "resource-not-found", sentence);
    }
    host.done("skills_load", json!({ "names": ["pdf-processing"] }));
    let answer = host.call("skills_read", json!({ "path": "zzz" }));
    check_error(
        &answer,
        "resource-not-found",
        "there is no `zzz` in skill `pdf-processing`; it has no other files",
    );
}

#[test]
fn a_source_s_failure_keeps_its_code_and_loses_its_words() {
    let untrusted = "which is not read in an untrusted layer; read another file";
    let file = "`other.txt` of skill `alpha`";
    let outside = "`other.txt` leads out of skill `alpha`; only files inside it can be read";
    let large = "FILE is larger than the limit of 16777216 bytes; read another file";
    let host = loaded();
    for (kind, sentence) in [
        (SourceErrorKind::Escape, outside),
        (SourceErrorKind::NotRegular, "FILE is not a file; name a file inside it"),
        (SourceErrorKind::Loop, "the links at FILE lead in a circle; read another file"),
        (SourceErrorKind::TooLarge, large),
        (SourceErrorKind::Denied, "FILE may not be read; tell the user"),
        (SourceErrorKind::MultipleLinks, "FILE is a hard link, UNTRUSTED"),
        (SourceErrorKind::CrossDevice, "FILE lies on another mount, UNTRUSTED"),
        (SourceErrorKind::Changing, "FILE is being written to; try again in a moment"),
        (SourceErrorKind::Changed, "it changed; go on without the skill"),
        (SourceErrorKind::Cancelled, "the turn was cancelled"),
        (SourceErrorKind::Unavailable, "FILE cannot be read now; try again later"),
    ] {
        host.source.fail("alpha/other.txt", kind);
        let answer = host.call("skills_read", json!({ "path": "other.txt" }));
        let sentence = sentence.replace("FILE", file).replace("UNTRUSTED", untrusted);
        check_error(&answer, kind.as_str(), &sentence);
    }
}

#[test]
fn a_skill_that_is_gone_or_moved_must_be_loaded_again() {
    let mut host = loaded();
    let moved = [("shelf/alpha/SKILL.md", skill_md("alpha", "Another package's body"))];
    let moved = moved.map(|(path, text)| (path, text.into_bytes()));
    let source = prowess_core::MemorySource::builder("elsewhere").file(moved[0].0, &moved[0].1);
    let source = source.build().expect("the fixture's paths are paths");
    host.catalog = catalog_of(std::sync::Arc::new(source), 8);
    for skill in ["alpha", "beta"] {
        let answer = host.call("skills_read", json!({ "skill": skill, "path": "SKILL.md" }));
        check_error(
            &answer,
            "skill-changed",
            &format!(
                "skill `{skill}` is no longer where it was loaded from; load it again, or unload it"
            ),
        );
    }
}

#[test]
fn lines_in_the_middle_are_noted_as_such() {
    let lines = (1..=10).map(|number| format!("line {number}\n")).collect::<String>();
    let alpha = skill_md("alpha", "Body");
    let files: [(&str, &[u8]); 2] =
        [("alpha/SKILL.md", alpha.as_bytes()), ("alpha/ten.txt", lines.as_bytes())];
    let host = Host::with(Setup::default(), &files);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    for (from, to) in [(3, 8), (2, 9), (1, 9), (2, 10)] {
        let lines = json!({ "from": from, "to": to });
        let answer = host.done("skills_read", json!({ "path": "ten.txt", "lines": lines }));
        let note = format!("Note: these are lines {from} to {to} of 10.");
        assert!(text(&answer).contains(&note), "{}", text(&answer));
    }
    let answer = host.done("skills_read", json!({ "path": "ten.txt" }));
    assert!(!text(&answer).contains("Note:"), "it is the whole file");
}
