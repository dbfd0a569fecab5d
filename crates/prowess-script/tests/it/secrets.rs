//! Secrets that are granted to a package.

use std::sync::{Arc, Mutex};

use prowess_core::{Cancel, Digest, Progress, ProgressEvent};
use prowess_script::{ReadSecret, ScriptPolicy, SecretGrant, SecretSource};
use prowess_testkit::{Server, server_authority};

use crate::fixture::{Call, PATIENCE, Skill};
use crate::network::REQUEST;
use crate::searched::{Searched, search};

/// Returns a secret that occurs nowhere else.
fn secret() -> String {
    let directory = tempfile::tempdir().unwrap();
    let random = directory.path().file_name().unwrap().to_str().unwrap();
    format!("s3cret-{}-{random}", std::process::id())
}

fn reading(secret: &str) -> Option<ReadSecret> {
    let secret = secret.to_owned();
    Some(Arc::new(move |source: &SecretSource| match source {
        SecretSource::Variable(name) if name == "TOKEN" => Ok(format!("{secret}\n")),
        _ => Err("there is no such source".to_owned()),
    }))
}

fn in_header(host: &str, package: Digest) -> SecretGrant {
    let host = Some(host.parse().unwrap());
    let variable = Some("TOKEN".to_owned());
    SecretGrant { packages: vec![package], variable, host, ..SecretGrant::default() }
}

fn in_variable(package: Digest) -> SecretGrant {
    let variable = Some("TOKEN".to_owned());
    let environment = Some("KEY".to_owned());
    SecretGrant { packages: vec![package], variable, environment, ..SecretGrant::default() }
}

/// Returns a policy that grants a host of this machine.
fn granting(host: &str, secrets: Vec<SecretGrant>, directory: &std::path::Path) -> ScriptPolicy {
    let authorities = directory.join("authority.pem");
    std::fs::write(&authorities, server_authority()).unwrap();
    let network: Vec<_> = vec![host.parse().unwrap()];
    let private_hosts = network.clone();
    let authorities = Some(authorities);
    ScriptPolicy { network, private_hosts, authorities, secrets, ..ScriptPolicy::default() }
}

/// Asks for a URL, aborts a process of its own, and goes on until it is ended.
const ASKS: &str = include_str!("../data/secrets-asks.txt");

/// The package of that script.
const FILES: [(&str, &str); 2] = [("scripts/a.sh", ASKS), ("scripts/request.sh", REQUEST)];

/// Runs the script and searches for the secret while it runs.
fn searched(skill: &Skill, arguments: &[&str], secret: &str) -> Searched {
    let cancel = Cancel::default();
    let found = Mutex::new(None);
    let lines = Mutex::new(String::new());
    let directory = skill.directory.path();
    let receive = |event: ProgressEvent<'_>| {
        let ProgressEvent::Output { line, .. } = event else { return };
        lines.lock().unwrap().push_str(line);
        if line == "ready\n" {
            *found.lock().unwrap() = Some(search(secret, directory));
            cancel.cancel();
        }
    };
    let call = Call { arguments, progress: Progress::new(&receive), ..Call::default() };
    let outcome = skill.call_within("scripts/a.sh", &call, PATIENCE, &cancel).unwrap();
    let printed = format!("{outcome:?}");
    assert!(printed.contains("ready"), "the script came to its end: {printed}");
    let mut found = found.into_inner().unwrap().unwrap();
    let lines = lines.into_inner().unwrap();
    found.places.extend(printed.contains(secret).then(|| "outcome".to_owned()));
    found.places.extend(lines.contains(secret).then(|| "lines".to_owned()));
    found
}

#[test]
fn secret_of_a_host_is_found_nowhere() {
    let secret = secret();
    // The server returns the header, as services for tests do.
    let answer = format!("HTTP/1.1 200 OK\r\n\r\nyou sent: {secret}");
    let server = Server::encrypted(&answer);
    let host = format!("localhost:{}", server.port);
    let outside = tempfile::tempdir().unwrap();
    let policy = |package| granting(&host, vec![in_header(&host, package)], outside.path());
    let skill = Skill::granted(&FILES, policy, reading(&secret));
    let found = searched(&skill, &[&format!("http://{host}/")], &secret);
    let received = server.received();
    assert!(received.contains(&format!("authorization: Bearer {secret}\r\n")), "{received}");
    assert!(found.has_marker, "the memory of the script was searched");
    assert!(found.processes >= 3, "the script and the processes around it: {found:?}");
    assert_eq!(found.places, Vec::<String>::new(), "the script and its host keep no secret");
}

#[test]
fn control_finds_a_secret_in_a_variable() {
    let secret = secret();
    let policy =
        |package| ScriptPolicy { secrets: vec![in_variable(package)], ..Default::default() };
    let skill = Skill::granted(&FILES, policy, reading(&secret));
    let found = searched(&skill, &[], &secret);
    for kind in ["environ", "memory", "file"] {
        let is_kind = |place: &&String| place.starts_with(kind);
        assert!(found.places.iter().any(|place| is_kind(&place)), "{kind}: {found:?}");
    }
    let is_printed = |place: &String| place == "outcome" || place == "lines";
    assert!(!found.places.iter().any(is_printed), "the output has none: {found:?}");
}

/// The end answers no guess of a model, which chooses arguments, and is shown as it is.
#[test]
fn secret_is_replaced_in_the_output_as_a_whole() {
    let secret = secret();
    let script = include_str!("../data/secrets-script.txt");
    let hexadecimal: String = secret.bytes().map(|byte| format!("{byte:02x} ")).collect();
    let policy =
        |package| ScriptPolicy { secrets: vec![in_variable(package)], ..Default::default() };
    let skill = Skill::granted(&[("scripts/a.sh", script)], policy, reading(&secret));
    let line = format!("key={}!\n", "*".repeat(secret.len()));
    let ends = [&secret[..secret.len() - 1], &hexadecimal[..24], "73   ", "total: 7\n\n"];
    let wholes = [secret.as_str(), hexadecimal.trim_end()];
    let wholes = wholes.map(|end| (end, "*".repeat(end.len())));
    for (end, shown) in ends.map(|end| (end, end.to_owned())).into_iter().chain(wholes) {
        let arguments = &[end];
        let outcome = skill.call("scripts/a.sh", &Call { arguments, ..Call::default() }).unwrap();
        assert_eq!(outcome.stderr, line);
        assert_eq!(outcome.stdout, format!("{line}{shown}"));
    }
}

#[test]
fn other_package_gets_no_secret() {
    let script = "echo ${KEY-none}";
    let policy = |_| {
        let grant = in_variable(Digest::of(b"another version"));
        ScriptPolicy { secrets: vec![grant], ..ScriptPolicy::default() }
    };
    let skill = Skill::granted(&[("scripts/a.sh", script)], policy, reading(&secret()));
    assert_eq!(skill.run("scripts/a.sh").stdout, "none\n");
}

#[test]
fn call_cannot_replace_a_secret_or_the_proxy() {
    let secret = secret();
    let script = "echo ${#KEY} $http_proxy";
    let outside = tempfile::tempdir().unwrap();
    let policy = |package| granting("a.b", vec![in_variable(package)], outside.path());
    let skill = Skill::granted(&[("scripts/a.sh", script)], policy, reading(&secret));
    let environment = &[("KEY", "x"), ("http_proxy", "http://other")];
    let outcome = skill.call("scripts/a.sh", &Call { environment, ..Call::default() }).unwrap();
    assert_eq!(outcome.stdout, format!("{} http://127.0.0.1:3128\n", secret.len()));
}

#[track_caller]
fn check_unavailable(grant: SecretGrant, read: Option<ReadSecret>, reason: &str) {
    let policy = |package| {
        let grant = SecretGrant { packages: vec![package], ..grant };
        ScriptPolicy { secrets: vec![grant], ..ScriptPolicy::default() }
    };
    let skill = Skill::granted(&[("scripts/a.sh", "echo ran")], policy, read);
    let (code, message) = skill.refused("scripts/a.sh", &Call::default());
    assert_eq!(code, "secret-unavailable", "{message}");
    assert!(message.contains(reason), "{message}");
    assert!(message.contains("`scripts.secrets`"), "the next step is named: {message}");
}

#[test]
fn incomplete_grant_starts_nothing() {
    let package = Digest::of(b"");
    let variable = in_variable(package);
    check_unavailable(variable.clone(), None, "this host reads no secrets");
    check_unavailable(variable.clone(), reading(""), "it is empty");
    // `user:short` in base64, for `Basic`.
    for short in ["12345", "dXNlcjpzaG9ydA=="] {
        check_unavailable(variable.clone(), reading(short), "fewer than 6 characters");
    }
    let other = SecretGrant { variable: Some("OTHER".into()), ..variable.clone() };
    check_unavailable(other, reading("x"), "there is no such source");
    let two = SecretGrant { file: Some("/a".into()), ..variable.clone() };
    check_unavailable(two, reading("x"), "needs one of `variable`, `file` and `command`");
    let both = SecretGrant { host: Some("a.b".parse().unwrap()), ..variable.clone() };
    check_unavailable(both, reading("long-enough"), "neither or both of `host` and `environment`");
    let none = SecretGrant { environment: None, ..variable };
    check_unavailable(none, reading("long-enough"), "neither or both");
    let long = || reading("long-enough");
    check_unavailable(in_header("*.a.b", package), long(), "a pattern of several hosts");
    let framing = SecretGrant { header: Some("host".to_owned()), ..in_header("a.b", package) };
    check_unavailable(framing, long(), "`host` is no header that may have a secret");
}
