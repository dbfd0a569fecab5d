//! The codes of scans of directory trees.
//!
//! Each code needs an example in `crates/prowess/tests/it/codes/examples.rs`, which the page of
//! codes shows.

prowess_core::declare_codes! {
    /// Warning: the root does not exist. The scan finds nothing.
    ROOT_MISSING = "root-missing";
    /// Error: the root is no directory. The scan finds nothing.
    ROOT_NOT_A_DIRECTORY = "root-not-a-directory";
    /// Warning: the root leads out of the project that it belongs to. The scan finds nothing.
    ROOT_OUTSIDE = "root-outside";
    /// Warning: a directory of skills is configured twice. It is used in the first of the two
    /// layers.
    ROOT_REPEATED = "root-repeated";
    /// Error: a configured directory of skills is not absolute. It is not used.
    ROOT_NOT_ABSOLUTE = "root-not-absolute";
    /// Error: a directory cannot be listed or entered, so that packages in it are not found.
    DIRECTORY_UNREADABLE = "directory-unreadable";
    /// Error: a `SKILL.md` is a directory, a FIFO, a socket or a device.
    NOT_A_FILE = "not-a-file";
    /// Error: a directory has its instructions in a file such as `Skill.md`, which no client looks
    /// for.
    FILE_MISNAMED = "file-misnamed";
    /// Warning: a `SKILL.md` is directly in a directory in which clients look for skills, such as
    /// `.claude/skills`. It is not read.
    FILE_MISPLACED = "file-misplaced";
    /// Warning: a package has a `skill.md` beside its `SKILL.md`, which is the one that is used. It
    /// is found where the directories of packages are listed, as in a tree that is named.
    SKILL_MD_REPEATED = "skill-md-repeated";
    /// Error: a `SKILL.md` has more than one name (hard links), in a layer that is not trusted.
    MULTIPLE_LINKS = "multiple-links";
    /// Error: a `SKILL.md` is on another mount than its root, in a layer that is not trusted. Name
    /// the mounted directory as a root of its own, such as by `--root`.
    CROSS_DEVICE = "cross-device";
    /// Error: a `SKILL.md` cannot be read. Correct its permissions, or remove it if it is not
    /// a skill.
    FILE_UNREADABLE = "file-unreadable";
    /// A link leads nowhere: an error for a `SKILL.md`, a warning for a package's directory.
    DANGLING_LINK = "dangling-link";
    /// Links form a loop: an error for a `SKILL.md`, a warning for a package's
    /// directory.
    SYMLINK_LOOP = "symlink-loop";
    /// Error: a `SKILL.md` is a link that leads out of its package.
    PATH_ESCAPE = "path-escape";
    /// Warning: the directory where a package would begin is a link, and such links are not
    /// followed.
    ROOT_IS_SYMLINK = "root-is-symlink";
    /// Hint: a link leads to a directory outside the root in which no package was found. One that
    /// holds the root is not searched.
    LINK_NOT_SEARCHED = "link-not-searched";
    /// A directory's name is not UTF-8: an error with the path of its `SKILL.md` if it has one,
    /// otherwise a warning that it is not searched. Or a file's in a package: a warning that it is
    /// in no listing.
    PATH_NOT_UTF8 = "path-not-utf8";
    /// A directory's path holds a backslash, starts like a drive (`c:`) or is longer than 1024
    /// bytes: an error with the path of its `SKILL.md` if it has one, otherwise a warning that it
    /// is not searched.
    PATH_NOT_PORTABLE = "path-not-portable";
    /// Warning: a bound ended the search before the tree did.
    SCAN_TRUNCATED = "scan-truncated";
    /// Hint: directories are not searched because a `.gitignore` leaves them out.
    LEFT_OUT_BY_GITIGNORE = "left-out-by-gitignore";
    /// Warning: two names in one directory differ only in how their characters are composed.
    NORMALISATION_COLLISION = "normalisation-collision";
}
