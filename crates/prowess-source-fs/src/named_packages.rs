//! Scans a few packages instead of the whole tree.

use prowess_core::{
    Cancel, Clock, Coverage, PackagePath, PreviousScan, ScanSink, SourceError, SourceErrorKind,
    Stamp,
};
use prowess_dir::{Dir, Error, ErrorKind, Kind};

use crate::package::{FILES, Probe, Prober};
use crate::probe::Times;
use crate::scan;
use crate::stamp::LastSecond;
use crate::{FsConfig, Nested, problem, wrong_case};

/// Reports only these packages, or the whole tree if they cannot be scanned apart from it.
pub(crate) fn scan_packages(
    config: &FsConfig,
    clock: &dyn Clock,
    last_second: &LastSecond,
    packages: &[PackagePath],
    previous: &PreviousScan<'_>,
    sink: &mut dyn ScanSink,
    cancel: &Cancel,
) -> Result<Coverage, SourceError> {
    let Some((root, places)) = places(config, packages) else {
        let scanned = scan::scan(config, clock, last_second, previous, sink, cancel);
        return scanned.map(Coverage::Everything);
    };
    let absolute = config.root.to_string_lossy();
    // Proper stamps cost one further call each, which is little for a few packages. A provisional
    // stamp of an earlier scan is still compared.
    let is_provisional =
        |(package, _): &(&str, u64)| previous.stamp(package).is_some_and(Stamp::is_provisional);
    let epoch = if places.iter().any(is_provisional) { root.epoch() } else { None };
    let times = Times { now: clock.now(), epoch, is_provisional: false };
    let mut prober = Prober::new(&absolute, times, previous, sink);
    // A change of these packages was reported.
    prober.reporter.files.expects_changes = true;
    for (package, inode) in places {
        if cancel.is_cancelled() {
            let message = format!("the scan of `{absolute}` was cancelled");
            return Err(SourceError::new(SourceErrorKind::Cancelled, message));
        }
        prober.path.clear();
        prober.path.push_str(package);
        let probe = prober.probe_below(&root, 0, inode);
        if probe == Probe::Package
            && config.nested == Nested::Descend
            && scan::has_both_files(&root, package)
        {
            let path = prober.absolute(&format!("{package}/{}", FILES[1]));
            prober.problem(problem::second_file(&path));
        }
        if probe == Probe::Nothing
            && let Some(file) = wrong_case::find(&root, package)
        {
            let path = prober.absolute(&format!("{package}/{file}"));
            prober.problem(problem::file_misnamed(&path));
        }
    }
    Ok(Coverage::Asked)
}

/// Returns the root and the packages that a walk would reach, with the inode of each. `None` if
/// that depends on more than each package's own directory: links, names that may look alike, a root
/// that is a package itself, a `.gitignore` above it.
fn places<'p>(
    config: &FsConfig,
    packages: &'p [PackagePath],
) -> Option<(Dir, Vec<(&'p str, u64)>)> {
    let root = config.open_root().ok()?;
    if config.gitignore.is_some() || is_package(&root, "") {
        return None;
    }
    let mut places = Vec::with_capacity(packages.len());
    for package in packages {
        match place(config, &root, package.as_str()) {
            Place::Reached(inode) => places.push((package.as_str(), inode)),
            Place::Passed => {}
            Place::Unsure => return None,
        }
    }
    Some((root, places))
}

/// Whether a walk reaches a directory.
enum Place {
    /// It does, and the directory has this inode.
    Reached(u64),
    /// It does not, because the directory does not exist or a package above it ends the walk.
    Passed,
    /// Only the walk can decide.
    Unsure,
}

fn place(config: &FsConfig, root: &Dir, package: &str) -> Place {
    let parts = package.split('/').count();
    let is_plain = !package.is_empty() && package.is_ascii() && parts <= config.max_depth;
    if !is_plain || package.split('/').any(|part| config.skips(part)) {
        return Place::Unsure;
    }
    let mut inode = 0;
    let ends = package.match_indices('/').map(|(at, _)| at).chain([package.len()]);
    for directory in ends.map(|end| &package[..end]) {
        match root.stat_unconfined(directory) {
            Ok(stat) if stat.kind == Kind::Directory => inode = stat.inode,
            Ok(stat) if stat.kind == Kind::Link => return Place::Unsure,
            Ok(_) => return Place::Passed,
            Err(error) => return of_missing(&error),
        }
        let is_above = directory.len() < package.len();
        if is_above && config.nested == Nested::Stop && is_package(root, directory) {
            return Place::Passed;
        }
    }
    Place::Reached(inode)
}

/// Classifies a directory that cannot be examined: it does not exist or cannot be entered.
fn of_missing(error: &Error) -> Place {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Place::Passed,
        _ => Place::Unsure,
    }
}

/// Returns whether a directory has a `SKILL.md` of any kind, which ends the walk.
pub(crate) fn is_package(root: &Dir, directory: &str) -> bool {
    let file = |name| match directory {
        "" => String::from(name),
        directory => [directory, "/", name].concat(),
    };
    FILES.into_iter().any(|name| root.stat_unconfined(&*file(name)).is_ok())
}
