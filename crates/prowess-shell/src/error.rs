//! The errors of this crate.

/// The path cannot be a mount directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the mount directory must be an absolute path without `.`, `..` and empty parts, such as \
     `/.sandbox/skills`"
)]
pub struct MountDirectoryError;
