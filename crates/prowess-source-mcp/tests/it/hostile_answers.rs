//! Servers that answer with anything but the answer.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{SourceError, SourceErrorKind};
use prowess_testkit::{ManualClock, ScanRecorder};
use serde_json::{Value, json};

use crate::peer::{Answer, Peer, source_within, with_extension};

fn scan(peer: &Peer, timeout: Duration) -> Result<ScanRecorder, SourceError> {
    let clock = Arc::new(ManualClock::default());
    ScanRecorder::scan(&source_within(timeout, peer.server(), clock))
}

/// Answers the listing in this way, and returns the error of the scan.
fn check(
    what: &str,
    kind: SourceErrorKind,
    answer: impl Fn(&Value) -> Answer + Send + Sync + 'static,
) {
    let peer = Peer::new(with_extension(answer));
    let error = scan(&peer, Duration::from_secs(60)).expect_err(what);
    assert_eq!(error.kind, kind, "{what}: {error}");
    assert!(error.message.len() < 500, "{what}: {error}");
}

fn bytes(text: &'static str) -> impl Fn(&Value) -> Answer + Send + Sync {
    move |_| Answer::Bytes(text.as_bytes().to_vec())
}

#[test]
fn answers_that_are_none_are_errors() {
    let unavailable = SourceErrorKind::Unavailable;
    for line in include_str!("../data/no-answers.jsonl").lines() {
        let (what, body): (String, String) = serde_json::from_str(line).unwrap();
        check(&what, unavailable, move |_| Answer::Raw(body.as_bytes().to_vec()));
    }
    check("deep", unavailable, |_| Answer::Raw("[".repeat(1 << 20).into_bytes()));
    for (what, result) in [
        ("no skills", json!({})),
        ("skills that are no list", json!({ "skills": {} })),
        ("a cursor that is no text", json!({ "skills": [], "nextCursor": 1 })),
        ("a question", json!({ "resultType": "input_required", "skills": [] })),
    ] {
        check(what, unavailable, move |_| Answer::Result(result.clone()));
    }
    check("an error", unavailable, |_| Answer::Error(-32603, "\u{1b}[2J"));
}

#[test]
fn statuses_have_their_meaning() {
    let (denied, unavailable) = (SourceErrorKind::Denied, SourceErrorKind::Unavailable);
    for (status, kind) in [
        ("401 Unauthorized", denied),
        ("403 Forbidden", denied),
        ("500 Error", unavailable),
        ("302 Found\r\nLocation: http://127.0.0.1:1/", unavailable),
    ] {
        check(status, kind, move |_| Answer::status(status));
    }
    check("garbage", unavailable, bytes("SSH-2.0-OpenSSH\r\n"));
    check("end", unavailable, bytes(""));
}

#[test]
fn huge_answers_are_refused() {
    let large = SourceErrorKind::TooLarge;
    check("a huge length", large, bytes("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"));
    check("33 MiB", large, |_| Answer::Raw(vec![b' '; 33 << 20]));
    check("a huge event", large, |_| {
        let header = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
        Answer::Bytes([&header[..], &vec![b'x'; 33 << 20]].concat())
    });
}

#[test]
fn silent_servers_end_a_scan() {
    let silence = || Peer::new(with_extension(|_| Answer::Silence));
    let error = scan(&silence(), Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "{error}");
    let from_the_start = Peer::new(|_| Answer::Silence);
    let error = scan(&from_the_start, Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "{error}");
}
