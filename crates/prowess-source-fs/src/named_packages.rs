//! A look at a few packages instead of the whole tree.

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

/// Reports these packages, or everything where they cannot be told apart from the rest of the tree.
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
    // A few packages may well be read: a proper stamp costs each one further call. A provisional one of an
    // earlier scan is compared all the same.
    let is_provisional =
        |(package, _): &(&str, u64)| previous.stamp(package).is_some_and(Stamp::is_provisional);
    let epoch = if places.iter().any(is_provisional) { root.epoch() } else { None };
    let times = Times { now: clock.now(), epoch, is_provisional: false };
    let mut prober = Prober::new(&absolute, times, previous, sink);
    // Somebody has told of these.
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

/// The root and those of the packages that a walk would come to, with the inode of each. `None` if it
/// depends on more than each package's own directory: links, names that may look alike, a root that is a
/// package itself, a `.gitignore` above it.
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

/// Whether a walk comes to a directory.
enum Place {
    /// It does; the directory has this inode.
    Reached(u64),
    /// It does not, as there is none or a package above it ends the walk.
    Passed,
    /// That takes the walk itself to say.
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

/// What a directory is that cannot be asked about: none, or one that is shut.
fn of_missing(error: &Error) -> Place {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Place::Passed,
        _ => Place::Unsure,
    }
}

/// Whether a directory has a `SKILL.md`, of whatever kind: each ends the walk.
pub(crate) fn is_package(root: &Dir, directory: &str) -> bool {
    let file = |name| match directory {
        "" => String::from(name),
        directory => [directory, "/", name].concat(),
    };
    FILES.into_iter().any(|name| root.stat_unconfined(&*file(name)).is_ok())
}
