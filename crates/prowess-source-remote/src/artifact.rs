//! The kinds of artifacts, by their names.

use prowess_core::ArtifactKind;

/// The maximum size of an artifact that is resolved, in bytes: that of an archive that is read.
pub(crate) const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The maximum size of the packages of a source together, in bytes.
pub(crate) const MAX_ALL: usize = 4 * MAX_BYTES;

/// The ends of the names of archives.
const ARCHIVES: [&str; 5] = [".tar.gz", ".tgz", ".tar", ".zip", ".skill"];

/// Returns the kind of an artifact by the end of its path; `None` if it is another page.
pub(crate) fn kind_of(path: &str) -> Option<ArtifactKind> {
    let path = path.to_ascii_lowercase();
    if ARCHIVES.iter().any(|end| path.ends_with(end)) {
        Some(ArtifactKind::Archive)
    } else {
        path.ends_with(".md").then_some(ArtifactKind::SkillMd)
    }
}
