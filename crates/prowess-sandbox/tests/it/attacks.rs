//! Attacks on a host: each works without a sandbox, and none at any level.

use prowess_sandbox::DemandedLevel;

use crate::attacker::ATTACKS;
use crate::host::{NOBODY, Outcome, Way, attack};

/// Root, and a user without rights.
const USERS: [Option<u32>; 2] = [None, Some(NOBODY)];

fn names() -> Vec<&'static str> {
    ATTACKS.iter().map(|(name, _)| *name).collect()
}

#[track_caller]
fn refuses_everything(level: DemandedLevel) {
    for user in USERS {
        let outcome = attack(user, Way::Confined(level));
        let what = format!("user {user:?} at {level:?}:\n{}", outcome.printed);
        assert_eq!(outcome.possible(), Vec::<&str>::new(), "no attack is possible, {what}");
        let refused = outcome.printed.matches("refused: ").count();
        assert_eq!(refused, ATTACKS.len(), "each attack was tried, {what}");
        host_is_untouched(&outcome, &what);
        is_bare(&outcome, &what);
    }
}

fn host_is_untouched(outcome: &Outcome, what: &str) {
    let is_written = outcome.printed.contains("written by the attacker");
    assert!(!is_written, "nothing reached the host's output, {what}");
    let is_changed = !outcome.printed.contains("memory was changed: false");
    assert!(!is_changed, "nothing reached the host's memory, {what}");
}

/// The process has no capabilities, cannot gain any, is filtered, and has no file of the host's
/// open.
fn is_bare(outcome: &Outcome, what: &str) {
    for line in [
        "CapInh:\t0000000000000000",
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "CapAmb:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
        // The last one is the directory that is being listed.
        "files: Ok(\"0,1,2,3\")",
    ] {
        assert!(outcome.printed.contains(line), "`{line}` holds, {what}");
    }
}

#[test]
fn floor_refuses_every_attack() {
    refuses_everything(DemandedLevel::Floor);
}

#[test]
fn namespaces_refuse_every_attack() {
    refuses_everything(DemandedLevel::Namespaces);
}

#[test]
fn control_without_sandbox_allows_every_attack() {
    for user in USERS {
        let outcome = attack(user, Way::Open);
        let what = format!("user {user:?}:\n{}", outcome.printed);
        assert_eq!(outcome.possible(), names(), "each attack is possible, {what}");
        let is_written = outcome.printed.contains("written by the attacker");
        assert!(is_written, "it reached the host's output, {what}");
        let is_changed = outcome.printed.contains("memory was changed: true");
        assert!(is_changed, "it reached the host's memory, {what}");
    }
}
