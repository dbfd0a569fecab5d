//! Reports of changes over HTTP, by a stream that stays open.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use prowess_core::{SkillSource, Watch};
use prowess_source_mcp::McpSource;
use prowess_testkit::ScanRecorder;
use serde_json::{Value, json};

use crate::greeted;
use crate::peer::{Answer, Events, Peer, with_capabilities};
use crate::skills::Skills;

const CHANGE: &str =
    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n\n";

/// The ends of a stream that a test has.
struct Stream {
    /// Sends events; the stream stays open without it.
    send: Sender<String>,
    gone: Receiver<()>,
}

/// Returns a stream, and its server's part, which the first request gets.
fn stream() -> (Stream, Mutex<Option<Events>>) {
    let (send, next) = channel();
    let (gone, has_gone) = channel();
    (Stream { send, gone: has_gone }, Mutex::new(Some(Events { next, gone })))
}

/// Answers the first request for a stream.
fn open(events: &Mutex<Option<Events>>) -> Answer {
    let events = events.lock().unwrap().take();
    events.map_or(Answer::Silence, Answer::Stream)
}

fn capabilities() -> Value {
    let extensions = json!({ "io.modelcontextprotocol/skills": {} });
    json!({ "resources": { "listChanged": true }, "extensions": extensions })
}

/// Watches a source, and returns what receives a message for each change.
fn watch(source: &McpSource) -> (Watch, Receiver<()>) {
    let (changed, changes) = channel();
    let changed = Mutex::new(changed);
    let listener = move |_| {
        let _ = changed.lock().unwrap().send(());
    };
    let watch = source.watch(Arc::new(listener)).unwrap().expect("it can be watched");
    (watch, changes)
}

/// Returns when the server has got as many requests with this method. If it never does, this hangs.
fn wait_for(peer: &Peer, method: &str, count: usize) {
    while peer.methods().iter().filter(|found| *found == method).count() < count {
        std::thread::yield_now();
    }
}

/// Publishes another skill while a source is watched. It has to be found by a report: the clock
/// stands still, so the interval never passes.
fn check(peer: &Peer, skills: &Skills, stream: Stream) {
    let source = peer.source();
    let (watch, changes) = watch(&source);
    stream.send.send(": hello\n\n".to_owned()).unwrap();
    // Once at the start, and once more because of what may have changed before the stream began.
    wait_for(peer, "skills/list", 2);
    skills.publish("notes", "Write.", &[]);
    stream.send.send(CHANGE.to_owned()).unwrap();
    while ScanRecorder::scan(&source).unwrap().packages() != ["notes", "pdf"] {
        changes.recv().expect("the watch reports a change");
    }
    drop(stream.send);
    drop(watch);
    stream.gone.recv().expect("the end of the watch ends the stream");
}

#[test]
fn reported_changes_are_read_at_once() {
    let skills = Skills::default();
    skills.publish("pdf", "Fill.", &[]);
    let (stream, events) = stream();
    let served = skills.clone();
    let peer = Peer::new(with_capabilities(capabilities(), move |request| match request["method"]
        .as_str()
    {
        Some("subscriptions/listen") => open(&events),
        _ => served.answer(request),
    }));
    check(&peer, &skills, stream);
    let wanted = json!({ "resourcesListChanged": true });
    let requests = peer.requests();
    let listen = requests.iter().find(|(_, request)| request["method"] == "subscriptions/listen");
    let (header, request) = listen.expect("it subscribes");
    assert_eq!(request["params"]["notifications"], wanted);
    assert!(header.contains("mcp-method: subscriptions/listen"), "{header}");
}

#[test]
fn changes_are_reported_within_a_session() {
    let skills = Skills::default();
    skills.publish("pdf", "Fill.", &[]);
    let (stream, events) = stream();
    let served = skills.clone();
    let peer = Peer::new(move |request| match request {
        // A `GET` has no message.
        Value::Null => open(&events),
        _ => greeted::answer(&served, "2025-11-25", &capabilities(), request),
    });
    check(&peer, &skills, stream);
    let headers = peer.headers();
    let get = headers.iter().find(|header| header.starts_with("get /mcp"));
    let get = get.expect("it requests the stream of the session");
    assert!(get.contains("mcp-session-id: s-1"), "{get}");
    assert!(get.contains("accept: text/event-stream\r\n"), "{get}");
}

#[test]
fn server_without_reports_has_no_stream() {
    let skills = Skills::default();
    skills.publish("pdf", "Fill.", &[]);
    let peer = skills.peer();
    let source = peer.source();
    let (watch, _changes) = watch(&source);
    wait_for(&peer, "skills/list", 1);
    // A read waits for the link, which the thread of events uses only to find out.
    ScanRecorder::scan(&source).unwrap();
    drop(watch);
    let methods = peer.methods();
    assert!(!methods.iter().any(|method| method == "subscriptions/listen"), "{methods:?}");
}
