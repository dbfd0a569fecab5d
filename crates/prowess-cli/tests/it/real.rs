//! Publishing to real servers and installing from them, which `cargo xtask remotes` starts.

#[cfg(feature = "sigstore")]
mod bundles;

use std::fs;

use crate::install::{Machine, states};
use crate::plain_skill;
use crate::program::{Program, Ran};

/// Returns a variable that says where a server is.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("`{name}` is not set: run `cargo xtask remotes`"))
}

/// A machine whose user has the credentials of a server.
struct Place {
    machine: Machine,
    host: String,
    variables: Vec<(&'static str, String)>,
}

impl Place {
    fn registry(name: &str) -> Self {
        let machine = Machine::new();
        let netrc = "machine 127.0.0.1 login prowess password s3cr3t\n";
        machine.tree.write("home/.netrc", netrc);
        let variables = vec![("SSL_CERT_FILE", variable("PROWESS_TEST_CERTIFICATES"))];
        Self { machine, host: variable(name), variables }
    }

    fn bucket() -> Self {
        let host = variable("PROWESS_TEST_S3");
        let variables = vec![
            ("AWS_ENDPOINT_URL_S3", format!("http://{host}")),
            ("AWS_ACCESS_KEY_ID", "PROWESSTEST".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "s3cr3t-key-of-the-test".to_owned()),
        ];
        Self { machine: Machine::new(), host, variables }
    }

    /// Runs a command that may reach the server.
    fn run(&self, arguments: &[&str]) -> Ran {
        let program = Program::new().at_home_in(&self.machine.tree.join("home"));
        let program = self
            .variables
            .iter()
            .fold(program, |program, (name, value)| program.variable(name, value));
        let ran = program.run(&[arguments, &["--host", &self.host, "--format", "json"]].concat());
        assert!(!format!("{ran:?}").contains("s3cr3t"), "{arguments:?} shows no secret: {ran:?}");
        ran
    }

    fn publish(&self, target: &str) -> Ran {
        self.run(&["publish", &self.machine.path("skills"), "--to", target])
    }

    fn change(&self) {
        let text = plain_skill("pdf").replace("How to", "How tO");
        self.machine.tree.write("skills/pdf/SKILL.md", text);
    }

    /// Installs a source, updates it after it was published again, and goes back.
    fn check_round_trip(&self, source: &str, names: &[&str], target: &str) {
        let added = self.run(&["add", source]);
        let expected: Vec<_> = names.iter().map(|name| format!("{name} added")).collect();
        assert_eq!(states(&added.json()), expected);
        assert_eq!(self.run(&["sync", "--check"]).code, Some(0));
        self.change();
        assert_eq!(self.publish(target).code, Some(0));
        assert_eq!(states(&self.run(&["update", "--check"]).json()), ["pdf changed"]);
        assert_eq!(self.run(&["update"]).json()["updates"][0]["id"], "pdf");
        let shown = || self.machine.run(&["show", "pdf"]).stdout;
        assert!(shown().contains("How tO use pdf"), "{}", shown());
        assert_eq!(self.machine.run(&["update", "--rollback", "pdf"]).code, Some(0));
        assert!(shown().contains("How to use pdf"), "{}", shown());
        let lock = self.machine.state("prowess.lock");
        let lock = fs::read_to_string(lock).unwrap();
        assert!(!lock.contains("s3cr3t") && !lock.contains("Signature"), "{lock}");
    }
}

/// A path of a repository or of a bucket that no other run uses.
fn path(name: &str) -> String {
    format!("{}/{name}", std::process::id())
}

#[test]
fn registry_has_what_was_published() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = format!("oci+http://{}/{}", place.host, path("skills"));
    let target = format!("{repository}:1");
    let published = place.publish(&target).json();
    assert_eq!(states(&published), ["notes published", "pdf published"]);
    place.check_round_trip(&format!("{repository}/pdf:1"), &["pdf"], &target);
}

#[test]
fn moved_tag_does_not_change_what_is_restored() {
    let place = Place::registry("PROWESS_TEST_REGISTRY");
    let repository = format!("oci+http://{}/{}", place.host, path("moved"));
    let target = format!("{repository}:1");
    assert_eq!(place.publish(&target).code, Some(0));
    assert_eq!(place.run(&["add", &format!("{repository}/pdf:1")]).code, Some(0));
    place.change();
    assert_eq!(place.publish(&target).code, Some(0), "the tag moves");
    let packages = place.machine.state("store/packages");
    fs::remove_dir_all(packages).unwrap();
    let synced = place.run(&["sync", "--frozen"]);
    assert_eq!(states(&synced.json()), ["pdf installed"], "{}", synced.stdout);
    assert_eq!(place.run(&["verify"]).code, Some(0));
}

#[test]
fn bucket_has_what_was_published() {
    let place = Place::bucket();
    let target = format!("s3://skills/{}", path("site"));
    assert_eq!(place.publish(&target).code, Some(0));
    place.check_round_trip(&target, &["notes", "pdf"], &target);
}

#[test]
fn lock_of_toolhive_is_imported_from_a_registry() {
    let place = Place::registry("PROWESS_TEST_SECURE_REGISTRY");
    let name = format!("{}/{}", place.host, path("toolhive"));
    let published = place.publish(&format!("oci://{name}:1")).json();
    let detail = published["skills"][1]["detail"].as_str().unwrap();
    let digest = detail.rsplit(' ').next().unwrap();
    place.change();
    assert_eq!(place.publish(&format!("oci://{name}:1")).code, Some(0), "the tag moves");
    let import = |digest: &str| {
        let text = format!(
            "version: 1\nskills:\n  - name: pdf\n    source: {name}/pdf:1\n    digest: {digest}\n"
        );
        place.machine.tree.write("toolhive.lock.yaml", text);
        place.run(&["sync", "--import", &place.machine.path("toolhive.lock.yaml")])
    };
    let other = format!("sha256:{}", "0".repeat(64));
    assert_eq!(import(&other).error()["code"], "remote-not-found");
    assert_eq!(states(&import(digest).json()), ["pdf added"]);
    let shown = place.machine.run(&["show", "pdf"]);
    assert!(shown.text().contains("How to use pdf"), "the digest is the first version");
}
