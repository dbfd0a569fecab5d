//! The runs of skills, as the audit receives them.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    ActiveSkill, AllowedTools, CallOrigin, CorrelationId, DeactivationCause, LoadMode,
    RuntimeEvent, Unload,
};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::{AuditRecorder, ManualClock};

use crate::fixture::{edition, load};

struct Host {
    clock: Arc<ManualClock>,
    audit: Arc<AuditRecorder>,
    sessions: Sessions,
}

impl Host {
    fn new(policy: SessionPolicy) -> Self {
        let clock = Arc::new(ManualClock::default());
        let audit = Arc::new(AuditRecorder::default());
        let store = Arc::new(MemoryStore::new());
        let sessions = Sessions::audited(store, clock.clone(), policy, audit.clone());
        Self { clock, audit, sessions }
    }

    fn open(&self) -> SessionHandle {
        let origin = CallOrigin { task: Some("t".to_owned()), ..CallOrigin::default() };
        self.sessions.open().expect("memory takes a new session").with_origin(origin)
    }

    /// Returns the events since the last call, such as `+a` and `-a unloaded 5s`, and their ids.
    fn take(&self) -> (String, Vec<CorrelationId>) {
        assert!(self.audit.take_calls().is_empty(), "a session calls no tool");
        let shown = self.audit.take_changes().into_iter().map(|event| match event {
            RuntimeEvent::SkillActivated(event) => {
                assert_eq!(event.origin.task.as_deref(), Some("t"), "the handle's task");
                (format!("+{}", event.skill), event.correlation)
            }
            RuntimeEvent::SkillDeactivated(event) => {
                use DeactivationCause::{SessionClosed, SessionEvicted, SessionExpired};
                let is_end = matches!(event.cause, SessionClosed | SessionEvicted | SessionExpired);
                assert!(!is_end || event.origin.task.is_some(), "the last handle's task");
                let text = format!("-{} {:?} {:?}", event.skill, event.cause, event.duration);
                (text, event.correlation)
            }
            RuntimeEvent::SkillRefreshed(event) => {
                let [tools, declared] = [Some(&event.allowed_tools), event.declared_tools.as_ref()]
                    .map(|tools| tools.map_or_else(String::new, ToString::to_string));
                (format!("~{} [{tools}] [{declared}]", event.id), event.correlation)
            }
            RuntimeEvent::SessionResumed(event) => {
                let skills = event.skills.into_iter();
                let (ids, runs): (Vec<_>, Vec<_>) =
                    skills.map(|skill| (skill.skill, skill.correlation)).unzip();
                (format!("resumed {}", ids.join(" ")), runs[0].clone())
            }
            other => panic!("a session does not cause {other:?}"),
        });
        let (shown, ids): (Vec<_>, _) = shown.unzip();
        (shown.join(", "), ids)
    }
}

#[test]
fn run_has_one_id_from_load_to_unload() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a b").expect("both may be loaded");
    let (shown, started) = host.take();
    assert_eq!(shown, "+a, +b");
    assert_ne!(started[0], started[1], "each skill has a run");
    host.clock.advance(Duration::from_secs(5));
    session.unload(&Unload::These(vec!["a".to_owned()])).expect("it is loaded");
    let (shown, ended) = host.take();
    assert_eq!(shown, format!("-a Unloaded {}", run_length(5)));
    assert_eq!(ended, started[..1], "the id that it started with");
}

/// The fixture's skills were activated at the beginning of time.
fn run_length(seconds: u64) -> String {
    format!("{:?}", Duration::from_secs(1_767_225_600 + seconds))
}

#[test]
fn replaced_skill_ends_its_run() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Replace, "a").expect("it may be loaded");
    load(&session, LoadMode::Replace, "b").expect("it may be loaded");
    assert_eq!(
        host.take().0,
        format!("+a, -a {:?} {}, +b", DeactivationCause::Replaced, run_length(0))
    );
}

#[test]
fn newer_content_continues_the_run() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("it may be loaded");
    let mut newer = edition("a", 2);
    Arc::make_mut(&mut newer).activated_at = prowess_core::Timestamp(77);
    session.load(&[Arc::clone(&newer)], LoadMode::Add).expect("it may be loaded again");
    session.refresh(&[newer]).expect("it is loaded");
    let state = session.state().expect("it is open");
    assert_eq!(*state.active[0].body, *edition("a", 2).body, "the content is the new one");
    assert_eq!(state.active[0].activated_at.0, 0, "the run is the old one");
    assert_eq!(host.take().0, "+a, ~a [] []", "the second load has another content");
}

/// Returns a version of a skill with `allowed-tools`.
fn with_tools(version: u32, tools: &str) -> Arc<ActiveSkill> {
    let mut skill = edition("a", version);
    Arc::make_mut(&mut skill).allowed_tools = AllowedTools::parse(tools).expect("they are rules");
    skill
}

#[test]
fn refresh_keeps_the_rules_of_the_load() {
    for (loaded, newer) in [("Read", "Read Bash(*)"), ("Read Bash(*)", "Read"), ("Read", "Bash(*)")]
    {
        let host = Host::new(SessionPolicy::default());
        let session = host.open();
        session.load(&[with_tools(1, loaded)], LoadMode::Add).expect("it may be loaded");
        let newer = [with_tools(2, newer)];
        let rules = || session.state().expect("it is open").active[0].allowed_tools.clone();
        session.refresh(&newer).expect("it is open");
        assert_eq!(rules(), with_tools(1, loaded).allowed_tools, "nothing was loaded");
        session.refresh(&newer).expect("it is open");
        session.load(&newer, LoadMode::Add).expect("it may be loaded again");
        assert_eq!(rules(), newer[0].allowed_tools, "it was loaded again");
        let declared = newer[0].allowed_tools.to_string();
        let expected = format!("+a, ~a [{loaded}] [{declared}]");
        assert!(host.take().0.starts_with(&expected), "the audit has both");
    }
}

#[test]
fn close_and_expiry_end_each_run() {
    let policy = SessionPolicy { idle_limit_seconds: Some(1), ..SessionPolicy::default() };
    let host = Host::new(policy);
    let [closed, expired] = [host.open(), host.open()];
    load(&closed, LoadMode::Add, "a").expect("it may be loaded");
    load(&expired, LoadMode::Add, "b").expect("it may be loaded");
    host.take();
    assert_eq!(host.sessions.close(closed.id()), Ok(true));
    assert_eq!(host.take().0, format!("-a SessionClosed {}", run_length(0)));
    host.clock.advance(Duration::from_secs(2));
    assert!(expired.touch().is_err(), "it has expired");
    assert_eq!(host.take().0, format!("-b SessionExpired {}", run_length(2)));
}

#[test]
fn end_of_task_and_revocation_end_their_runs() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a b c d").expect("all may be loaded");
    host.take();
    session.revoke(|skill| skill.id == "a").expect("it is open");
    assert_eq!(host.take().0, format!("-a Revoked {}", run_length(0)));
    let allowed = ["c", "d"].map(str::to_owned).into();
    session.restrict(&allowed).expect("it is open");
    assert_eq!(host.take().0, format!("-b Revoked {}", run_length(0)));
    session.task().end().expect("it is open");
    let ended = ["d", "c"].map(|id| format!("-{id} TaskCompleted {}", run_length(0)));
    assert_eq!(host.take().0, ended.join(", "));
    load(&session, LoadMode::Add, "a").expect_err("the restriction stays");
    load(&session, LoadMode::Add, "c").expect("it is allowed");
    host.take();
    drop(session.task());
    assert_eq!(host.take().0, format!("-c TaskCompleted {}", run_length(0)), "also by a drop");
}

#[test]
fn evicted_session_ends_its_runs() {
    let max_sessions = std::num::NonZeroUsize::new(1);
    let host = Host::new(SessionPolicy { max_sessions, ..SessionPolicy::default() });
    let evicted = host.open();
    load(&evicted, LoadMode::Add, "a b").expect("both may be loaded");
    let (_, started) = host.take();
    host.clock.advance(Duration::from_secs(3));
    host.open();
    let (shown, ended) = host.take();
    let cause = |id| format!("-{id} SessionEvicted {}", run_length(3));
    assert_eq!(shown, [cause("b"), cause("a")].join(", "), "the last one first");
    assert!(ended.iter().rev().eq(&started), "the runs that were started");
}

#[test]
fn expired_sessions_end_their_runs_when_they_are_deleted() {
    let policy = SessionPolicy { idle_limit_seconds: Some(1), ..SessionPolicy::default() };
    let host = Host::new(policy);
    let id = prowess_core::SessionId::new("chat").expect("it is an id");
    let origin = CallOrigin { task: Some("t".to_owned()), ..CallOrigin::default() };
    for is_replaced in [false, true] {
        let session = host.sessions.open_with(id.clone()).expect("the id is free");
        load(&session.with_origin(origin.clone()), LoadMode::Add, "a").expect("it may be loaded");
        host.take();
        host.clock.advance(Duration::from_secs(1));
        if is_replaced {
            host.sessions.open_with(id.clone()).expect("the session has expired");
        } else {
            assert_eq!(host.sessions.expire(), Ok(1));
        }
        let length = run_length(1 + u64::from(is_replaced));
        assert_eq!(host.take().0, format!("-a SessionExpired {length}"));
        assert_eq!(host.sessions.expire(), Ok(0), "it is reported once");
        assert_eq!(host.take().0, "");
    }
}

/// A program that was killed in a task has unloaded nothing.
#[test]
fn resumed_session_names_what_is_still_loaded() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    host.sessions.resume(session.id()).expect("it is open");
    assert_eq!(host.take().0, "", "nothing is loaded");
    load(&session, LoadMode::Add, "a b").expect("both may be loaded");
    let (_, started) = host.take();
    let task = session.task();
    // Never dropped, as in a killed program.
    std::mem::forget(task);
    host.sessions.resume(session.id()).expect("it is open");
    let (shown, runs) = host.take();
    assert_eq!(shown, "resumed a b");
    assert_eq!(runs, started[..1], "the run that was started");
}
