//! The code beside its models.

use prowess_core::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope,
    ApprovalState, ApprovalVerdict, ArgumentPattern, Digest, NewApproval, OperationId, PackagePath,
    PathError, ResourcePath, SessionId, Spend, SpendStep, Timestamp,
};
use prowess_testkit::{for_each_short_path, replay_model};

#[test]
fn path_is_read_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/path.jsonl"), |question, model| {
        let text = question.text(0);
        let is_file = ResourcePath::new(text).is_ok();
        let mut answer = vec![PackagePath::is_normal(text).into(), model[1], is_file.into()];
        match PackagePath::new(text) {
            Ok(path) => {
                answer.push(0);
                answer
                    .extend(path.as_str().chars().map(|character| i64::from(u32::from(character))));
            }
            Err(PathError::Nul) => answer.push(2),
            Err(_) => answer.push(1),
        }
        answer
    });
}

fn request(is_unbound: bool) -> ApprovalEntry {
    let request = ApprovalRequest {
        tool: "Bash".into(),
        arguments: ArgumentPattern::Any,
        skill: Some("pdf".into()),
        package: (!is_unbound).then(|| Digest::of(b"files")),
        tenant: None,
    };
    let session = SessionId::new("s").expect("the id is valid");
    let (id, preview) = (ApprovalId::new("a"), String::new());
    let (now, expires) = (Timestamp(0), Timestamp(5));
    let new = NewApproval { id, request, session, preview, now, expires, log: None };
    new.admit([]).expect("the limit is not reached")
}

/// Returns the verdict of an act that is a decision.
fn verdict(act: usize) -> Option<ApprovalVerdict> {
    let scopes = [ApprovalScope::Once, ApprovalScope::Session, ApprovalScope::Always];
    let until = [Some(Timestamp(3)), Some(Timestamp(6)), None];
    match act {
        0..3 => None,
        3 => Some(ApprovalVerdict::Deny),
        4 => Some(ApprovalVerdict::Revoke),
        _ => {
            let expires = until[(act / 3).saturating_sub(2)];
            Some(ApprovalVerdict::Grant { scope: scopes[act % 3], expires })
        }
    }
}

/// Returns the entry after an act, and whether a call may run.
fn after(entry: ApprovalEntry, act: usize, now: Timestamp) -> (ApprovalEntry, bool) {
    if let Some(verdict) = verdict(act) {
        let decided = entry.decide(&ApprovalDecision { verdict, by: "ada".into(), at: now });
        return (decided.unwrap_or(entry), false);
    }
    let query = ApprovalQuery { tool: "Bash", tenant: None, session: &entry.session, now };
    match entry.spend(&query, OperationId(act as u64)) {
        SpendStep::Answer(answer) => (entry, answer == Spend::Allowed),
        SpendStep::Store(next) => (*next, true),
    }
}

#[test]
fn approval_is_spent_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/approval.jsonl"), |question, _| {
        let mut entry = request(question.numbers(0)[0] == 1);
        let mut answer = Vec::new();
        for (now, act) in (0..).zip(question.counts(1)) {
            let (next, runs) = after(entry, act, Timestamp(now));
            answer.push(runs.into());
            entry = next;
        }
        let state = match entry.state {
            ApprovalState::Pending => 0,
            ApprovalState::Granted { .. } => 1,
            ApprovalState::Denied { .. } => 2,
            ApprovalState::Revoked { .. } => 3,
            _ => 4,
        };
        answer.extend([state, i64::try_from(entry.version).expect("there are few")]);
        answer
    });
}

/// Each entry that three acts lead to, at each moment around its expiry and its end.
#[test]
fn every_short_history_ends_as_its_state_says() {
    let acts = (0..15_usize)
        .flat_map(|one| (0..15).flat_map(move |two| (0..15).map(move |three| [one, two, three])));
    for acts in acts {
        let entry = (0..)
            .zip(acts)
            .fold(request(false), |entry, (now, act)| after(entry, act, Timestamp(now)).0);
        let (is_closed, end) = match entry.state {
            ApprovalState::Revoked { at, .. } | ApprovalState::Spent { at, .. } => (true, Some(at)),
            _ => (false, entry.expires),
        };
        for now in (0..8).map(Timestamp) {
            let is_expired = entry.expires.is_some_and(|expires| expires <= now);
            assert_eq!(entry.is_open(now), !is_closed && !is_expired, "{entry:?} at {now:?}");
            assert_eq!(
                entry.is_finished(now),
                end.is_some_and(|end| end < now),
                "{entry:?} at {now:?}"
            );
            check_callers(&entry, now);
        }
        check_refusal(&entry);
    }
}

/// A refused decision names the state and the person as they are stored.
fn check_refusal(entry: &ApprovalEntry) {
    let decision =
        ApprovalDecision { verdict: ApprovalVerdict::Deny, by: "bob".into(), at: Timestamp(0) };
    let Err(refused) = entry.decide(&decision) else { return };
    let stored = serde_json::to_value(&entry.state).expect("it is data");
    let [state, by] = ["kind", "by"].map(|field| stored[field].as_str().unwrap_or_default());
    let granted = if state == "spent" { ", granted" } else { "" };
    assert_eq!(refused.to_string(), format!("approval `a` is {state}{granted} by {by}"));
}

/// An approval is for its tool, its tenant, and its session or all of them.
fn check_callers(entry: &ApprovalEntry, now: Timestamp) {
    let [own, other, of_tool, of_tenant] =
        [("s", "Bash", None), ("t", "Bash", None), ("s", "Read", None), ("s", "Bash", Some("b"))]
            .map(|(id, tool, tenant)| {
                let session = SessionId::new(id).expect("the id is valid");
                entry.approval_for(&ApprovalQuery { tool, tenant, session: &session, now })
            });
    assert_eq!((of_tool, of_tenant), (None, None), "{entry:?} at {now:?}");
    let Some(own) = own else { return assert_eq!(other, None, "{entry:?} at {now:?}") };
    let is_shared = own.scope == ApprovalScope::Always;
    assert_eq!((other.is_some(), own.session.is_none()), (is_shared, is_shared), "{entry:?}");
}

/// Lemmas D1 and D2, for each short path: one that stays inside is accepted, and made normal.
#[test]
fn every_short_path_is_normal_or_made_normal_or_refused() {
    let mut count = 0;
    for_each_short_path(|text| {
        count += 1;
        let path = PackagePath::new(text);
        let directory = path.as_ref().map(|path| (path.as_str(), path.directory()));
        let ends =
            |(path, end): (&str, &str)| path.ends_with(end) && path.is_empty() == end.is_empty();
        assert!(directory.is_ok_and(ends) || path.is_err(), "{path:?}");
        let is_unchanged = path.as_ref().is_ok_and(|path| path.as_str() == text);
        assert_eq!(PackagePath::is_normal(text), is_unchanged, "{text:?}");
        let is_made_normal = path.as_ref().is_ok_and(|path| PackagePath::is_normal(path.as_str()));
        let depth = text.split('/').try_fold(0_usize, |depth, part| match part {
            "" | "." => Some(depth),
            ".." => depth.checked_sub(1),
            _ => Some(depth + 1),
        });
        let is_inside = depth.is_some() && !text.starts_with('/') && !text.contains(['\0', '\\']);
        assert_eq!((path.is_ok(), is_made_normal), (is_inside, is_inside), "{text:?}: {path:?}");
        let is_file = is_inside && depth > Some(0);
        assert_eq!(ResourcePath::new(text).is_ok(), is_file, "{text:?}");
    });
    assert_eq!(count, 335_922);
}
