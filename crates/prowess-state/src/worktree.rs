//! Linked worktrees of git, which have the trust of their main checkout.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};

/// The longest file that names a directory.
const LIMIT: u64 = 8 * 1024;

/// The longest time that git takes between both ends of a new worktree.
const MOMENT: Duration = Duration::from_secs(60);

/// A linked worktree.
pub(crate) struct Worktree {
    /// Its root.
    pub(crate) root: PathBuf,
    /// The root of the checkout that it belongs to.
    pub(crate) main: PathBuf,
}

impl Worktree {
    /// Returns the linked worktree that a real path is in. Both ends name each other, and were made
    /// at the same time: a planted `.git` names a repository, but no repository names
    /// it, or only as the place of a worktree that is gone.
    pub(crate) fn of(real: &Path) -> Option<Self> {
        let root = real.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?;
        let link = root.join(".git");
        let entry = root.join(line(&link)?.strip_prefix("gitdir: ")?).canonicalize().ok()?;
        let repository =
            entry.parent().filter(|path| path.ends_with(".git/worktrees"))?.parent()?;
        let back = entry.join(line(&entry.join("gitdir"))?).canonicalize().ok()?;
        let common = entry.join(line(&entry.join("commondir"))?).canonicalize().ok()?;
        let is_at_once = are_at_once(born(&entry)?, born(&link)?);
        let is_linked = back == link && common == repository && is_at_once;
        let main = repository.parent()?.to_owned();
        is_linked.then(|| Self { root: root.to_owned(), main })
    }
}

/// Returns whether one command may have made both.
fn are_at_once(one: SystemTime, other: SystemTime) -> bool {
    let apart = other.duration_since(one).or_else(|_| one.duration_since(other));
    apart.is_ok_and(|apart| apart <= MOMENT)
}

/// Returns when a file was created, which no program can set.
fn born(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().ok()?.created().ok()
}

/// Returns the only line of a regular file.
fn line(path: &Path) -> Option<String> {
    // A link could lead anywhere, and a FIFO would block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let mut text = String::new();
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    (!text.contains('\n')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that takes the place of a worktree later borrows no trust.
    #[test]
    fn ends_of_a_worktree_are_made_at_once() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for (one, other, expected) in [
            (100, 100, true),
            (100, 160, true),
            (160, 100, true),
            (100, 161, false),
            (161, 100, false),
        ] {
            assert_eq!(are_at_once(at(one), at(other)), expected, "{one} {other}");
        }
    }
}
