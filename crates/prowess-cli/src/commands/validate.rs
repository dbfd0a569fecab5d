//! `prowess validate`: packages against a profile.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::format::Profile;
use prowess::registry::{Checked, PackageReport, check_packages};
use prowess::source_fs::{FsConfig, Nested};
use prowess::{Cancel, Diagnostic, Severity};
use serde::Serialize;

use crate::commands::reference;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output, counted, severity_style, write_diagnostic};
use crate::package::{directory_of, source};
use crate::place::absolute;
use crate::terminal::plain;

/// The contract of `validate --format json`.
#[derive(Serialize)]
struct Validated {
    profile: Profile,
    packages: Vec<PackageReport>,
    summary: Summary,
    /// Findings about no package, such as a folder that cannot be read.
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Summary {
    packages: usize,
    valid: usize,
    errors: usize,
    warnings: usize,
}

pub(crate) fn run(
    paths: &[PathBuf],
    profile: Profile,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let mut reports = Vec::new();
    let mut diagnostics = Vec::new();
    for path in paths {
        let checked = check(path, profile)?;
        reports.push(checked.packages);
        diagnostics.extend(checked.problems);
    }
    let is_tree = |packages: &Vec<PackageReport>| packages.len() > 1;
    if profile == Profile::SkillsRef && output.is_text() && !reports.iter().any(is_tree) {
        return reference::validate(paths, output);
    }
    let packages: Vec<_> = reports.into_iter().flatten().collect();
    if packages.is_empty() && diagnostics.iter().all(|found| !found.is_error()) {
        let message = "there is no skill in what was named";
        return Err(Failure::new(
            "skill-md-missing",
            message,
            "name a folder that holds a `SKILL.md`",
        ));
    }
    let summary = summary(&packages, &diagnostics);
    let is_valid = summary.errors == 0;
    output.result(&Validated { profile, packages, summary, diagnostics }, text)?;
    Ok(ExitCode::from(u8::from(!is_valid)))
}

fn check(path: &Path, profile: Profile) -> Result<Checked, Failure> {
    let root = absolute(&directory_of(path))?;
    if !root.exists() {
        let message = format!("`{}` does not exist", path.display());
        let help = "name a skill, its `SKILL.md` or a folder of skills";
        return Err(Failure::new("path-not-found", message, help));
    }
    let is_package = root.join("SKILL.md").exists() || root.join("skill.md").exists();
    let nested = if is_package { Nested::Stop } else { Nested::Descend };
    let source = source(FsConfig { nested, ..FsConfig::new(root) });
    check_packages(&source, profile, &Cancel::default()).map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "name a folder that can be read")
    })
}

fn summary(packages: &[PackageReport], problems: &[Diagnostic]) -> Summary {
    let all = || packages.iter().flat_map(|package| &package.diagnostics).chain(problems);
    let count = |severity| all().filter(|found| found.severity == severity).count();
    Summary {
        packages: packages.len(),
        valid: packages.iter().filter(|package| package.valid).count(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
    }
}

fn text(validated: &Validated) -> String {
    let mut text = String::new();
    for package in &validated.packages {
        for diagnostic in &package.diagnostics {
            write_diagnostic(&mut text, diagnostic);
        }
    }
    for diagnostic in &validated.diagnostics {
        write_diagnostic(&mut text, diagnostic);
    }
    if let ([package], 0) = (validated.packages.as_slice(), validated.summary.errors) {
        let _ = writeln!(
            text,
            "valid: {} {DIM}(profile {}){DIM:#}",
            plain(&package.path),
            validated.profile
        );
        return text;
    }
    write_summary(&mut text, validated);
    text
}

/// The counts, and each code with how often it was found.
fn write_summary(text: &mut String, validated: &Validated) {
    let mut codes = BTreeMap::new();
    let all = validated.packages.iter().flat_map(|package| &package.diagnostics);
    for Diagnostic { code, severity, .. } in all.chain(&validated.diagnostics) {
        *codes.entry((std::cmp::Reverse(*severity), code.as_str())).or_insert(0) += 1;
    }
    let Summary { packages, valid, errors, warnings } = validated.summary;
    let profile = validated.profile;
    let packages = counted(packages, "package");
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    let _ = writeln!(
        text,
        "{HEADING}{valid} of {packages} valid{HEADING:#} by profile {profile}: {errors}, {warnings}"
    );
    for ((std::cmp::Reverse(severity), code), count) in codes {
        let style = severity_style(severity);
        let _ = writeln!(text, "  {count:>6}  {style}{severity}{style:#} {code}");
    }
}
