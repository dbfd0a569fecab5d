//! The codes of installs: of lock files, of the store, and of archives that are refused. The page
//! of codes lists them.

prowess_core::declare_codes! {
    /// Error: the lock file cannot be read. No skill of it is offered, and nothing is installed.
    LOCK_INVALID = "lock-invalid";
    /// Error: the lock file has conflict markers of a merge.
    LOCK_CONFLICTED = "lock-conflicted";
    /// Error: the lock file has a version that this program does not support.
    LOCK_VERSION = "lock-version";
    /// Warning: a key of the lock file has no effect in this version.
    LOCK_KEY_UNKNOWN = "lock-key-unknown";
    /// Error: a locked package is not in the store; a hint where the placed copy of it is intact.
    PACKAGE_MISSING = "package-missing";
    /// Error: the files of a stored package are not those that were installed. A warning where they
    /// are those of a copy in the directory of a client, which is offered as it is.
    PACKAGE_CHANGED = "package-changed";
    /// Error: the store cannot be written.
    STORE_UNWRITABLE = "store-unwritable";
    /// Error: there is no earlier version of the skill to return to.
    NO_EARLIER_VERSION = "no-earlier-version";
    /// Error: something that prowess did not place has the name of a skill in a directory of
    /// another client.
    PLACE_OCCUPIED = "place-occupied";
    /// Error: a skill cannot be placed in a directory of another client.
    NOT_PLACEABLE = "not-placeable";
    /// Error: nothing with this digest is in quarantine.
    NOT_IN_QUARANTINE = "not-in-quarantine";
    /// Error: the source or the artifact does not exist.
    REMOTE_NOT_FOUND = "remote-not-found";
    /// Error: the source is written in a way that no remote supports.
    REMOTE_UNSUPPORTED = "remote-unsupported";
    /// Error: the answer of the source cannot be read.
    REMOTE_INVALID = "remote-invalid";
    /// Error: the answer of the source is larger than the limit.
    REMOTE_TOO_LARGE = "remote-too-large";
    /// Error: the server denies access, or is in a private network that the user has not named.
    REMOTE_DENIED = "remote-denied";
    /// Error: the source cannot be reached, is too slow or fails.
    REMOTE_UNAVAILABLE = "remote-unavailable";
    /// Warning: a source that is followed cannot be read now, so its skills may not be the newest
    /// ones.
    SOURCE_STALE = "source-stale";
    /// Error: the host cancelled the call.
    CANCELLED = "cancelled";
    /// Error: the bytes of an artifact are not those that its index or the lock file names.
    ARTIFACT_CHANGED = "artifact-changed";
    /// Error: the source has no skill, or none of the requested names.
    NO_SKILL = "no-skill";
    /// Error: the `SKILL.md` of a package is not valid, or its name is not the one of the index.
    SKILL_INVALID = "skill-invalid";
    /// Error: a skill of this name is installed from another source.
    SKILL_FROM_ANOTHER_SOURCE = "skill-from-another-source";
    /// Error: an update can do more than the installed version.
    SURFACE_GROWN = "surface-grown";
    /// Error: a new version does not follow the installed one: a tag was moved, the history of a
    /// branch was changed, or the version is lower.
    STEP_BACK = "step-back";
    /// Error: the signature of an artifact cannot be read, or is not that of the artifact.
    SIGNATURE_INVALID = "signature-invalid";
    /// Error: an artifact has another signer than the installed version or than the user has named.
    SIGNER_CHANGED = "signer-changed";
    /// Error: a command, option, key, source or signature needs a feature that this program lacks.
    FEATURE_MISSING = "feature-missing";
    /// Error: no skill of this id is in the lock file.
    NOT_INSTALLED = "not-installed";
    /// Error: the bytes are not a `.tar.gz`, `.tar`, `.zip` or `.skill` file.
    ARCHIVE_UNKNOWN_FORMAT = "archive-unknown-format";
    /// Error: a header, a checksum or a compressed stream of the archive is wrong.
    ARCHIVE_DAMAGED = "archive-damaged";
    /// Error: the archive has no file.
    ARCHIVE_EMPTY = "archive-empty";
    /// Error: an entry of the archive is a symbolic or a hard link.
    ARCHIVE_LINK = "archive-link";
    /// Error: an entry of the archive is a device, a FIFO or a socket.
    ARCHIVE_SPECIAL_FILE = "archive-special-file";
    /// Error: a path of the archive starts with `/` or with a drive letter.
    ARCHIVE_ABSOLUTE_PATH = "archive-absolute-path";
    /// Error: a path of the archive contains `..`.
    ARCHIVE_PATH_ESCAPE = "archive-path-escape";
    /// Error: a name in the archive cannot be stored on every file system, or is reserved.
    ARCHIVE_INVALID_NAME = "archive-invalid-name";
    /// Error: a path occurs twice in the archive.
    ARCHIVE_DUPLICATE = "archive-duplicate";
    /// Error: two paths of the archive are the same file on some file systems.
    ARCHIVE_NAME_CLASH = "archive-name-clash";
    /// Error: the archive has more than 10,000 entries.
    ARCHIVE_TOO_MANY_ENTRIES = "archive-too-many-entries";
    /// Error: the archive has over 64 MiB, packed or unpacked.
    ARCHIVE_TOO_LARGE = "archive-too-large";
    /// Error: the files of the archive have over a hundred times its size.
    ARCHIVE_RATIO = "archive-ratio";
    /// Error: a path of the archive has more than 32 parts.
    ARCHIVE_TOO_DEEP = "archive-too-deep";
    /// Error: the archive has bytes that belong to no entry, or to two.
    ARCHIVE_HIDDEN_DATA = "archive-hidden-data";
    /// Error: two descriptions of one entry of the archive contradict each other.
    ARCHIVE_CONTRADICTION = "archive-contradiction";
    /// Error: an entry of the archive is set-user-id, set-group-id or sticky, or not readable.
    ARCHIVE_MODE = "archive-mode";
    /// Error: the archive is encrypted, sparse or spread over several disks, or has another
    /// compression.
    ARCHIVE_UNSUPPORTED = "archive-unsupported";
}
