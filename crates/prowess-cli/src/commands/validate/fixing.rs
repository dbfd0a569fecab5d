//! `--fix`: shows the change of each file, and writes it through a handle of the named directory.
//!
//! A file has the old or the new content at any time. A package behind a link that leaves the named
//! directory is not changed: checking follows links, writing does not.

use std::path::{Path, PathBuf};

use prowess::format::MAX_FILE_BYTES;
use prowess::governance::{SkillPackage, package_digest};
use prowess::lint::{Fixed, PackageReport, fix};
use prowess::state::TrustFile;
use prowess::{Clock as _, Code, Diagnostic, Digest, FolderTrust as _, Severity, SystemClock};
use prowess_dir::{Dir, Error, ErrorKind, Links};
use prowess_store::Author;
use serde::Serialize;

use crate::args::Global;
use crate::commands::skill_change::{Made, Recorded};
use crate::commands::trust::keep_reviewed;
use crate::failure::Failure;
use crate::output::Output;
use crate::user::user;

/// The file of a package is behind a link that leaves the named directory, or is one.
const FIX_LINK_REFUSED: Code = Code::new("fix-link-refused");
/// A file was fixed, and its history does not have the change.
const FIX_NOT_RECORDED: Code = Code::new("fix-not-recorded");
/// The file of a package could not be written.
const FIX_FAILED: Code = Code::new("fix-failed");

/// A file that was fixed, or would be.
#[derive(Serialize)]
pub(super) struct FixedFile {
    pub(super) path: String,
    /// The codes of the findings that were fixed.
    pub(super) codes: Vec<Code>,
    /// The change as a unified diff.
    pub(super) diff: String,
    /// Whether the file was written.
    pub(super) is_written: bool,
    /// The package, and the digest of its files before.
    #[serde(skip)]
    before: Option<(SkillPackage, Digest)>,
}

/// The result of fixing: the changed files, and a diagnostic for each file that was left alone.
#[derive(Default)]
pub(super) struct Fixes {
    pub(super) files: Vec<FixedFile>,
    pub(super) problems: Vec<Diagnostic>,
}

impl Fixes {
    /// Fixes the packages below these directories, or with `is_trial` only returns the changes.
    pub(super) fn of(roots: &[PathBuf], packages: &[PackageReport], is_trial: bool) -> Self {
        let mut fixes = Self::default();
        for report in packages.iter().filter(|report| !report.diagnostics.is_empty()) {
            let Some(root) = roots.iter().find(|root| is_below(report, root)) else {
                continue;
            };
            match fix_file(root, report, is_trial) {
                Ok(None) => {}
                Ok(Some((file, unrecorded))) => {
                    fixes.files.push(file);
                    fixes.problems.extend(unrecorded);
                }
                Err(error) => fixes.problems.push(problem(report, &error)),
            }
        }
        fixes
    }

    /// Extends the reviews of skills that agents have written to the files that a person has fixed.
    pub(super) fn keep_reviews(&self, global: &Global, output: &Output) -> Result<(), Failure> {
        for (package, before) in self.files.iter().filter_map(|file| file.before.as_ref()) {
            let is_reviewed = |file: &TrustFile, id: &str| file.load().has_reviewed(id, before);
            keep_reviewed(package, &package.files()?, is_reviewed, global, output)?;
        }
        Ok(())
    }
}

/// Returns whether a package was found below this directory.
fn is_below(report: &PackageReport, root: &Path) -> bool {
    let root = root.to_string_lossy();
    let below = report.path.strip_prefix(root.trim_end_matches('/'));
    below.is_some_and(|below| below.trim_start_matches('/') == report.package)
}

/// Fixes one file, and says if its history does not have the change. Returns `None` if it has
/// nothing to fix.
fn fix_file(
    root: &Path,
    report: &PackageReport,
    is_trial: bool,
) -> Result<Option<(FixedFile, Option<Diagnostic>)>, Error> {
    let package = Dir::open(root)?.open_dir(&report.package, Links::FollowInside)?;
    let before = package.open_file(&report.file, Links::Refuse)?.read_whole(MAX_FILE_BYTES)?;
    let Some(fixed) = fix(&before).filter(Fixed::is_changed) else {
        return Ok(None);
    };
    let (mut unrecorded, mut earlier) = (None, None);
    if !is_trial {
        let skill = SkillPackage::new(&root.join(&report.package)).ok();
        earlier = skill.and_then(|it| it.files().ok().map(|files| (it, package_digest(&files))));
        let after = fixed.after.as_bytes();
        let recorded = record(&root.join(&report.package), &report.file, after);
        let written = package.replace_own_file(&report.file, Links::Refuse, &before, after);
        match (recorded, &written) {
            (Ok(recorded), Err(_)) => recorded.retract(),
            (Err(failure), Ok(())) => {
                let message = format!("it is not in the history: {}", failure.message);
                let found =
                    Diagnostic::new(FIX_NOT_RECORDED, Severity::Warning, message, failure.help);
                unrecorded = Some(found.in_file(path_of(report)));
            }
            _ => {}
        }
        written?;
    }
    let path = path_of(report);
    let diff = fixed.diff(&path);
    let is_written = !is_trial;
    let file = FixedFile { path, codes: fixed.codes, diff, is_written, before: earlier };
    Ok(Some((file, unrecorded)))
}

/// Records the change of one file of a package in the history of the skill.
fn record(package: &Path, file: &str, after: &[u8]) -> Result<Recorded, Failure> {
    let package = SkillPackage::new(package)?;
    let old = package.files()?;
    let mut new = old.clone();
    if let Some(entry) = new.get_mut(file) {
        entry.content = after.to_owned();
    }
    let author = Author { by: user(), at: SystemClock::default().now() };
    let (before, after, package) = (&old, &new, &package);
    let (action, reason) = ("fixed", Some("prowess validate --fix".to_owned()));
    Made { package, before, after, author, action, reason, proposal: None }.record()
}

fn path_of(report: &PackageReport) -> String {
    format!("{}/{}", report.path, report.file)
}

fn problem(report: &PackageReport, error: &Error) -> Diagnostic {
    let (code, severity, help) = match error.kind() {
        ErrorKind::Link | ErrorKind::Escape => (
            FIX_LINK_REFUSED,
            Severity::Warning,
            "run `--fix` on the directory that the link leads to",
        ),
        ErrorKind::Changed => {
            (FIX_FAILED, Severity::Error, "check the new content, then fix again")
        }
        _ => (FIX_FAILED, Severity::Error, "the file is as it was; make it writable, or edit it"),
    };
    let found = Diagnostic::new(code, severity, format!("not fixed: {error}"), help);
    Diagnostic { path: Some(path_of(report).as_str().into()), ..found }
}
