//! Attacks on a host: each works without a sandbox, and none at any level.

use prowess_sandbox::DemandedLevel;

use crate::attacker::{By, attacks};
use crate::host::{NOBODY, Outcome, Way, attack};

/// Root, and a user without rights.
pub(crate) const USERS: [Option<u32>; 2] = [None, Some(NOBODY)];

/// Returns the attacks that a user can carry out without a sandbox.
fn names(user: Option<u32>) -> Vec<&'static str> {
    let possible = attacks().filter(|(_, by, _)| user.is_none() || *by == By::Anyone);
    possible.map(|(name, ..)| *name).collect()
}

/// The attacks that a process with a network of its own carries out in that network.
const OF_OWN_NETWORK: [&str; 3] =
    ["opens a network socket", "opens a stream of the internet", "opens a socket of any family"];

#[track_caller]
fn refuses_everything(way: Way, layer: &str) {
    refuses_all_but(&[], way, layer);
}

#[track_caller]
fn refuses_all_but(possible: &[&str], way: Way, layer: &str) {
    for user in USERS {
        let outcome = attack(user, way);
        let what = format!("user {user:?}, {way:?}:\n{}", outcome.printed);
        assert!(outcome.printed.contains(layer), "the report has {layer}, {what}");
        assert_eq!(outcome.possible(), possible, "no other attack is possible, {what}");
        let refused = outcome.printed.matches("refused: ").count();
        assert_eq!(refused + possible.len(), attacks().count(), "each was tried, {what}");
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
    refuses_everything(Way::Confined(DemandedLevel::Floor), "level: Floor");
    refuses_everything(Way::Processes(DemandedLevel::Floor), "level: Floor");
}

#[test]
fn namespaces_refuse_every_attack() {
    refuses_everything(Way::Confined(DemandedLevel::Namespaces), "a root directory of its own");
    refuses_everything(Way::Processes(DemandedLevel::Namespaces), "a root directory of its own");
}

#[test]
fn process_with_a_proxy_can_do_no_more() {
    refuses_all_but(&OF_OWN_NETWORK, Way::Proxied, "a network of its own, with a proxy");
}

#[test]
fn machine_that_forbids_namespaces_refuses_every_attack() {
    refuses_everything(Way::WithoutNamespaces, "level: Floor");
}

/// A program of another user starts, with the rights of the user that started it.
#[test]
fn programs_of_another_user_gain_nothing() {
    for level in [DemandedLevel::Floor, DemandedLevel::Namespaces] {
        for (user, own) in [(None, "0"), (Some(NOBODY), "65534")] {
            let outcome = attack(user, Way::Processes(level));
            let line = format!("gains the rights of another user: it ran as Ok({own}), as before");
            assert!(outcome.printed.contains(&line), "{level:?}:\n{}", outcome.printed);
        }
    }
}

/// A program whose file has a capability starts without it, or does not start.
#[test]
fn capabilities_of_a_file_are_not_gained() {
    for level in [DemandedLevel::Floor, DemandedLevel::Namespaces] {
        for user in USERS {
            let printed = attack(user, Way::Processes(level)).printed;
            let name = "refused: gains the capability of a file: ";
            let reason = printed.lines().find_map(|line| line.strip_prefix(name));
            let reason = reason.unwrap_or_else(|| panic!("{level:?}, {user:?}:\n{printed}"));
            let has_none = reason == "it ran with Some(\"effective: CapabilitySet(0x0)\")";
            let is_forbidden = reason == "Operation not permitted (os error 1)";
            assert!(has_none || is_forbidden, "{level:?}, {user:?}: {reason}");
        }
    }
}

#[test]
fn control_without_sandbox_allows_every_attack() {
    for user in USERS {
        let outcome = attack(user, Way::Open);
        let what = format!("user {user:?}:\n{}", outcome.printed);
        let possible = outcome.possible();
        let is_missing = |name: &&&str| !possible.contains(name);
        let names = names(user);
        let missing: Vec<_> = names.iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "each attack is possible, {what}\nbut not: {missing:?}");
        let is_written = outcome.printed.contains("written by the attacker");
        assert!(is_written, "it reached the host's output, {what}");
        let is_changed = outcome.printed.contains("memory was changed: true");
        assert!(is_changed, "it reached the host's memory, {what}");
    }
}
