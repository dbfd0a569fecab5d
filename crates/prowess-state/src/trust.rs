//! Reads and changes the file of trusted folders.

use std::path::{Path, PathBuf};

use prowess_core::{Diagnostic, Severity, Timestamp};
use prowess_text::shell_path;
use serde::{Deserialize, Serialize};

use crate::identity::Identity;
use crate::trusted::{TrustedFolder, TrustedFolders, real_path};
use crate::trusted_origin::TrustedOrigin;
use crate::{TrustError, codes, file};

/// The maximum size of the file, far above that of any real list of folders.
const LIMIT: u64 = 4 * 1024 * 1024;

const VERSION: u32 = 1;

/// The file of the folders that the user trusts.
#[derive(Clone, Debug)]
pub struct TrustFile {
    path: PathBuf,
}

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    version: u32,
    pub(crate) folders: Vec<TrustedFolder>,
    // A file without these is read by the versions of this program that do not know them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<TrustedOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) signers: Vec<TrustedOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) skills: Vec<TrustedOrigin>,
    /// Earlier reviews of the skills, which later ones have replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reviewed: Vec<TrustedOrigin>,
}

/// The version field, which every version of the format has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl TrustFile {
    /// Creates a value for the file at this path, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Loads the trusted folders. If the file is unusable, none is trusted and
    /// [`TrustedFolders::finding`] returns the reason.
    pub fn load(&self) -> TrustedFolders {
        match self.read() {
            Ok(Content { folders, skills, .. }) => {
                TrustedFolders { folders, skills, finding: None }
            }
            Err(finding) => TrustedFolders { finding: Some(*finding), ..Default::default() },
        }
    }

    /// Trusts a folder: exactly this folder, not another one that may replace it.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder does not exist or is the root of the file system, or the file
    /// is unusable or cannot be written.
    pub fn trust(&self, folder: &Path, now: Timestamp) -> Result<TrustedFolder, TrustError> {
        let no_folder = || TrustError::NoFolder(folder.to_owned());
        let real = folder.canonicalize().map_err(|_| no_folder())?;
        let identity = Identity::of(&real).ok_or_else(no_folder)?;
        let text = real.to_str().ok_or_else(|| TrustError::NotUtf8(real.clone()))?;
        if real.parent().is_none() {
            return Err(TrustError::TooWide);
        }
        let trusted = TrustedFolder::new(text.into(), now, identity);
        self.change(|Content { folders, .. }| {
            folders.retain(|known| known.path() != real);
            folders.push(trusted.clone());
            Ok(trusted)
        })
    }

    /// Revokes the trust in a folder, which need not exist any more.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder is not trusted, or only as a part of another, or the file is
    /// unusable or cannot be written.
    pub fn revoke(&self, folder: &Path) -> Result<TrustedFolder, TrustError> {
        let real = real_path(folder);
        self.change(|Content { folders, .. }| {
            if let Some(at) = folders.iter().position(|known| known.path() == real) {
                return Ok(folders.remove(at));
            }
            let trusted = TrustedFolders { folders: folders.clone(), ..Default::default() };
            Err(match trusted.covering(&real) {
                Some(above) => TrustError::PartOf(real.clone(), above.path().to_owned()),
                None => TrustError::NotTrusted(real.clone()),
            })
        })
    }

    /// Reads, changes and writes the file under its lock.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Content) -> Result<T, TrustError>,
    ) -> Result<T, TrustError> {
        let unwritable = |cause| TrustError::Unwritable { path: self.path.clone(), cause };
        let lock = file::lock(&self.path).map_err(unwritable)?;
        // An unreadable file is not overwritten: it may have been written by a newer version.
        let mut content = self.read().map_err(TrustError::Invalid)?;
        let outcome = change(&mut content)?;
        let written = Content { version: VERSION, ..content };
        let text = serde_json::to_string_pretty(&written).map_err(|error| unwritable(error.into()));
        // Leftovers of a killed writer are no reason to fail.
        let _ = file::remove_leftovers(&self.path);
        file::write(&self.path, (text? + "\n").as_bytes()).map_err(unwritable)?;
        drop(lock);
        Ok(outcome)
    }

    pub(crate) fn read(&self) -> Result<Content, Box<Diagnostic>> {
        let invalid = |reason: &dyn std::fmt::Display| Box::new(self.finding(reason));
        let Some(bytes) = file::read(&self.path, LIMIT).map_err(|error| invalid(&error))? else {
            return Ok(Content::default());
        };
        let Version { version } =
            serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?;
        if version != VERSION {
            return Err(invalid(&format!("it is of version {version} and not {VERSION}")));
        }
        serde_json::from_slice(&bytes).map_err(|error| invalid(&error))
    }

    fn finding(&self, reason: &dyn std::fmt::Display) -> Diagnostic {
        let path = self.path.to_string_lossy();
        let file = shell_path(&self.path);
        let help = match reason.to_string().as_str() {
            "it belongs to another user" => "run the command as that user, or as root".to_owned(),
            _ => format!("move it away (`mv {file} {file}.old`), then trust your folders again"),
        };
        Diagnostic::new(
            codes::TRUST_FILE_INVALID,
            Severity::Error,
            format!("the file of trusted folders cannot be believed, so none is trusted: {reason}"),
            help,
        )
        .in_file(path)
    }
}
