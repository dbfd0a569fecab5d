//! The name of the file itself.

use crate::for_message;
use crate::{Diagnostic, Profile, codes};

/// The one name that every client finds.
const NAME: &str = "SKILL.md";

pub(crate) fn check_file_name(file: &str, profile: Profile) -> Option<Diagnostic> {
    if file == NAME {
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
