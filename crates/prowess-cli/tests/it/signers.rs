//! Signed sites: the signer is locked, and the user trusts skills by it or by their source.

use std::fs;

use minisign::KeyPair;
use serde_json::Value;

use crate::install::{Machine, states};
use crate::plain_skill;

/// Writes the key pair of a signer, and returns the paths of the secret and the public key.
pub(crate) fn key(machine: &Machine, name: &str) -> [String; 2] {
    let KeyPair { pk, sk } = KeyPair::generate_unencrypted_keypair().unwrap();
    let paths = [format!("{name}.key"), format!("{name}.pub")].map(|name| machine.path(&name));
    fs::write(&paths[0], sk.to_box(None).unwrap().into_string()).unwrap();
    fs::write(&paths[1], pk.to_box().unwrap().into_string()).unwrap();
    paths
}

/// Publishes the skills with a line more, signed.
fn publish(machine: &Machine, key: &str, line: &str) {
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + line);
    let folders = [machine.path("skills"), machine.path("site")];
    let ran = machine.run(&["publish", &folders[0], &folders[1], "--sign", key]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// The layer and the trust of the skill `pdf`.
fn layer(machine: &Machine) -> String {
    let listed = machine.run(&["list", "--format", "json"]).json();
    let skills = listed["skills"].as_array().unwrap();
    let pdf = skills.iter().find(|skill| skill["id"] == "pdf").expect("it is offered");
    let text = |key: &str| pdf[key].as_str().unwrap();
    format!("{} {}", text("layer"), text("trust"))
}

fn signer_of(answer: &Value) -> String {
    let detail = answer["skills"][1]["detail"].as_str().unwrap();
    detail.split(';').next().unwrap().to_owned()
}

#[test]
fn signer_of_the_first_version_is_shown_and_stays() {
    let machine = Machine::new();
    let ([first, public], [second, other]) = (key(&machine, "first"), key(&machine, "second"));
    publish(&machine, &first, "One\n");
    let added = machine.online(&["add", &machine.address()]).json();
    assert_eq!(states(&added), ["notes added", "pdf added"]);
    let signer = signer_of(&added);
    let line = fs::read_to_string(&public).unwrap().lines().last().unwrap().to_owned();
    assert_eq!(signer, format!("minisign:{line}"), "the first use is shown");

    publish(&machine, &second, "Two\n");
    let refused = machine.online(&["update"]);
    assert_eq!(refused.code, Some(3), "the other one is as it should be");
    assert_eq!(refused.json()["failed"]["pdf"]["code"], "signer-changed");
    let preview = &machine.online(&["update", "--preview"]).json()["updates"][0];
    assert_eq!(preview["signer"], signer.as_str());
    assert_ne!(preview["new_signer"], Value::Null, "the preview shows the new signer");
    assert_eq!(machine.run(&["verify"]).code, Some(0), "the old version stays");
    let ids = ["update", "pdf", "notes", "--signer", &other];
    assert_eq!(machine.online(&ids).code, Some(0), "the user has named the new key");
    for (key, code, state) in [(&public, 1, "failed"), (&other, 0, "intact")] {
        for command in [&["sync"][..], &["sync", "--frozen"]] {
            let synced = machine.online(&[command, &["--signer", key]].concat());
            assert_eq!(synced.code, Some(code), "{synced:?}");
            assert_eq!(states(&synced.json()), ["notes", "pdf"].map(|id| format!("{id} {state}")));
        }
        for command in [&["sync", "--check"][..], &["update", "--check"]] {
            let checked = machine.online(&[command, &["--signer", key]].concat());
            assert_eq!(checked.code == Some(0), code == 0, "{checked:?}");
        }
    }
    let works = [&["sync", "--export"][..], &["sync", "--quarantine"], &["update", "--versions"]];
    for work in works.into_iter().chain([&["update", "--rollback", "pdf"][..]]) {
        let ran = machine.run(&[work, &["--signer", &other]].concat());
        assert!(ran.code == Some(2) && ran.stderr.contains("cannot be used with"), "{ran:?}");
    }
    let unknown = machine.online(&["sync", "--signer", "no-such-key"]);
    assert_eq!(unknown.error()["code"], "signer-invalid");
    assert!(machine.run(&["show", "pdf"]).text().contains("Two"));
}

#[test]
fn installed_skills_are_trusted_by_source_or_signer() {
    let machine = Machine::new();
    let [secret, public] = key(&machine, "first");
    publish(&machine, &secret, "One\n");
    assert_eq!(machine.online(&["add", &machine.address()]).code, Some(0));
    assert_eq!(layer(&machine), "installed untrusted", "nothing is trusted by default");
    for (kind, name) in [("--source", machine.address()), ("--signer", public)] {
        assert_eq!(machine.run(&["trust", kind, &name]).code, Some(0));
        assert_eq!(layer(&machine), "installed-trusted trusted", "{kind}");
        let listed = machine.run(&["trust", "--list", "--format", "json"]).json();
        let key = kind.trim_start_matches('-').to_owned() + "s";
        assert_eq!(listed[&key].as_array().map(Vec::len), Some(1), "{listed}");
        let revoked = machine.run(&["trust", "--revoke", &name, "--format", "json"]);
        assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
        assert_eq!(layer(&machine), "installed untrusted", "{kind} was revoked");
    }
}

#[cfg(feature = "sigstore")]
#[test]
fn identity_of_the_first_version_is_shown_and_stays() {
    use prowess_testkit::Sigstore;

    const ISSUER: &str = "https://accounts.example.com";
    let machine = Machine::new();
    let sigstore = Sigstore::new();
    machine.tree.write("trusted_root.json", sigstore.trusted_root().to_string());
    let publish = |subject: &str, line: &str| {
        machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + line);
        machine.publish();
        let archive = ".well-known/agent-skills/pdf.tar.gz";
        let bytes = fs::read(machine.tree.join(&format!("site/{archive}"))).unwrap();
        let bundle = sigstore.sign(&bytes, ISSUER, subject).to_string();
        machine.tree.write(&format!("site/{archive}.sigstore.json"), bundle);
        format!("{}/{archive}", machine.address())
    };
    let root = machine.path("trusted_root.json");
    let run = |words: &[&str]| machine.online(&[words, &["--trusted-root", &root]].concat());
    let source = publish("ada@example.com", "One\n");
    let added = run(&["add", &source]).json();
    let detail = added["skills"][0]["detail"].as_str().unwrap();
    let signer = format!("sigstore:{ISSUER} ada@example.com");
    assert!(detail.starts_with(&signer), "the first use is shown: {detail}");
    let trusted = machine.run(&["trust", "--signer", &signer]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    assert_eq!(layer(&machine), "installed-trusted trusted");

    publish("eve@example.com", "Two\n");
    assert_eq!(run(&["update"]).error()["code"], "signer-changed");
    let public = machine.online(&["update"]);
    assert_eq!(public.error()["code"], "signature-invalid", "the public authority has not signed");
    let eve = format!("sigstore:{ISSUER} eve@example.com");
    assert_eq!(run(&["update", "--signer", &eve]).code, Some(0), "the user has named the signer");
}
