//! Every package of a source, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prowess_core::{
    Cancel, Diagnostic, Found, ReadFurther, ScanSink, SkillSource, SourceError, SourceErrorKind,
    Stamp,
};

use crate::across;
use crate::options::LintOptions;
use crate::package::{self, Named, Verdict};
use crate::progress::Progress;
use crate::report::Checked;

/// Checks every package of a source, and their descriptions against each other.
///
/// The result is the same for any number of threads. Each package is read whole, body and scripts
/// included, unlike a scan for a catalog.
///
/// # Errors
///
/// The source can say nothing at all, or `cancel` was asked for.
pub fn check_tree(
    source: &dyn SkillSource,
    options: &LintOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Checked, SourceError> {
    let mut names = Names::default();
    source.scan(&mut names, cancel)?;
    names.packages.sort();
    progress.started(names.packages.len());
    let verdicts = check_all(source, &names.packages, options, progress, cancel);
    if cancel.is_cancelled() {
        return Err(SourceError::new(SourceErrorKind::Cancelled, "the check was cancelled"));
    }
    Ok(across::join(verdicts, names.problems, options.profile))
}

/// The verdicts in the order of the packages. Each thread takes the next package that nobody has
/// taken, so that one large package holds up no other.
fn check_all(
    source: &dyn SkillSource,
    packages: &[Named],
    options: &LintOptions<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancel.is_cancelled() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(named) = packages.get(at) else {
                break;
            };
            done.push((at, package::check(source, named, options)));
            progress.checked();
        }
        done
    };
    let helpers = options.threads.get().min(packages.len()).saturating_sub(1);
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

/// The sink of a scan that only wants to know which packages there are.
#[derive(Default)]
struct Names {
    packages: Vec<Named>,
    problems: Vec<Diagnostic>,
}

impl ScanSink for Names {
    fn known(&self, _package: &str) -> Option<Stamp> {
        None
    }

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
