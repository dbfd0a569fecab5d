//! The packages of a source and their files.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use abi_stable::std_types::RString;
use prowess_core::{PackagePath, ResourcePath};
use prowess_plugin_abi::text::checked_string;
use prowess_plugin_abi::{AbiError, codes};

use crate::probe::{Broken, Checked, Probe, SOON, Source, broken, is_cut, unanswered};
use crate::recorder::{Recorder, Seen};

/// The most bytes of a `SKILL.md` that any host takes.
const MOST_BYTES: usize = 2 << 20;
/// How much of a large source is looked at.
const MOST_PACKAGES: usize = 200;
const MOST_RESOURCES: usize = 20;
/// More pages than this are no listing.
const MOST_PAGES: usize = 1_000;
/// The limit that a host has by itself.
const USUAL_LIMIT: u64 = 64 << 20;

const MOMENT: Duration = Duration::from_millis(10);

const REPORT: &str = "report each package once, by its path from the root: `pdf` or `forms/pdf`";

pub(super) fn scan(probe: &Probe) -> Checked {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        let scan = source.scan()?;
        is_text(&scan)?;
        each_is_once(&scan)?;
        each_problem_says_what_to_do(&scan)?;
        probe.step(format!("a scan of `{}` that is asked for more", source.name));
        reads_further(&source)?;
        let packages = scan.found.len();
        let problems = scan.problems.len();
        notes.push(format!("`{}` has {packages} packages and {problems} problems", source.name));
        if packages == 0 {
            let hint =
                "; nothing can be read of it, so check it with a configuration that has some";
            notes.push(format!("`{}` is empty{hint}", source.name));
        }
    }
    Ok(notes)
}

fn is_text(scan: &Recorder) -> Result<(), Broken> {
    match scan.forged_texts {
        0 => Ok(()),
        texts => {
            let reason = format!("it reports {texts} texts that are not UTF-8");
            Err(broken(reason, "make texts with `String::from_utf8`, and not without its check"))
        }
    }
}

fn each_is_once(scan: &Recorder) -> Result<(), Broken> {
    let mut packages = BTreeSet::new();
    for seen in &scan.found {
        let Seen { package, file, head, .. } = seen;
        let is_normal = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        if !is_normal {
            return Err(broken(format!("it reports the package {package:?}"), REPORT));
        }
        if !packages.insert(package) {
            return Err(broken(format!("it reports the package `{package}` twice"), REPORT));
        }
        if !prowess_core::SKILL_MD_FILES.contains(&&**file) {
            let reason = format!("it reports the file {file:?} of `{package}`");
            return Err(broken(reason, "report `SKILL.md`, or `skill.md` where that is all"));
        }
        if head.len() > MOST_BYTES {
            let reason = format!("it reports {} bytes of `{package}`", head.len());
            return Err(broken(reason, "report the first 4 KiB, and more where the sink asks"));
        }
    }
    Ok(())
}

fn each_problem_says_what_to_do(scan: &Recorder) -> Result<(), Broken> {
    for problem in &scan.problems {
        let texts = [&problem.code, &problem.message, &problem.help];
        if texts.iter().any(|text| text.trim().is_empty()) {
            let reason =
                format!("a problem of `{}` lacks a code, a message or a help", problem.path);
            return Err(broken(reason, "say what is wrong and what to do about it"));
        }
    }
    Ok(())
}

/// Asked for more, it calls again with more.
fn reads_further(source: &Source) -> Result<(), Broken> {
    let mut recorder = Recorder { asks_for: 1, ..Recorder::default() };
    let what = format!("a scan of `{}`", source.name);
    source.scan_into(&mut recorder, None).map_err(|error| unanswered(&what, &error))?;
    for pair in recorder.found.windows(2) {
        let [first, next] = pair else { continue };
        let goes_on = next.package == first.package && next.head.len() > first.head.len();
        if !first.is_whole && !goes_on {
            return Err(not_further(&first.package));
        }
    }
    match recorder.found.last() {
        Some(last) if !last.is_whole => Err(not_further(&last.package)),
        _ => Ok(()),
    }
}

fn not_further(package: &str) -> Broken {
    let reason = format!("asked for more of `{package}`, it does not show the rest of the file");
    broken(reason, "call `found` again with as much as it asks for, or with the whole file")
}

pub(super) fn stable(probe: &Probe) -> Checked {
    for source in probe.sources()? {
        probe.step(format!("two scans of `{}`", source.name));
        if source.scan()?.sorted() != source.scan()?.sorted() {
            let reason = format!("two scans of `{}` report different things", source.name);
            return Err(broken(reason, "report what is there, in any order"));
        }
        probe.step(format!("a scan of `{}` that knows the last one", source.name));
        comes_to_rest(&source)?;
    }
    Ok(Vec::new())
}

/// A package with a stamp is unchanged in the next scan. A file that was written just now may get
/// another one first, so it is asked again for a while.
fn comes_to_rest(source: &Source) -> Result<(), Broken> {
    let end = Instant::now() + SOON;
    while let Some(package) = restless(source)? {
        if Instant::now() > end {
            let reason = format!("`{package}` is never unchanged, though its stamp is known");
            let help = "make the stamp of what changes with the file, ask `known` first, and call \
                        `unchanged` where it is the same";
            return Err(broken(reason, help));
        }
        std::thread::sleep(MOMENT);
    }
    Ok(())
}

/// A package that is reported again to a sink that holds its previous stamp.
fn restless(source: &Source) -> Result<Option<String>, Broken> {
    let mut next = source.scan()?.next();
    let what = format!("a scan of `{}`", source.name);
    source.scan_into(&mut next, None).map_err(|error| unanswered(&what, &error))?;
    Ok(next.known.into_keys().find(|known| !next.unchanged.contains(known)))
}

pub(super) fn read(probe: &Probe) -> Checked {
    let mut notes = Vec::new();
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        let found = source.scan()?.found;
        for seen in found.iter().take(MOST_PACKAGES) {
            probe.step(format!("a read of `{}`", seen.package));
            skill_file(&source, seen)?;
            probe.step(format!("a listing of `{}`", seen.package));
            listing(&source, seen)?;
        }
        if found.len() > MOST_PACKAGES {
            notes.push(format!("`{}`: the first {MOST_PACKAGES} packages were read", source.name));
        }
    }
    Ok(notes)
}

fn skill_file(source: &Source, seen: &Seen) -> Result<(), Broken> {
    let Seen { package, file, head, is_whole, .. } = seen;
    let name = format!("`{package}/{file}`");
    let whole = source.read(package, file, USUAL_LIMIT);
    let whole = whole.map_err(|error| unanswered(&format!("a read of {name}"), &error))?;
    let is_same = if *is_whole { whole == *head } else { whole.starts_with(head) };
    if !is_same {
        let reason = format!("{name} is read as another text than the scan reports");
        return Err(broken(reason, "give the same bytes in both"));
    }
    within_limit(source, package, file, whole.len())
}

/// A file is whole or too large, never a part.
fn within_limit(source: &Source, package: &str, file: &str, length: usize) -> Result<(), Broken> {
    let Some(less) = (length as u64).checked_sub(1) else { return Ok(()) };
    match source.read(package, file, less) {
        Err(error) if error.code == codes::TOO_LARGE => Ok(()),
        answer => {
            let how = match answer {
                Ok(bytes) => format!("{} bytes", bytes.len()),
                Err(error) => format!("\"{}\"", error.message),
            };
            let reason = format!("`{package}/{file}` over the limit of {less} bytes gives {how}");
            Err(broken(reason, "answer with \"too large\", and with no part of the file"))
        }
    }
}

fn listing(source: &Source, seen: &Seen) -> Result<(), Broken> {
    let package = &*seen.package;
    let listed = whole_listing(source, package)?;
    let is_sorted = listed.is_sorted_by(|(one, _), (next, _)| one < next);
    if !is_sorted {
        let reason = format!("the files of `{package}` are not sorted, or one is there twice");
        return Err(broken(reason, "sort them by their paths"));
    }
    for (path, _) in &listed {
        let is_normal = ResourcePath::new(path).is_ok_and(|normal| normal.as_str() == path);
        if !is_normal || *path == seen.file {
            let reason = format!("`{package}` lists {path:?}");
            return Err(broken(reason, "list files of the package other than its `SKILL.md`"));
        }
    }
    for (path, bytes) in listed.iter().take(MOST_RESOURCES) {
        let name = format!("`{package}/{path}`");
        let read = source.read(package, path, USUAL_LIMIT);
        let length = read.map_err(|error| unanswered(&format!("a read of {name}"), &error))?.len();
        if length as u64 != *bytes {
            let reason = format!("{name} is listed with {bytes} bytes and has {length}");
            return Err(broken(reason, "list the size that a read gives"));
        }
    }
    Ok(())
}

fn whole_listing(source: &Source, package: &str) -> Result<Vec<(String, u64)>, Broken> {
    let what = format!("a listing of `{package}`");
    let mut listed = Vec::new();
    let mut cursor = String::new();
    for _ in 0..MOST_PAGES {
        let page = source.page(package, 10_000, &cursor);
        let page = page.map_err(|error| unanswered(&what, &error))?;
        let is_cut = is_cut(&page);
        for file in page.resources {
            listed.push((text_of(&what, file.path)?, file.bytes));
        }
        if is_cut || page.next.is_empty() {
            return within_most(source, package, listed);
        }
        cursor = text_of(&what, page.next)?;
    }
    let reason = format!("{what} has more than {MOST_PAGES} pages");
    Err(broken(reason, "give an empty `next` on the last page"))
}

/// A text of an answer.
fn text_of(what: &str, text: RString) -> Result<String, Broken> {
    checked_string(text).map_err(|_| {
        let help = "make texts with `String::from_utf8`, and not without its check";
        broken(format!("{what} has a text that is not UTF-8"), help)
    })
}

/// A listing that may name fewer files than there are says so.
fn within_most(
    source: &Source,
    package: &str,
    listed: Vec<(String, u64)>,
) -> Result<Vec<(String, u64)>, Broken> {
    let most = (listed.len() as u64).saturating_sub(1);
    let answer: Result<_, AbiError> = source.page(package, most, "");
    let page = answer.map_err(|error| unanswered(&format!("a listing of `{package}`"), &error))?;
    let is_bounded = page.resources.len() as u64 <= most;
    let says_so = listed.is_empty() || is_cut(&page) || !page.next.is_empty();
    if is_bounded && says_so {
        return Ok(listed);
    }
    let reason = format!(
        "asked for {most} of its {} files, `{package}` lists {} and says that this is {}",
        listed.len(),
        page.resources.len(),
        if says_so { "not all" } else { "all" }
    );
    Err(broken(reason, "list no more than `most`, and say that the listing is cut"))
}

pub(super) fn skills(probe: &Probe) -> Checked {
    for source in probe.sources()? {
        probe.step(format!("a scan of `{}`", source.name));
        for seen in source.scan()?.found.iter().take(MOST_PACKAGES) {
            let name = format!("`{}/{}`", seen.package, seen.file);
            probe.step(format!("a read of {name}"));
            let bytes = source.read(&seen.package, &seen.file, USUAL_LIMIT);
            let bytes = bytes.map_err(|error| unanswered(&format!("a read of {name}"), &error))?;
            (probe.judges.skill)(&bytes).map_err(|fault| {
                let help = "fix the skill, or leave it out and report a problem";
                broken(format!("{name} cannot be used: {fault}"), help)
            })?;
        }
    }
    Ok(Vec::new())
}
