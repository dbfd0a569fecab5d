//! Which directories the user trusts, as `prowess trust` stores it, in all commands that print the
//! trust level of a layer.

use std::path::Path;

use prowess::source_fs::codes::ROOT_OUTSIDE;
use prowess::state::TrustedFolders;
use prowess::{Catalog, CatalogSource, FolderAnswer, FolderTrust as _, Record, Trust};
use serde::Serialize;

use crate::failure::Failure;
use crate::paths;

/// The user's trust in the directories of a catalog's sources.
pub(crate) struct UserTrust {
    /// The answer for each source; `None` for a layer that does not ask.
    answers: Vec<Option<bool>>,
}

impl UserTrust {
    /// Reads the file of trusted directories, if a layer asks for trust.
    pub(crate) fn of(catalog: &Catalog) -> Result<Self, Failure> {
        let is_asked = |source: &CatalogSource| {
            catalog.layers()[source.layer].trust == Trust::AskFirst
                && folder_of(source.source.root()).is_some()
        };
        let trusted =
            if catalog.sources().iter().any(is_asked) { trusted_folders()? } else { None };
        let is_trusted = |root: &str| {
            let folder = folder_of(root).unwrap_or(Path::new(root));
            let answer = trusted.as_ref().map(|folders| folders.answer(folder));
            answer == Some(FolderAnswer::Trusted)
        };
        // Trust changes nothing of a root that leads out of its project.
        let is_outside = |root: &str| {
            let outside = catalog.diagnostics().filter(|found| found.code == ROOT_OUTSIDE);
            outside.filter_map(|found| found.path.as_deref()).any(|path| path == root)
        };
        // A directory that the user named is offered without an answer.
        let answer = |(at, source): (usize, &CatalogSource)| {
            let root = source.source.root();
            let answer = (is_asked(source) && !is_outside(root)).then(|| is_trusted(root));
            answer.filter(|is_trusted| *is_trusted || catalog.len_of(at) == 0)
        };
        Ok(Self { answers: catalog.sources().iter().enumerate().map(answer).collect() })
    }

    /// Returns whether the user trusts the directory of this source.
    pub(crate) fn in_source(&self, index: usize) -> Option<bool> {
        self.answers[index]
    }

    /// Returns whether the operator or the user trusts each source.
    pub(crate) fn trusted_sources(&self, catalog: &Catalog) -> Vec<bool> {
        let of_layer = |it: &CatalogSource| catalog.layers()[it.layer].trust == Trust::Trusted;
        let sources = catalog.sources().iter().zip(&self.answers);
        sources.map(|(source, answer)| of_layer(source) || *answer == Some(true)).collect()
    }

    /// Returns whether the user trusts the directory that a skill comes from.
    pub(crate) fn in_record(&self, record: Record<'_>) -> Option<bool> {
        self.in_source(record.index().source())
    }

    /// Returns whether the user trusts every directory of this layer that exists.
    pub(crate) fn in_layer(&self, catalog: &Catalog, rank: usize) -> Option<bool> {
        let sources = catalog.sources().iter().zip(&self.answers);
        let answers = sources
            .filter(|(source, _)| source.layer == rank && paths::is_there(source.source.root()));
        answers.filter_map(|(_, answer)| *answer).reduce(|all, answer| all && answer)
    }
}

/// Returns the directory of a root: a directory of skills, or that of the lock file of a project.
fn folder_of(root: &str) -> Option<&Path> {
    let lock = root.strip_prefix("prowess-lock://").and_then(|lock| Path::new(lock).parent());
    lock.or(Some(Path::new(root))).filter(|folder| folder.is_absolute())
}

/// Returns the directories that the user trusts; `None` without a home.
pub(crate) fn trusted_folders() -> Result<Option<TrustedFolders>, Failure> {
    Ok(paths::trust_file(&paths::surroundings()?).map(|file| file.load()))
}

/// Returns the trust level of a layer for people, with the user's answer.
pub(crate) fn described(level: &str, by_user: Option<bool>) -> String {
    match (level, by_user) {
        (_, Some(true)) => "trusted by you",
        (_, Some(false)) => "not trusted yet",
        ("ask_first", None) => "asks first",
        (level, None) => level,
    }
    .to_owned()
}

/// A record in JSON, with the user's answer.
#[derive(Serialize)]
pub(crate) struct TrustedRecord<'c> {
    #[serde(flatten)]
    pub(crate) record: Record<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trusted_by_user: Option<bool>,
}

impl<'c> TrustedRecord<'c> {
    pub(crate) fn new(record: Record<'c>, trust: &UserTrust) -> Self {
        Self { record, trusted_by_user: trust.in_record(record) }
    }
}
