//! A private copy of a package for one run.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use prowess_core::{
    ApprovedPackage, Cancel, Code, ReadLimit, ResourcePath, ScriptError, ScriptRequest,
    SourceError, SourceErrorKind,
};
use prowess_dir::ScratchDir;

use crate::codes;

/// The most files of a package that is copied.
const MOST_FILES: usize = 10_000;

/// The start of the names of copies.
const PREFIX: &str = "prowess-script-";

/// Removes the copies below `parent` and the control groups that processes have left which were
/// killed. The first run of a process does so as well.
pub fn sweep(parent: &Path) {
    prowess_dir::sweep(parent, PREFIX);
    prowess_sandbox::remove_ended_groups();
}

/// The directories of a run.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The copy of the package.
    pub(crate) package: PathBuf,
    /// The script's own files.
    pub(crate) scratch: PathBuf,
}

impl Places {
    /// Returns the path of a file of the package.
    pub(crate) fn file(&self, path: &ResourcePath) -> PathBuf {
        self.package.join(path.as_str())
    }
}

/// The copy, and a directory for the script's own files. Both are removed when this is dropped.
pub(crate) struct Staged {
    _directory: ScratchDir,
    pub(crate) places: Places,
    /// The content of the script.
    pub(crate) script: Vec<u8>,
}

/// A reason why a package is not copied.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum CopyError {
    Source(#[from] SourceError),
    Io(#[from] io::Error),
    Script(#[from] ScriptError),
    Directory(io::Error),
}

impl Staged {
    /// Copies the package of a request below `parent`.
    pub(crate) fn copy(
        parent: &Path,
        request: &ScriptRequest<'_>,
        most_bytes: usize,
        cancel: &Cancel,
    ) -> Result<Self, ScriptError> {
        let approved = ApprovedPackage::of(request, cancel)?;
        Self::try_copy(parent, request, &approved, most_bytes, cancel).map_err(ScriptError::from)
    }

    fn try_copy(
        parent: &Path,
        request: &ScriptRequest<'_>,
        approved: &ApprovedPackage,
        most_bytes: usize,
        cancel: &Cancel,
    ) -> Result<Self, CopyError> {
        let directory = ScratchDir::create(parent, PREFIX).map_err(CopyError::Directory)?;
        let below = |name: &str| directory.path().join(name);
        let places = Places { package: below("package"), scratch: below("scratch") };
        create_directory(&places.package)?;
        create_directory(&places.scratch)?;
        let mut staged = Self { _directory: directory, places, script: Vec::new() };
        let mut left = most_bytes;
        for path in files(request)? {
            if cancel.is_cancelled() {
                let cancelled = SourceError::new(SourceErrorKind::Cancelled, "it was cancelled");
                return Err(cancelled.into());
            }
            let bytes = request.catalog.read(request.record, &path, ReadLimit(left))?;
            left -= bytes.len();
            approved.check(&path, &bytes)?;
            staged.write(&path, &bytes)?;
            if path == *request.path {
                staged.script = bytes;
            }
        }
        Ok(staged)
    }

    /// Writes a new file. All are executable, because a source does not report modes.
    fn write(&self, path: &ResourcePath, bytes: &[u8]) -> io::Result<()> {
        let file = self.places.file(path);
        if let Some(parent) = file.parent() {
            create_directory(parent)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o500).open(file)?;
        file.write_all(bytes)
    }
}

/// Returns the files of a package, of which the script is the first: it must exist.
fn files(request: &ScriptRequest<'_>) -> Result<Vec<ResourcePath>, SourceError> {
    let listing = request.catalog.list(request.record, MOST_FILES)?;
    if !listing.is_complete {
        let message = "the package has too many files, or some cannot be listed";
        return Err(SourceError::new(SourceErrorKind::TooLarge, message));
    }
    let others = listing.resources.into_iter().map(|resource| resource.path);
    let mut files = vec![request.path.clone()];
    files.extend(others.filter(|path| path != request.path));
    // A listing has all files but this one.
    let skill_md = ResourcePath::new(request.record.file());
    files.extend(skill_md.ok().filter(|path| path != request.path));
    Ok(files)
}

fn create_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

impl From<CopyError> for ScriptError {
    fn from(error: CopyError) -> Self {
        let message = match error {
            CopyError::Script(error) => return error,
            CopyError::Source(error) if error.kind == SourceErrorKind::NotFound => {
                let message = format!("{error}; list the skill's files to find the script");
                return Self::new(Code::new(error.kind.as_str()), message);
            }
            CopyError::Source(error) => format!("the skill's files cannot be read: {error}"),
            // A model is at the other end, perhaps on another machine: no path of the host.
            CopyError::Directory(error) => format!(
                "the skill's files cannot be copied: the host's directory for temporary files, \
                 `TMPDIR` of its environment, cannot be used ({})",
                error.kind()
            ),
            CopyError::Io(error) => format!("the skill's files cannot be copied: {}", error.kind()),
        };
        Self::new(codes::PACKAGE_NOT_COPIED, message)
    }
}
