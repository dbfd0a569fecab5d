//! What a plugin does wrong, and that the host goes on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    Cancel, Catalog, Clock, PackagePath, PreviousScan, ReadLimit, ResourcePath, SkillSource,
    SourceChange, SourceErrorKind, ToolResult,
};
use prowess_plugin_host::{LoadedPlugin, PluginErrorKind, PluginLimits, PluginStatus};
use prowess_testkit::ScanRecorder;
use serde_json::{Value, json};

use crate::conversation;
use crate::loaded::{Start, faulty, faulty_file, open, tool};

fn start(config: Value) -> (Start, LoadedPlugin) {
    let start = Start::with(config);
    let plugin = start.start(faulty()).unwrap();
    (start, plugin)
}

fn source(plugin: &LoadedPlugin) -> Arc<dyn SkillSource> {
    Arc::clone(&plugin.sources()[0])
}

/// Reads a file of a package, whose name is the fault.
fn read(source: &dyn SkillSource, package: &str) -> Result<Vec<u8>, (SourceErrorKind, String)> {
    let package = PackagePath::new(package).unwrap();
    let file = ResourcePath::new("file").unwrap();
    let read = source.read(&package, &file, ReadLimit(1_000));
    read.map_err(|error| (error.kind, error.message))
}

fn failing(plugin: &LoadedPlugin, package: &str, parts: &[&str]) {
    let (kind, message) = read(&*source(plugin), package).expect_err("the call fails");
    assert_eq!(kind, SourceErrorKind::Unavailable, "{message}");
    for part in parts {
        assert!(message.contains(part), "`{message}` has `{part}`");
    }
}

#[test]
fn a_plugin_that_cannot_start_is_reported_in_one_line() {
    let cases = [
        (json!({"init": "panic"}), PluginErrorKind::Panicked, "the plugin panicked: init panics ("),
        (json!({"init": "refuse"}), PluginErrorKind::Init, "cannot begin: nobody is there"),
        (json!({"tools": "x"}), PluginErrorKind::Init, "field `tools` does not fit: invalid type"),
        (json!({"tool": 1}), PluginErrorKind::Init, "unknown field `tool`"),
        (json!({"tools": 2}), PluginErrorKind::Protocol, "offers two tools `faulty.do`"),
        (json!({"init": "hang"}), PluginErrorKind::Init, "did not begin within 50 ms"),
    ];
    for (config, kind, part) in cases {
        let mut start = Start::with(config);
        if part.contains("within") {
            start.limits.init_ms = 50;
        }
        let error = start.start(faulty()).expect_err("it cannot begin");
        let text = error.to_string();
        assert_eq!(error.kind, kind, "{text}");
        assert!(text.contains(part) && !text.contains('\n'), "`{text}` is a line with `{part}`");
        assert!(error.was_executed && !error.help.is_empty(), "its code ran, and there is a help");
    }
}

#[test]
fn a_panic_is_an_error_and_the_next_call_works() {
    let (start, plugin) = start(json!({}));
    let source = source(&plugin);
    failing(&plugin, "panic", &["`prowess-plugin-sdk`", "the read panics (", "act.rs:"]);
    assert_eq!(plugin.status(), PluginStatus::Failed, "it is broken until the next call");
    assert_eq!(read(&*source, "good"), Ok(b"good".to_vec()), "it was begun again");
    assert_eq!(plugin.status(), PluginStatus::Running);
    assert!(start.log.has("Error panic: panicked at "), "the host's log has the place");
    assert!(start.log.has("Warn host: it panicked and was begun again"), "and what was done");
}

#[test]
fn a_panic_anywhere_is_contained() {
    for (config, package) in [
        (json!({}), "panic"),
        (json!({}), "payload"),
        (json!({"scan": "panic"}), ""),
        (json!({"drop": "panic"}), "good"),
    ] {
        let (_, plugin) = start(config.clone());
        let source = source(&plugin);
        match package {
            "" => assert!(ScanRecorder::scan(&*source).is_err(), "a scan that panics fails"),
            package => assert_eq!(read(&*source, package).is_ok(), package == "good", "{config}"),
        }
        let package = PackagePath::new("panic").unwrap();
        assert!(source.list(&package, 9).is_err(), "a listing that panics fails");
        assert_eq!(read(&*source, "good"), Ok(b"good".to_vec()), "it was begun again");
    }
}

#[test]
fn a_plugin_that_fails_too_often_is_left_alone() {
    let (start, plugin) = start(json!({}));
    for _ in 0..4 {
        failing(&plugin, "panic", &["the read panics"]);
    }
    failing(&plugin, "good", &["begun again 3 times in 600 seconds", "left alone"]);
    assert_eq!(plugin.status(), PluginStatus::Quarantined);
    start.clock.advance(Duration::from_secs(601));
    failing(&plugin, "good", &["left alone"]);
    plugin.replace(open(&faulty_file()).unwrap()).expect("another build begins anew");
    assert_eq!(read(&*source(&plugin), "good"), Ok(b"good".to_vec()), "it is called again");
}

#[test]
fn failures_are_forgotten_after_some_time() {
    let (start, plugin) = start(json!({}));
    for _ in 0..10 {
        failing(&plugin, "panic", &["the read panics"]);
        start.clock.advance(Duration::from_secs(300));
    }
    assert_eq!(read(&*source(&plugin), "good"), Ok(b"good".to_vec()), "now and then is allowed");
}

fn impatient() -> PluginLimits {
    PluginLimits { call_ms: 50, grace_ms: 50, calls_at_once: 2, ..PluginLimits::default() }
}

#[test]
fn a_call_that_hangs_is_given_up_and_then_the_plugin_is_stuck() {
    let start = Start { limits: impatient(), ..Start::with(json!({})) };
    let plugin = start.start(faulty()).unwrap();
    failing(&plugin, "hang", &["did not answer in time"]);
    assert_eq!(plugin.status(), PluginStatus::Slow { lost: 1 });
    assert_eq!(read(&*source(&plugin), "good"), Ok(b"good".to_vec()), "there is a place left");
    failing(&plugin, "hang", &["did not answer in time"]);
    assert_eq!(plugin.status(), PluginStatus::Stuck);
    failing(&plugin, "good", &["is stuck: none of its calls returns"]);
}

#[test]
fn a_scan_that_hangs_gives_its_sink_back() {
    let start = Start { limits: impatient(), ..Start::with(json!({"scan": "hang"})) };
    let plugin = start.start(faulty()).unwrap();
    let scan = ScanRecorder::scan(&*source(&plugin));
    let error = scan.expect_err("the scan hangs");
    assert!(error.message.contains("did not answer in time"), "{error}");
}

#[test]
fn a_cancelled_scan_ends_at_once_or_is_given_up() {
    for (scan, part) in [("cancel", "it was cancelled"), ("hang", "was cancelled and did not end")]
    {
        let limits = PluginLimits { grace_ms: 20, ..PluginLimits::default() };
        let start = Start { limits, ..Start::with(json!({"scan": scan})) };
        let plugin = start.start(faulty()).unwrap();
        let cancel = Cancel::default();
        cancel.cancel();
        let scan =
            source(&plugin).scan(&PreviousScan::none(), &mut ScanRecorder::default(), &cancel);
        let error = scan.expect_err("the scan was cancelled");
        assert_eq!(error.kind, SourceErrorKind::Cancelled);
        assert!(error.message.contains(part), "`{error}` has `{part}`");
    }
}

/// A sink that panics.
struct BadSink;

impl prowess_core::ScanSink for BadSink {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: prowess_core::Found<'_>) -> prowess_core::ReadFurther {
        panic!("the sink panics")
    }

    fn problem(&mut self, _: prowess_core::Diagnostic) {}
}

#[test]
fn a_panic_of_the_host_s_sink_is_the_host_s() {
    let (_, plugin) = start(json!({}));
    let source = source(&plugin);
    let scan = || source.scan(&PreviousScan::none(), &mut BadSink, &Cancel::default());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(scan));
    let payload = panicked.expect_err("the panic goes on where the scan was asked for");
    assert_eq!(payload.downcast_ref(), Some(&"the sink panics"));
    assert_eq!(read(&*source, "good"), Ok(b"good".to_vec()), "the plugin has done no wrong");
}

#[test]
fn answers_that_are_wrong_are_refused() {
    let (_, plugin) = start(json!({"scan": "file"}));
    let source = source(&plugin);
    let (kind, message) = read(&*source, "large").expect_err("it is larger than asked for");
    assert_eq!(kind, SourceErrorKind::TooLarge, "{message}");
    assert!(message.contains("1001 bytes") && message.contains("1000 are allowed"), "{message}");
    for package in ["twice", "unsorted"] {
        let error = source.list(&PackagePath::new(package).unwrap(), 9).unwrap_err();
        assert!(error.message.contains("twice or out of order"), "{error}");
    }
    let listing = source.list(&PackagePath::new("good").unwrap(), 1).unwrap();
    assert_eq!(listing.resources.len(), 1, "no more than asked for");
    assert!(!listing.is_complete, "and it says so");
    let scan = ScanRecorder::scan(&*source).unwrap();
    assert_eq!(scan.packages(), ["good"], "a file that no skill has is not reported");
    let codes: Vec<_> = scan.problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["plugin-protocol-broken", "faulty-odd"], "but told of");
}

fn call(start: &Start, plugin: &LoadedPlugin, arguments: &Value, cancel: &Cancel) -> ToolResult {
    conversation::call(&*tool(plugin), &*start.clock, arguments, cancel)
}

#[test]
fn a_tool_gets_its_caller_and_nothing_more() {
    let (start, plugin) = start(json!({}));
    start.clock.advance(Duration::from_millis(42));
    let result = call(&start, &plugin, &json!({"how": "who"}), &Cancel::default());
    let now = start.clock.now().0;
    let expected = json!({"session": "talk-7", "caller": "User", "now": now, "skills": 0});
    assert_eq!(result.structured, Some(expected), "{result:?}");
    let definition = tool(&plugin).definition(&Catalog::empty());
    assert_eq!(definition.name, "faulty.do");
    assert_eq!(definition.input_schema["properties"]["how"]["type"], "string");
}

#[test]
fn a_tool_that_fails_answers_with_a_code() {
    let (start, plugin) = start(json!({}));
    let never = Cancel::default();
    let cancelled = Cancel::default();
    cancelled.cancel();
    let cases = [
        (json!({}), &never, Some("faulty-how"), "say how"),
        (json!({"how": "panic"}), &never, Some("plugin-panicked"), "the tool panics"),
        (json!({"how": "wait"}), &cancelled, None, "was cancelled"),
    ];
    for (arguments, cancel, code, part) in cases {
        let result = call(&start, &plugin, &arguments, cancel);
        let text = format!("{:?}", result.content);
        assert_eq!(result.code.as_ref().map(prowess_core::Code::as_str), code, "{text}");
        assert!(text.contains(part), "`{text}` has `{part}`");
    }
}

#[test]
fn changes_of_a_watch_arrive_until_it_is_dropped() {
    let (_, plugin) = start(json!({}));
    let source = source(&plugin);
    let heard: Arc<Mutex<Vec<SourceChange>>> = Arc::default();
    let notes = Arc::clone(&heard);
    let watch = source.watch(Arc::new(move |change| notes.lock().unwrap().push(change))).unwrap();
    let good = vec![PackagePath::new("good").unwrap()];
    assert_eq!(*heard.lock().unwrap(), [SourceChange::Packages(good.clone())]);
    failing(&plugin, "panic", &["the read panics"]);
    let lost = heard.lock().unwrap().pop();
    assert!(matches!(lost, Some(SourceChange::WatchLost(_))), "who watches hears of the failure");
    read(&*source, "good").unwrap();
    let again = [SourceChange::Packages(good), SourceChange::Everything];
    assert_eq!(heard.lock().unwrap()[1..], again, "it watches again, and says to look");
    drop(watch);
    plugin.replace(open(&faulty_file()).unwrap()).unwrap();
    assert_eq!(heard.lock().unwrap().len(), 3, "nothing is heard after the watch is dropped");
}

#[test]
fn texts_that_are_not_utf8_are_replaced_in_messages() {
    let begun = Start::with(json!({"init": "bytes"}));
    let error = begun.start(faulty()).expect_err("it refuses");
    assert!(error.reason.ends_with("refused\u{fffd}\u{fffd}"), "{error}");
    assert!(begun.log.has("says\u{fffd}\u{fffd}"), "{:?}", begun.log.lines());
    let (_, plugin) = start(json!({"scan": "problem-bytes"}));
    let scan = ScanRecorder::scan(&*source(&plugin)).expect("the scan ends");
    assert_eq!(scan.problems[0].message, "it is odd\u{fffd}\u{fffd}");
    let (kind, message) = read(&*source(&plugin), "bytes").expect_err("it is refused");
    assert_eq!(kind, SourceErrorKind::Denied, "the plugin's own kind stays");
    assert!(message.ends_with("refused\u{fffd}\u{fffd}"), "{message}");
}

#[test]
fn source_whose_name_is_not_utf8_does_not_begin() {
    let error = Start::with(json!({"describe": "bytes"})).start(faulty());
    let error = error.expect_err("it has no name");
    assert!(error.reason.contains("the name of a source is not UTF-8 text"), "{error}");
}

#[test]
fn scan_reports_are_bounded() {
    let (_, plugin) = start(json!({"scan": "problems"}));
    let scan = ScanRecorder::scan(&*source(&plugin)).expect("the scan ends");
    assert_eq!(scan.problems.len(), 1_001, "the rest is left out");
    let last = &scan.problems[1_000];
    assert_eq!(last.message, "the plugin reports more than 1000 problems");
    for (how, most) in [("long", 1_000), ("long-problem", 5_000)] {
        let (_, plugin) = start(json!({ "scan": how }));
        let scan = ScanRecorder::scan(&*source(&plugin)).expect("the scan ends");
        let length = scan.problems[0].message.len();
        assert!(length < most, "{how}: the message has {length} bytes");
    }
}
