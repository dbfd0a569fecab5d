//! A progress bar on standard error for checks of many packages.

use indicatif::ProgressBar;
use prowess::lint::Progress;

use crate::output::Output;

/// A progress bar that is removed at the end.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(output: &Output) -> Self {
        Self(output.bar("  checking {bar:40.cyan} {pos}/{len}"))
    }
}

impl Progress for Bar {
    fn started(&self, packages: usize) {
        self.0.inc_length(packages as u64);
    }

    fn checked(&self) {
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
