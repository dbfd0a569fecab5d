//! The `# Behavior` list of `ApprovalStore` as checks.

mod fixture;

use std::num::NonZeroUsize;

use prowess_core::{
    ApprovalEntry, ApprovalQuery, ApprovalScope, ApprovalState, ApprovalStore, Asked, Digest,
    NewApproval, Spend, Timestamp,
};

use crate::KitReport;
use fixture::{Fixture, race};

/// One rule: its name, and its check in a session of its own.
type Rule = (&'static str, fn(&Fixture<'_>));

const RULES: [Rule; 16] = [
    ("ask-stores-a-pending-entry", ask_stores),
    ("same-request-leads-to-the-open-entry", ask_again),
    ("other-requests-have-their-own-entries", ask_other),
    ("pending-requests-are-limited", ask_many),
    ("racing-requests-keep-the-limit", ask_racing),
    ("large-requests-are-not-stored", ask_large),
    ("id-has-one-entry", ask_taken),
    ("replace-compares-the-version", replace_compares),
    ("racing-replaces-have-one-winner", replace_racing),
    ("approval-for-one-call-is-spent-once", spend_once),
    ("racing-spends-have-one-winner", spend_racing),
    ("find-keeps-callers-apart", find_apart),
    ("find-returns-granted-approvals-only", find_granted),
    ("expired-approvals-never-apply", find_expired),
    ("list-pages-are-complete", list_pages),
    ("finished-entries-are-removed", remove_finished),
];

/// Checks every rule of [`ApprovalStore`] on an empty store, which has entries afterwards.
///
/// A store that panics breaks the rule of that check.
pub fn check_approval_store(store: &dyn ApprovalStore) -> KitReport {
    KitReport::of(&RULES, |rule, check| check(&Fixture::new(store, rule)))
}

fn ask_stores(fixture: &Fixture<'_>) {
    let new = fixture.new_approval("1", "one");
    assert_eq!(fixture.load("1"), None, "there is no entry before the first request");
    let entry = fixture.ask(new.clone());
    let expected = ApprovalEntry {
        log: None,
        id: new.id,
        request: new.request,
        session: new.session,
        preview: new.preview,
        asked: new.now,
        expires: Some(new.expires),
        version: 0,
        state: ApprovalState::Pending,
    };
    assert_eq!(entry, expected, "the answer is the pending entry");
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| fixture.load("1")).join());
    let elsewhere = elsewhere.expect("`load` works from any thread");
    assert_eq!(elsewhere, Some(expected), "`load` returns it from any thread");
}

fn ask_again(fixture: &Fixture<'_>) {
    let first = fixture.pending("0", "same");
    for number in 1..1_000 {
        let entry = fixture.pending(&number.to_string(), "same");
        assert_eq!(entry.id, first.id, "a request made 1,000 times is one entry");
    }
    assert_eq!(fixture.entries().len(), 1, "a repeated request stores nothing");
    fixture.deny("0");
    let denied = fixture.pending("a", "same");
    assert_eq!(denied.state.word(), "denied", "a denied request is not asked again");
    let late = NewApproval {
        now: Timestamp(fixture::EXPIRY),
        expires: Timestamp(2 * fixture::EXPIRY),
        ..fixture.new_approval("late", "same")
    };
    let late = fixture.ask(late);
    assert_eq!(late.id, fixture.id("late"), "an expired entry does not answer a request");
    fixture.pending("b", "other");
    fixture.grant("b", ApprovalScope::Session);
    assert_eq!(fixture.pending("c", "other").id, fixture.id("b"), "nor is a granted one");
    fixture.revoke("b");
    assert_eq!(fixture.pending("d", "other").id, fixture.id("d"), "a revoked one is asked again");
}

fn ask_other(fixture: &Fixture<'_>) {
    let first = fixture.pending("1", "first");
    let mut package = fixture.new_approval("2", "first");
    package.request.package = Some(Digest::of(b"changed"));
    let mut tenant = fixture.new_approval("3", "first");
    tenant.request.tenant = Some("globex".into());
    let mut session = fixture.new_approval("4", "first");
    session.session = fixture.other_session();
    for new in [package, tenant, session, fixture.new_approval("5", "second")] {
        let entry = fixture.ask(new.clone());
        assert_eq!(entry.id, new.id, "what an approval is bound to is part of the request");
        assert_ne!(entry.id, first.id, "it has an entry of its own");
    }
}

fn ask_many(fixture: &Fixture<'_>) {
    for number in 0..NewApproval::MAX_PENDING {
        fixture.pending(&number.to_string(), &format!("request {number}"));
    }
    let one_more = || fixture.new_approval("more", "one more");
    assert_eq!(fixture.try_ask(one_more()), Asked::TooMany, "the limit holds");
    assert_eq!(fixture.load("more"), None, "a refused request is not stored");
    let other = NewApproval { session: fixture.other_session(), ..one_more() };
    assert!(matches!(fixture.try_ask(other), Asked::Entry(_)), "each session has its own limit");
    fixture.deny("0");
    let freed = fixture.pending("freed", "one more");
    assert_eq!(freed.id, fixture.id("freed"), "a decision makes room");
    let late = NewApproval {
        now: Timestamp(fixture::EXPIRY),
        expires: Timestamp(2 * fixture::EXPIRY),
        ..fixture.new_approval("late", "late")
    };
    assert!(matches!(fixture.try_ask(late), Asked::Entry(_)), "expired requests do not count");
}

fn ask_racing(fixture: &Fixture<'_>) {
    for number in 2..NewApproval::MAX_PENDING {
        fixture.pending(&number.to_string(), &format!("request {number}"));
    }
    let answers = race(|racer| {
        let name = format!("racer {racer}");
        matches!(fixture.try_ask(fixture.new_approval(&name, &name)), Asked::Entry(_))
    });
    let stored = answers.iter().filter(|is_stored| **is_stored).count();
    assert_eq!(stored, 2, "of racing requests as many are stored as there is room for");
    assert_eq!(fixture.entries().len(), NewApproval::MAX_PENDING, "and no more");
}

fn ask_large(fixture: &Fixture<'_>) {
    let large = fixture.new_approval("large", &"x".repeat(NewApproval::MAX_SIZE));
    assert_eq!(fixture.try_ask(large), Asked::TooLarge, "the size has a limit");
    let preview = "x".repeat(NewApproval::MAX_SIZE);
    let shown = NewApproval { preview, ..fixture.new_approval("large", "small") };
    assert_eq!(fixture.try_ask(shown), Asked::TooLarge, "the limit includes the preview");
    assert_eq!(fixture.load("large"), None, "a refused request is not stored");
}

fn ask_taken(fixture: &Fixture<'_>) {
    let first = fixture.pending("taken", "first");
    let second = fixture.store.ask(fixture.new_approval("taken", "second"));
    assert!(second.is_err(), "an id that is in use is refused");
    assert_eq!(fixture.load("taken"), Some(first), "the entry with that id is unchanged");
}

fn replace_compares(fixture: &Fixture<'_>) {
    let first = fixture.pending("1", "call");
    let next = ApprovalEntry { version: 1, ..first.clone() };
    for other in [1, 7] {
        assert!(!fixture.replace(&next, other), "another version than the stored one is refused");
    }
    assert_eq!(fixture.load("1"), Some(first), "a refused entry is not stored");
    assert!(fixture.replace(&next, 0), "the expected version is replaced");
    assert_eq!(fixture.load("1").as_ref(), Some(&next), "`load` returns what was stored last");
    assert!(!fixture.replace(&next, 0), "an earlier version is refused");
    let unknown = ApprovalEntry { id: fixture.id("unknown"), ..next };
    assert!(!fixture.replace(&unknown, 0), "an entry that is not stored is refused");
    assert_eq!(fixture.load("unknown"), None, "`replace` creates nothing");
}

fn replace_racing(fixture: &Fixture<'_>) {
    let first = fixture.pending("1", "call");
    let asked = |racer: u64| Timestamp(1_000 + racer);
    let answers = race(|racer| {
        fixture.replace(&ApprovalEntry { version: 1, asked: asked(racer), ..first.clone() }, 0)
    });
    let winners: Vec<_> = (0..).zip(answers).filter(|(_, is_stored)| *is_stored).collect();
    assert_eq!(winners.len(), 1, "exactly one of racing calls succeeds");
    let stored = fixture.load("1").map(|entry| entry.asked);
    assert_eq!(stored, Some(asked(winners[0].0)), "and its entry is stored");
}

fn spend_once(fixture: &Fixture<'_>) {
    fixture.pending("1", "call");
    assert_eq!(fixture.spend("1", 0), Spend::NotApplicable, "a pending one allows nothing");
    fixture.grant("1", ApprovalScope::Once);
    assert_eq!(fixture.spend("1", 1), Spend::Allowed, "the first operation is allowed");
    assert_eq!(fixture.spend("1", 2), Spend::SpentByAnother, "the second one is not");
    assert_eq!(fixture.spend("1", 1), Spend::Allowed, "a repeated operation finds its own");
    assert_eq!(fixture.find(), [], "a spent approval does not apply");
    for (name, scope) in [("2", ApprovalScope::Session), ("3", ApprovalScope::Always)] {
        fixture.pending(name, name);
        fixture.grant(name, scope);
        for operation in [3, 4] {
            let spend = fixture.spend(name, operation);
            assert_eq!(spend, Spend::Allowed, "{scope:?} allows every call");
        }
        fixture.revoke(name);
        assert_eq!(fixture.spend(name, 5), Spend::NotApplicable, "{scope:?} until it is revoked");
    }
}

fn spend_racing(fixture: &Fixture<'_>) {
    fixture.pending("1", "call");
    fixture.grant("1", ApprovalScope::Once);
    let answers = race(|racer| fixture.spend("1", racer));
    let allowed = answers.iter().filter(|answer| **answer == Spend::Allowed).count();
    assert_eq!(allowed, 1, "exactly one of racing operations is allowed");
}

fn find_apart(fixture: &Fixture<'_>) {
    for (name, scope) in [("1", ApprovalScope::Session), ("2", ApprovalScope::Always)] {
        fixture.pending(name, name);
        fixture.grant(name, scope);
    }
    let query = fixture.query();
    let other = fixture.other_session();
    let found = |query| {
        let approvals = fixture.find_by(&query);
        approvals.into_iter().map(|approval| approval.scope).collect::<Vec<_>>()
    };
    assert_eq!(found(query).len(), 2, "both apply to their own caller");
    let elsewhere = ApprovalQuery { session: &other, ..query };
    assert_eq!(found(elsewhere), [ApprovalScope::Always], "sessions are apart");
    for tenant in [None, Some("globex"), Some("ACME")] {
        let foreign = ApprovalQuery { tenant, ..query };
        assert_eq!(found(foreign), [], "tenants are apart: {tenant:?}");
        let spent = fixture.spend_by("2", &foreign, 6);
        assert_eq!(spent, Spend::NotApplicable, "another tenant cannot use an id: {tenant:?}");
    }
    let tool = ApprovalQuery { tool: "another", ..query };
    assert_eq!(found(tool), [], "tools are apart");
}

fn find_granted(fixture: &Fixture<'_>) {
    for name in ["pending", "denied", "revoked", "granted"] {
        fixture.pending(name, name);
    }
    fixture.deny("denied");
    fixture.grant("revoked", ApprovalScope::Always);
    fixture.revoke("revoked");
    let entry = fixture.grant("granted", ApprovalScope::Session);
    let expected: Vec<_> = entry.approval_for(&fixture.query()).into_iter().collect();
    assert_eq!(fixture.find(), expected, "`find` returns granted approvals, unchanged");
}

fn find_expired(fixture: &Fixture<'_>) {
    fixture.pending("1", "call");
    fixture.grant("1", ApprovalScope::Once);
    let at = |now| ApprovalQuery { now: Timestamp(now), ..fixture.query() };
    assert_eq!(fixture.find_by(&at(fixture::EXPIRY - 1)).len(), 1, "it applies before its expiry");
    for now in [fixture::EXPIRY, u64::MAX] {
        assert_eq!(fixture.find_by(&at(now)), [], "it does not apply from then on");
        let spent = fixture.spend_by("1", &at(now), 7);
        assert_eq!(spent, Spend::NotApplicable, "nor can it be spent");
    }
}

fn list_pages(fixture: &Fixture<'_>) {
    let names: Vec<_> = (0..5).map(|number| number.to_string()).collect();
    for name in names.iter().rev() {
        fixture.pending(name, name);
    }
    let expected: Vec<_> = names.iter().map(|name| fixture.id(name)).collect();
    for limit in [1, 2, 5, 1_000] {
        let limit = NonZeroUsize::new(limit).expect("no limit is zero");
        let ids: Vec<_> = fixture.listed(limit).into_iter().map(|entry| entry.id).collect();
        assert_eq!(ids, expected, "pages of {limit} have each entry once, by id");
    }
}

fn remove_finished(fixture: &Fixture<'_>) {
    for name in ["spent", "revoked", "pending", "granted", "endless"] {
        fixture.pending(name, name);
    }
    fixture.grant("spent", ApprovalScope::Once);
    fixture.spend("spent", 8);
    fixture.grant("revoked", ApprovalScope::Session);
    fixture.revoke("revoked");
    fixture.grant("granted", ApprovalScope::Session);
    fixture.grant_until("endless", ApprovalScope::Session, None);
    let left = |before| {
        let stored = fixture.all_entries();
        let removed = fixture.store.remove_finished(Timestamp(before));
        let removed = removed.expect("`remove_finished` succeeds on a working store");
        let is_complete = fixture.all_entries() + removed.len() == stored;
        assert!(is_complete, "each removed entry is returned: {removed:?}");
        let is_gone = |entry: &ApprovalEntry| fixture.store.load(&entry.id) == Ok(None);
        assert!(removed.iter().all(is_gone), "a returned entry is removed: {removed:?}");
        fixture.entries().len()
    };
    let spent = fixture.load("spent").expect("it is stored");
    assert_eq!(left(fixture::NOW), 5, "nothing was finished before that time");
    assert_eq!(left(fixture::NOW + 1), 3, "spent and revoked ones are removed");
    assert!(!fixture.replace(&spent, spent.version), "a removed entry does not come back");
    assert_eq!(left(fixture::EXPIRY), 3, "the others have not expired before that time");
    assert_eq!(left(fixture::EXPIRY + 1), 1, "expired ones are removed");
    assert_eq!(fixture.load("endless").map(|entry| entry.state.word()), Some("granted"));
    fixture.revoke("endless");
    assert_eq!(left(u64::MAX), 0, "a revoked one without expiry is removed too");
    assert_eq!(fixture.load("endless"), None, "`load` does not return a removed entry");
}
