//! The result of a proposal for its package: one decision for proposing, showing and accepting.

use std::path::Path;

use prowess_core::{Catalog, Diagnostic, Digest, PackageFiles, Record, Severity};
use prowess_text::quoted;

use crate::package::{Found, refuse_copy};
use crate::patch::{Base, Patch};
use crate::{CheckedPackage, FileProposals, ReviewError, SkillPackage, StoredProposal, codes};

/// A change that may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The files of the package now.
    pub before: PackageFiles,
    /// Its files with the change.
    pub after: PackageFiles,
    /// Whether the files are others than those that the proposal was made for.
    pub has_moved: bool,
    /// The id now and then, if the change gives the skill another one.
    pub new_id: Option<[String; 2]>,
    /// The findings that the change brings.
    pub findings: Vec<Diagnostic>,
}

impl FileProposals {
    /// Returns what a proposal would make of a package of this catalog now.
    ///
    /// # Errors
    ///
    /// Returns an error if the proposal is for another package, does not fit its files, or makes
    /// something of it that is never accepted.
    pub fn outlook(
        &self,
        proposal: &StoredProposal,
        package: &SkillPackage,
        catalog: &Catalog,
    ) -> Result<Outlook, ReviewError> {
        let found = package.read()?;
        proposal.require(package, &found.files)?;
        let has_moved = !proposal.is_for(&found.files);
        let after = proposal.applied_to(&found.files)?;
        let judged = self.judge(package, &found, &after, catalog);
        let (new_id, findings) =
            judged.map_err(|reason| ReviewError::new(codes::PROPOSAL_INVALID, reason))?;
        Ok(Outlook { before: found.files, after, has_moved, new_id, findings })
    }

    /// Returns the id now and then if it changes, and the findings that are new; or the reason why
    /// these files are never accepted.
    pub(crate) fn judge(
        &self,
        package: &SkillPackage,
        found: &Found,
        after: &PackageFiles,
        catalog: &Catalog,
    ) -> Result<(Option<[String; 2]>, Vec<Diagnostic>), String> {
        if let Some(reason) = found.refusal(after) {
            return Err(reason);
        }
        refuse_copy(catalog, &package.path().to_string_lossy())?;
        let Some(check) = &self.check else { return Ok((None, Vec::new())) };
        let directory = package.path();
        let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let CheckedPackage { id, diagnostics: mut findings } = check(name, after);
        if let Some(error) = findings.iter().find(|it| it.severity == Severity::Error) {
            return Err(format!("the skill would be invalid: {} ({})", error.message, error.code));
        }
        let known = check(name, &found.files);
        let is_same = |one: &Diagnostic, it: &Diagnostic| {
            (&one.code, &one.path, &one.message) == (&it.code, &it.path, &it.message)
        };
        findings.retain(|it| !known.diagnostics.iter().any(|known| is_same(known, it)));
        let (old, new) = match (known.id, id) {
            (Some(old), Some(new)) if old != new => (old, new),
            _ => return Ok((None, findings)),
        };
        let is_other = |record: &Record<'_>| {
            (record.id() == new || record.base_id() == new)
                && Path::new(&record.root_directory()).canonicalize().ok()
                    != Some(directory.clone())
        };
        if catalog.alias(&new).is_some() || catalog.all_named(&new).iter().any(is_other) {
            let (old, new) = (quoted(&old), quoted(&new));
            return Err(format!(
                "the id would change from {old} to {new}, which another skill has"
            ));
        }
        Ok((Some([old, new]), findings))
    }
}

impl StoredProposal {
    /// Checks that the proposal is for this package.
    pub(crate) fn require(
        &self,
        package: &SkillPackage,
        files: &PackageFiles,
    ) -> Result<(), ReviewError> {
        let Some(base) = &self.package else {
            let message = "it names no package; propose its change again";
            return Err(ReviewError::new(codes::PROPOSAL_INVALID, message));
        };
        if base.is_of(&package.base(files)?) {
            return Ok(());
        }
        let message = format!(
            "it is for the package {}, and {} is in {} here",
            quoted(&base.path),
            quoted(&self.skill),
            quoted(&package.path().to_string_lossy())
        );
        Err(ReviewError::new(codes::PROPOSAL_CONFLICT, message))
    }

    /// Returns whether these are the files that the proposal was made for.
    fn is_for(&self, files: &PackageFiles) -> bool {
        self.package.as_ref().is_some_and(|base| base.digest == crate::package_digest(files))
    }

    /// Returns the paths of the files that the proposal changes, adds or removes.
    pub fn paths(&self) -> Vec<String> {
        self.patch().map(|patch| patch.paths()).unwrap_or_default()
    }

    fn patch(&self) -> Result<Patch<'_>, ReviewError> {
        let instructions = self.base.keys().find(|path| is_instructions(path));
        let patch = Patch::parse(&self.diff, instructions.map_or("SKILL.md", String::as_str));
        patch.map_err(|reason| ReviewError::new(codes::PROPOSAL_INVALID, reason))
    }

    /// Returns the files with the change. If they are not those that it was made for, both changes
    /// are merged.
    fn applied_to(&self, files: &PackageFiles) -> Result<PackageFiles, ReviewError> {
        let base = |path: &str| {
            let now = files.get(path).map(|file| Digest::of(&file.content));
            match self.originals.get(path) {
                _ if now.as_ref() == self.base.get(path) => Base::Same,
                Some(original) => Base::Original(original),
                None => Base::Unknown,
            }
        };
        self.patch()?.merge(files, base).map_err(|conflicts| {
            let message = "the skill has changed where the proposal changes it";
            let error = ReviewError::new(codes::PROPOSAL_CONFLICT, message);
            ReviewError { conflicts, ..error }
        })
    }
}

fn is_instructions(path: &str) -> bool {
    prowess_core::SKILL_MD_FILES.contains(&path)
}
