//! The result of a check.

use prowess_core::{Diagnostic, Severity};
use prowess_format::Profile;
use serde::Serialize;

use crate::alike::Alike;

/// The result for one package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackageReport {
    /// The package's directory as an absolute path or URL.
    pub path: String,
    /// The declared name, where there is one.
    pub name: Option<String>,
    /// The profile that the package was checked by.
    pub profile: Profile,
    /// Whether no finding is an error.
    pub valid: bool,
    /// Every finding, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The package's path from the source's root.
    #[serde(skip)]
    pub package: String,
    /// The file of its instructions: `SKILL.md`, or `skill.md` where that is all there is.
    #[serde(skip)]
    pub file: String,
}

/// The results for every package of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checked {
    /// One report for each package, sorted by path.
    pub packages: Vec<PackageReport>,
    /// The findings about no package, such as a directory that cannot be listed.
    pub problems: Vec<Diagnostic>,
    /// Skills whose descriptions are alike, the most alike first; each is also a finding of the
    /// second skill.
    pub alike: Vec<Alike>,
}

impl Checked {
    /// Every finding: those of the packages in their order, then the others.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_packages = self.packages.iter().flat_map(|package| &package.diagnostics);
        of_packages.chain(&self.problems)
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics().filter(|found| found.severity == severity).count()
    }
}
