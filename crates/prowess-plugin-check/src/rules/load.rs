//! Many calls, many threads, many instances; and how soon they end.

use std::time::{Duration, Instant};

use prowess_core::Cancel;
use prowess_plugin_abi::codes;

use super::rounds::{ROUNDS, THREADS, hold_at_once};
use super::tools;
use crate::probe::{Broken, Checked, Life, Probe, SOON, Source, broken, soon, unanswered};
use crate::recorder::Recorder;

/// How many instances a plugin has to live through.
const CYCLES: usize = 1_000;
/// How much a process may grow meanwhile without a leak: its heap is cut into pieces.
const MOST_GROWTH: u64 = 2 << 20;
/// How many reports come after a cancel, at most, from a source that looks at it.
const MOST_AFTER_CANCEL: usize = 1_000;

pub(super) fn threads(probe: &Probe) -> Checked {
    let life = probe.begin()?;
    let sources = Life::sources(&life);
    if sources.is_empty() {
        tools::threads(probe)?;
    }
    for source in sources {
        probe.step(format!("a scan of `{}`", source.name));
        let alone = look(&source)?;
        let calls = format!("scan and read `{}`", source.name);
        if !hold_at_once(probe, &calls, || look(&source).is_ok_and(|look| look == alone)) {
            let reason = format!("{THREADS} threads at once see other things than one alone");
            let help = "keep what changes behind a lock: each method may be called from several \
                        threads at once";
            return Err(broken(reason, help));
        }
    }
    Ok(vec![format!("{THREADS} threads, {ROUNDS} rounds each")])
}

/// The results of one round: a scan, and the first files.
#[derive(PartialEq)]
struct Look {
    scan: (Vec<crate::recorder::Seen>, Vec<crate::recorder::SeenProblem>),
    files: Vec<Result<Vec<u8>, u32>>,
}

fn look(source: &Source) -> Result<Look, Broken> {
    let scan = source.scan()?.sorted();
    let read = |seen: &crate::recorder::Seen| {
        source.read(&seen.package, &seen.file, 2 << 20).map_err(|error| error.code)
    };
    let files = scan.0.iter().take(3).map(read).collect();
    Ok(Look { scan, files })
}

pub(super) fn cancel(probe: &Probe) -> Checked {
    let life = probe.begin()?;
    let sources = Life::sources(&life);
    if sources.is_empty() {
        return tools::deadline(probe);
    }
    for source in sources {
        probe.step(format!("a scan of `{}`", source.name));
        let whole = source.scan()?.reports;
        probe.step(format!("a scan of `{}` that is cancelled before it begins", source.name));
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
) -> Result<(), Broken> {
    let called = source.clone();
    let cancel = cancel.clone();
    let answer = soon(move || {
        let answer = called.scan_into(&mut recorder, Some(&cancel));
        (answer, recorder.reports)
    });
    let name = &source.name;
    let help =
        "look at `cancel` between two packages, and answer with `SourceErrorKind::Cancelled`";
    match answer {
        None => {
            let reason =
                format!("a scan of `{name}` goes on for {} s after its cancel", SOON.as_secs());
            Err(broken(reason, help))
        }
        Some((Err(error), reports)) if error.code == codes::CANCELLED => match reports {
            0..=MOST_AFTER_CANCEL => Ok(()),
            _ => {
                let reason =
                    format!("a scan of `{name}` reports {reports} packages after its cancel");
                Err(broken(reason, help))
            }
        },
        Some((Err(error), _)) => Err(unanswered(&format!("a cancelled scan of `{name}`"), &error)),
        // A short scan may end before it sees that it is cancelled.
        Some((Ok(()), reports)) if reports >= whole && reports <= MOST_AFTER_CANCEL => Ok(()),
        Some((Ok(()), reports)) => {
            let reason = format!(
                "a cancelled scan of `{name}` says that it is whole, with {reports} of {whole} reports"
            );
            Err(broken(reason, help))
        }
    }
}

pub(super) fn budget(probe: &Probe) -> Checked {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("three scans of `{}`", source.name));
        let mut best = Duration::MAX;
        let mut packages = 0;
        for _ in 0..3 {
            let begun = Instant::now();
            packages = source.scan()?.found.len();
            best = best.min(begun.elapsed());
        }
        let thousands = u32::try_from(packages.div_ceil(1_000).max(1)).unwrap_or(u32::MAX);
        let allowed = Duration::from_secs(1).saturating_mul(thousands);
        let took = format!("{packages} packages in {:.1} ms", best.as_secs_f64() * 1e3);
        if best > allowed {
            let reason = format!("the best of three scans of `{}` reports {took}", source.name);
            let help = "fetch on a thread of the plugin's own, answer from memory and tell of changes \
                        by `watch`";
            return Err(broken(reason, help));
        }
        notes.push(format!("`{}`: {took}", source.name));
    }
    Ok(notes)
}

pub(super) fn memory(probe: &Probe) -> Checked {
    let begun = Instant::now();
    let mut cycles = 0;
    let mut middle = None;
    probe.step("instances, one after the other");
    // A plugin with much to do gets fewer: what counts is that the second half takes no more.
    let is_time_over = |begun: Instant, seconds| begun.elapsed() > Duration::from_secs(seconds);
    while cycles < CYCLES && !is_time_over(begun, 12) {
        cycle(probe)?;
        cycles += 1;
        if middle.is_none() && (cycles >= CYCLES / 2 || is_time_over(begun, 6)) {
            middle = Some((cycles, resident()));
        }
    }
    let (Some((half, Some(before))), Some(after)) = (middle, resident()) else {
        return Err(Broken::Nothing("this system does not say how much memory a process has"));
    };
    let grown = after.saturating_sub(before);
    let cycles_after = cycles - half;
    let note = format!("{} KiB more after {cycles_after} further instances", grown >> 10);
    if grown > MOST_GROWTH {
        let reason = format!("its process has {note}");
        return Err(broken(reason, "end with an instance what began with it"));
    }
    Ok(vec![note])
}

/// One instance and what a host does with it.
fn cycle(probe: &Probe) -> Result<(), Broken> {
    let life = super::init::again(probe, "`init` once more")?;
    for source in life.sources() {
        let scan = source.scan()?;
        if let Some(seen) = scan.found.first() {
            // Whether it can be read is another check's question.
            let _ = source.read(&seen.package, &seen.file, 2 << 20);
        }
    }
    Ok(())
}

/// The memory of this process that is its own, in bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
