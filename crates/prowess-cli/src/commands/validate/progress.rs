//! A progress bar on standard error for checks of many packages.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess::lint::Progress;

use crate::output::Output;

/// A progress bar, which is drawn on a terminal only and removed at the end.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(output: &Output) -> Self {
        let target = if output.shows_remarks() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
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
