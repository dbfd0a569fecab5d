//! Whole packages against a profile, for authors.

use prowess_core::{
    Cancel, Code, Diagnostic, Found, PackagePath, ReadFurther, ReadLimit, ResourcePath, ScanSink,
    SkillSource, SourceError, Stamp,
};
use prowess_format::{Head, Profile, Summarized, check_directory, parse, summarize};
use serde::Serialize;

use crate::codes;
use crate::collect::{directory_of, location};

/// The verdict on one package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackageReport {
    /// The package's directory as an absolute path or URL.
    pub path: String,
    /// The declared name, where there is one.
    pub name: Option<String>,
    /// Whether the profile finds no error.
    pub valid: bool,
    /// Every finding.
    pub diagnostics: Vec<Diagnostic>,
}

/// The verdict on every package of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// One report for each package, sorted by path.
    pub packages: Vec<PackageReport>,
    /// The findings about no package, such as a directory that cannot be listed.
    pub problems: Vec<Diagnostic>,
}

/// Checks every package of a source: the whole file, body included, unlike a scan for a catalog.
///
/// # Errors
///
/// The source can say nothing at all.
pub fn check_packages(
    source: &dyn SkillSource,
    profile: Profile,
    cancel: &Cancel,
) -> Result<Checked, SourceError> {
    let mut names = Names::default();
    source.scan(&mut names, cancel)?;
    names.packages.sort();
    let check = |(package, file): &(String, String)| check_package(source, package, file, profile);
    let packages = names.packages.iter().map(check).collect();
    Ok(Checked { packages, problems: names.problems })
}

fn check_package(
    source: &dyn SkillSource,
    package: &str,
    file: &str,
    profile: Profile,
) -> PackageReport {
    let directory = directory_of(source.root(), package);
    let (name, mut diagnostics) = match read(source, package, file) {
        Ok(text) => check_text(&text, directory, profile),
        Err(diagnostic) => (None, vec![*diagnostic]),
    };
    let place: Box<str> = location(source.root(), package, file).into();
    for diagnostic in &mut diagnostics {
        diagnostic.path = Some(place.clone());
    }
    let path = place.strip_suffix(file).unwrap_or(&place).trim_end_matches('/').to_owned();
    let valid = !diagnostics.iter().any(Diagnostic::is_error);
    PackageReport { path, name, valid, diagnostics }
}

fn read(source: &dyn SkillSource, package: &str, file: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    let invalid = |error: prowess_core::PathError| {
        Box::new(codes::unreadable("package-path-invalid", error.to_string()))
    };
    let resource = ResourcePath::new(file).map_err(invalid)?;
    let package = PackagePath::new(package).map_err(invalid)?;
    source
        .read(&package, &resource, ReadLimit::default())
        .map_err(|error| Box::new(codes::unreadable(error.kind.as_str(), error.message)))
}

fn check_text(text: &[u8], directory: &str, profile: Profile) -> (Option<String>, Vec<Diagnostic>) {
    let parsed = parse(text, profile);
    let mut diagnostics = parsed.diagnostics;
    let name = parsed.document.map(|document| document.frontmatter.name);
    let compared = name.as_deref().filter(|_| !directory.is_empty());
    if let Some(mismatch) = compared.and_then(|name| check_directory(name, directory, profile)) {
        let placed = placed(text, directory, profile, &mismatch.code);
        diagnostics.push(placed.unwrap_or(mismatch));
        // The order of the file; what is about the whole file comes first.
        diagnostics.sort_by_key(|found| (found.line, found.column));
    }
    (name, diagnostics)
}

/// The same finding where the name stands, which only a summary can say.
fn placed(text: &[u8], directory: &str, profile: Profile, code: &Code) -> Option<Diagnostic> {
    let head = Head { bytes: text, is_whole_file: true };
    match summarize(head, Some(directory), profile) {
        Summarized::Done(_, found) => found.into_iter().find(|found| found.code == *code),
        Summarized::NeedsBytes(_) => None,
    }
}

/// The sink of a scan that only wants to know which packages there are.
#[derive(Default)]
struct Names {
    packages: Vec<(String, String)>,
    problems: Vec<Diagnostic>,
}

impl ScanSink for Names {
    fn known(&self, _package: &str) -> Option<Stamp> {
        None
    }

    fn unchanged(&mut self, _package: &str) {}

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.packages.push((found.package.to_owned(), found.file.to_owned()));
        ReadFurther::No
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}
