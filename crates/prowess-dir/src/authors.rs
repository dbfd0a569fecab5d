//! Folders in a tree that others have written.

use std::path::Path;

/// The directory in which a package manager installs packages.
pub const PACKAGES_OF_OTHERS: &str = "node_modules";

/// The name that marks a directory as a repository.
pub const REPOSITORY: &str = ".git";

/// Returns whether a folder's content has other authors than its parent: a repository or installed
/// packages.
pub fn has_other_authors(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == PACKAGES_OF_OTHERS)
        || folder.join(REPOSITORY).symlink_metadata().is_ok()
}
