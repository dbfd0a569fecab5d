//! Unknown and hostile paths.

use prowess_plugin_abi::AbiError;
use prowess_text::clipped;

use crate::check::probe::{
    NotPassed, Probe, RuleResult, Source, ensure, ensure_not_found, failed, is_panic, panicked,
};
use crate::check::recorder::Recorder;

/// A name that no package has.
const UNKNOWN: &str = "prowess-check/unknown";

pub(super) fn unknown(probe: &Probe) -> RuleResult {
    for source in probe.sources()? {
        probe.step(format!("a read of a missing package of `{}`", source.name));
        not_found("a read of an unknown package", source.read(UNKNOWN, "SKILL.md", 1 << 20))?;
        not_found("a listing of an unknown package", source.page(UNKNOWN, 10, ""))?;
        if let Some(seen) = source.scan()?.found.first() {
            let read = source.read(&seen.package, UNKNOWN, 1 << 20);
            not_found("a read of an unknown file", read)?;
        }
        scans_nothing_else(&source)?;
    }
    Ok(Vec::new())
}

fn not_found<T>(what: &str, answer: Result<T, AbiError>) -> Result<(), NotPassed> {
    let help = "return `SourceErrorKind::NotFound`: a host distinguishes it from a failure";
    ensure_not_found(what, answer, help)
}

/// Checks that a scan of a missing package does not report it.
fn scans_nothing_else(source: &Source) -> Result<(), NotPassed> {
    let mut recorder = Recorder::default();
    let scanned = source.scan_packages(&[UNKNOWN], &mut recorder);
    if let Err(error) = scanned {
        let what = "a scan of an unknown package";
        if is_panic(&error) {
            return Err(panicked(what, &error));
        }
        let help = "do not report it: a package may be removed before the scan";
        return Err(failed(format!("{what} fails: {}", error.message), help));
    }
    let is_reported = recorder.found.iter().any(|seen| seen.package == UNKNOWN);
    ensure(!is_reported, || {
        ("a scan of an unknown package reports it", "report only existing packages")
    })
}

/// Returns paths that lead out of a package, or are invalid.
fn hostile_paths() -> Vec<String> {
    let long = "a".repeat(1 << 20);
    let many = "../".repeat(1_000) + "etc/passwd";
    let paths = include_str!("hostile-paths.jsonl").lines();
    let paths = paths.map(|path| serde_json::from_str(path).expect("each line is a text"));
    paths.chain([long, many]).collect()
}

pub(super) fn hostile(probe: &Probe) -> RuleResult {
    for source in probe.sources()? {
        let before = source.scan()?;
        let first = before.found.first().map(|seen| seen.package.clone());
        for path in hostile_paths() {
            let shown = clipped(&path, 40);
            probe.step(format!("a call with the path `{shown}`"));
            let as_package = source.read(&path, "SKILL.md", 1 << 20).map(drop);
            let listed = source.page(&path, 10, "").map(drop);
            let file = first.as_deref().unwrap_or(UNKNOWN);
            let as_file = source.read(file, &path, 1 << 20).map(drop);
            for answer in [as_package, listed, as_file] {
                refused(&shown, answer)?;
            }
            let scanned = source.scan_packages(&[&path], &mut Recorder::default());
            no_panic(&shown, scanned.map(drop))?;
        }
        extreme_numbers(probe, &source, first.as_deref().unwrap_or(UNKNOWN))?;
        probe.step("a scan after hostile paths");
        ensure(source.scan()?.sorted() == before.sorted(), || {
            let reason = "after calls with hostile paths, a scan has another result";
            (reason, "do not change the source's state by a path in a call")
        })?;
    }
    Ok(Vec::new())
}

fn refused(path: &str, answer: Result<(), AbiError>) -> Result<(), NotPassed> {
    ensure(answer.is_err(), || {
        let help = "use `PackagePath` and `ResourcePath`, and resolve them inside the root";
        (format!("a call with the path `{path}` succeeds"), help)
    })?;
    no_panic(path, answer)
}

fn no_panic(path: &str, answer: Result<(), AbiError>) -> Result<(), NotPassed> {
    match answer {
        Err(error) if is_panic(&error) => {
            Err(panicked(&format!("a call with the path `{path}`"), &error))
        }
        _ => Ok(()),
    }
}

/// Calls with extreme limits, and with a cursor that the source never returned.
fn extreme_numbers(probe: &Probe, source: &Source, package: &str) -> Result<(), NotPassed> {
    probe.step("calls with extreme limits");
    for number in [0, 1, u64::MAX] {
        no_panic("(an extreme limit)", source.read(package, "SKILL.md", number).map(drop))?;
        no_panic("(an extreme limit)", source.page(package, number, "").map(drop))?;
        no_panic("(an invalid cursor)", source.page(package, number, "\0nobody").map(drop))?;
    }
    Ok(())
}
