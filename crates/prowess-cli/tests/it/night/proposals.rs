//! A program that accepts a proposal, or returns a skill to a version, is killed at each system
//! call: the skill is the old one or the new one, and the next attempt does the rest.

use std::process::{Command, Stdio};

use prowess::ReviewStep;

use super::install_crashes::{Call, calls_of};
use crate::proposals::{Desk, entries, is_decided};

const DIFF: &str = "\
-Run `fil.py`.
+Run `fill.py`.
--- /dev/null
+++ b/references/new.md
@@
+New.
";

fn traced(desk: &Desk, arguments: &[&str], options: &[&str]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(desk.tree.join("calls")).args(options);
    command.arg(env!("CARGO_BIN_EXE_prowess")).arg("--config").arg(desk.tree.join("config.yaml"));
    command.arg("--root").arg(format!("user={}", desk.tree.join("skills").display()));
    command.args(arguments).env_clear().env("HOME", desk.tree.join("home"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn is_new(desk: &Desk) -> bool {
    let [text, file] =
        [desk.text().contains("fill.py"), desk.tree.join("skills/pdf/references/new.md").exists()];
    assert_eq!(text, file, "all files change, or none");
    assert_eq!(entries(&desk.tree.join("skills")).into_iter().filter(|it| it == "pdf").count(), 1);
    text
}

/// Returns a skill with a proposal, and the arguments that accept it.
fn waiting() -> (Desk, Vec<String>) {
    let desk = Desk::new();
    let proposal = desk.propose("agent", &format!("--- a/SKILL.md\n+++ b/SKILL.md\n@@\n{DIFF}"));
    let digest = proposal.digest.to_string();
    let words = ["proposals", "accept", &proposal.name, "--digest", &digest];
    (desk, words.map(str::to_owned).into())
}

#[test]
fn killed_acceptance_and_return_leave_one_of_the_versions() {
    let (desk, accept) = waiting();
    let words = |words: &[String]| words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let run = |desk: &Desk, line: &str, options: &[&str]| {
        let arguments: Vec<_> = line.split(' ').collect();
        traced(desk, &arguments, options).status().expect("`strace` is needed").success()
    };
    let line = words(&accept);
    let of_accept = calls_of(&desk.tree.join("calls"), || run(&desk, &line, &[]));
    let of_restore =
        calls_of(&desk.tree.join("calls"), || run(&desk, "history restore pdf 1", &[]));
    let mut kills = 0;
    for Call { name, number, .. } in of_accept.iter().filter(|call| call.is_change) {
        let (desk, accept) = waiting();
        let fault = format!("inject={name}:signal=KILL:when={number}");
        let is_done = run(&desk, &words(&accept), &["-e", &fault]);
        kills += usize::from(!is_done);
        assert!(is_new(&desk) || !is_done, "{fault}: what was reported is there");
        // The next attempt makes the change, or finds that it was made.
        let again = desk.run(&accept.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(is_new(&desk), "{fault}: {}", again.stderr);
        assert!(is_decided(&desk, ReviewStep::Accepted), "{fault}: {}", again.stderr);
        assert_eq!(entries(&desk.tree.join("skills")), ["pdf"], "{fault}: nothing is left");
        let history = desk.run(&["history", "pdf", "--format", "json"]).json();
        assert_eq!(history["versions"][0]["is_current"], true, "{fault}: {history}");
    }
    assert!(kills > 20, "an acceptance was killed {kills} times");
    kills = 0;
    for Call { name, number, .. } in of_restore.iter().filter(|call| call.is_change) {
        let (desk, accept) = waiting();
        assert!(run(&desk, &words(&accept), &[]));
        let fault = format!("inject={name}:signal=KILL:when={number}");
        kills += usize::from(!run(&desk, "history restore pdf 1", &["-e", &fault]));
        is_new(&desk);
        desk.run(&["history", "restore", "pdf", "1"]).text();
        assert!(!is_new(&desk), "{fault}");
        assert_eq!(entries(&desk.tree.join("skills")), ["pdf"], "{fault}: nothing is left");
    }
    assert!(kills > 10, "a return was killed {kills} times");
}
