//! Failures of a plugin in a separate process.

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
use crate::loaded::staged;

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
    start_process(launch(config, limits), Arc::clone(clock) as _).expect("the plugin starts")
}

pub(crate) fn real() -> Arc<MovableClock> {
    Arc::default()
}

/// Reads a file of the faulty source. The names of the package and the file select the fault.
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

/// Checks that a call fails for this reason, and that the plugin is restarted after the backoff.
#[track_caller]
fn contained(what: &str, reason: &str) {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), PluginLimits::default(), &clock);
    let error = read(&plugin, what, "file").expect_err("the call fails");
    assert_eq!(
        error.kind,
        SourceErrorKind::Unavailable,
        "a crash makes the source unavailable: {error}"
    );
    assert!(error.message.contains(reason), "`{what}`: the reason is `{reason}`: {error}");
    let error =
        read(&plugin, "good", "file").expect_err("the plugin is not restarted during the backoff");
    assert!(error.message.contains("; it is restarted in 100 ms"), "`{what}`: {error}");
    clock.advance(Duration::from_millis(100));
    assert_eq!(
        read(&plugin, "good", "file").as_deref(),
        Ok("good"),
        "`{what}`: the plugin is restarted"
    );
}

#[test]
fn crash_of_the_process_is_contained() {
    contained("abort", "ended its process by signal 6");
    contained("exit", "ended its process with exit code 42");
    contained("overflow", "ended its process by signal");
    contained("grow", "ended its process by signal");
}

/// A permitted fork outlived the host, and its abort was reported as a timeout.
#[test]
fn fork_and_abort_is_a_crash() {
    contained("fork", "[plugin-crashed]");
}

/// The timeout inside the process came first, so the process was never replaced: after eight such
/// calls the plugin was stuck.
#[test]
fn endless_loops_do_not_block_later_calls() {
    // Other tests have processes of their own meanwhile.
    let marker = "endless-loops";
    let launch = Launch { arguments: vec![marker.into()], ..launch(json!({}), quick()) };
    let plugin = start_process(launch, real()).expect("the plugin starts");
    for round in 0..20 {
        let error = read(&plugin, "spin", "file").expect_err("the call fails");
        let expected = "did not answer within 50 ms";
        assert!(error.message.contains(expected), "round {round}: {error}");
        // On a busy machine a good call may take longer than the timeout of this test.
        let served = (0..50).any(|_| read(&plugin, "good", "file").is_ok());
        assert!(served, "round {round}: a later call succeeds");
    }
    assert!(!children(marker).is_empty(), "the last one still runs");
    drop(plugin);
    let is_gone = |_| {
        std::thread::yield_now();
        children(marker).is_empty()
    };
    assert!((0..100_000).any(is_gone), "no process is left");
}

/// Returns the plugin processes of this process that have the argument.
fn children(marker: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{own}/task")) else { return Vec::new() };
    let children = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("children")).ok()
    };
    let is_marked = |pid: &&str| {
        std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.split('\0').any(|argument| argument == marker))
    };
    let lists: Vec<_> = tasks.filter_map(children).collect();
    let pids = lists.iter().flat_map(|list| list.split_whitespace());
    pids.filter(is_marked).map(str::to_owned).collect()
}

#[test]
fn plugin_that_fails_too_often_is_quarantined() {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), PluginLimits::default(), &clock);
    for _ in 0..4 {
        let error = read(&plugin, "exit", "file").expect_err("the call fails");
        assert!(
            error.message.contains("exit code 42"),
            "the plugin is restarted up to the limit: {error}"
        );
        clock.advance(Duration::from_secs(5));
    }
    let error = read(&plugin, "good", "file").expect_err("the plugin is not restarted");
    assert!(error.message.contains("[plugin-quarantined]"), "{error}");
    assert!(error.message.contains("failed 4 times in 600 s and is not restarted"), "{error}");
    clock.advance(Duration::from_secs(601));
    assert_eq!(
        read(&plugin, "good", "file").as_deref(),
        Ok("good"),
        "failures before the window do not count"
    );
}

/// The timeout was one for the whole scan.
#[test]
fn slow_scan_with_progress_does_not_time_out() {
    let limits = PluginLimits { call_ms: 600, ..PluginLimits::default() };
    let plugin = start(json!({"scan": "slow"}), limits, &real());
    let scan = ScanRecorder::scan(&*plugin.sources[0])
        .expect("a scan with progress may take longer than the timeout");
    assert_eq!(scan.found.len(), 13, "all packages are found");
}

#[test]
fn problems_beyond_the_limit_are_omitted() {
    let plugin = start(json!({"scan": "problems"}), PluginLimits::default(), &real());
    let scan = ScanRecorder::scan(&*plugin.sources[0]).expect("the scan ends");
    assert!(scan.problems.len() < 1_100, "a thousand and a notice: {}", scan.problems.len());
    let is_noted = |problem: &Diagnostic| problem.message.contains("more than 1000 problems");
    assert!(scan.problems.iter().any(is_noted), "a notice reports the omitted problems");
}

/// A cancellation that counts how often it is checked.
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
fn concurrent_calls_are_independent_and_cancellable() {
    let limits = PluginLimits { calls_at_once: 4, ..PluginLimits::default() };
    let plugin = start(json!({"scan": "cancel"}), limits, &real());
    let (cancel, looks, set) = counted_cancel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            plugin.sources[0].scan(&PreviousScan::none(), &mut ScanRecorder::default(), &cancel)
        });
        for _ in 0..20 {
            let answer = read(&plugin, "good", "file");
            assert_eq!(answer.as_deref(), Ok("good"), "a waiting call does not block others");
        }
        // The first check happens before the call is sent, and would prevent it.
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
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "the process keeps running");
}

/// The host refused the long frame, so it ended the process.
#[test]
fn too_large_answer_fails_only_its_call() {
    let limits = PluginLimits { answer_bytes: 1 << 20, ..PluginLimits::default() };
    let plugin = start(json!({}), limits, &Arc::new(ManualClock::default()));
    let many = PackagePath::new("many").unwrap();
    let error = plugin.sources[0].list(&many, usize::MAX).expect_err("the answer is too large");
    assert_eq!(error.kind, SourceErrorKind::TooLarge, "{error}");
    assert!(error.message.contains("; 5242880 are allowed"), "it names the limit: {error}");
    assert_eq!(read(&plugin, "good", "file").as_deref(), Ok("good"), "the process keeps running");
}

/// The limit of an answer also applies to a tool's result in a separate process.
#[test]
fn large_tool_result_is_complete() {
    let plugin = start(json!({}), PluginLimits::default(), &real());
    let result = call(&plugin, "larger");
    assert!(!result.is_error, "{:?}", result.code);
    let Content::Text { text } = &result.content[0] else { panic!("the result is a text") };
    assert_eq!(text.len(), 5 << 20, "the result is complete");
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
        approved: None,
        progress: prowess_core::Progress::default(),
        boundary: &prowess_core::Boundary::default(),
    };
    plugin.tools.tools()[0].call(&context, &json!({ "how": how }))
}

#[test]
fn tool_in_a_process_is_callable() {
    let plugin = start(json!({}), PluginLimits::default(), &real());
    let result = call(&plugin, "who");
    let seen = format!("{:?}", result.structured);
    assert!(
        seen.contains("s-1") && seen.contains("User"),
        "the tool receives the context of the call: {result:?}"
    );
    let failed = call(&plugin, "abort");
    assert!(failed.is_error, "a crash gives a result: {failed:?}");
    assert_eq!(failed.code.unwrap().as_str(), "plugin-crashed", "the result has a code");
}

#[test]
fn program_that_ends_early_is_an_error() {
    let launch = Launch { program: "true".into(), ..launch(json!({}), PluginLimits::default()) };
    let refused = start_process(launch, Arc::new(ManualClock::default())).err().unwrap();
    assert_eq!(refused.kind, PluginErrorKind::Init, "{refused}");
    assert!(refused.reason.contains("ended before it confined itself"), "{refused}");
}

#[test]
fn plugin_that_does_not_start_is_an_error() {
    let check = |begin: &str, limits: PluginLimits, kind: PluginErrorKind, reason: &str| {
        let started = start_process(launch(json!({ "init": begin }), limits), real());
        let error = started.err().expect("the plugin does not start");
        assert_eq!(error.kind, kind, "{begin}: {error}");
        assert!(error.reason.contains(reason), "{begin}: {error}");
    };
    let usual = PluginLimits::default;
    check("refuse", usual(), PluginErrorKind::Init, "nobody is there");
    check("abort", usual(), PluginErrorKind::Crashed, "ended its process by signal 6");
    let quick = PluginLimits { init_ms: 1_000, ..usual() };
    check("hang", quick, PluginErrorKind::Init, "did not start within 1000 ms");
    let launch = Launch { program: "/nowhere/runner".into(), ..launch(json!({}), usual()) };
    let error = start_process(launch, real()).err().expect("the program does not exist");
    assert!(error.to_string().contains("by `/nowhere/runner`"), "{error}");
    assert!(error.to_string().ends_with("; nothing was executed"), "{error}");
}
