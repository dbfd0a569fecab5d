//! A script cannot reach its host.

use std::net::TcpListener;

use prowess_sandbox::DemandedLevel;
use prowess_script::ScriptPolicy;

use crate::fixture::{Call, Skill};

/// Runs a script at each level, and returns the outputs.
fn at_each_level(script: &str, arguments: &[&str]) -> [String; 2] {
    [DemandedLevel::Floor, DemandedLevel::Namespaces].map(|level| {
        let policy = ScriptPolicy { level, ..ScriptPolicy::default() };
        let skill = Skill::with(&[("scripts/a.sh", script)], policy);
        let call = Call { arguments, ..Call::default() };
        let outcome = skill.call("scripts/a.sh", &call).unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
        outcome.stdout.trim_end().to_owned()
    })
}

/// Opens each path to read or to write, and prints `opened` or the error.
const OPEN: &str = include_str!("../data/confined-open.txt");

#[test]
fn files_of_the_host_cannot_be_opened() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    let path = outside.path().to_str().unwrap();
    let arguments = ["/etc/passwd", "r", path, "r", path, "w", "/usr/bin/env", "r"];
    let floor = "Permission denied\nPermission denied\nPermission denied\nopened";
    // A script with namespaces has a root directory and a `/tmp` of its own.
    let namespaces = "No such file or directory\nNo such file or directory\nopened\nopened";
    std::fs::write(path, "outside").unwrap();
    assert_eq!(at_each_level(OPEN, &arguments), [floor, namespaces]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "outside", "the host's file is the same");
}

#[test]
fn the_package_cannot_be_changed_and_the_scratch_directory_can() {
    let script = include_str!("../data/confined-script.txt");
    let floor = "Permission denied\nPermission denied\nwritten";
    let namespaces = "Read-only file system\nRead-only file system\nwritten";
    assert_eq!(at_each_level(script, &[]), [floor, namespaces]);
}

#[test]
fn there_is_no_network_beside_the_proxy() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let script = r#"
if problem=$({ : <>"/dev/tcp/127.0.0.1/$1"; } 2>&1); then echo connected
else echo "${problem##*: }"
fi
"#;
    let denied = "Operation not permitted";
    assert_eq!(at_each_level(script, &[&port]), [denied, denied]);
    let network = vec![format!("127.0.0.1:{port}").parse().unwrap()];
    let policy = ScriptPolicy { private_hosts: network.clone(), network, ..Default::default() };
    let skill = Skill::with(&[("scripts/a.sh", script)], policy);
    let call = Call { arguments: &[&port], ..Call::default() };
    let outcome = skill.call("scripts/a.sh", &call).unwrap();
    assert_eq!(outcome.stdout, "Permission denied\n", "a granted host is reached by proxy alone");
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_err(), "nothing has connected");
}

#[test]
fn granted_directories_can_be_changed() {
    let script = "
for path in out/report .git/hooks/x .git/config sub/.envrc .github/named/x; do
echo done 2>&- > $path; done
mv repo r2; mkdir -p repo/.git new/deep/.roo/x r2/.hg; touch repo/.git/config; ln -s repo/.git new/own
mv .git moved; mkdir -p .claude; echo {} > .claude/settings.json; ln -sf x .vscode; cat .git/config";
    for level in [DemandedLevel::Floor, DemandedLevel::Namespaces] {
        let project = tempfile::tempdir().unwrap();
        let path = |name: &str| project.path().join(name);
        for directory in [".git/hooks", ".github/named", "out", "sub", "repo/.git"] {
            std::fs::create_dir_all(path(directory)).unwrap();
        }
        std::fs::write(path(".git/config"), "").unwrap();
        std::fs::write(path("sub/.envrc"), "").unwrap();
        let (write, directory) = (vec![path(""), path(".github/named")], Some(path("")));
        let policy = ScriptPolicy { write, directory, level, ..ScriptPolicy::default() };
        let skill = Skill::with(&[("scripts/a.sh", script)], policy);
        let outcome = skill.run("scripts/a.sh");
        assert_eq!(outcome.exit_code, Some(0), "what is kept is read, {outcome:?}");
        let read = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
        for changed in ["out/report", ".github/named/x"] {
            assert_eq!(read(changed), "done\n", "{level:?}, {changed}: {outcome:?}");
        }
        for kept in [".git/config", ".git/hooks/x", "sub/.envrc", ".claude/settings.json"] {
            assert_eq!(read(kept), "", "{level:?}, {kept}: programs take orders from it");
        }
        let is_aside = outcome.stderr.contains("`.vscode`, which programs outside");
        assert_eq!(is_aside, level == DemandedLevel::Namespaces, "{outcome:?}");
        assert!(!path(".vscode").is_symlink() && path(".git").is_dir(), "{outcome:?}");
        for made in ["repo/.git/config", "new/deep/.roo", "r2/.hg"] {
            assert!(!path(made).exists(), "{level:?}, {made}: no program obeys it, {outcome:?}");
        }
    }
}

#[test]
fn standard_input_is_empty() {
    let script = "wc -c";
    assert_eq!(at_each_level(script, &[]), ["0", "0"]);
}

#[test]
fn outcome_names_the_isolation() {
    for (level, name) in
        [(DemandedLevel::Floor, "floor"), (DemandedLevel::Namespaces, "namespaces")]
    {
        let policy = ScriptPolicy { level, ..ScriptPolicy::default() };
        let skill = Skill::with(&[("scripts/a.sh", "true")], policy);
        let isolation = skill.run("scripts/a.sh").isolation.unwrap();
        assert_eq!(isolation.level, name);
        let has_seccomp = isolation.layers.iter().any(|layer| layer == "seccomp");
        assert!(has_seccomp && isolation.missing.is_empty(), "{isolation:?}");
    }
}
