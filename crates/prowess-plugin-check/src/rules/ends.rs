//! How an instance ends, and that another one begins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use abi_stable::std_types::{RResult, RSlice, RStr};
use prowess_plugin_abi::{AbiError, Exports, InitRequest, MINOR};

use super::init::again;
use crate::probe::{Broken, Checked, Probe, SOON, broken, is_panic, panicked, soon, unanswered};
use prowess_plugin_host::NoLog;
use prowess_plugin_host::kit::{HostSide, ProcessClock, plain};

const MOMENT: Duration = Duration::from_millis(2);

pub(super) fn lifecycle(probe: &Probe) -> Checked {
    let threads = thread_count();
    let host = new_host(probe);
    probe.step("`init`");
    let exports = exports(probe, &host).map_err(|error| unanswered("`init`", &error))?;
    probe.step("a watch and its end");
    watches(&exports)?;
    probe.step("`shutdown`, twice");
    let exports = soon(move || shut_down(exports)).ok_or_else(|| too_long("`shutdown`"))??;
    probe.step("the drop of what it offers");
    soon(move || drop(exports)).ok_or_else(|| too_long("the drop of what it offers"))?;
    // The panic hook keeps the newest instance's host, so the next one takes its place.
    let next = again(probe, "`init` after the end of another instance")?;
    probe.step("a wait for its threads and its host");
    if !wait_until(|| Arc::strong_count(&host) == 1) {
        let reason = "it keeps its host after its end, and may call it later";
        let help = "drop each clone of `Host` with the source or the provider that was given it";
        return Err(broken(reason, help));
    }
    drop(next);
    let is_alone = || threads.is_none() || thread_count() <= threads;
    if !wait_until(is_alone) {
        let reason = "it leaves threads behind when it ends";
        let help =
            "keep the handle of each thread in the value that started it, and join it in `Drop`";
        return Err(broken(reason, help));
    }
    Ok(Vec::new())
}

fn new_host(probe: &Probe) -> Arc<HostSide> {
    let clock = Arc::new(ProcessClock::default());
    Arc::new(HostSide::new(&probe.manifest().name, Arc::new(NoLog), clock))
}

/// Returns the exports of `init`, which the caller has to end.
fn exports(probe: &Probe, host: &Arc<HostSide>) -> Result<Exports, AbiError> {
    let request = InitRequest {
        host_minor: MINOR,
        config: (&*probe.config).into(),
        features: RSlice::EMPTY,
        ext: RStr::empty(),
    };
    plain(probe.image.module().init()(host.object().0, request))
}

/// Each source may be watched, also twice; a watch that is none may be ended.
fn watches(exports: &Exports) -> Result<(), Broken> {
    for source in &exports.sources {
        for token in [1_000_001, 1_000_002] {
            match source.watch(token) {
                RResult::ROk(0) => {}
                RResult::ROk(number) => source.unwatch(number),
                RResult::RErr(error) if is_panic(&error) => {
                    return Err(panicked("`watch`", &error));
                }
                // A source that cannot be watched now is polled.
                RResult::RErr(_) => {}
            }
        }
        source.unwatch(u64::MAX);
    }
    Ok(())
}

fn shut_down(exports: Exports) -> Result<Exports, Broken> {
    for _ in 0..2 {
        let sources = exports.sources.iter().map(|source| source.shutdown(1_000));
        let tools = exports.tools.iter().map(|tools| tools.shutdown(1_000));
        for ended in sources.chain(tools) {
            plain(ended).map_err(|error| unanswered("`shutdown`", &error))?;
        }
    }
    Ok(exports)
}

fn too_long(what: &str) -> Broken {
    let reason = format!("{what} goes on for {} s", SOON.as_secs());
    broken(reason, "end threads by a flag that they look at, and wait for nothing else")
}

/// Whether something comes true soon.
fn wait_until(is_true: impl Fn() -> bool) -> bool {
    let end = Instant::now() + SOON;
    while !is_true() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(MOMENT);
    }
    true
}

/// How many threads this process has; `None` where the system does not say.
fn thread_count() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

pub(super) fn reload(probe: &Probe) -> Checked {
    let first = again(probe, "`init`")?;
    let second = again(probe, "`init` of a second instance")?;
    if first.shape != second.shape {
        let reason = "a second instance offers other sources or tools than the first";
        return Err(broken(reason, "let what is offered depend on the configuration alone"));
    }
    probe.step("scans of two instances");
    let both = [&first, &second].map(crate::probe::Life::sources);
    let [before, other] = both.map(|sources| sources.iter().map(scanned).collect::<Vec<_>>());
    if before.iter().zip(&other).any(|(one, other)| !is_same(one, other)) {
        let reason = "two instances at once report different packages";
        return Err(broken(
            reason,
            "keep what an instance has in the instance, and not in statics",
        ));
    }
    probe.step("the end of one of two instances");
    drop(second);
    let after: Vec<_> = first.sources().iter().map(scanned).collect();
    if before.iter().zip(&after).any(|(one, other)| !is_same(one, other)) {
        let reason = "the end of one instance disturbs another";
        return Err(broken(
            reason,
            "keep what an instance has in the instance, and not in statics",
        ));
    }
    Ok(Vec::new())
}

type Scanned = Option<Vec<String>>;

/// The packages of a source; `None` if it cannot say.
fn scanned(source: &crate::probe::Source) -> Scanned {
    let found = source.scan().ok()?.sorted().0;
    Some(found.into_iter().map(|seen| seen.package).collect())
}

fn is_same(one: &Scanned, other: &Scanned) -> bool {
    one.is_some() && one == other
}
