//! A next step for each code of installs.

use prowess::Code;
use prowess_store::codes::*;

const AUTHOR: &str = "ask the publisher for another archive";

/// Codes with the same next step.
pub(super) static INSTALLS: &[(&[Code], &str)] = &[
    (&[LOCK_INVALID], "restore the file from version control"),
    (&[LOCK_CONFLICTED], "run `prowess sync --merge`"),
    (&[LOCK_VERSION], "update prowess"),
    (&[PACKAGE_MISSING, PACKAGE_CHANGED], "run `prowess sync`, which installs it again"),
    (&[STORE_UNWRITABLE], "check the disk and the permissions of the directory"),
    (&[NO_EARLIER_VERSION], "install the version that you need"),
    (&[PLACE_OCCUPIED], "move it away, or name another directory with `--into`"),
    (&[NOT_PLACEABLE], "install the skill, or give it a name without `/`"),
    (&[NOT_IN_QUARANTINE], "run `prowess sync --quarantine`"),
    (&[REMOTE_NOT_FOUND, REMOTE_UNSUPPORTED, NO_SKILL], "check how the source is written"),
    (&[REMOTE_INVALID, REMOTE_TOO_LARGE, SKILL_INVALID], "report it to the publisher"),
    (&[REMOTE_DENIED], "sign in, or name the host with `--host`"),
    (&[REMOTE_UNAVAILABLE, CANCELLED], "try again; what is installed keeps working"),
    (&[SOURCE_STALE], "check the network and the source; what was read last keeps working"),
    (&[ARTIFACT_CHANGED], "ask the publisher, and look at it with `prowess sync --quarantine`"),
    (&[SKILL_FROM_ANOTHER_SOURCE], "remove the installed skill first"),
    (&[SURFACE_GROWN], "look at `prowess update --preview`, then accept it"),
    (&[SIGNATURE_INVALID], "ask the publisher; nothing was installed"),
    (&[SIGNER_CHANGED], "if the publisher has announced the new key, name it with `--signer`"),
    (&[NOT_INSTALLED], "run `prowess list`"),
    (&[ARCHIVE_UNKNOWN_FORMAT], "name the archive, not a page about it"),
    (&[ARCHIVE_DAMAGED, ARCHIVE_EMPTY], "download it again; then ask the publisher"),
    (
        &[ARCHIVE_LINK, ARCHIVE_SPECIAL_FILE, ARCHIVE_MODE],
        "ask the publisher to pack plain files only",
    ),
    (
        &[
            ARCHIVE_ABSOLUTE_PATH,
            ARCHIVE_PATH_ESCAPE,
            ARCHIVE_HIDDEN_DATA,
            ARCHIVE_CONTRADICTION,
            ARCHIVE_DUPLICATE,
            ARCHIVE_RATIO,
        ],
        "do not unpack it by other means; it may be an attack",
    ),
    (
        &[ARCHIVE_INVALID_NAME, ARCHIVE_NAME_CLASH, ARCHIVE_TOO_DEEP],
        "ask the publisher to rename the files",
    ),
    (&[ARCHIVE_TOO_MANY_ENTRIES, ARCHIVE_TOO_LARGE], "ask the publisher for a smaller package"),
    (&[ARCHIVE_UNSUPPORTED], AUTHOR),
];
