//! Failures of a plugin in a separate process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prowess_core::{
    Cancel, Clock, Content, PackagePath, PreviousScan, SourceError, SourceErrorKind, ToolResult,
};
use prowess_plugin_host::{Launch, PluginErrorKind, PluginLimits, ProcessPlugin, SandboxPolicy};
use prowess_testkit::{ManualClock, ScanRecorder};
use serde_json::{Value, json};

use crate::conversation;
use crate::loaded::faulty_file;
use crate::running::{self, MovableClock, read_file};

/// Returns the parameters of the faulty plugin's process.
pub(crate) fn launch(config: Value, limits: PluginLimits) -> Launch {
    let launch = running::launch(&faulty_file(), config, limits).unwrap();
    Launch { sandbox: SandboxPolicy::Namespaces, ..launch }
}

pub(crate) fn start(
    config: Value,
    limits: PluginLimits,
    clock: &Arc<impl Clock + 'static>,
) -> ProcessPlugin {
    running::start(launch(config, limits), clock).expect("the plugin starts")
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
    let bytes = read_file(&*plugin.sources[0], package, file)?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// Starts the plugin in a process that has its default limits.
fn usual() -> ProcessPlugin {
    start(json!({}), PluginLimits::default(), &real())
}

#[track_caller]
fn works(plugin: &ProcessPlugin, rule: &str) {
    assert_eq!(read(plugin, "good", "file").as_deref(), Ok("good"), "{rule}");
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
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "a crash: it is unavailable: {error}");
    assert!(error.message.contains(reason), "`{what}`: the reason is `{reason}`: {error}");
    let error =
        read(&plugin, "good", "file").expect_err("the plugin is not restarted during the backoff");
    assert!(error.message.contains("; it is restarted in 100 ms"), "`{what}`: {error}");
    clock.advance(Duration::from_millis(100));
    works(&plugin, "the plugin is restarted");
}

#[test]
fn crash_of_the_process_is_contained() {
    contained("abort", "ended its process by signal 6");
    contained("exit", "ended its process with exit code 42");
}

/// The timeout inside the process came first, so the process was never replaced: after eight such
/// calls the plugin was stuck.
#[test]
fn endless_loops_do_not_block_later_calls() {
    // Other tests have processes of their own meanwhile.
    let marker = "endless-loops";
    let launch = Launch { arguments: vec![marker.into()], ..launch(json!({}), quick()) };
    let plugin = running::start(launch, &real()).expect("the plugin starts");
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
    let left = children(marker);
    assert!(left.is_empty(), "a program that ends next has shown what they printed: {left:?}");
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
    for backoff in ["100 ms", "200 ms", "400 ms", ""] {
        let error = read(&plugin, "exit", "file").expect_err("the call fails");
        assert!(error.message.contains("exit code 42"), "restarted up to the limit: {error}");
        let error = read(&plugin, "good", "file").expect_err("the backoff is not over");
        assert!(error.message.contains(backoff), "the backoff doubles: {error}");
        clock.advance(Duration::from_secs(5));
    }
    let error = read(&plugin, "good", "file").expect_err("the plugin is not restarted");
    assert!(error.message.contains("[plugin-quarantined]"), "{error}");
    assert!(error.message.contains("failed 4 times in 600 s and is not restarted"), "{error}");
    clock.advance(Duration::from_secs(601));
    works(&plugin, "failures before the window do not count");
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
        assert!(error.message.ends_with(": it was cancelled"), "it ends by itself: {error}");
    });
    works(&plugin, "the process keeps running");
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
    works(&plugin, "the process keeps running");
}

/// The limit of an answer also applies to a tool's result in a separate process.
#[test]
fn large_tool_result_is_complete() {
    let plugin = usual();
    let result = call(&plugin, "larger");
    assert!(!result.is_error, "{:?}", result.code);
    let Content::Text { text } = &result.content[0] else { panic!("the result is a text") };
    assert_eq!(text.len(), 5 << 20, "the result is complete");
}

#[test]
fn many_threads_share_a_process() {
    let plugin = usual();
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

fn call(plugin: &ProcessPlugin, how: &str) -> ToolResult {
    let (tool, clock) = (&plugin.tools.tools()[0], ManualClock::default());
    conversation::call(&**tool, &clock, &json!({ "how": how }), &Cancel::default())
}

#[test]
fn tool_receives_the_context_of_its_call() {
    let result = call(&usual(), "who");
    let seen = format!("{:?}", result.structured);
    assert!(seen.contains("talk-7") && seen.contains("User"), "{result:?}");
}

#[test]
fn program_that_ends_early_is_an_error() {
    let refused = |program: &str| {
        let launch = launch(json!({}), PluginLimits::default());
        let launch = Launch { program: program.into(), ..launch };
        running::start(launch, &real()).err().expect("it is not a runner")
    };
    let error = refused("true");
    assert_eq!(error.kind, PluginErrorKind::Init, "{error}");
    assert!(error.reason.contains("ended before it confined itself"), "{error}");
    let error = refused("/nowhere/runner").to_string();
    assert!(error.contains("by `/nowhere/runner`"), "{error}");
    assert!(error.ends_with("; nothing was executed"), "{error}");
}
