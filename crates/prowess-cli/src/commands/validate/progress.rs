//! A bar on standard error while many packages are checked.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess::lint::Progress;

use crate::output::Output;

/// Drawn on a terminal only, and gone when the check is done.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(output: &Output) -> Self {
        let target = match output.shows_remarks() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("  checking {bar:40.cyan} {pos}/{len}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::with_draw_target(Some(0), target).with_style(style))
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
