//! The codes of sessions and of reading files of packages, for tool results and diagnostics.
//! `prowess explain CODE` prints their meaning.

use prowess_format::declare_codes;

declare_codes! {
    /// More skills would be loaded than the session may have.
    TOO_MANY_SKILLS = "too-many-skills";
    /// The skill is loaded, and the policy refuses to load it again.
    ALREADY_ACTIVE = "already-active";
    /// Another skill was loaded later, and the session is a stack.
    NOT_ON_TOP = "not-on-top";
    /// The session is a stack and has no skill to unload.
    NOTHING_ACTIVE = "nothing-active";
    /// The session may load other skills only.
    SKILL_NOT_ALLOWED = "skill-not-allowed";
    /// The host named a session by a text that is no session id.
    SESSION_ID_INVALID = "session-id-invalid";
    /// The session has ended or expired, or never existed.
    SESSION_NOT_FOUND = "session-not-found";
    /// Concurrent calls changed the session too often.
    SESSION_CONTENDED = "session-contended";
    /// The store of sessions fails.
    SESSION_STORE_FAILED = "session-store-failed";
    /// The store of sessions cannot be reached at the moment; no other one takes its place.
    STORE_UNAVAILABLE = "store-unavailable";
    /// The package has no such file.
    RESOURCE_NOT_FOUND = "resource-not-found";
    /// The path leads out of the package.
    PATH_ESCAPE = "path-escape";
    /// The path is that of a directory, or of a special file.
    NOT_A_FILE = "not-a-file";
    /// The links of the path lead in a circle.
    SYMLINK_LOOP = "symlink-loop";
    /// The file is larger than the limit.
    FILE_TOO_LARGE = "file-too-large";
    /// The operating system or the server denied access.
    PERMISSION_DENIED = "permission-denied";
    /// The file has several hard links, and its source does not read such files.
    MULTIPLE_LINKS = "multiple-links";
    /// The file is on another mount than its package, and its source does not read across mounts.
    CROSS_DEVICE = "cross-device";
    /// The file was being written during each attempt to read it.
    SKILL_CHANGING = "skill-changing";
    /// The folder that the source is bound to was replaced by another.
    FOLDER_REPLACED = "folder-replaced";
    /// The files of a package are no longer those that were installed, or that a person approved.
    PACKAGE_CHANGED = "package-changed";
    /// The call was cancelled.
    CANCELLED = "cancelled";
    /// The source could not be reached or read.
    SOURCE_UNAVAILABLE = "source-unavailable";
}
