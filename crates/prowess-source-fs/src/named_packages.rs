//! Scans a few packages instead of the whole tree.

use prowess_core::{Cancel, Coverage, PackagePath, PreviousScan, ScanSink, SourceError, Stamp};
use prowess_dir::Dir;

use crate::admission::{Reach, is_package, reaches};
use crate::fast::provisional::Provisional;
use crate::package::{FILES, Probe, Prober};
use crate::scan::Scanner;
use crate::walk::has_both_files;
use crate::{FsConfig, Nested, problem, wrong_case};

/// A package that a walk would reach, and the inode of its directory.
type Reached<'p> = (&'p str, u64);

/// Reports only these packages, or the whole tree if they cannot be scanned apart from it.
pub(crate) fn scan_packages(
    scanner: Scanner<'_>,
    packages: &[PackagePath],
    previous: &PreviousScan<'_>,
    sink: &mut dyn ScanSink,
    cancel: &Cancel,
) -> Result<Coverage, SourceError> {
    let config = scanner.config;
    let Some((root, reached)) = reached(config, packages) else {
        return scanner.scan(previous, sink, cancel).map(Coverage::Everything);
    };
    let path = config.root.to_string_lossy();
    // Proper stamps cost one further call each, which is little for a few packages. A provisional
    // stamp of an earlier scan is still compared.
    let has_provisional = reached
        .iter()
        .any(|(package, _)| previous.stamp(package).is_some_and(Stamp::is_provisional));
    let provisional = if has_provisional { Provisional::for_comparison(&root) } else { None };
    let mut prober = Prober::new(&path, scanner.prober(&root, provisional), previous, sink);
    // A change of these packages was reported.
    prober.reporter.files.expects_changes = true;
    for (package, inode) in reached {
        if cancel.is_cancelled() {
            return Err(scanner.cancelled());
        }
        scan_package(config, &root, package, inode, &mut prober);
    }
    Ok(Coverage::Asked)
}

fn scan_package(config: &FsConfig, root: &Dir, package: &str, inode: u64, prober: &mut Prober<'_>) {
    prober.path.clear();
    prober.path.push_str(package);
    let probe = prober.probe_below(root, 0, inode);
    if probe == Probe::Package && config.nested == Nested::Descend && has_both_files(root, package)
    {
        let path = prober.absolute(&format!("{package}/{}", FILES[1]));
        prober.problem(problem::second_file(&path));
    }
    if probe == Probe::Nothing
        && let Some(file) = wrong_case::find(root, package)
    {
        let path = prober.absolute(&format!("{package}/{file}"));
        prober.problem(problem::file_misnamed(&path));
    }
}

/// Returns the root and the packages that a walk would reach. `None` if that depends on more than
/// each package's own directory: links, names that may look alike, a root that is a package itself,
/// a `.gitignore` above it.
fn reached<'p>(config: &FsConfig, packages: &'p [PackagePath]) -> Option<(Dir, Vec<Reached<'p>>)> {
    let root = config.open_root().ok()?;
    if config.gitignore.is_some() || config.may_be_package("") && is_package(&root, "") {
        return None;
    }
    let mut reached = Vec::with_capacity(packages.len());
    for package in packages.iter().map(PackagePath::as_str) {
        if package.is_empty() || !package.is_ascii() {
            return None;
        }
        match reaches(config, &root, package) {
            Reach::Reached(inode) => reached.push((package, inode)),
            Reach::Passed => {}
            Reach::Depends => return None,
        }
    }
    Some((root, reached))
}
