//! Links to packages, and to directories of packages.

use std::collections::{HashSet, VecDeque};

use prowess_dir::{Dir, Entry, EntryBuffer, Links};

use super::{Level, Pending, Top, Walk, Within};
use crate::link::{Follower, LINKED_DEPTH, Led, RealPaths};
use crate::problem;

/// The state of following links.
pub(super) struct Linked {
    /// Inode and device of each package, and of each directory that was searched through a link.
    seen: HashSet<(u64, u64)>,
    /// The depth at which the search ends.
    end: usize,
    /// Whether the search met something that was seen before.
    met: bool,
}

impl Walk<'_> {
    /// Follows the links, after all directories, so that a package is found by its own path before
    /// that of a link to it. Links in directories that links lead to come last.
    pub(crate) fn follow_links(&mut self, root: &Dir) {
        let mut links: VecDeque<_> = self.take_links().into();
        if links.is_empty() {
            return;
        }
        let mut seen = std::mem::take(&mut self.prober.seen).into_iter().collect();
        let paths = &RealPaths::default();
        while let Some(link) = links.pop_front() {
            if self.cancel.is_cancelled() || self.is_at_limit_of_links(&link) {
                return;
            }
            let Self { config, prober, .. } = self;
            let mut follower = Follower { config, root, prober, paths, seen: &mut seen };
            match follower.follow(&link) {
                Led::Nowhere => {}
                Led::Package => self.skills_left -= 1,
                Led::Directory(directory) => {
                    let end = link.split('/').count() + LINKED_DEPTH;
                    self.linked = Some(Linked { seen, end, met: false });
                    let before = self.skills_left;
                    self.search(&link, directory);
                    links.extend(self.take_links());
                    let Some(linked) = self.linked.take() else { return };
                    seen = linked.seen;
                    if self.skills_left == before && !linked.met {
                        let Self { config, prober, .. } = self;
                        let mut follower =
                            Follower { config, root, prober, paths, seen: &mut seen };
                        follower.report(&link, problem::link_not_searched);
                    }
                }
            }
        }
    }

    fn take_links(&mut self) -> Vec<String> {
        let mut links = std::mem::take(&mut self.links);
        links.sort_unstable();
        links
    }

    /// Searches a directory at the path of the link that leads to it.
    fn search(&mut self, link: &str, mut top: Dir) {
        let depth = link.split('/').count();
        let pending = Pending::at(link, depth, Within::Outside);
        let mut names = EntryBuffer::default();
        let listed = self.list(&mut top, &pending, &mut names);
        let top = Top { directory: &top, length: link.len() + 1 };
        self.report_unlisted(&top, &pending, listed);
        self.list_pending(&top, &mut names);
        self.pending.clear();
    }

    /// Returns whether a directory is to be probed: in the tree each is, and through links each
    /// one once.
    pub(super) fn is_new(&mut self, level: &Level<'_>, entry: &Entry<'_>) -> bool {
        let Some(Linked { seen, end, met }) = &mut self.linked else { return true };
        let Some(name) = entry.name().filter(|_| level.depth < *end) else { return false };
        let stat = level.directory.stat(name, Links::Refuse);
        let is_new = stat.is_ok_and(|stat| seen.insert((stat.inode, stat.device)));
        *met |= !is_new;
        is_new
    }
}
