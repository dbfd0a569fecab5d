//! Saved and restored sandboxes.

use prowess_core::SessionId;
use prowess_shell::ShellPolicy;

use crate::fixture::{Setup, empty};

fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

#[test]
fn restored_sandbox_has_the_saved_state() {
    let files = [("a/one.txt", "one"), ("a/two.txt", "two"), ("a/d/three.txt", "three")];
    let setup = Setup::new(&files, ShellPolicy::default());
    setup.run("x=42; f() { echo f$x; }; mkdir /w; cd /w; echo text > file; ln -s file link");
    setup.run("cd /.sandbox/skills/a; echo changed > one.txt; rm two.txt; rm -r d; cd /w");
    let saved = setup.shell.save(&session("session")).unwrap();

    let later = Setup::new(&files, ShellPolicy::default());
    later.shell.restore(&later.catalog, &session("session"), &saved).unwrap();
    let outcome =
        later.run("pwd; f; cat file link; ls /.sandbox/skills/a; cat /.sandbox/skills/a/one.txt");
    assert_eq!(outcome.stdout, "/w\nf42\ntext\ntext\nSKILL.md\none.txt\nchanged\n", "{outcome:?}");
}

#[test]
fn restored_state_is_of_that_time() {
    let setup = empty();
    setup.run("echo one > /tmp/file; x=1");
    let saved = setup.shell.save(&session("session")).unwrap();
    setup.run("echo two > /tmp/file; x=2; touch /tmp/later");
    setup.shell.restore(&setup.catalog, &session("session"), &saved).unwrap();
    assert_eq!(setup.run("cat /tmp/file; echo $x; ls /tmp").stdout, "one\n1\nfile\n");
}

#[test]
fn damaged_snapshots_are_refused() {
    let setup = empty();
    setup.run("echo kept > /tmp/kept");
    let saved = setup.shell.save(&session("session")).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..saved.len())
        .step_by(97)
        .map(|at| {
            let mut bytes = saved.clone();
            bytes[at] ^= 0x55;
            bytes
        })
        .collect();
    damaged.extend((0..saved.len()).step_by(101).map(|end| saved[..end].to_vec()));
    damaged.push(b"prowess-shell 2\n[]\n".to_vec());
    damaged.push(b"prowess-shell 1\n{}\n".to_vec());
    for bytes in &damaged {
        let error = setup.shell.restore(&setup.catalog, &session("session"), bytes).unwrap_err();
        assert_eq!(error.code.as_str(), "snapshot-invalid", "{error}");
    }
    assert_eq!(setup.run("cat /tmp/kept").stdout, "kept\n", "the session keeps its sandbox");
}

#[test]
fn session_without_a_sandbox_has_nothing_to_save() {
    let error = empty().shell.save(&session("new")).unwrap_err();
    assert_eq!(error.code.as_str(), "sandbox-not-found");
}
