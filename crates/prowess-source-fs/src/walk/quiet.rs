//! Whether a listing led to nothing but directories to search and links to follow.

use super::{Pending, Walk};

/// Marks a link; no name of a package's path contains it.
pub(crate) const LINK: &str = ":";

/// The names that the directory that is being listed led to, as long as it led to nothing else.
#[derive(Default)]
pub(super) struct Quiet(Option<Listed>);

struct Listed {
    /// The names, each behind a slash and, if it is a link, its mark.
    names: String,
    /// The number of reports before the listing.
    reported: usize,
}

impl Quiet {
    /// Records that the listing led to something else.
    pub(super) fn ends(&mut self) {
        self.0 = None;
    }

    pub(super) fn leads_to(&mut self, mark: &str, name: &str) {
        if let Some(listed) = &mut self.0 {
            listed.names.extend(["/", mark, name]);
        }
    }
}

impl Walk<'_> {
    /// Starts to record what a listing leads to, unless that depends on more than the directory.
    pub(crate) fn begin_quiet(&mut self, pending: &Pending) {
        let depends = !pending.is_in_package()
            || pending.inode == 0
            || self.config.gitignore.is_some()
            || self.linked.is_some();
        let reported = self.prober.reported;
        self.quiet.0 = (!depends).then(|| Listed { names: String::new(), reported });
    }

    /// Returns the names that the listing led to, if it led to nothing else and was complete.
    pub(crate) fn end_quiet(&mut self) -> Option<String> {
        let Listed { names, reported } = self.quiet.0.take()?;
        let is_whole = self.exceeded.is_none() && !self.cancel.is_cancelled();
        (is_whole && reported == self.prober.reported).then_some(names)
    }

    /// Queues a directory or a link of a package that an earlier listing returned.
    pub(crate) fn defer_noted(&mut self, parent: &Pending, (path, is_link): (String, bool)) {
        if is_link {
            self.links.push(path);
        } else if self.takes_directory(&path) {
            let pending = Pending::at(&path, parent.depth + 1, parent.within);
            self.pending.push_back(Pending { is_unprobed: true, ..pending });
        }
    }
}
