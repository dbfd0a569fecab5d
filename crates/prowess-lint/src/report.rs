//! The result of a check.

use prowess_core::{Diagnostic, Severity};
use prowess_format::{Profile, SKILL_MD_FILES};
use serde::Serialize;

use crate::alike::Alike;
use crate::options::LintOptions;

/// The code of a source for a `SKILL.md` that is a link out of its directory.
const LINK_OUT: &str = "path-escape";

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
    /// Makes a report of each `SKILL.md` that leads out of its directory, which is a package to
    /// other tools.
    pub(crate) fn report_unread(&mut self, options: &LintOptions<'_>) {
        let directory = |found: &Diagnostic| {
            let (directory, file) = found.path.as_deref()?.rsplit_once('/')?;
            let is_unread = found.code.as_str() == LINK_OUT && SKILL_MD_FILES.contains(&file);
            is_unread.then(|| (directory.to_owned(), file.to_owned()))
        };
        for found in std::mem::take(&mut self.problems) {
            let Some((path, file)) = directory(&found) else {
                self.problems.push(found);
                continue;
            };
            let profile = (options.profile_of)(&path).unwrap_or(options.profile);
            let (package, diagnostics) = (path.clone(), vec![found]);
            let (name, valid) = (None, false);
            let report = PackageReport { path, name, profile, valid, diagnostics, package, file };
            let at = self.packages.partition_point(|other| other.path <= report.path);
            self.packages.insert(at, report);
        }
    }

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
