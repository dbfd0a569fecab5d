//! The packages of a source, and their files.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use abi_stable::std_types::RString;
use prowess_core::{PackagePath, ResourcePath};
use prowess_plugin_abi::text::checked_string;
use prowess_plugin_abi::{AbiError, codes};
use prowess_text::counted;

use crate::check::probe::{
    GRACE, NotPassed, Probe, RuleResult, Source, call_failed, ensure, failed, is_cut,
};
use crate::check::recorder::{RecordedPackage, Recorder};

/// The maximum size of a `SKILL.md` for any host.
const MAX_SKILL_BYTES: usize = 2 << 20;
/// The maximum number of packages of a source that are checked.
const MAX_PACKAGES: usize = 200;
/// The maximum number of files of a package that are checked.
const MAX_RESOURCES: usize = 20;
/// The maximum number of pages of a listing.
const MAX_PAGES: usize = 1_000;
/// The interval between two scans of a source with changing stamps.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

const REPORT: &str = "report each package once, by its path from the root: `pdf` or `forms/pdf`";

pub(super) fn scan(probe: &Probe) -> RuleResult {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        let scan = source.scan()?;
        check_texts(&scan)?;
        check_packages(&scan)?;
        check_problems(&scan)?;
        probe.step(format!("a scan of `{}` that requests more bytes", source.name));
        reads_further(&source)?;
        let packages = scan.found.len();
        let problems = counted(scan.problems.len(), "problem");
        let found = counted(packages, "package");
        notes.push(format!("`{}` has {found} and {problems}", source.name));
        if packages == 0 {
            let hint = "; check it with a configuration that has packages";
            notes.push(format!("`{}` is empty{hint}", source.name));
        }
    }
    Ok(notes)
}

fn check_texts(scan: &Recorder) -> Result<(), NotPassed> {
    ensure(scan.invalid_texts == 0, || {
        let texts = counted(scan.invalid_texts, "text");
        let help = "create strings with `String::from_utf8`, which validates them";
        (format!("it reports {texts} not in UTF-8"), help)
    })
}

fn check_packages(scan: &Recorder) -> Result<(), NotPassed> {
    let mut packages = BTreeSet::new();
    for seen in &scan.found {
        let RecordedPackage { package, file, head, .. } = seen;
        let is_normal = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        ensure(is_normal, || (format!("it reports the package {package:?}"), REPORT))?;
        ensure(packages.insert(package), || {
            (format!("it reports the package `{package}` twice"), REPORT)
        })?;
        ensure(prowess_core::SKILL_MD_FILES.contains(&&**file), || {
            let reason = format!("it reports the file {file:?} of `{package}`");
            (reason, "report `SKILL.md`, or `skill.md` if there is no other")
        })?;
        ensure(head.len() <= MAX_SKILL_BYTES, || {
            let reason = format!("it reports {} bytes of `{package}`", head.len());
            (reason, "report the first 4 KiB, and more if the sink requests it")
        })?;
    }
    Ok(())
}

fn check_problems(scan: &Recorder) -> Result<(), NotPassed> {
    for problem in &scan.problems {
        let texts = [&problem.code, &problem.message, &problem.help];
        ensure(!texts.iter().any(|text| text.trim().is_empty()), || {
            let reason =
                format!("a problem of `{}` has no code, no message or no help text", problem.path);
            (reason, "describe the problem and how to fix it")
        })?;
    }
    Ok(())
}

/// Checks that a source reports more of a file if the sink requests it.
fn reads_further(source: &Source) -> Result<(), NotPassed> {
    let recorder = source.scan_with(Recorder { further_bytes: 1, ..Recorder::default() })?;
    for pair in recorder.found.windows(2) {
        let [first, next] = pair else { continue };
        let is_continued = next.package == first.package && next.head.len() > first.head.len();
        if !first.is_whole && !is_continued {
            return Err(not_continued(&first.package));
        }
    }
    match recorder.found.last() {
        Some(last) if !last.is_whole => Err(not_continued(&last.package)),
        _ => Ok(()),
    }
}

fn not_continued(package: &str) -> NotPassed {
    let reason = format!("it does not report more of `{package}` on request");
    failed(reason, "call `found` again with the requested bytes, or with the whole file")
}

pub(super) fn stable(probe: &Probe) -> RuleResult {
    for source in probe.sources()? {
        probe.step(format!("two scans of `{}`", source.name));
        ensure(source.scan()?.sorted() == source.scan()?.sorted(), || {
            let reason = format!("two scans of `{}` have different results", source.name);
            (reason, "report all existing packages, in any order")
        })?;
        probe.step(format!("a scan of `{}` with the stamps of the previous one", source.name));
        check_stamps(&source)?;
    }
    Ok(Vec::new())
}

/// Checks that a package with a stamp is unchanged in the next scan. The stamp of a recently
/// written file may change once, so the scan is repeated for a while.
fn check_stamps(source: &Source) -> Result<(), NotPassed> {
    let end = Instant::now() + GRACE;
    while let Some(package) = changed_package(source)? {
        ensure(Instant::now() <= end, || {
            let reason =
                format!("`{package}` is never reported as unchanged, although its stamp is known");
            let help = "derive the stamp from the file's metadata, compare it with `known`, and \
                        call `unchanged` if it is the same";
            (reason, help)
        })?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Returns a package that is reported again although its stamp is known.
fn changed_package(source: &Source) -> Result<Option<String>, NotPassed> {
    let next = source.scan_with(source.scan()?.next())?;
    Ok(next.known.into_keys().find(|known| !next.unchanged.contains(known)))
}

pub(super) fn read(probe: &Probe) -> RuleResult {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        let found = source.scan()?.found;
        for seen in found.iter().take(MAX_PACKAGES) {
            probe.step(format!("a read of `{}`", seen.package));
            skill_file(&source, seen)?;
            probe.step(format!("a listing of `{}`", seen.package));
            listing(&source, seen)?;
        }
        if found.len() > MAX_PACKAGES {
            notes.push(format!("`{}`: the first {MAX_PACKAGES} packages were read", source.name));
        }
    }
    Ok(notes)
}

fn skill_file(source: &Source, seen: &RecordedPackage) -> Result<(), NotPassed> {
    let RecordedPackage { package, file, head, is_whole, .. } = seen;
    let whole = source.content(package, file)?;
    let is_same = if *is_whole { whole == *head } else { whole.starts_with(head) };
    ensure(is_same, || {
        let reason = format!("a read of `{package}/{file}` differs from the scan");
        (reason, "return the same bytes in both")
    })?;
    within_limit(source, package, file, whole.len())
}

/// Checks that a read over the limit is an error, and not a part of the file.
fn within_limit(
    source: &Source,
    package: &str,
    file: &str,
    length: usize,
) -> Result<(), NotPassed> {
    let Some(less) = (length as u64).checked_sub(1) else { return Ok(()) };
    match source.read(package, file, less) {
        Err(error) if error.code == codes::TOO_LARGE => Ok(()),
        answer => {
            let less = counted(less, "byte");
            let how = match answer {
                Ok(bytes) => counted(bytes.len(), "byte"),
                Err(error) => format!("\"{}\"", error.message),
            };
            let reason = format!("`{package}/{file}` over the limit of {less} returns {how}");
            Err(failed(reason, "return \"too large\" instead of a part of the file"))
        }
    }
}

fn listing(source: &Source, seen: &RecordedPackage) -> Result<(), NotPassed> {
    let package = &*seen.package;
    let listed = whole_listing(source, package)?;
    let is_sorted = listed.is_sorted_by(|(one, _), (next, _)| one < next);
    ensure(is_sorted, || {
        let reason = format!("the files of `{package}` are not sorted, or one is listed twice");
        (reason, "sort them by path")
    })?;
    for (path, _) in &listed {
        let is_normal = ResourcePath::new(path).is_ok_and(|normal| normal.as_str() == path);
        ensure(is_normal && *path != seen.file, || {
            let help = "list files of the package other than its `SKILL.md`";
            (format!("`{package}` lists {path:?}"), help)
        })?;
    }
    for (path, bytes) in listed.iter().take(MAX_RESOURCES) {
        let length = source.content(package, path)?.len();
        ensure(length as u64 == *bytes, || {
            let listed = counted(*bytes, "byte");
            let reason = format!("`{package}/{path}` is listed with {listed}, but has {length}");
            (reason, "list the actual size")
        })?;
    }
    Ok(())
}

fn whole_listing(source: &Source, package: &str) -> Result<Vec<(String, u64)>, NotPassed> {
    let what = format!("a listing of `{package}`");
    let mut listed = Vec::new();
    let mut cursor = String::new();
    for _ in 0..MAX_PAGES {
        let page = source.page(package, 10_000, &cursor);
        let page = page.map_err(|error| call_failed(&what, &error))?;
        let is_cut = is_cut(&page);
        for file in page.resources {
            listed.push((text_of(&what, file.path)?, file.bytes));
        }
        if is_cut || page.next.is_empty() {
            return check_limit(source, package, listed);
        }
        cursor = text_of(&what, page.next)?;
    }
    let reason = format!("{what} has more than {MAX_PAGES} pages");
    Err(failed(reason, "return an empty `next` on the last page"))
}

/// Checks that a text of an answer is UTF-8.
fn text_of(what: &str, text: RString) -> Result<String, NotPassed> {
    checked_string(text).map_err(|_| {
        let help = "create strings with `String::from_utf8`, which validates them";
        failed(format!("{what} has a text that is not UTF-8"), help)
    })
}

/// Checks that a listing with a lower limit is marked as incomplete.
fn check_limit(
    source: &Source,
    package: &str,
    listed: Vec<(String, u64)>,
) -> Result<Vec<(String, u64)>, NotPassed> {
    let most = (listed.len() as u64).saturating_sub(1);
    let answer: Result<_, AbiError> = source.page(package, most, "");
    let page = answer.map_err(|error| call_failed(&format!("a listing of `{package}`"), &error))?;
    let is_bounded = page.resources.len() as u64 <= most;
    let is_marked = listed.is_empty() || is_cut(&page) || !page.next.is_empty();
    if is_bounded && is_marked {
        return Ok(listed);
    }
    let reason = format!(
        "with the limit {most} of {}, `{package}` lists {} and marks the listing as {}",
        counted(listed.len(), "file"),
        page.resources.len(),
        if is_marked { "incomplete" } else { "complete" }
    );
    Err(failed(reason, "list at most `most` files, and mark the listing as truncated"))
}

pub(super) fn skills(probe: &Probe) -> RuleResult {
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        for seen in source.scan()?.found.iter().take(MAX_PACKAGES) {
            let name = format!("`{}/{}`", seen.package, seen.file);
            probe.step(format!("a read of {name}"));
            let bytes = source.content(&seen.package, &seen.file)?;
            (probe.judges.skill)(&bytes).map_err(|fault| {
                let help = "fix the skill, or omit it and report a problem";
                failed(format!("{name} cannot be used: {fault}"), help)
            })?;
        }
    }
    Ok(Vec::new())
}
