//! Lock files of other tools.

use prowess_core::Digest;
use prowess_store::{ForeignLock, ForeignSkill, LockError, folder_hash};

const HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Checks what a file names: the name, the source and the reference of each skill.
fn check(format: ForeignLock, text: &str, expected: &[[&str; 3]]) {
    let read = format.read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read.left_out, [], "{text}");
    let skills = read.skills;
    let shown = |skill: &ForeignSkill| {
        let or_none = |text: &Option<String>| text.clone().unwrap_or_default();
        [or_none(&skill.name), skill.source.clone(), or_none(&skill.reference)]
    };
    assert_eq!(skills.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
}

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Returns a text with a whole commit and digest.
fn filled(text: &str) -> String {
    text.replace("COMMIT", COMMIT).replace("HASH", HASH)
}

#[test]
fn skills_locks_are_read() {
    let text = filled(include_str!("../data/skills-lock.json"));
    let expected = [
        ["a", "owner/repo", "v1"],
        ["b", "./skills", ""],
        ["c", "https://example.com", ""],
        ["d", "git+https://lab.example/repo", ""],
    ];
    check(ForeignLock::SkillsLock, &text, &expected);
    let skills = ForeignLock::SkillsLock.read(&text).unwrap().skills;
    let hash = skills[0].folder_hash.map(|hash| hash.to_string());
    assert_eq!(hash, Some(format!("sha256:{HASH}")));
}

#[test]
fn lock_of_a_user_is_read() {
    let text = r#"{"version": 3, "dismissed": {}, "skills": {"a": {
        "source": "mintlify/example.com", "sourceType": "well-known", "sourceUrl": "https://example.com/a",
        "skillFolderHash": "0123", "installedAt": "2026-01-01", "updatedAt": "2026-01-01"
    }}}"#;
    check(ForeignLock::SkillLock, text, &[["a", "https://example.com/a", ""]]);
}

#[test]
fn lock_has_no_more_skills_than_can_be_reported() {
    let read = |count: usize| {
        let skills: Vec<_> = (0..count).map(|number| format!("\"s{number}\": {{}}")).collect();
        let text = format!("{{\"version\": 1, \"skills\": {{\n{}}}}}", skills.join(",\n"));
        ForeignLock::SkillsLock.read(&text)
    };
    let left_out = read(2_000).unwrap().left_out;
    let last = left_out.iter().find(|it| it.name == "s1999").unwrap();
    assert!(last.error.to_string().contains("line 2001: "), "{}", last.error);
    assert!(read(2_001).is_err());
}

#[test]
fn lines_keep_their_host_and_path() {
    let line = |kind: &str, source: &str, more: &str| {
        let text = format!(
            r#"{{"version": 3, "skills": {{"a": {{"source": "{source}", "sourceType": "{kind}"{more}}}}}}}"#
        );
        let read = ForeignLock::SkillLock.read(&text).unwrap();
        let left_out = read.left_out.iter().map(|it| it.error.to_string());
        read.skills.iter().map(|it| it.source.clone()).chain(left_out).next().unwrap_or_default()
    };
    let url = |host: &str| format!(r#", "sourceUrl": "https://{host}/team/pack.git""#);
    for row in include_str!("../data/foreign.jsonl").lines() {
        let [kind, source, more, expected]: [String; 4] =
            serde_json::from_str(row).expect("four texts");
        assert_eq!(line(&kind, &source, &more), expected, "{kind} {source} {more}");
    }
    for row in include_str!("../data/foreign-lost.jsonl").lines() {
        let [kind, source, more]: [String; 3] = serde_json::from_str(row).expect("three texts");
        let lost = line(&kind, &source, &more);
        assert!(lost.contains("line 1: it"), "{lost}");
    }
    let [web, token] =
        ["me:s3cr3t@a.example", "ghp_0123456789abcdefghijABCDEFGHIJ456789@a.example"];
    for (source, more) in [
        ("a/b", url(web)),
        ("a/b", url(token)),
        ("me:s3cr3t@a.example/team/pack", String::new()),
        ("me:s3cr3t@a.example:team/pack", String::new()),
        ("https://me:s3cr3t@a.example/a/b", r#", "host": "a.example""#.to_owned()),
    ] {
        let refused = line("git", source, &more);
        assert!(refused.contains("line 1: its source contains a password"), "{refused}");
        assert!(!refused.contains("s3cr3t") && !refused.contains("ghp_"), "{refused}");
    }
}

#[test]
fn toolhive_lock_is_read() {
    let text = include_str!("../data/toolhive.yaml");
    let digest = filled("sha256:HASH");
    let expected = [
        ["a", "oci://ghcr.io/owner/a", &digest],
        ["b", "git+https://github.com/owner/repo//skills/b", COMMIT],
        ["c", "oci://localhost:5000/c", &digest],
    ];
    check(ForeignLock::ToolHive, &filled(text), &expected);
}

#[test]
fn signers_of_lines_are_kept() {
    let text = include_str!("../data/signed.yaml");
    let read = ForeignLock::ToolHive.read(&filled(text)).expect("it is a lock");
    let signers: Vec<_> = read.skills.iter().map(|skill| skill.signer.as_ref()).collect();
    let workflow = "https://github.com/owner/skills/.github/workflows/build.yml".to_owned();
    let identity = ["https://token.actions.githubusercontent.com".to_owned(), workflow];
    assert_eq!(signers[0].and_then(|it| it.identity.clone()), Some(identity));
    assert_eq!(signers[1].map(|it| it.identity.clone()), Some(None), "its key is not understood");
    assert_eq!(signers[2], None);
}

#[test]
fn apm_lock_is_read() {
    let text = include_str!("../data/apm.yaml");
    let expected = [
        ["", "git+https://github.com/owner/repo//skills/a", COMMIT],
        ["", "git+https://git.example.com/owner/repo", "v1"],
        ["", "git+https://example.com/owner/repo", ""],
        ["", "git@example.com:owner/repo", ""],
        ["", "git+https://example.com/owner/repo", ""],
        ["one", "git+https://github.com/owner/pack", ""],
        ["two", "git+https://github.com/owner/pack", ""],
        ["one", "git+https://github.com/owner/old", ""],
    ];
    check(ForeignLock::Apm, &filled(text), &expected);
}

#[test]
fn line_that_cannot_be_read_costs_itself() {
    let json = include_str!("../data/skills-lock-lost.json");
    let toolhive = include_str!("../data/toolhive-lost.yaml");
    let apm = include_str!("../data/apm-lost.yaml");
    for (format, text, lines) in [
        (ForeignLock::SkillsLock, json, [3, 4, 5, 6].as_slice()),
        (ForeignLock::ToolHive, toolhive, &[8, 10, 11, 14]),
        (ForeignLock::Apm, apm, &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
    ] {
        let read = format.read(&filled(text)).unwrap();
        assert_eq!(read.skills.len(), 1, "{format:?}");
        let left_out: Vec<_> = read.left_out.iter().map(|it| it.error.to_string()).collect();
        assert_eq!(left_out.len(), lines.len(), "{left_out:?}");
        for (error, line) in left_out.iter().zip(lines) {
            assert!(error.contains(&format!("line {line}: ")), "{error} instead of {line}");
        }
    }
}

#[test]
fn one_of_two_values_is_never_taken() {
    let skill = |more: &str| format!("{{\"source\": \"a/b\",\n\"sourceType\": \"github\"{more}}}");
    let json = |skills: &str| format!("{{\"version\": 3,\n\"skills\": {{{skills}}}}}");
    let one = skill("");
    let twice = [
        json(&format!("\"a\": {one},\n\"a\": {one}")),
        json(&format!("\"a\": {one},\n\"\\u0061\": {one}")),
        json(&format!("\"a\": {}", skill(",\n\"source\": \"c/d\""))),
        json(&format!("\"a\": {}", skill(",\n\"x\": {\"\\\"\": 1,\n\"\\\"\": 2}"))),
        json("}, \"version\": 3, \"skills\": {"),
    ];
    for (text, lines) in twice.iter().zip([[2, 4], [2, 4], [2, 4], [4, 5], [1, 2]]) {
        let error = ForeignLock::SkillLock.read(text).expect_err(text).to_string();
        let [first, second] = lines.map(|line| format!("at line {line}"));
        assert!(error.contains(&first) && error.contains(&second), "{text}: {error}");
    }
    let values = json(&format!("\"a\": {}, \"b\": {one}", skill(", \"ref\": \"ref\"")));
    assert_eq!(ForeignLock::SkillLock.read(&values).map(|read| read.skills.len()), Ok(2));
    let entry = "- name: a\n  source: ghcr.io/o/a:1\n  digest: sha256:HASH\n";
    let (entry, other) = (filled(entry), filled(entry).replace("sha256:e", "sha256:f"));
    for (format, text, lines) in [
        (ForeignLock::ToolHive, format!("version: 1\nskills:\n{entry}  source: b\n"), ["6", "4:3"]),
        (ForeignLock::ToolHive, "version: 1\nskills: []\nversion: 1\n".into(), ["3", "1:1"]),
        (ForeignLock::Apm, "lockfile_version: '1'\nlockfile_version: '1'\n".into(), ["2", "1:1"]),
    ] {
        let error = format.read(&text).expect_err("a key is there twice").to_string();
        assert!(lines.iter().all(|line| error.contains(line)), "{text}: {error}");
    }
    let text = format!("version: 1\nskills:\n{entry}{other}{entry}");
    let read = ForeignLock::ToolHive.read(&text).expect("each is read");
    let errors = read.left_out.iter().map(|it| it.error.to_string()).collect::<Vec<_>>().join("\n");
    assert_eq!((read.skills.len(), read.left_out.len()), (0, 3), "nothing says which is meant");
    assert!(errors.contains("line 3: line ") && errors.contains("line 6: line 3 has"), "{errors}");
    let same = format!("version: 1\nskills:\n{entry}{entry}");
    assert_eq!(ForeignLock::ToolHive.read(&same).map(|read| read.left_out.len()), Ok(0));
}

#[test]
fn unreadable_files_are_never_empty_locks() {
    let long = format!("lockfile_version: '1'\ndependencies:\n- \"{}\"\n", "a".repeat(9_999));
    let read = ForeignLock::Apm.read(&long).expect("the line costs itself");
    assert!(read.left_out[0].error.to_string().len() < 500, "the text is cut");
    for format in ForeignLock::ALL {
        for text in
            ["", "{", "[]", "null", "version: 1\nskills: {", "{\"version\": \"x\"}", "a: &a [*a]"]
        {
            let read = format.read(text);
            assert!(matches!(read, Err(LockError::Invalid(_))), "{format:?} {text:?}: {read:?}");
        }
        let conflicted = "<<<<<<< ours\n=======\n>>>>>>> theirs\n";
        assert_eq!(format.read(conflicted), Err(LockError::Conflicted), "{format:?}");
        let large = " ".repeat(5 * 1024 * 1024);
        assert!(matches!(format.read(&large), Err(LockError::Invalid(_))), "{format:?}");
        assert_eq!(ForeignLock::from_code(format.as_str()), Some(format));
    }
    for (format, text) in [
        (ForeignLock::SkillsLock, r#"{"version": 1, "host": "git.corp.example", "skills": {}}"#),
        (ForeignLock::ToolHive, "version: 1\nsigner: alice\nskills: []\n"),
        (ForeignLock::Apm, "lockfile_version: '1'\ndefault_host: x\ndependencies: []\n"),
        (ForeignLock::SkillsLock, r#"{"version": 1, "dismissed": {"signer": {}}, "skills": {}}"#),
    ] {
        let read = format.read(text).map_err(|error| error.to_string());
        assert!(read.as_ref().is_err_and(|it| it.contains("is not known")), "{text}: {read:?}");
    }
    let version = ForeignLock::SkillsLock.read(r#"{"version": 2, "skills": {}}"#);
    assert_eq!(version, Err(LockError::UnknownVersion(2)));
    let hash = r#"{"version": 1, "skills": {"a": {"source": "a/b", "sourceType": "github", "computedHash": "x"}}}"#;
    assert_eq!(ForeignLock::SkillsLock.read(hash).map(|read| read.left_out.len()), Ok(1));
}

#[test]
fn nested_flow_ends_soon() {
    for open in ["[", "{a: ", "- ", "? ", "!!a ", "&a ", "- - [", "'[', "] {
        let text = format!("version: 1\nskills: {}", open.repeat(200_000));
        assert!(ForeignLock::ToolHive.read(&text).is_err(), "its depth is limited");
    }
}

/// Paths as `String.localeCompare` of Node.js sorts them.
const SORTED: &str = include_str!("../data/sorted-paths.txt");

#[test]
fn folder_hash_has_the_order_of_node() {
    let mut files: Vec<_> = SORTED.lines().map(|path| (path, &b"x"[..])).collect();
    let expected: String = files.iter().map(|(path, _)| format!("{path}x")).collect();
    files.sort_unstable();
    files.push(("a/.git/config", b"left out"));
    assert_eq!(folder_hash(&files), Digest::of(expected.as_bytes()));
}
