//! Skills that are found twice because of this program, or by a link: nothing to remove.

use std::collections::BTreeSet;
use std::path::Path;

use prowess::{Catalog, Diagnostic, Record, Severity};
use prowess_store::codes::PACKAGE_CHANGED;

use crate::lock_place::of_directory;
use crate::output::Output;
use crate::paths::LOCKED;

/// Returns whether a shadowed skill is an offered one by another path, or is placed there as it is.
pub(crate) fn is_again(catalog: &Catalog, shadowed: Record<'_>) -> bool {
    let source = |record: Record<'_>| &catalog.sources()[record.index().source()].source;
    let identity = |record: Record<'_>| source(record).identity(&record.package());
    let real = |record: Record<'_>| Path::new(&record.root_directory()).canonicalize().ok();
    let is_one = |it| match (identity(it), identity(shadowed)) {
        (Some(one), Some(other)) => one == other,
        _ => real(it).is_some_and(|one| real(shadowed) == Some(one)),
    };
    catalog.get(shadowed.id()).is_some_and(|it| {
        let both = [it, shadowed].map(|it| it.root_directory());
        let is_placed = source(shadowed).places(&both[0])
            || source(it).places(&both[1])
            || catalog.sources().iter().any(|of| both.iter().all(|at| of.source.places(at)));
        is_one(it) || is_placed && [it, shadowed].iter().all(|it| it.altered().is_none())
    })
}

/// Prints the findings about copies whose files were changed. A model gets them as they are, so a
/// person is not to learn of it from `doctor` alone.
pub(crate) fn announce(catalog: &Catalog, output: &Output) {
    let is_one = |it: &&Diagnostic| it.code == PACKAGE_CHANGED && it.severity == Severity::Warning;
    let found = catalog.diagnostics().filter(is_one).cloned();
    output.diagnostics(&found.chain(elsewhere(catalog)).collect::<Vec<_>>());
}

/// Returns the findings about such copies that no scan reports: in a directory of another name, or
/// of a lock file that is no source of skills here.
pub(crate) fn elsewhere(catalog: &Catalog) -> Vec<Diagnostic> {
    let locks = catalog.sources().iter().filter_map(|it| it.source.root().strip_prefix(LOCKED));
    let locks = locks.flat_map(|path| of_directory(Path::new(path)).unwrap_or_default());
    let locked: BTreeSet<_> =
        locks.flat_map(|lock| lock.load().unwrap_or_default().skills.into_keys()).collect();
    let found = catalog.skills().filter(|it| locked.contains(it.id())).filter_map(|record| {
        let message = record.altered()?;
        let is_reported = |it: &Diagnostic| it.code == PACKAGE_CHANGED && it.message == message;
        let help = "keep it, or move it away and run `prowess sync`";
        let finding = Diagnostic::new(PACKAGE_CHANGED, Severity::Warning, &message, help);
        (!catalog.diagnostics().any(is_reported)).then(|| finding.in_file(record.location()))
    });
    found.collect()
}
