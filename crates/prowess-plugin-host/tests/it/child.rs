//! A plugin in a process of its own: what the host does when the process fails.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prowess_core::{
    Caller, Cancel, Catalog, Clock, Content, Diagnostic, PackagePath, PreviousScan, ReadLimit,
    ResourcePath, SessionId, SourceError, SourceErrorKind, ToolContext, ToolResult,
};
use prowess_plugin_host::{
    Isolation, Launch, PluginErrorKind, PluginLimits, PluginRights, ProcessPlugin, SandboxPolicy,
    start_process,
};
use prowess_testkit::{ManualClock, ScanRecorder, build_plugin_example};
use serde_json::{Value, json};

use crate::clock::MovableClock;
use crate::conversation::Conversation;
use crate::fault_table::in_process;
use crate::loaded::staged;
use crate::old;

pub(crate) fn faulty() -> PathBuf {
    build_plugin_example("prowess-plugin-sdk", "faulty")
}

/// The launch of the faulty plugin.
pub(crate) fn launch(config: Value, limits: PluginLimits) -> Launch {
    let (plugin, library) = staged(&faulty(), Isolation::Process).unwrap();
    Launch {
        program: env!("CARGO_BIN_EXE_prowess-plugin-runner").into(),
        arguments: Vec::new(),
        name: plugin.manifest().name.clone(),
        file: plugin.file().to_owned(),
        library,
        config: Some(config),
        limits,
        sandbox: SandboxPolicy::Namespaces,
        rights: PluginRights::default(),
        shows_conversation: false,
        directory: "/".into(),
    }
}

pub(crate) fn start(
    config: Value,
    limits: PluginLimits,
    clock: &Arc<impl Clock + 'static>,
) -> ProcessPlugin {
    start_process(launch(config, limits), Arc::clone(clock) as _).expect("the plugin begins")
}

pub(crate) fn real() -> Arc<MovableClock> {
    Arc::default()
}

/// Reads a file of a package of the faulty source, which makes it do what the names say.
pub(crate) fn read(
    plugin: &ProcessPlugin,
    package: &str,
    file: &str,
) -> Result<String, SourceError> {
    let (package, file) = (PackagePath::new(package).unwrap(), ResourcePath::new(file).unwrap());
    let bytes = plugin.sources[0].read(&package, &file, ReadLimit(1 << 20))?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn quick() -> PluginLimits {
    PluginLimits { call_ms: 50, grace_ms: 20, ..PluginLimits::default() }
}

/// The call fails for this reason, the host goes on, and the plugin is started again after a while.
#[track_caller]
fn contained(what: &str, reason: &str) {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), PluginLimits::default(), &clock);
    let error = read(&plugin, what, "file").expect_err("the call fails");
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "the error says so: {error}");
    assert!(error.message.contains(reason), "`{what}`: the reason is `{reason}`: {error}");
    let error = read(&plugin, "good", "file").expect_err("it is not started again at once");
    assert!(error.message.contains("; it is started again in 100 ms"), "`{what}`: {error}");
    clock.advance(Duration::from_millis(100));
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "`{what}`: it is back");
}

#[test]
fn plugin_that_ends_its_process_ends_nothing_else() {
    contained("abort", "ended its process by signal 6");
    contained("exit", "ended its process with exit code 42");
    contained("overflow", "ended its process by signal");
    contained("grow", "ended its process by signal");
}

/// A fork that was permitted outlived the host, and its abort was reported as a deadline.
#[test]
fn fork_and_abort_is_a_crash() {
    contained("fork", "[plugin-crashed]");
}

/// The plugin's own deadline came first, so the process was never replaced: after eight such calls the
/// plugin was stuck.
#[test]
fn twenty_endless_loops_leave_it_serving() {
    let plugin = start(json!({}), quick(), &real());
    for round in 0..20 {
        let error = read(&plugin, "spin", "file").expect_err("the call ends");
        let expected = "did not answer within 50 ms";
        assert!(error.message.contains(expected), "round {round}: {error}");
        // A busy machine may need longer than the deadline of this test for a good call.
        let served = (0..50).any(|_| read(&plugin, "good", "file").is_ok());
        assert!(served, "round {round}: it is served again");
    }
    drop(plugin);
    let is_gone = || children().is_empty();
    assert!(
        (0..10_000).any(|_| {
            std::thread::yield_now();
            is_gone()
        }),
        "no process is left"
    );
}

/// The processes of this test's thread group that run a plugin for it.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{own}/task")) else { return Vec::new() };
    let children = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("children")).ok()
    };
    let spinning = |pid: &&str| {
        std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.contains("prowess-plugin-runner"))
    };
    let lists: Vec<_> = tasks.filter_map(children).collect();
    let pids = lists.iter().flat_map(|list| list.split_whitespace());
    pids.filter(spinning).map(str::to_owned).collect()
}

#[test]
fn plugin_that_fails_too_often_is_left_alone() {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), PluginLimits::default(), &clock);
    for _ in 0..4 {
        let error = read(&plugin, "exit", "file").expect_err("the call fails");
        assert!(error.message.contains("exit code 42"), "it is started again until then: {error}");
        clock.advance(Duration::from_secs(5));
    }
    let error = read(&plugin, "good", "file").expect_err("it is left alone");
    assert!(error.message.contains("[plugin-quarantined]"), "{error}");
    assert!(error.message.contains("failed 4 times in 600 s and is left alone"), "{error}");
    clock.advance(Duration::from_secs(601));
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "old failures are forgotten");
}

/// The deadline was one for the whole scan.
#[test]
fn slow_scan_goes_on_while_it_finds_something() {
    let limits = PluginLimits { call_ms: 600, ..PluginLimits::default() };
    let plugin = start(json!({"scan": "slow"}), limits, &real());
    let scan = ScanRecorder::scan(&*plugin.sources[0]).expect("twice the deadline is no fault");
    assert_eq!(scan.found.len(), 13, "everything is found");
}

#[test]
fn flood_of_problems_is_cut_and_counted() {
    let plugin = start(json!({"scan": "problems"}), PluginLimits::default(), &real());
    let scan = ScanRecorder::scan(&*plugin.sources[0]).expect("the scan ends");
    assert!(scan.problems.len() < 1_100, "a thousand and a notice: {}", scan.problems.len());
    let is_noted = |problem: &Diagnostic| problem.message.contains("more than 1000 problems");
    assert!(scan.problems.iter().any(is_noted), "the rest is noted");
}

/// A cancel that counts how often it is looked at.
fn counted_cancel() -> (Cancel, Arc<AtomicUsize>, Cancel) {
    let (set, looks) = (Cancel::default(), Arc::<AtomicUsize>::default());
    let (is_set, counted) = (set.clone(), Arc::clone(&looks));
    let cancel = Cancel::with_poll(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        is_set.is_cancelled()
    });
    (cancel, looks, set)
}

#[test]
fn calls_at_once_do_not_wait_for_each_other_and_end_when_cancelled() {
    let limits = PluginLimits { calls_at_once: 4, ..PluginLimits::default() };
    let plugin = start(json!({"scan": "cancel"}), limits, &real());
    let (cancel, looks, set) = counted_cancel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            plugin.sources[0].scan(&PreviousScan::none(), &mut ScanRecorder::default(), &cancel)
        });
        for _ in 0..20 {
            let answer = read(&plugin, "good", "file");
            assert_eq!(answer.as_deref(), Ok("good"), "one call holds up no other");
        }
        // The first look is before the call is sent, where a call that is cancelled is not made.
        while looks.load(Ordering::SeqCst) < 2 && !waiting.is_finished() {
            std::thread::yield_now();
        }
        set.cancel();
        let error = waiting.join().unwrap().expect_err("it was cancelled");
        assert!(
            error.message.ends_with(": it was cancelled"),
            "the plugin ends by itself: {error}"
        );
    });
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "and the process goes on");
}

/// The host's side reads no frame of any length, so it ended the process of such an answer.
#[test]
fn answer_that_is_too_large_is_an_error_of_its_call() {
    let limits = PluginLimits { answer_bytes: 1 << 20, ..PluginLimits::default() };
    let plugin = start(json!({}), limits, &Arc::new(ManualClock::default()));
    let many = PackagePath::new("many").unwrap();
    let error = plugin.sources[0].list(&many, usize::MAX).expect_err("it is too large");
    assert_eq!(error.kind, SourceErrorKind::TooLarge, "{error}");
    assert!(error.message.contains("of which 5242880 are allowed"), "it names the limit: {error}");
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "the process goes on");
}

/// A tool's result is within the limit of an answer, wherever the plugin runs.
#[test]
fn large_result_of_a_tool_arrives() {
    let plugin = start(json!({}), PluginLimits::default(), &real());
    let result = call(&plugin, "larger");
    assert!(!result.is_error, "{:?}", result.code);
    let Content::Text { text } = &result.content[0] else { panic!("it is a text") };
    assert_eq!(text.len(), 5 << 20, "all of it");
}

#[test]
fn many_threads_share_a_process() {
    let plugin = start(json!({}), PluginLimits::default(), &real());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..300 {
                    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"));
                }
            });
        }
    });
}

/// Calls the plugin's tool as the user.
fn call(plugin: &ProcessPlugin, how: &str) -> ToolResult {
    let context = ToolContext {
        catalog: &Arc::new(Catalog::empty()),
        session: &Conversation(SessionId::new("s-1").unwrap()),
        caller: Caller::User,
        origin: &Arc::default(),
        clock: &ManualClock::default(),
        cancel: &Cancel::default(),
        boundary: &prowess_core::Boundary::default(),
    };
    plugin.tools.tools()[0].call(&context, &json!({ "how": how }))
}

#[test]
fn tool_of_a_process_is_a_tool() {
    let plugin = start(json!({}), PluginLimits::default(), &real());
    let result = call(&plugin, "who");
    let seen = format!("{:?}", result.structured);
    assert!(seen.contains("s-1") && seen.contains("User"), "it knows its call: {result:?}");
    let failed = call(&plugin, "abort");
    assert!(failed.is_error, "a crash is an answer: {failed:?}");
    assert_eq!(failed.code.unwrap().as_str(), "plugin-crashed", "with a code");
}

#[test]
fn pages_become_one_listing() {
    let running = in_process(&old::built(), &json!({}), PluginLimits::default()).unwrap();
    old::assert_listed(&*running.source);
}

#[test]
fn program_that_takes_nothing_is_buried() {
    let launch = Launch { program: "true".into(), ..launch(json!({}), PluginLimits::default()) };
    let refused = start_process(launch, Arc::new(ManualClock::default())).err().unwrap();
    assert_eq!(refused.kind, PluginErrorKind::Init, "{refused}");
    assert!(refused.reason.contains("ended before it confined itself"), "{refused}");
}

#[test]
fn plugin_that_does_not_begin_is_an_error() {
    let check = |begin: &str, limits: PluginLimits, kind: PluginErrorKind, reason: &str| {
        let started = start_process(launch(json!({ "init": begin }), limits), real());
        let error = started.err().expect("it does not begin");
        assert_eq!(error.kind, kind, "{begin}: {error}");
        assert!(error.reason.contains(reason), "{begin}: {error}");
    };
    let usual = PluginLimits::default;
    check("refuse", usual(), PluginErrorKind::Init, "nobody is there");
    check("abort", usual(), PluginErrorKind::Crashed, "ended its process by signal 6");
    let quick = PluginLimits { init_ms: 1_000, ..usual() };
    check("hang", quick, PluginErrorKind::Init, "did not begin within 1000 ms");
    let launch = Launch { program: "/nowhere/runner".into(), ..launch(json!({}), usual()) };
    let error = start_process(launch, real()).err().expect("there is no such program");
    assert!(error.to_string().contains("by `/nowhere/runner`"), "{error}");
    assert!(error.to_string().ends_with("; nothing was executed"), "{error}");
}
