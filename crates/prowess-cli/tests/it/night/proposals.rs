//! A program that accepts a proposal, or returns a skill to a version, is killed at each system
//! call: the skill is the old one or the new one, and the next attempt does the rest.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::process::{Command, Stdio};

use prowess::governance::{Review, StoredProposal, package_digest};
use prowess::{Actor, Catalog, ReviewStep, Timestamp};

use super::install_crashes::{Call, calls_of};
use crate::proposals::{Desk, entries, is_decided};

const DIFF: &str = include_str!("../../data/proposals-diff.txt");

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
    let others = [".git/HEAD", "link"].map(|it| desk.tree.join("skills/pdf").join(it));
    assert!(others.iter().all(|it| it.symlink_metadata().is_ok()), "what others have stays");
    text
}

/// Returns a skill with a proposal, and the arguments that accept it, also as one for another base.
fn waiting(is_rebased: bool) -> (Desk, Vec<String>) {
    let desk = Desk::new();
    desk.tree.write("skills/pdf/.git/HEAD", "ref: refs/heads/main\n");
    symlink("SKILL.md", desk.tree.join("skills/pdf/link")).unwrap();
    let proposal = desk.propose("agent", &format!("--- a/SKILL.md\n+++ b/SKILL.md\n@@\n{DIFF}"));
    let digest = proposal.digest.to_string();
    let words = ["proposals", "accept", &proposal.name, "--digest", &digest];
    let mut words: Vec<_> = words.map(str::to_owned).into();
    if is_rebased {
        desk.tree.write("skills/pdf/seen.md", "");
        let seen = package_digest(&desk.package().files().unwrap()).to_string();
        words.extend(["--rebase".to_owned(), seen]);
    }
    (desk, words)
}

#[test]
fn killed_acceptance_and_return_leave_one_of_the_versions() {
    let (desk, accept) = waiting(false);
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
    let changes = || of_accept.iter().filter(|call| call.is_change);
    let both = [false, true].into_iter().flat_map(|it| changes().map(move |call| (call, it)));
    for (Call { name, number, .. }, is_rebased) in both {
        let (desk, accept) = waiting(is_rebased);
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
    assert!(kills > 40, "an acceptance was killed {kills} times");
    kills = 0;
    for Call { name, number, .. } in of_restore.iter().filter(|call| call.is_change) {
        let (desk, accept) = waiting(false);
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

/// Of 1,000 acceptances of changes of one line, by programs and by threads, one wins for each base.
#[test]
fn racing_acceptances_have_one_winner() {
    for round in 0..50 {
        let desk = Desk::new();
        let proposals = (0..20).map(|number| {
            let diff = format!("-Run `fil.py`.\n+Run `{number}.py`.\n");
            desk.propose(&format!("agent {number}"), &diff)
        });
        let proposals: Vec<_> = proposals.collect();
        // Threads are faster than programs, which win the rounds of their own.
        let (programs, threads) = proposals.split_at(if round % 2 == 0 { 20 } else { 10 });
        let accept = |proposal: &StoredProposal| {
            let (name, digest) = (proposal.name.clone(), proposal.digest);
            let (reviewer, at) = (Actor::Person("ada".to_owned()), Timestamp(1));
            let review = Review { proposal: name, digest, reviewer, reason: None, at };
            let store = desk.proposals(&[]);
            let accepted = store.accept(&review, &desk.package(), &Catalog::empty(), None);
            accepted.and_then(|it| it.apply(at)).is_ok()
        };
        let won: Vec<_> = std::thread::scope(|scope| {
            let start = |proposal: &StoredProposal| {
                let digest = proposal.digest.to_string();
                let (mut command, home) = desk.program().into_command();
                command.args(["proposals", "accept", &proposal.name, "--digest", &digest]);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                (command.spawn().unwrap(), home)
            };
            let programs: Vec<_> = programs.iter().map(start).collect();
            let threads: Vec<_> =
                threads.iter().map(|proposal| scope.spawn(|| accept(proposal))).collect();
            let ended = programs.into_iter().map(|(mut it, _home)| it.wait().unwrap().success());
            let won: Vec<_> = ended.collect();
            won.into_iter().chain(threads.into_iter().map(|it| it.join().unwrap())).collect()
        });
        let winners: Vec<_> = (0..20).filter(|number| won[*number]).collect();
        let [winner] = winners[..] else { panic!("one wins: {winners:?}") };
        assert!(desk.text().contains(&format!("Run `{winner}.py`.")), "{}", desk.text());
        assert_eq!(desk.proposals(&[]).waiting().unwrap().len(), 19, "the others wait");
    }
}

/// A file of another user keeps its owner, so nothing is changed by a user that cannot give it.
#[test]
fn owner_is_kept_or_nothing_changes() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let nobody = 65_534;
    for is_foreign in [false, true] {
        let (desk, accept) = waiting(false);
        let owned =
            Command::new("chown").args(["-R", "65534:65534"]).arg(desk.tree.path()).status();
        assert!(owned.unwrap().success());
        if is_foreign {
            chown(desk.tree.join("skills/pdf/SKILL.md"), Some(0), Some(0)).unwrap();
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(env!("CARGO_BIN_EXE_prowess")).args(&accept);
        command.arg("--config").arg(desk.tree.join("config.yaml"));
        command.arg("--root").arg(format!("user={}", desk.tree.join("skills").display()));
        command.env_clear().env("HOME", desk.tree.join("home"));
        let ran = command.output().expect("`setpriv` is needed");
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!((ran.status.success(), is_new(&desk)), (!is_foreign, !is_foreign), "{said}");
        let owner = fs::metadata(desk.tree.join("skills/pdf/SKILL.md")).unwrap().uid();
        assert_eq!(owner, if is_foreign { 0 } else { nobody });
        assert_eq!(said.contains("would not keep its owner"), is_foreign, "{said}");
    }
}
