//! Packages that are published.

use super::Machine;

#[cfg(unix)]
#[test]
fn link_is_not_published() {
    let machine = Machine::new();
    machine.tree.write("secret", "-----BEGIN KEY-----");
    let link = machine.tree.join("skills/pdf/notes.md");
    std::os::unix::fs::symlink(machine.tree.join("secret"), link).unwrap();
    let (skills, site) = (machine.path("skills"), machine.path("site-with-link"));
    let published = machine.run(&["publish", &skills, &site, "--format", "json"]);
    let error = published.error();
    assert_eq!(error["code"], "remote-invalid", "{error}");
    assert!(!machine.tree.join("site-with-link").exists(), "nothing is written");
}

#[cfg(feature = "remotes")]
#[test]
fn packages_are_published_to_targets_that_exist() {
    let machine = Machine::new();
    let published =
        machine.run(&["publish", &machine.path("skills"), "--to", "ftp://a", "--format", "json"]);
    assert_eq!(published.error()["code"], "remote-unsupported");
    let private = "oci+http://127.0.0.1:1/skills:1";
    let published =
        machine.run(&["publish", &machine.path("skills"), "--to", private, "--format", "json"]);
    assert_eq!(published.error()["code"], "remote-unsupported", "plain `http` has to be named");
}
