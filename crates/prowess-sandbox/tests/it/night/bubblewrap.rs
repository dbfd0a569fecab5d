//! Attacks that `bwrap` refuses.

use prowess_sandbox::DemandedLevel;

use crate::attacker::attacks;
use crate::attacks::USERS;
use crate::host::{Outcome, Way, attack};

/// The attacks that another sandbox refuses are refused here, too. It has no filter and leaves some
/// of them possible.
#[test]
fn namespaces_refuse_what_bubblewrap_refuses() {
    for user in USERS {
        let other = attack(user, Way::Bubblewrap);
        let refused_there: Vec<_> = refused(&other).collect();
        let possible = other.possible().len();
        let what = format!("user {user:?}:\n{}", other.printed);
        assert_eq!(refused_there.len() + possible, attacks().count(), "each was tried, {what}");
        assert!(refused_there.len() > possible, "it is a sandbox, {what}");
        let here = attack(user, Way::Processes(DemandedLevel::Namespaces));
        let refused_here: Vec<_> = refused(&here).collect();
        for name in refused_there {
            assert!(refused_here.contains(&name), "`{name}` is refused, {}", here.printed);
        }
    }
}

/// Returns the names of the refused attacks.
fn refused(outcome: &Outcome) -> impl Iterator<Item = &'static str> {
    let lines = outcome.printed.lines().filter_map(|line| line.strip_prefix("refused: "));
    let lines: Vec<_> = lines.collect();
    let is_refused = move |name: &&str| {
        lines.iter().any(|line| line.strip_prefix(*name).is_some_and(|rest| rest.starts_with(':')))
    };
    let names: Vec<_> = attacks().map(|(name, ..)| *name).filter(is_refused).collect();
    names.into_iter()
}
