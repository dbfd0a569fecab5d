//! The files of a folder that are not packed for other people.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use prowess_archive::Archive;
use prowess_core::{
    MAY_HOLD_CREDENTIALS, RemoteError, RemoteErrorKind, secret_in, withheld_content,
    withheld_directory,
};

use super::{is_skill_md, join, refused};

/// Decides which files are packed for other people; without it, all are.
#[derive(Default)]
pub(super) struct Filter<'i> {
    pub(super) included: &'i [String],
    pub(super) withheld: RefCell<BTreeMap<String, &'static str>>,
    /// The paths that each of the included names has meant.
    pub(super) taken: RefCell<BTreeMap<String, BTreeSet<String>>>,
}

impl Filter<'_> {
    pub(super) fn withholds(&self, path: &str, reason: Option<&'static str>) -> bool {
        let is_meant = |written: &String| {
            let included = written.trim_start_matches("./").trim_end_matches('/');
            let mut ends = path.match_indices(included).map(|(at, _)| (at, at + included.len()));
            let is_part = |(start, end): &(usize, usize)| {
                (*start == 0 || (path[..*start].ends_with('/') && !written.starts_with("./")))
                    && (*end == path.len() || path[*end..].starts_with('/'))
            };
            let found = ends.find(is_part).filter(|_| !included.is_empty());
            if let Some((_, end)) = found {
                let mut taken = self.taken.borrow_mut();
                taken.entry(written.clone()).or_default().insert(path[..end].to_owned());
            }
            found.is_some()
        };
        let reason = reason.filter(|_| !self.included.iter().any(is_meant));
        if let Some(reason) = reason {
            self.withheld.borrow_mut().insert(path.to_owned(), reason);
        }
        reason.is_some()
    }

    /// A skill is nothing without its `SKILL.md`, so that one with a secret is an error.
    fn withholds_content(&self, path: &str, content: &[u8]) -> Result<bool, RemoteError> {
        if !is_skill_md(path) {
            return Ok(self.withholds(path, withheld_content(path, content)));
        }
        match secret_in(content) {
            Some((at, reason)) if self.withholds(path, Some(reason)) => {
                let line = 1 + content[..at].iter().filter(|&&byte| byte == b'\n').count();
                let message = format!("`{path}` {reason} in line {line}");
                Err(RemoteError::new(RemoteErrorKind::Denied, message))
            }
            _ => Ok(false),
        }
    }

    /// Returns a package without the files whose contents are withheld.
    pub(super) fn for_others(
        &self,
        directory: &str,
        archive: Result<Archive, RemoteError>,
    ) -> Result<Archive, RemoteError> {
        let mut files = Vec::new();
        for file in archive?.files() {
            if !self.withholds_content(&join(directory, &file.path), &file.content)? {
                files.push(file.clone());
            }
        }
        Archive::new(files).map_err(|refusal| refused(&refusal))
    }

    /// Returns whether a directory of this name is searched.
    pub(super) fn enters(&self, name: &str) -> bool {
        let is_meant = |included: &String| included.split('/').any(|part| part == name);
        // A link to a file of credentials is known by that file.
        let reason = withheld_directory(name).filter(|reason| *reason != MAY_HOLD_CREDENTIALS);
        let reason = reason.filter(|_| !self.included.iter().any(is_meant));
        if let Some(reason) = reason {
            self.withheld.borrow_mut().insert(format!("{name}/"), reason);
        }
        reason.is_none()
    }
}
