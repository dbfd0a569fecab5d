//! The story of a session, and statistics.

use std::fmt::Write as _;

use expect_test::{expect, expect_file};
use prowess_audit::{
    Head, LogIndex, LogOptions, Statistics, Story, StoryFilter, StoryPart, VerifyError, seal_line,
    verify,
};
use prowess_core::{
    ApprovalAction, ApprovalEvent, ApprovalId, AuditEvent, AuditSink, AuditedDecision, CallIntent,
    Code, DeactivationCause, Outcome, ReloadEvent, RuntimeEvent, SessionId, Timestamp, Verdict,
};
use serde_json::json;

use crate::fixture::{
    Place, START, activated, approved, by, deactivated, denied, done, intent, rejected_plugin,
    resumed, trusted,
};

fn log() -> Place {
    let place = Place::new();
    let log = place.open();
    log.report(&RuntimeEvent::CatalogReloaded(ReloadEvent {
        at: START,
        cause: "start".to_owned(),
        before: 0,
        generation: 1,
        skills: 3,
        added: 3,
        changed: 0,
        removed: 0,
    }));
    log.report(&activated());
    log.intend(&intent(1)).expect("there is room");
    log.record(&done(1));
    log.record(&denied(2));
    log.report(&deactivated(DeactivationCause::TaskCompleted));
    let other = SessionId::new("other").expect("it is a good id");
    log.intend(&CallIntent { session: other, skill: None, ..intent(3) }).expect("there is room");
    place
}

fn of_session(session: &str) -> StoryFilter {
    StoryFilter { session: Some(session.to_owned()), ..StoryFilter::default() }
}

/// Reads a story from its end, part by part.
fn check_parts(whole: Story, read: impl Fn(Option<u64>) -> StoryPart) {
    let lines = |story: Story| -> Vec<_> {
        story.sessions.into_iter().flat_map(|session| session.lines).collect()
    };
    let (mut parts, mut before) = (Vec::new(), None);
    for _ in 0..20 {
        let part = read(before);
        let lines = lines(part.story);
        assert!(lines.len() <= 7 && !lines.is_empty(), "{} lines", lines.len());
        parts.splice(0..0, lines);
        before = part.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(parts, lines(whole), "the parts together are the story");
}

fn shown(story: &Story) -> String {
    let mut text = String::new();
    for session in &story.sessions {
        writeln!(text, "[{}]", session.session).expect("a string takes any text");
        for line in &session.lines {
            writeln!(text, "{} {}", line.timestamp, line.text).expect("a string takes any text");
        }
    }
    text
}

#[test]
fn story_has_each_session_and_unfinished_calls() {
    let place = log();
    let story = Story::read(&place.path, &StoryFilter { all: true, ..StoryFilter::default() })
        .expect("nothing was changed");
    expect_file!["../data/story-levels.txt"].assert_eq(&shown(&story));
    let one = Story::read(&place.path, &of_session("other")).expect("nothing was changed");
    assert_eq!(one.sessions, story.sessions[2..], "only the named session");
}

#[test]
fn story_names_approvals_plugins_and_what_a_killed_task_left() {
    let place = Place::new();
    let log = place.open();
    for event in [activated(), approved(), rejected_plugin(), trusted(), resumed()] {
        log.report(&event);
    }
    let story = Story::read(&place.path, &StoryFilter { all: true, ..StoryFilter::default() })
        .expect("nothing was changed");
    expect_file!["../data/story-changes.txt"].assert_eq(&shown(&story));
}

/// The call that a person approved at its terminal was refused first, and then made again.
#[test]
fn approved_call_is_shown_as_such_and_behind_its_approval() {
    let place = Place::new();
    let log = place.open();
    let asked = AuditedDecision {
        approval: Some(ApprovalId::new("a1")),
        ..AuditedDecision::new(Verdict::Asked)
    };
    let waits = AuditEvent {
        intent: CallIntent { decision: Some(asked.clone()), ..intent(1) },
        outcome: Outcome::Refused(Code::new("approval-required")),
        ..done(1)
    };
    log.record(&waits);
    let at = |milliseconds| Timestamp(START.0 + milliseconds);
    for (action, milliseconds) in [
        (ApprovalAction::Refused, 1_550),
        (ApprovalAction::Granted, 1_600),
        (ApprovalAction::Spent, 1_701),
    ] {
        let RuntimeEvent::Approval(event) = approved() else { return };
        log.report(&RuntimeEvent::Approval(ApprovalEvent {
            at: at(milliseconds),
            action,
            ..event
        }));
    }
    let granted = Some(AuditedDecision { verdict: Verdict::Allowed, ..asked });
    let call = CallIntent { at: at(1_700), decision: granted, ..intent(2) };
    log.intend(&call).expect("there is room");
    log.record(&AuditEvent { intent: call, ..done(2) });
    let story = Story::read(&place.path, &StoryFilter::default()).expect("nothing was changed");
    expect_file!["../data/story-later.txt"].assert_eq(&shown(&story));
}

#[test]
fn statistics_sum_calls_and_runs() {
    let place = log();
    let statistics = Statistics::read(&place.path).expect("nothing was changed");
    expect![[r#"{"entries":7,"sessions":2,"violations":1,"tools":{"Read":{"done":1,"refused":0,"failed":0,"total_ms":12},"Write":{"done":0,"refused":1,"failed":0,"total_ms":0}},"skills":{"pdf":{"activations":1,"unfinished":0,"seconds":12.5,"calls":2}}}"#]].assert_eq(&serde_json::to_string(&statistics).expect("it is data"));
}

#[test]
fn each_end_of_a_call_is_counted() {
    let place = Place::new();
    let log = place.open();
    let code = Code::new("script-failed");
    for (count, outcome) in
        [(1, Outcome::Done), (2, Outcome::Refused(code.clone())), (3, Outcome::Failed(code))]
    {
        for call in 0..count {
            log.record(&AuditEvent { outcome: outcome.clone(), ..done(10 * count + call) });
        }
    }
    let statistics = Statistics::read(&place.path).expect("nothing was changed");
    let tool = statistics.tools["Read"];
    assert_eq!((tool.done, tool.refused, tool.failed), (1, 2, 3), "each call is counted once");
}

/// The program was killed, so nothing unloaded the skill.
#[test]
fn run_without_an_end_counts_until_the_last_entry() {
    let place = Place::new();
    let log = place.open();
    log.report(&activated());
    log.record(&done(1));
    let statistics = Statistics::read(&place.path).expect("nothing was changed");
    let skill = statistics.skills["pdf"];
    assert_eq!((skill.unfinished, skill.seconds), (1, 1.512), "the call ended 1.512 s later");
    log.report(&deactivated(DeactivationCause::TaskCompleted));
    let statistics = Statistics::read(&place.path).expect("nothing was changed");
    let skill = statistics.skills["pdf"];
    assert_eq!((skill.unfinished, skill.seconds), (0, 12.5), "the end says how long it was");
}

#[test]
fn broken_log_has_a_story_of_what_is_proven() {
    let place = log();
    let text = place.text().replace("\"call\":2", "\"call\":9");
    std::fs::write(&place.path, &text).expect("there is room");
    assert!(
        Story::read(&place.path, &StoryFilter { all: true, ..StoryFilter::default() }).is_err()
    );
    let (story, read) = Story::read_all(&place.path, &StoryFilter::default());
    assert!(read.is_err() && shown(&story).contains("loaded pdf"), "{}", shown(&story));
    let lines: Vec<_> = story.sessions.iter().flat_map(|session| &session.lines).collect();
    let changed = text.lines().zip(1..).find(|(line, _)| line.contains("\"call\":9"));
    let (_, broken) = changed.expect("a line");
    for line in &lines {
        assert!(line.unproven || line.seq < broken, "{broken} is changed: {line:?}");
    }
    assert!(lines.iter().any(|line| !line.unproven), "what is before it is proven: {lines:?}");
    assert!(lines.iter().any(|line| line.unproven && line.seq > broken), "{lines:?}");
    assert!(Statistics::read(&place.path).is_err());
    let log = std::fs::File::options().write(true).open(&place.path).expect("it is there");
    log.set_len(1 << 40).expect("a file may have holes");
    let (after, read) = Story::read_all(&place.path, &StoryFilter::default());
    assert!(read.is_err() && shown(&after) == shown(&story), "a terabyte of nothing is not read");
    Story::read_last(&place.path, &StoryFilter::default(), Some(3), 1).expect("no line is as long");
}

#[test]
fn filter_leaves_out_other_events() {
    let place = log();
    let count = |filter: StoryFilter| {
        let story = Story::read(&place.path, &filter).expect("nothing was changed");
        (story.sessions.iter().map(|session| session.lines.len()).sum::<usize>(), story.reloads)
    };
    let all = StoryFilter::default;
    let since = |milliseconds| Some(Timestamp(START.0 + milliseconds));
    let cases = [
        ("no reloads by default", all(), (5, 1)),
        ("one session", of_session("other"), (1, 0)),
        ("denied", StoryFilter { denied: true, ..all() }, (1, 0)),
        ("one tool", StoryFilter { tool: Some("Write".into()), ..all() }, (1, 0)),
        ("since then", StoryFilter { since: since(1_500), ..all() }, (4, 0)),
        ("after that", StoryFilter { since: since(1_501), ..all() }, (1, 0)),
    ];
    for (name, filter, expected) in cases {
        assert_eq!(count(filter), expected, "{name}");
    }
}

/// Its one entry is behind those of its approval, and has the time of its start.
#[test]
fn refused_call_is_shown_when_it_ended() {
    let place = Place::new();
    let duration = std::time::Duration::from_millis(250);
    place.open().record(&AuditEvent { duration, ..denied(1) });
    let story = Story::read(&place.path, &StoryFilter::default()).expect("nothing was changed");
    let session = &story.sessions[0];
    assert_eq!(session.lines[0].timestamp, "2026-01-01T00:00:01.75Z");
    assert_eq!(session.origin.agent.as_deref(), Some("agent-1"), "its agent is named");
    for (call, model) in [(2, "a"), (3, "b"), (4, "b")] {
        place.open().record(&by(model, done(call)));
    }
    let story = Story::read(&place.path, &StoryFilter::default()).expect("nothing was changed");
    assert_eq!(story.sessions[0].origin.model.as_deref(), Some("a"), "the first one is named");
    let are_said =
        story.sessions[0].lines.iter().map(|line| line.text.starts_with("now model `b`: "));
    assert_eq!(are_said.collect::<Vec<_>>(), [false, false, true, false], "and the next one");
}

/// The clock went back, or a call that began before the load ended behind it.
#[test]
fn no_run_has_a_negative_time() {
    let place = Place::new();
    let log = place.open();
    let RuntimeEvent::SkillActivated(mut late) = activated() else { panic!("it is a load") };
    late.at = Timestamp(START.0 + 60_000);
    log.report(&RuntimeEvent::SkillActivated(late));
    log.record(&done(1));
    let statistics = Statistics::read(&place.path).expect("nothing was changed");
    assert_eq!(statistics.skills["pdf"].seconds, 0.0);
}

#[test]
fn last_events_are_those_of_the_whole_story() {
    // Two files: the first is full after some entries.
    let place = Place::new();
    let log = place.open_with(LogOptions { max_bytes: 4_096, ..LogOptions::default() });
    for call in 0..40 {
        log.record(&denied(call));
    }
    let all = StoryFilter::default();
    let read = |before| Story::read_last(&place.path, &all, before, 7).expect("it can be read");
    check_parts(Story::read(&place.path, &all).expect("nothing was changed"), read);
    let text = std::fs::read_to_string(&place.path).expect("there is a log");
    let last = text.lines().last().expect("an entry");
    let changed = text.replace(last, &last.replace("denied", "DENIED"));
    std::fs::write(&place.path, changed).expect("it can be written");
    let part = Story::read_last(&place.path, &all, None, 3).expect("it can be read");
    let lines = part.story.sessions.iter().flat_map(|session| &session.lines);
    let unproven: Vec<_> = lines.map(|line| line.unproven).collect();
    assert_eq!(unproven, [false, false, true], "a break marks what is behind it");
}

/// The page of an operator asks again and again, and the log grows.
#[test]
fn index_reads_what_was_added() {
    let place = Place::new();
    let log = place.open_with(LogOptions { max_bytes: 4_096, ..LogOptions::default() });
    let of_talk = of_session("talk");
    let mut index = LogIndex::new(&place.path);
    let check = |index: &LogIndex, entries: u64| {
        assert_eq!(index.statistics().ok(), Statistics::read(&place.path).ok());
        assert_eq!(index.verified().ok(), verify(&place.path).ok());
        assert_eq!(index.verified().map(|it| it.entries).ok(), Some(entries));
    };
    for round in 1..=20 {
        log.report(&activated());
        log.record(&denied(round));
        // A limit of one byte is one entry, so this counts those that are parsed.
        let steps = (0..9).take_while(|_| !index.extend(1).expect("it can be read")).count();
        assert_eq!(steps, 2, "round {round} reads its two entries alone");
        check(&index, 2 * round);
    }
    assert!(place.names().len() > 3, "it has several files: {:?}", place.names());
    let read = |before| index.last_of_session(&of_talk, before, 7).expect("it can be read");
    check_parts(Story::read(&place.path, &of_talk).expect("nothing was changed"), read);
    let none = index.last_of_session(&of_session("none"), None, 7).expect("it can be read");
    assert_eq!(none, StoryPart::default());
    drop(log);
    // Changed in a line, which neither the length nor the end of the file shows; then shortened by
    // an entry, and then replaced by another log.
    let text = place.text();
    std::fs::write(&place.path, text.replacen("denied", "DENIED", 1)).expect("there is room");
    let file = std::fs::File::options().write(true).open(&place.path).expect("it is there");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("it is ours");
    while !index.extend(u64::MAX).expect("it can be read") {}
    assert!(index.verified().is_err(), "it was changed");
    let shorter = text.trim_end().rsplit_once('\n').map_or("", |(before, _)| before).to_owned();
    std::fs::write(&place.path, shorter + "\n").expect("there is room");
    while !index.extend(u64::MAX).expect("it can be read") {}
    check(&index, 39);
    for name in place.names() {
        std::fs::remove_file(place.directory.path().join(name)).expect("it is there");
    }
    let log = place.open();
    log.record(&denied(1));
    let first = place.text().len() as u64;
    log.record(&denied(2));
    index.extend(first).expect("it can be read");
    assert_eq!(index.verified().map(|it| it.entries).ok(), Some(1), "no more than was asked for");
    while !index.extend(u64::MAX).expect("it can be read") {}
    check(&index, 2);
}

/// The line behind the break cannot be read, which would be another error.
#[test]
fn break_is_reported_without_reading_on() {
    let place = Place::new();
    let log = place.open_with(LogOptions { max_bytes: 4_096, ..LogOptions::default() });
    for call in 0..20 {
        log.record(&denied(call));
    }
    let [first, second] = &place.names()[1..3] else { panic!("{:?}", place.names()) };
    let [first, second] = [first, second].map(|name| place.directory.path().join(name));
    let text = std::fs::read_to_string(&first).expect("it is text").replace("call\":1", "call\":9");
    std::fs::write(&first, text).expect("there is room");
    std::fs::remove_file(&second).expect("it is there");
    std::fs::create_dir(&second).expect("there is room");
    let is_broken = |error: &VerifyError| matches!(error, VerifyError::Broken { line: 2, .. });
    assert!(is_broken(&verify(&place.path).expect_err("it is broken")));
    assert!(is_broken(&Statistics::read(&place.path).expect_err("it is broken")));
}

/// Three entries of one session on two hosts, and one that was changed.
#[test]
fn chains_of_hosts_are_one_story() {
    let line = |head, second: u32, session: &str| {
        let timestamp = format!("2026-11-28T00:00:0{second}Z");
        let entry = json!({
            "event": "skill_activated",
            "timestamp": timestamp,
            "skill_name": "pdf",
            "session_id": session,
        });
        seal_line(head, &entry)
    };
    let (first, head) = line(Head::empty(), 1, "a");
    let (third, head) = line(head, 3, "a");
    let (fourth, _) = line(head, 4, "b");
    let (second, _) = line(Head::empty(), 2, "a");
    let whole =
        [("one", vec![first.clone(), third.clone(), fourth]), ("two", vec![second.clone()])];
    let chains = |chains: [(&str, Vec<String>); 2]| {
        chains.map(|(host, lines)| (host.to_owned(), lines.into_iter()))
    };
    let (story, read) = Story::read_chains(chains(whole.clone()), &StoryFilter::default());
    read.expect("nothing was changed");
    let times = |story: &Story| {
        let lines = story.sessions.iter().flat_map(|session| &session.lines);
        lines.map(|line| (line.timestamp[18..19].to_owned(), line.unproven)).collect::<Vec<_>>()
    };
    let proven = ["1", "2", "3", "4"].map(|time| (time.to_owned(), false));
    assert_eq!(times(&story), proven, "each line once, in the order of time");
    let sums = Statistics::read_chains(chains(whole)).expect("nothing was changed");
    assert_eq!((sums.entries, sums.sessions), (4, 2));

    let changed = third.replace("pdf", "csv");
    let broken = [("one", vec![first, changed]), ("two", vec![second])];
    let (story, read) = Story::read_chains(chains(broken), &StoryFilter::default());
    let error = read.expect_err("an entry was changed").to_string();
    assert!(error.starts_with("line 2 of `one` is not as it was written"), "{error}");
    let proven = [("1", false), ("2", false), ("3", true)];
    let proven = proven.map(|(time, unproven)| (time.to_owned(), unproven));
    assert_eq!(times(&story), proven, "the other host's entries are proven");
}
