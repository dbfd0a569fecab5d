//! Findings about packages that the format crate does not create.

use prowess_core::{Diagnostic, Found, Severity};
use prowess_format::{Limit, NameMismatch, Profile, Summary};

use crate::codes;

/// Returns the finding about a name that differs from its directory, if the policy overrides the
/// profile.
pub(super) fn mismatch(
    policy: NameMismatch,
    summary: Option<&Summary<'_>>,
    directory: Option<&str>,
) -> Option<Diagnostic> {
    if policy == NameMismatch::Profile {
        return None;
    }
    policy.check(&summary?.name, directory?, Profile::Lenient)
}

/// Returns a finding about a file with more tokens than the limit, if its size is known.
pub(super) fn too_many_tokens(found: &Found<'_>, limit: Limit) -> Option<Diagnostic> {
    let size = found.size.or(found.is_whole_file.then_some(found.head.len() as u64))?;
    limit.tokens_of_file(size, codes::BODY_TOKENS_SOFT_LIMIT)
}

pub(super) fn skill_kept(generation: u64) -> Diagnostic {
    let message = format!(
        "this version cannot be used; since generation {generation} the last good one stays listed, \
         and loads where it was loaded before"
    );
    let help = "fix the file, or remove its directory";
    Diagnostic::new(codes::SKILL_KEPT, Severity::Warning, message, help)
}

pub(super) fn skill_unseen(generation: u64) -> Diagnostic {
    let message = format!(
        "its directory cannot be entered; since generation {generation} it stays listed, and cannot \
         be loaded"
    );
    let help = "give the process the right to list and enter the directory, or remove it";
    Diagnostic::new(codes::SKILL_KEPT, Severity::Warning, message, help)
}

pub(super) fn invalid_path(root: &str, package: &str) -> Diagnostic {
    let message = format!("the source reports a package by the path {package:?}");
    let help =
        "report packages by a relative path with `/` between its parts and without `.` and `..`";
    Diagnostic::new(codes::PACKAGE_PATH_INVALID, Severity::Error, message, help).in_file(root)
}
