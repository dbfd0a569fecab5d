//! Every code that a scan of a directory tree can give.

use prowess_core::Code;

/// Warning: the root does not exist. The scan finds nothing.
pub const ROOT_MISSING: Code = Code::new("root-missing");

/// Error: the root is no directory. The scan finds nothing.
pub const ROOT_NOT_A_DIRECTORY: Code = Code::new("root-not-a-directory");

/// Warning: the root leads out of the project that it belongs to. The scan finds nothing.
pub const ROOT_OUTSIDE: Code = Code::new("root-outside");

/// Warning: a directory of skills is configured twice. It is used in the first of the two layers.
pub const ROOT_REPEATED: Code = Code::new("root-repeated");

/// Error: a configured directory of skills is not absolute. It is not used.
pub const ROOT_NOT_ABSOLUTE: Code = Code::new("root-not-absolute");

/// Warning: a project has skills and its folder is not trusted. They are known and not offered.
pub const PROJECT_NOT_TRUSTED: Code = Code::new("project-not-trusted");

/// Error: a directory cannot be listed or entered, so that packages in it are not found.
pub const DIRECTORY_UNREADABLE: Code = Code::new("directory-unreadable");

/// Error: a `SKILL.md` is a directory, a FIFO, a socket or a device.
pub const NOT_A_FILE: Code = Code::new("not-a-file");

/// Error: a directory has its instructions in a file such as `Skill.md`, which no client looks for.
pub const FILE_MISNAMED: Code = Code::new("file-misnamed");

/// Error: a `SKILL.md` cannot be read.
pub const FILE_UNREADABLE: Code = Code::new("file-unreadable");

/// A link leads nowhere: an error for a `SKILL.md`, a warning for a package's directory.
pub const DANGLING_LINK: Code = Code::new("dangling-link");

/// Links lead round in a circle: an error for a `SKILL.md`, a warning for a package's directory.
pub const SYMLINK_LOOP: Code = Code::new("symlink-loop");

/// Error: a `SKILL.md` is a link that leads out of its package.
pub const PATH_ESCAPE: Code = Code::new("path-escape");

/// Warning: the directory where a package would begin is a link, and such links are not followed.
pub const ROOT_IS_SYMLINK: Code = Code::new("root-is-symlink");

/// Hint: a link leads to a package that was found already.
pub const DUPLICATE_LINK: Code = Code::new("duplicate-link");

/// Hint: a link leads to a directory outside the root that is no package, and it is not searched.
pub const LINK_NOT_SEARCHED: Code = Code::new("link-not-searched");

/// A directory's name is not UTF-8: an error with the path of its `SKILL.md` if it has one, otherwise a
/// warning that it is not searched.
pub const PATH_NOT_UTF8: Code = Code::new("path-not-utf8");

/// A directory's path holds a backslash, begins like a drive (`c:`) or is longer than 1024 bytes: an
/// error with the path of its `SKILL.md` if it has one, otherwise a warning that it is not searched.
pub const PATH_NOT_PORTABLE: Code = Code::new("path-not-portable");

/// Warning: a bound ended the search before the tree did.
pub const SCAN_TRUNCATED: Code = Code::new("scan-truncated");

/// Hint: directories are not searched because a `.gitignore` leaves them out.
pub const LEFT_OUT_BY_GITIGNORE: Code = Code::new("left-out-by-gitignore");

/// Warning: two directories' names differ only in how their characters are composed.
pub const NORMALISATION_COLLISION: Code = Code::new("normalisation-collision");
