//! Skills that are found twice because of this program, or by a link: nothing to remove.

use std::path::Path;

use prowess::{Catalog, Diagnostic, Record, Severity};
use prowess_store::codes::PACKAGE_CHANGED;

use crate::output::Output;

/// Returns whether a shadowed skill is an offered one by another path, or is placed there as it is.
pub(crate) fn is_again(catalog: &Catalog, shadowed: Record<'_>) -> bool {
    let real = |record: Record<'_>| Path::new(&record.root_directory()).canonicalize().ok();
    let source = |record: Record<'_>| &catalog.sources()[record.index().source()].source;
    let own = real(shadowed);
    catalog.get(shadowed.id()).is_some_and(|it| {
        let is_placed = source(shadowed).places(&it.root_directory())
            || source(it).places(&shadowed.root_directory());
        own.is_some() && real(it) == own
            || is_placed && [it, shadowed].iter().all(|it| it.altered().is_none())
    })
}

/// Prints the findings about copies whose files were changed. A model gets them as they are, so a
/// person is not to learn of it from `doctor` alone.
pub(crate) fn announce(catalog: &Catalog, output: &Output) {
    let is_one = |it: &&Diagnostic| it.code == PACKAGE_CHANGED && it.severity == Severity::Warning;
    output.diagnostics(&catalog.diagnostics().filter(is_one).cloned().collect::<Vec<_>>());
}
