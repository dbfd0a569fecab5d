//! The end of an instance, and several instances.

use std::sync::Arc;
use std::time::{Duration, Instant};

use abi_stable::std_types::{RResult, RSlice, RStr};
use prowess_plugin_abi::{AbiError, Exports, InitRequest, MINOR};

use super::init::start_again;
use crate::NoLog;
use crate::check::probe::{
    GRACE, Life, NotPassed, Probe, RuleResult, Source, call_failed, ensure, failed, is_panic,
    panicked, within_grace,
};
use crate::child::ProcessClock;
use crate::host_api::HostSide;
use crate::instance::into_result;

/// The interval in which a condition is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

pub(super) fn lifecycle(probe: &Probe) -> RuleResult {
    let threads = thread_count();
    let host = new_host(probe);
    probe.step("`init`");
    let exports = exports(probe, &host).map_err(|error| call_failed("`init`", &error))?;
    probe.step("a watch and its end");
    watches(&exports)?;
    probe.step("`shutdown`, twice");
    let exports =
        within_grace(move || shut_down(exports)).ok_or_else(|| too_long("`shutdown`"))??;
    probe.step("the drop of its sources and tools");
    within_grace(move || drop(exports))
        .ok_or_else(|| too_long("the drop of its sources and tools"))?;
    // The panic hook keeps the host of the newest instance, so create another instance.
    let next = start_again(probe, "`init` after the end of another instance")?;
    probe.step("a wait for its threads and its host");
    ensure(wait_until(|| Arc::strong_count(&host) == 1), || {
        let reason = "it keeps a reference to its host after its end";
        (reason, "drop each clone of `Host` with the source or the provider that owns it")
    })?;
    drop(next);
    let is_alone = || threads.is_none() || thread_count() <= threads;
    ensure(wait_until(is_alone), || {
        let help =
            "keep the handle of each thread in the value that started it, and join it in `Drop`";
        ("it leaves threads running after its end", help)
    })?;
    Ok(Vec::new())
}

fn new_host(probe: &Probe) -> Arc<HostSide> {
    let clock = Arc::new(ProcessClock::default());
    Arc::new(HostSide::new(&probe.manifest().name, Arc::new(NoLog), clock))
}

/// Calls `init` and returns its exports, which the caller has to shut down.
fn exports(probe: &Probe, host: &Arc<HostSide>) -> Result<Exports, AbiError> {
    let request = InitRequest {
        host_minor: MINOR,
        config: (&*probe.config).into(),
        features: RSlice::EMPTY,
        ext: RStr::empty(),
    };
    into_result(probe.code.module.init()(host.object().0, request))
}

/// Starts and ends watches on each source, also two at a time, and ends an unknown watch.
fn watches(exports: &Exports) -> Result<(), NotPassed> {
    for source in &exports.sources {
        for token in [1_000_001, 1_000_002] {
            match source.watch(token) {
                RResult::ROk(0) => {}
                RResult::ROk(number) => source.unwatch(number),
                RResult::RErr(error) if is_panic(&error) => {
                    return Err(panicked("`watch`", &error));
                }
                // The host polls a source that cannot be watched.
                RResult::RErr(_) => {}
            }
        }
        source.unwatch(u64::MAX);
    }
    Ok(())
}

fn shut_down(exports: Exports) -> Result<Exports, NotPassed> {
    for _ in 0..2 {
        let sources = exports.sources.iter().map(|source| source.shutdown(1_000));
        let tools = exports.tools.iter().map(|tools| tools.shutdown(1_000));
        for ended in sources.chain(tools) {
            into_result(ended).map_err(|error| call_failed("`shutdown`", &error))?;
        }
    }
    Ok(exports)
}

fn too_long(what: &str) -> NotPassed {
    let reason = format!("{what} takes longer than {} s", GRACE.as_secs());
    failed(reason, "end threads by a flag that they check, and do not wait for anything else")
}

/// Waits for a condition. Returns whether it holds within [`GRACE`].
fn wait_until(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + GRACE;
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    true
}

/// Returns the number of threads of this process; `None` if the system does not report it.
fn thread_count() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

pub(super) fn reload(probe: &Probe) -> RuleResult {
    let first = start_again(probe, "`init`")?;
    let second = start_again(probe, "`init` of a second instance")?;
    ensure(first.shape == second.shape, || {
        let reason = "a second instance offers other sources or tools than the first";
        (reason, "let sources and tools depend only on the configuration")
    })?;
    probe.step("scans of two instances");
    let help = "keep the state of an instance in the instance, and not in statics";
    let [before, other] = [&first, &second].map(scanned);
    ensure(before.is_some() && before == other, || {
        ("two concurrent instances report different packages", help)
    })?;
    probe.step("the end of one of two instances");
    drop(second);
    ensure(scanned(&first) == before, || ("the end of one instance affects another", help))?;
    Ok(Vec::new())
}

/// Returns the packages of each source; `None` if a scan fails.
fn scanned(life: &Arc<Life>) -> Option<Vec<Vec<String>>> {
    let packages = |source: &Source| {
        let found = source.scan().ok()?.sorted().0;
        Some(found.into_iter().map(|seen| seen.package).collect())
    };
    life.sources().iter().map(packages).collect()
}
