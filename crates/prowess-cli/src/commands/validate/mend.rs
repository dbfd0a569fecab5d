//! `--fix`: shows what is mended, and writes it so that a file is the old or the new one, never a part.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use prowess::Code;
use prowess::lint::{PackageReport, fix};
use serde::Serialize;

use crate::failure::Failure;
use crate::package::Package;

/// A file that was mended, or would be.
#[derive(Serialize)]
pub(super) struct Mended {
    pub(super) path: String,
    /// What was mended.
    pub(super) codes: Vec<Code>,
    /// The change as a unified diff.
    pub(super) diff: String,
    /// Whether the file was written.
    pub(super) is_written: bool,
}

/// Mends the packages, unless this is a trial.
pub(super) fn all(packages: &[PackageReport], is_trial: bool) -> Result<Vec<Mended>, Failure> {
    let mut all = Vec::new();
    for report in packages.iter().filter(|report| !report.diagnostics.is_empty()) {
        // What cannot be read is a finding of the check already.
        let Ok(package) = Package::read(Path::new(&report.path)) else {
            continue;
        };
        let Some(fixed) = fix(&package.text).filter(prowess::lint::Fixed::is_changed) else {
            continue;
        };
        let path = format!("{}/{}", report.path, package.file);
        if !is_trial {
            write(&path, &package.text, fixed.after.as_bytes())?;
        }
        let diff = fixed.diff(&path);
        all.push(Mended { path, codes: fixed.codes, diff, is_written: !is_trial });
    }
    Ok(all)
}

/// Puts a new file in the old one's place in one step, with the old one's rights.
fn write(path: &str, before: &[u8], after: &[u8]) -> Result<(), Failure> {
    replace(Path::new(path), before, after).map_err(|error| {
        let message = format!("`{path}` cannot be mended: {error}");
        Failure::new("fix-failed", message, "the file is as it was; mend it by hand")
    })
}

fn replace(path: &Path, before: &[u8], after: &[u8]) -> std::io::Result<()> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(std::io::Error::other("it is a link, and what it leads to may be others' too"));
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".SKILL.md.").tempfile_in(directory)?;
    file.write_all(after)?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.as_file().sync_all()?;
    // Whoever edits the file meanwhile keeps what they wrote.
    if fs::read(path)? != before {
        return Err(std::io::Error::other("it has changed since it was checked"));
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
