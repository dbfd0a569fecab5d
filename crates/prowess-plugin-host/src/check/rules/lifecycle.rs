//! The end of an instance, and several instances.

use std::sync::Arc;
use std::time::{Duration, Instant};

use abi_stable::std_types::{RResult, RSlice, RStr};
use prowess_plugin_abi::{AbiError, Exports, InitRequest, MINOR};

use super::init::start_again;
use crate::NoLog;
use crate::check::probe::{
    GRACE, NotPassed, Probe, RuleResult, call_failed, failed, is_panic, panicked, within_grace,
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
    if !wait_until(|| Arc::strong_count(&host) == 1) {
        let reason = "it keeps a reference to its host after its end";
        let help = "drop each clone of `Host` with the source or the provider that owns it";
        return Err(failed(reason, help));
    }
    drop(next);
    let is_alone = || threads.is_none() || thread_count() <= threads;
    if !wait_until(is_alone) {
        let reason = "it leaves threads running after its end";
        let help =
            "keep the handle of each thread in the value that started it, and join it in `Drop`";
        return Err(failed(reason, help));
    }
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
    if first.shape != second.shape {
        let reason = "a second instance offers other sources or tools than the first";
        return Err(failed(reason, "let sources and tools depend only on the configuration"));
    }
    probe.step("scans of two instances");
    let both = [&first, &second].map(crate::check::probe::Life::sources);
    let [before, other] = both.map(|sources| sources.iter().map(scanned).collect::<Vec<_>>());
    if before.iter().zip(&other).any(|(one, other)| !is_same(one, other)) {
        let reason = "two concurrent instances report different packages";
        return Err(failed(
            reason,
            "keep the state of an instance in the instance, and not in statics",
        ));
    }
    probe.step("the end of one of two instances");
    drop(second);
    let after: Vec<_> = first.sources().iter().map(scanned).collect();
    if before.iter().zip(&after).any(|(one, other)| !is_same(one, other)) {
        let reason = "the end of one instance affects another";
        return Err(failed(
            reason,
            "keep the state of an instance in the instance, and not in statics",
        ));
    }
    Ok(Vec::new())
}

type Scanned = Option<Vec<String>>;

/// Returns the packages of a source; `None` if the scan fails.
fn scanned(source: &crate::check::probe::Source) -> Scanned {
    let found = source.scan().ok()?.sorted().0;
    Some(found.into_iter().map(|seen| seen.package).collect())
}

fn is_same(one: &Scanned, other: &Scanned) -> bool {
    one.is_some() && one == other
}
