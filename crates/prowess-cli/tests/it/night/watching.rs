//! A server that cannot watch its sources, in a user namespace.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use crate::program::Program;
use crate::serve::{greeting, tree};

/// A user without inotify instances: the limit counts per user namespace.
#[test]
fn fallback_to_polling_is_reported() {
    let namespace = ["--user", "--map-root-user", "sh", "-c"];
    let limit = "echo 0 > /proc/sys/user/max_inotify_instances";
    let skills = tree();
    let (program, _home) = Program::new().root("user", skills.path()).into_command();
    let mut command = Command::new("unshare");
    command.args(namespace).arg(format!("{limit}; exec \"$@\"")).arg("sh");
    command.arg(program.get_program()).args(program.get_args()).arg("serve");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", skills.join("home"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the server starts");
    // A server watches once its client has been answered.
    let [first, ready] = greeting();
    let stdin = child.stdin.as_mut().expect("a pipe");
    stdin.write_all(format!("{first}\n{ready}\n").as_bytes()).expect("the server reads");
    let remarks = BufReader::new(child.stderr.take().expect("a pipe"));
    // The report comes from the thread that watches. If it never came, this would hang.
    let reported =
        remarks.lines().map_while(Result::ok).find(|line| line.contains("WARN  finding"));
    drop(child.stdin.take());
    child.wait().expect("it ends");
    let reported = reported.expect("the fallback is reported");
    assert!(reported.contains("source-not-watched"), "{reported}");
}
