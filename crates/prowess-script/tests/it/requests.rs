//! The input of a call reaches the script unchanged.

use std::collections::BTreeMap;

use prowess_core::{ApprovedPackage, Cancel, Digest, Progress, ResourcePath, ScriptRequest};
use prowess_script::ScriptPolicy;
use rustix::process::Signal;

use crate::fixture::{Call, Skill};

/// Reads the output of `od -An -v -tx1`.
fn bytes(printed: &str) -> String {
    let bytes = printed.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap());
    String::from_utf8(bytes.collect()).unwrap()
}

#[test]
fn arguments_arrive_byte_for_byte() {
    let skill = Skill::new(&[("scripts/a.sh", r#"printf '%s\0' "$@" | od -An -v -tx1"#)]);
    let arguments = ["a b", "'\"", "; rm -rf /", "$(id)", "*", "", "-c", "é\u{202e}", "line\nfeed"];
    let call = Call { arguments: &arguments, ..Call::default() };
    let expected = arguments.join("\0") + "\0";
    assert_eq!(bytes(&skill.call("scripts/a.sh", &call).unwrap().stdout), expected);
}

#[test]
fn end_and_streams_are_a_result() {
    // A process that kills itself as the kernel does has reached no limit.
    for (script, exit_code, signal) in [
        ("kill -SEGV $$", None, Some(Signal::SEGV.as_raw())),
        ("kill -KILL $$", None, Some(Signal::KILL.as_raw())),
        ("exit 137", Some(137), None),
        ("exit 255", Some(255), None),
        ("echo out; echo error >&2; exit 3", Some(3), None),
        ("echo error >&2; exit 0", Some(0), None),
    ] {
        let outcome = Skill::new(&[("scripts/a.sh", script)]).run("scripts/a.sh");
        let ended = (outcome.exit_code, outcome.signal, outcome.timed_out, outcome.limit);
        assert_eq!(ended, (exit_code, signal, false, None), "{script}");
        let streams = [("out\n", &outcome.stdout), ("error\n", &outcome.stderr)];
        for (text, stream) in streams {
            let is_printed = script.contains(&format!("echo {}", text.trim_end()));
            assert_eq!(*stream, if is_printed { text } else { "" }, "{script}");
        }
    }
}

#[test]
fn environment_has_the_variables_of_the_call_and_none_of_the_host() {
    let environment = BTreeMap::from([("TZ".to_owned(), "UTC".to_owned())]);
    let policy = ScriptPolicy { environment, ..ScriptPolicy::default() };
    // A shell adds variables of its own to the environment of its processes.
    let script = r#"cut -z -d= -f1 /proc/$$/environ | sort -z | tr '\0' ' '; echo "$GREETING""#;
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let call = Call { environment: &[("GREETING", "a b;c")], ..Call::default() };
    let outcome = skill.call("scripts/a.sh", &call).unwrap();
    let expected = "GREETING HOME LANG PATH TMPDIR TZ a b;c\n";
    assert_eq!(outcome.stdout, expected);
}

#[test]
fn variables_that_load_code_are_refused() {
    let skill = Skill::new(&[("scripts/a.sh", "echo started")]);
    for name in [
        "LD_PRELOAD", "LD_AUDIT", "PATH", "BASH_ENV", "ENV", "IFS", "PYTHONPATH", "BASH_FUNC_ls%%",
        "NODE_OPTIONS", "GIT_SSH_COMMAND", "EDITOR", "OPENSSL_CONF", "PERL5OPT", "RUBYOPT", "",
        "1A", "A=B", "A\nB",
    ] {
        let call = Call { environment: &[(name, "x")], ..Call::default() };
        let (code, message) = skill.refused("scripts/a.sh", &call);
        assert_eq!(code, "environment-not-allowed", "{name}");
        assert!(message.contains("argument"), "{message}");
    }
    let call = Call { environment: &[("A", "\0")], ..Call::default() };
    assert_eq!(skill.refused("scripts/a.sh", &call).0, "environment-not-allowed");
}

/// The kernel starts no process with so long a variable: the call says so.
#[test]
fn value_is_exact_or_refused() {
    let skill = Skill::new(&[("scripts/a.sh", r#"printf %s "$A" | od -An -v -tx1"#)]);
    let value = "A=B\nC\u{202e};$(id)";
    let call = Call { environment: &[("A", value)], ..Call::default() };
    assert_eq!(bytes(&skill.call("scripts/a.sh", &call).unwrap().stdout), value);
    let long = "x".repeat(1 << 20);
    let call = Call { environment: &[("A", &long)], ..Call::default() };
    let (code, message) = skill.refused("scripts/a.sh", &call);
    assert_eq!(code, "environment-not-allowed", "{message}");
    assert!(message.len() < 1000, "the value is not repeated: {message}");
    let call = Call { arguments: &[&long], ..Call::default() };
    let (code, message) = skill.refused("scripts/a.sh", &call);
    assert_eq!(code, "argument-too-long", "{message}");
}

/// The package was compared, and a file of it changes before it is copied.
#[test]
fn file_that_changes_after_the_comparison_does_not_run() {
    let skill = Skill::new(&[("scripts/a.sh", "echo started")]);
    let call = Call { approved: Some(Digest::of(b"another package")), ..Call::default() };
    assert_eq!(skill.refused("scripts/a.sh", &call).0, "package-changed");
    let record = skill.catalog.get("kit").unwrap();
    let approved = skill.catalog.package_digest(record, &Cancel::default()).unwrap();
    let path = ResourcePath::new("scripts/a.sh").unwrap();
    let request = ScriptRequest {
        catalog: &skill.catalog,
        record,
        path: &path,
        arguments: &[],
        environment: &BTreeMap::new(),
        working_directory: None,
        input: &[],
        approved: Some(approved),
        progress: Progress::default(),
    };
    let package = ApprovedPackage::of(&request, &Cancel::default()).unwrap();
    package.check(&path, b"echo started").unwrap();
    let other = ResourcePath::new("scripts/b.sh").unwrap();
    for (path, bytes) in [(&path, "echo other"), (&other, "echo started")] {
        let refused = package.check(path, bytes.as_bytes()).unwrap_err();
        assert_eq!(refused.code.as_str(), "package-changed");
    }
}

#[test]
fn working_directory_is_in_the_package() {
    let files = [("scripts/a.sh", "basename \"$PWD\"; ls"), ("assets/forms/one.txt", "")];
    let skill = Skill::new(&files);
    for (directory, expected) in [
        (None, "package\nSKILL.md\nassets\nscripts\n"),
        (Some("."), "package\nSKILL.md\nassets\nscripts\n"),
        (Some(""), "package\nSKILL.md\nassets\nscripts\n"),
        (Some("assets/forms/"), "forms\none.txt\n"),
    ] {
        let call = Call { working_directory: directory, ..Call::default() };
        assert_eq!(skill.call("scripts/a.sh", &call).unwrap().stdout, expected, "{directory:?}");
    }
    let long = "d/".repeat(2048);
    let bad = "..|../|/|//|/etc|~|assets/../..|missing|assets/forms/one.txt|a\0b";
    for directory in bad.split('|').chain([&*long]) {
        let call = Call { working_directory: Some(directory), ..Call::default() };
        let (code, _) = skill.refused("scripts/a.sh", &call);
        assert_eq!(code, "working-directory-not-found", "{directory}");
    }
}

#[test]
fn a_script_finds_the_files_beside_it_and_a_missing_one_is_named() {
    let script = r#"here=${0%/*}; . "$here/helper.sh"; echo "$NAME $(cat "$here/../assets/name")""#;
    let skill = Skill::new(&[
        ("scripts/a.sh", script),
        ("scripts/helper.sh", "NAME=helper"),
        ("assets/name", "asset"),
    ]);
    assert_eq!(skill.run("scripts/a.sh").stdout, "helper asset\n");
    let (code, message) = skill.refused("scripts/b.sh", &Call::default());
    assert_eq!(code, "resource-not-found");
    assert!(message.contains("list the skill's files"), "{message}");
}
