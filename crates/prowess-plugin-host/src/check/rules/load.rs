//! Concurrent calls, cancellation, and the use of time and memory.

use std::time::{Duration, Instant};

use prowess_core::Cancel;
use prowess_plugin_abi::codes;
use prowess_text::counted;

use super::tools;
use crate::check::probe::{
    GRACE, Life, NotPassed, Probe, ROUNDS, RuleResult, Source, THREADS, call_failed, ensure,
    failed, same_from_all_threads, within_grace,
};
use crate::check::recorder::{RecordedPackage, RecordedProblem, Recorder};

/// The number of instances for the check of memory.
const CYCLES: usize = 1_000;
/// The maximum growth of memory that does not count as a leak, to allow for fragmentation.
const MAX_GROWTH: u64 = 2 << 20;
/// The maximum number of reports after a cancellation.
const MAX_AFTER_CANCEL: usize = 1_000;

pub(super) fn threads(probe: &Probe) -> RuleResult {
    let life = probe.start()?;
    let sources = Life::sources(&life);
    if sources.is_empty() {
        tools::threads(probe)?;
    }
    for source in sources {
        probe.step(format!("a scan of `{}`", source.name));
        let expected = scan_and_read(&source)?;
        let calls = format!("scan and read `{}`", source.name);
        let is_same = || scan_and_read(&source).is_ok_and(|result| result == expected);
        same_from_all_threads(probe.holds_concurrently(&calls, is_same))?;
    }
    Ok(vec![format!("{THREADS} threads, {ROUNDS} rounds each")])
}

/// The results of one round: a scan, and the first files.
#[derive(PartialEq)]
struct RoundResult {
    scan: (Vec<RecordedPackage>, Vec<RecordedProblem>),
    files: Vec<Result<Vec<u8>, u32>>,
}

fn scan_and_read(source: &Source) -> Result<RoundResult, NotPassed> {
    let scan = source.scan()?.sorted();
    let read = |seen: &RecordedPackage| {
        source.read(&seen.package, &seen.file, 2 << 20).map_err(|error| error.code)
    };
    let files = scan.0.iter().take(3).map(read).collect();
    Ok(RoundResult { scan, files })
}

pub(super) fn cancel(probe: &Probe) -> RuleResult {
    let life = probe.start()?;
    let sources = Life::sources(&life);
    if sources.is_empty() {
        return tools::deadline(probe);
    }
    for source in sources {
        probe.step(format!("a scan of `{}`", source.name));
        let whole = source.scan()?.reports;
        probe.step(format!("a scan of `{}` that is cancelled before it starts", source.name));
        let before = Cancel::default();
        before.cancel();
        ends_soon(&source, &before, Recorder::default(), whole)?;
        probe.step(format!("a scan of `{}` that is cancelled at the first package", source.name));
        let during = Cancel::default();
        let recorder = Recorder { cancel: Some(during.clone()), ..Recorder::default() };
        ends_soon(&source, &during, recorder, whole)?;
    }
    Ok(Vec::new())
}

fn ends_soon(
    source: &Source,
    cancel: &Cancel,
    mut recorder: Recorder,
    whole: usize,
) -> Result<(), NotPassed> {
    let called = source.clone();
    let cancel = cancel.clone();
    let answer = within_grace(move || {
        let answer = called.scan_into(&mut recorder, Some(&cancel));
        (answer, recorder.reports)
    });
    let name = &source.name;
    let help = "check `cancel` between packages, and return `SourceErrorKind::Cancelled`";
    match answer {
        None => {
            let reason = format!(
                "a scan of `{name}` takes longer than {} s after its cancellation",
                GRACE.as_secs()
            );
            Err(failed(reason, help))
        }
        Some((Err(error), reports)) if error.code == codes::CANCELLED => match reports {
            0..=MAX_AFTER_CANCEL => Ok(()),
            _ => {
                let reason =
                    format!("a scan of `{name}` reports {reports} packages after its cancellation");
                Err(failed(reason, help))
            }
        },
        Some((Err(error), _)) => Err(call_failed(&format!("a cancelled scan of `{name}`"), &error)),
        // A short scan may end before it checks for cancellation.
        Some((Ok(()), reports)) if reports >= whole && reports <= MAX_AFTER_CANCEL => Ok(()),
        Some((Ok(()), reports)) => {
            let reason =
                format!("a cancelled scan of `{name}` succeeds with {reports} of {whole} reports");
            Err(failed(reason, help))
        }
    }
}

pub(super) fn budget(probe: &Probe) -> RuleResult {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("three scans of `{}`", source.name));
        let mut best = Duration::MAX;
        let mut packages = 0;
        for _ in 0..3 {
            let start = Instant::now();
            packages = source.scan()?.found.len();
            best = best.min(start.elapsed());
        }
        let thousands = u32::try_from(packages.div_ceil(1_000).max(1)).unwrap_or(u32::MAX);
        let allowed = Duration::from_secs(1).saturating_mul(thousands);
        let took =
            format!("{} in {:.1} ms", counted(packages, "package"), best.as_secs_f64() * 1e3);
        ensure(best <= allowed, || {
            let reason = format!("the best of three scans of `{}` reports {took}", source.name);
            let help = "fetch on a thread of the plugin, answer from memory and report changes \
                        with `watch`";
            (reason, help)
        })?;
        notes.push(format!("`{}`: {took}", source.name));
    }
    Ok(notes)
}

pub(super) fn memory(probe: &Probe) -> RuleResult {
    let start = Instant::now();
    let mut cycles = 0;
    let mut middle = None;
    probe.step("one instance after the other");
    // A slow plugin gets fewer instances. Only the growth in the second half is measured.
    let is_time_over = |start: Instant, seconds| start.elapsed() > Duration::from_secs(seconds);
    while cycles < CYCLES && !is_time_over(start, 12) {
        cycle(probe)?;
        cycles += 1;
        if middle.is_none() && (cycles >= CYCLES / 2 || is_time_over(start, 6)) {
            middle = Some((cycles, resident()));
        }
    }
    let (Some((half, Some(before))), Some(after)) = (middle, resident()) else {
        return Err(NotPassed::Skipped("this system does not report the memory of a process"));
    };
    let grown = after.saturating_sub(before);
    let cycles_after = cycles - half;
    let note = format!("{} KiB more after {cycles_after} further instances", grown >> 10);
    ensure(grown <= MAX_GROWTH, || {
        (format!("its process has {note}"), "free the resources of an instance when it ends")
    })?;
    Ok(vec![note])
}

/// Creates an instance and uses it as a host does.
fn cycle(probe: &Probe) -> Result<(), NotPassed> {
    let life = super::init::start_again(probe, "another `init`")?;
    for source in life.sources() {
        let scan = source.scan()?;
        if let Some(seen) = scan.found.first() {
            // Errors of reads are reported by another check.
            let _ = source.read(&seen.package, &seen.file, 2 << 20);
        }
    }
    Ok(())
}

/// Returns the anonymous resident memory of this process, in bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
