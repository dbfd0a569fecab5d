//! Skills that are found twice because of this program, or by a link: nothing to remove.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use prowess::registry::codes::{SKILL_COPY, SKILL_SHADOWED};
use prowess::{Catalog, Diagnostic, Record};
use prowess_store::LockFile;

use crate::lock_place::{project_lock, user_lock};
use crate::paths::surroundings;

/// The start of the location of an installed skill.
const INSTALLED: &str = "prowess-lock://";

/// The directories in which lock files place their skills for other clients. They are read for the
/// first finding that may be about one.
pub(crate) struct OwnCopies(LazyCell<Vec<PathBuf>>);

impl OwnCopies {
    /// Reads the lock files of the user and of the project.
    pub(crate) fn of() -> Self {
        Self(LazyCell::new(|| {
            let project = surroundings().ok().and_then(|machine| project_lock(&machine));
            let project = project.map(|(path, folder)| LockFile::of_project(path, &folder, None));
            let files = project.into_iter().chain(user_lock());
            files.flat_map(|file| placed(&file)).collect()
        }))
    }

    /// Returns whether a finding asks to remove a copy that a lock file wants to be there.
    pub(crate) fn is_about_one(&self, found: &Diagnostic) -> bool {
        let is_own = |path: &str| {
            let directory = Path::new(path).parent();
            path.starts_with(INSTALLED) || self.0.iter().any(|own| Some(&**own) == directory)
        };
        found.code == SKILL_COPY && found.path.as_deref().is_some_and(is_own)
    }

    /// Returns the place of an edited copy that a finding takes for another skill of the same id:
    /// to rename one of them would break the lock file.
    pub(crate) fn edited(&self, found: &Diagnostic) -> Option<&Path> {
        let path = found.path.as_deref().filter(|_| found.code == SKILL_SHADOWED)?;
        let text = format!("`{path}` {}", found.message);
        let is_named = |own: &&PathBuf| text.contains(&format!("`{}/", own.display()));
        if !text.contains(INSTALLED) {
            return None;
        }
        self.0.iter().find(is_named).map(PathBuf::as_path)
    }

    /// Returns the findings about edited copies.
    pub(crate) fn findings(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let finding = |found: &Diagnostic| {
            let path = self.edited(found)?.display().to_string();
            let message = format!("the placed copy `{path}` is not what the lock file names");
            let help = "keep it, or move it away and run `prowess sync` to have what is locked";
            Some(Diagnostic::new(SKILL_SHADOWED, found.severity, message, help).in_file(&*path))
        };
        catalog.diagnostics().filter_map(finding).collect()
    }

    /// Returns whether a shadowed skill is an offered one by another path, or such a copy.
    pub(crate) fn is_again(&self, catalog: &Catalog, shadowed: Record<'_>) -> bool {
        let real = |record: Record<'_>| Path::new(&record.root_directory()).canonicalize().ok();
        let own = real(shadowed);
        let location = shadowed.location();
        own.is_some() && catalog.get(shadowed.id()).is_some_and(|it| real(it) == own)
            || catalog
                .diagnostics()
                .any(|found| found.path.as_deref() == Some(&*location) && self.is_about_one(found))
    }
}

fn placed(file: &LockFile) -> Vec<PathBuf> {
    let base = file.path().parent().unwrap_or(Path::new("/"));
    let skills = file.load().map(|lock| lock.skills).unwrap_or_default();
    let places = skills.iter().flat_map(|(id, skill)| {
        skill.places.iter().map(move |place| base.join(&place.directory).join(id))
    });
    places.collect()
}
