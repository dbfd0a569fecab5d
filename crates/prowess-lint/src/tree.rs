//! Every package of one source or several, on several threads.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prowess_core::{
    Cancel, Diagnostic, Found, PreviousScan, ReadFurther, ScanSink, SkillSource, SourceError,
    SourceErrorKind,
};
use prowess_format::Profile;

use crate::options::LintOptions;
use crate::package::{self, CheckedPackage, Named};
use crate::progress::Progress;
use crate::report::Checked;
use crate::{across, check};

/// The error of a check against the reference tool by a build without it.
const NEEDS_REFERENCE: &str =
    "the profile `skills-ref` needs the feature `reference` of `prowess-lint`";

/// Checks every package of a source, and their names and descriptions against each other.
///
/// The result is the same for any number of threads. Each package is read whole, body and scripts
/// included, unlike a scan for a catalog.
///
/// # Errors
///
/// The source cannot be scanned, or `cancel` was requested. Without the feature `reference`, the
/// profile [`SkillsRef`](Profile::SkillsRef) is an error too.
pub fn check_tree(
    source: &dyn SkillSource,
    options: &LintOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Checked, SourceError> {
    check_trees(&[source], options, progress, cancel)
}

/// Checks several sources as one tree: see [`check_tree`]. A package that two of them have is
/// checked once.
///
/// # Errors
///
/// As for [`check_tree`].
pub fn check_trees(
    sources: &[&dyn SkillSource],
    options: &LintOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Checked, SourceError> {
    if options.profile == Profile::SkillsRef && !cfg!(feature = "reference") {
        return Err(SourceError::new(SourceErrorKind::Unavailable, NEEDS_REFERENCE));
    }
    let mut tasks = Vec::new();
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    for source in sources {
        let mut names = Names::default();
        source.scan(&PreviousScan::none(), &mut names, cancel)?;
        names.packages.sort();
        names.packages.retain(|named| seen.insert(package::place(source.root(), &named.package)));
        progress.started(names.packages.len());
        problems.append(&mut names.problems);
        tasks.extend(names.packages.into_iter().map(|named| Task { source: *source, named }));
    }
    let verdicts = check_all(&tasks, options, progress, cancel);
    if cancel.is_cancelled() {
        return Err(SourceError::new(SourceErrorKind::Cancelled, "the check was cancelled"));
    }
    let mut checked = across::join(verdicts, problems, options.profile);
    checked.report_unread(options);
    Ok(checked)
}

/// A package to check.
struct Task<'s> {
    source: &'s dyn SkillSource,
    named: Named,
}

/// Checks every package, in the order of the tasks. Each thread takes the next free task, so that a
/// large package does not delay the others.
fn check_all(
    tasks: &[Task<'_>],
    options: &LintOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Vec<CheckedPackage> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancel.is_cancelled() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else {
                break;
            };
            done.push((at, check::package(task.source, &task.named, options)));
            progress.checked();
        }
        done
    };
    let helpers = options.threads.get().min(tasks.len()).saturating_sub(1);
    let mut verdicts = thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
        let mut verdicts = work();
        for helper in helpers {
            match helper.join() {
                Ok(done) => verdicts.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        verdicts
    });
    verdicts.sort_by_key(|(at, _)| *at);
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

/// The sink of a scan that collects the paths of packages.
#[derive(Default)]
struct Names {
    packages: Vec<Named>,
    problems: Vec<Diagnostic>,
}

impl ScanSink for Names {
    fn unchanged(&mut self, _package: &str) {}

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.packages
            .push(Named { package: found.package.to_owned(), file: found.file.to_owned() });
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}
