//! The file of a client: read, and replaced in one step.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use prowess_dir::{Dir, Links, Permissions};

use crate::failure::{Failure, Place};
use crate::lock_place;
use crate::paths::within;
use crate::text_edit::Fault;

/// The largest file that is read, in bytes. Some clients keep their history in it.
const MOST_BYTES: u64 = 64 << 20;

/// Where the old file is kept.
#[derive(Clone, Copy)]
pub(super) enum Backup {
    NextToIt,
    /// Among the user's state: next to the file it would be committed. A user without a home has
    /// none.
    InState,
}

impl Backup {
    /// Returns the path of the copy of a file.
    fn path(self, file: &Path) -> io::Result<Option<PathBuf>> {
        let mut copy = file.as_os_str().to_owned();
        if let Self::InState = self {
            let Some(directory) = lock_place::directory() else { return Ok(None) };
            let directory = directory.join("client-files");
            prowess_dir::create_directories(&directory, 0o700)?;
            let name = file.to_string_lossy().replace('/', "%");
            let start = name.ceil_char_boundary(name.len().saturating_sub(LONGEST_NAME));
            copy = directory.join(&name[start..]).into();
        }
        copy.push(".prowess.bak");
        Ok(Some(copy.into()))
    }
}

/// The longest name of a copy, in bytes, without its end.
const LONGEST_NAME: usize = 200;

/// A file that may not exist yet.
pub(super) struct ClientFile {
    /// The path at which the client reads it.
    pub(super) path: PathBuf,
    /// The file itself, where the path is a link.
    real: PathBuf,
    /// The project that a write does not leave.
    project: Option<PathBuf>,
    /// `None` if there is no file.
    text: Option<String>,
}

impl ClientFile {
    /// Reads the file of the user, or of this project.
    pub(super) fn read(path: PathBuf, project: Option<&Path>) -> Result<Self, Failure> {
        let project = project.map(Path::to_owned);
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(Self { real: path.clone(), path, project, text: None });
        }
        let unreadable = |reason: &str| {
            let message = format!("`{}` cannot be read: {reason}; it is unchanged", path.display());
            Failure::new("client-file-unreadable", message, "correct the file, then run this again")
        };
        let real = path.canonicalize().map_err(|error| unreadable(&error.to_string()))?;
        if !real.is_file() {
            return Err(unreadable("it is no regular file"));
        }
        let mut bytes = Vec::new();
        let opened = File::open(&real).map(|file| file.take(MOST_BYTES + 1));
        let read = opened.and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(|error| unreadable(&error.to_string()))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(unreadable(&format!("it is larger than {MOST_BYTES} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))?;
        Ok(Self { path, real, project, text: Some(text) })
    }

    pub(super) fn is_there(&self) -> bool {
        self.text.is_some()
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Returns the failure of an edit, with its place.
    pub(super) fn unclear(&self, fault: &Fault) -> Failure {
        let (line, column) = fault.position(self.text());
        let help = "the file is unchanged: correct this place, or edit the entry by hand, as \
                    `prowess mcp config` prints it";
        let path = self.path.display().to_string();
        Failure::new("client-file-unclear", &*fault.message, help).at(Some(Place {
            path,
            line: Some(line),
            column: Some(column),
        }))
    }

    /// Replaces the text, or creates the file with these permissions. Returns the path of the copy
    /// of the old file, unless there is one of its `others`, what is not ours in it.
    pub(super) fn replace(
        &self,
        text: &str,
        others: &str,
        permissions: Permissions,
        backup: Backup,
    ) -> Result<Option<PathBuf>, Failure> {
        self.write(text, others, permissions, backup).map_err(|reason| {
            let message = format!("`{}` cannot be written: {reason}", self.real.display());
            let help = "the file is unchanged; correct the reason, then run this again";
            Failure::new("output-failed", message, help)
        })
    }

    /// Checks that a link leads no write out of the project.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let checked = self.project.as_deref().map_or(Ok(()), |it| within(it, &self.path).map(drop));
        checked.map_err(|reason| {
            let message = format!("`{}` is unchanged: {reason}", self.path.display());
            let help = "replace the link by what it leads to, then run this again";
            Failure::new("output-failed", message, help)
        })
    }

    /// Opens the directory of the file through that of its project, and creates it if necessary.
    fn directory_in(&self, project: &Path) -> Result<Dir, String> {
        let below = within(project, &self.path)?;
        let parent = below.parent().and_then(Path::to_str).ok_or("its path is not UTF-8")?;
        let project = project.canonicalize().map_err(|error| error.to_string())?;
        let opened = Dir::open(project).and_then(|project| project.open_or_create_dirs(parent));
        opened.map_err(|error| error.to_string())
    }

    fn write(
        &self,
        text: &str,
        others: &str,
        permissions: Permissions,
        backup: Backup,
    ) -> Result<Option<PathBuf>, String> {
        let words = |error: io::Error| error.to_string();
        let (parent, name) = (self.real.parent(), self.real.file_name().and_then(OsStr::to_str));
        let (Some(parent), Some(name)) = (parent, name) else {
            return Err("its name is not UTF-8".to_owned());
        };
        let directory = match &self.project {
            Some(project) => self.directory_in(project)?,
            None => {
                prowess_dir::create_directories(parent, 0o755).map_err(words)?;
                Dir::open(parent).map_err(|error| error.to_string())?
            }
        };
        let Some(before) = &self.text else {
            let temporary = format!(".{name}.{}.tmp", std::process::id());
            if self.real.symlink_metadata().is_ok() {
                return Err("another program has created it meanwhile".to_owned());
            }
            let put = directory.put_file(name, &temporary, text.as_bytes(), permissions);
            return put.map(|()| None).map_err(|error| error.to_string());
        };
        // A rename would replace a file that its owner has made read-only.
        OpenOptions::new().append(true).open(&self.real).map_err(words)?;
        let unkept = |error| format!("no copy of it can be kept: {error}");
        let mut path = backup.path(&self.real).map_err(unkept)?;
        // Where there is no copy of an earlier one, an installation has made the file.
        let is_needless = matches!(text.trim(), "" | "{}")
            && self.path == self.real
            && path.take_if(|path| !path.exists()).is_some();
        let copy = path.map_or(Ok(None), |it| copy(&self.real, before, others, it));
        let copy = copy.map_err(unkept)?;
        let (before, after) = (before.as_bytes(), text.as_bytes());
        let replaced = directory.replace_file(name, Links::Refuse, before, after);
        let removed =
            replaced.and_then(|()| if is_needless { directory.remove_tree(name) } else { Ok(()) });
        removed.map(|()| copy).map_err(|error| error.to_string())
    }
}

/// Writes a copy of the file, which the same people may read, in place of the last one: each has
/// the secrets of all servers in it. One of the `others`, before the first change, is kept.
fn copy(file: &Path, text: &str, others: &str, path: PathBuf) -> io::Result<Option<PathBuf>> {
    if text != others && fs::read_to_string(&path).is_ok_and(|kept| kept == others) {
        return Ok(None);
    }
    let temporary = path.with_added_extension(format!("{}.tmp", std::process::id()));
    let mut copy = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    copy.set_permissions(fs::metadata(file)?.permissions())?;
    copy.write_all(text.as_bytes())?;
    copy.sync_all()?;
    fs::rename(temporary, &path)?;
    Ok(Some(path))
}
