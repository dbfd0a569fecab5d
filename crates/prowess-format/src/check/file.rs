//! The name and the size of the file itself.

use crate::for_message;
use crate::input::size_message;
use crate::{Diagnostic, MAX_FILE_BYTES, Profile, SKILL_MD_FILES, Severity, codes};

pub(crate) fn check_file_name(file: &str, profile: Profile) -> Option<Diagnostic> {
    if file == SKILL_MD_FILES[0] {
        return None;
    }
    let severity = profile.severity(&codes::INSTRUCTIONS_FILE_CASE)?;
    Some(Diagnostic::new(
        codes::INSTRUCTIONS_FILE_CASE,
        severity,
        format!("the instructions are in `{}`", for_message(file)),
        "rename the file to `SKILL.md`; some clients find no other name",
    ))
}

pub(crate) fn check_file_size(bytes: u64) -> Option<Diagnostic> {
    if usize::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_FILE_BYTES) {
        return None;
    }
    let (message, help) = size_message(bytes);
    Some(Diagnostic::new(codes::FILE_TOO_LARGE, Severity::Error, message, help))
}
