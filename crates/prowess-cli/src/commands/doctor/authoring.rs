//! The findings of `validate` about the directories of skills, which is stricter than loading them.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use prowess::format::Profile;
use prowess::lint::NoProgress;
use prowess::lint::codes::{CREDENTIAL, HOOK_NEEDS_SHELL};
use prowess::{
    Cancel, Catalog, CatalogSource, Diagnostic, Found, Listing, PackagePath, PreviousScan,
    ReadLimit, Rejected, ResourcePath, SKILL_MD_FILES, ScanSink, ScanSummary, Severity,
    SkillSource, SourceError,
};
use prowess_text::shell_path;
use serde::Serialize;

use crate::args::Global;
use crate::commands::validate::check_source;
use crate::drift::{self, Facts};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, counted, write_diagnostic};
use crate::paths::is_there;

/// The layers whose skills are not the user's to edit.
const OF_OTHERS: [&str; 3] = ["embedded", "installed", "installed-trusted"];

/// The maximum number of findings of a root in the text; `validate` shows all.
const MOST_SHOWN: usize = 5;

/// The findings about one root.
#[derive(Serialize)]
pub(super) struct Authoring {
    root: String,
    profile: Profile,
    skills: usize,
    pub(super) errors: usize,
    warnings: usize,
    /// The errors that do not keep a skill from being loaded, hooks that will, credentials, and
    /// changes around a skill.
    diagnostics: Vec<Diagnostic>,
}

/// Checks the directories of skills as `validate` does.
pub(super) fn check(
    global: &Global,
    catalog: &Catalog,
    facts: &Facts<'_>,
) -> Result<Vec<Authoring>, Failure> {
    let mut roots = Vec::new();
    let known: HashSet<_> = catalog.diagnostics().map(|it| (&it.code, &it.path)).collect();
    for source in catalog.sources() {
        let root = source.source.root();
        let layer = &*catalog.layers()[source.layer].name;
        let is_late = catalog.diagnostics().any(|found| {
            found.code.as_str() == "source-late" && found.path.as_deref() == Some(root)
        });
        if is_late || OF_OTHERS.contains(&layer) || !root.starts_with('/') || !is_there(root) {
            continue;
        }
        let (profile, checked) = check_source(global, &ScannedSource(source), facts, &NoProgress)?;
        let is_known = |found: &Diagnostic| known.contains(&(&found.code, &found.path));
        let all = checked.packages.iter().flat_map(|package| &package.diagnostics);
        let all = all.chain(&checked.problems);
        let is_shown = |found: &Diagnostic| {
            let is_told = [CREDENTIAL, HOOK_NEEDS_SHELL].contains(&found.code);
            found.is_error() || is_told || drift::CODES.contains(&found.code)
        };
        let diagnostics = all.filter(|found| is_shown(found) && !is_known(found)).cloned();
        roots.push(Authoring {
            root: root.to_owned(),
            profile,
            skills: checked.packages.len(),
            errors: checked.count(Severity::Error),
            warnings: checked.count(Severity::Warning),
            diagnostics: diagnostics.collect(),
        });
    }
    Ok(roots)
}

/// A source of a catalog whose packages are those of the catalog's scan: its directories are not
/// walked again.
struct ScannedSource<'c>(&'c CatalogSource);

impl SkillSource for ScannedSource<'_> {
    fn name(&self) -> &str {
        self.0.source.name()
    }

    fn root(&self) -> &str {
        self.0.source.root()
    }

    fn scan(
        &self,
        _: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let records = &self.0.records;
        let mut report = |package, file| {
            let (stamp, size, head, is_whole_file) = (None, None, &[][..], false);
            sink.found(Found { package, file, stamp, size, head, is_whole_file });
        };
        (0..records.len()).for_each(|at| report(records.package(at), records.file(at)));
        for Rejected { package, .. } in records.rejected() {
            // The name of its file was not kept.
            let is_upper = Path::new(self.root()).join(&**package).join(SKILL_MD_FILES[0]);
            report(package, SKILL_MD_FILES[usize::from(is_upper.symlink_metadata().is_err())]);
        }
        records.problems().cloned().for_each(|problem| sink.problem(problem));
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.0.source.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.0.source.read(package, resource, limit)
    }
}

/// Writes the roots with findings.
pub(super) fn write(text: &mut String, roots: &[Authoring]) {
    let has_any = |root: &&Authoring| root.errors + root.warnings + root.diagnostics.len() > 0;
    let found: Vec<_> = roots.iter().filter(has_any).collect();
    if found.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{HEADING}Authoring{HEADING:#}: the skills that load, by the specification"
    );
    for root in found {
        let Authoring { root, profile, skills, errors, warnings, diagnostics } = root;
        let counts = [(*errors, "error"), (*warnings, "warning")];
        let counts = counts.map(|(number, word)| counted(number, word)).join(", ");
        let _ = writeln!(text, "  prowess validate {}", shell_path(root));
        let skills = counted(*skills, "skill");
        let _ = writeln!(text, "      {DIM}{counts} in {skills} (profile {profile}){DIM:#}");
        for found in diagnostics.iter().take(MOST_SHOWN) {
            write_diagnostic(text, found);
        }
        let more = diagnostics.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            let _ = writeln!(text, "  and {}", counted(more, "further finding"));
        }
    }
}
