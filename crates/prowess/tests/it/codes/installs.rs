//! A next step for each code of installs.

use prowess::Code;
use prowess_store::codes::*;

const AUTHOR: &str = "ask the publisher for another archive";

/// Codes with the same next step.
pub(super) static INSTALLS: &[(&[Code], &str)] = &[
    (&[LOCK_INVALID], "restore the file from version control"),
    (&[LOCK_CONFLICTED], "run `prowess lock merge`"),
    (&[LOCK_VERSION], "update prowess"),
    (&[PACKAGE_MISSING, PACKAGE_CHANGED], "run `prowess sync`, which installs it again"),
    (&[STORE_UNWRITABLE], "check the disk and the permissions of the directory"),
    (&[NO_EARLIER_VERSION], "install the version that you need"),
    (&[NOT_IN_QUARANTINE], "run `prowess quarantine list`"),
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
