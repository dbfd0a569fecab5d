//! A tool from a plugin library, in the process and in one of its own.

use prowess::plugin_host::{
    Isolation, NoLog, Older, Origin, PluginLoader, PluginPolicy, SignedOffBy, TrustStore, inspect,
};
use prowess::{Digest, NoAudit, SystemClock, Timestamp};
use prowess_testkit::{build_plugin, build_program};
use tracing_subscriber::layer::SubscriberExt;

use super::*;
use crate::collector::Collector;

/// Loads the library with the tool `json.query`, which is trusted as it is.
fn text_tools(isolation: Isolation) -> Plugin {
    let file = build_plugin("prowess-plugin-text-tools");
    let file = file.canonicalize().expect("it was built");
    let bytes = std::fs::read(&file).expect("it was built");
    let mut trust = TrustStore::default();
    let witness = SignedOffBy { who: "the tests".to_owned(), when: Timestamp(0) };
    let inspection = inspect(&file, &bytes).expect("it is a plugin");
    trust.pin(&file, Digest::of(&bytes), &inspection, &witness, Older::Refuse).expect("it is new");
    let loader = PluginLoader {
        policy: PluginPolicy { isolation, ..PluginPolicy::default() },
        trust,
        staging: std::env::temp_dir(),
        runner: build_program("prowess-plugin-host", "prowess-plugin-runner"),
        runner_arguments: Vec::new(),
        clock: Arc::new(SystemClock::default()),
        log: Arc::new(NoLog),
        audit: Arc::new(NoAudit),
    };
    loader.load(&file, Origin::Named).expect("it is trusted")
}

/// Makes the call, and returns the answer and the number of calls that reached the plugin.
fn traced(work: impl FnOnce() -> Dispatched) -> (Dispatched, usize) {
    let collector = Collector::default();
    let subscriber = tracing_subscriber::registry().with(collector.clone());
    let answer = prowess_testkit::with_subscriber(subscriber, work);
    let calls = collector.all("plugin_call");
    (answer, calls.iter().filter(|call| call.fields["operation"] == "call").count())
}

/// Returns the ways to call the plugin's tool: all but those of a host's own tool, which runs as a
/// closure, and those by another name, which this tool has not.
fn paths() -> impl Iterator<Item = (&'static str, Path)> {
    let is_of_plugin = |path: &(&str, Path)| !path.0.contains("guard") && !path.0.contains("older");
    PATHS.into_iter().filter(is_of_plugin)
}

#[test]
fn denied_tool_of_a_plugin_is_denied_on_every_path() {
    assert_eq!(paths().count(), 11);
    for isolation in [Isolation::InProcess, Isolation::Process] {
        let plugin = text_tools(isolation);
        for style in STYLES {
            for (path, call) in paths() {
                let place = Place::with_plugin(denying("standard", "json.query"), style, &plugin);
                let (answer, calls) = traced(|| call(&place));
                check_denied(&place, &answer, path);
                assert_eq!(calls, 0, "{isolation:?}, {path}: nothing reaches the plugin");
            }
        }
    }
}

#[test]
fn permitted_tool_of_a_plugin_runs_once_on_every_path() {
    let policies = "{ preset: standard, gate: { grant: [json.query] } }";
    for isolation in [Isolation::InProcess, Isolation::Process] {
        let plugin = text_tools(isolation);
        for (path, call) in paths() {
            let policies = Policies::from_yaml(policies).expect("the policies are valid");
            let place = Place::with_plugin(policies, NameStyle::Underscore, &plugin);
            let (answer, calls) = traced(|| call(&place));
            assert!(!answer.result.is_error, "{isolation:?}, {path}: {answer:?}");
            assert_eq!(calls, 1, "{isolation:?}, {path}");
            let events = place.audit.take_calls();
            let outcomes: Vec<_> = events.iter().map(|event| event.outcome.clone()).collect();
            assert_eq!(outcomes, [Outcome::Done], "{isolation:?}, {path}");
        }
    }
}
