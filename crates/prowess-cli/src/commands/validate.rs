//! `prowess validate`: checks packages against a profile.

mod boxxy;
mod fixing;
mod progress;
mod roles;
mod show;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prowess::format::{Profile, SKILL_MD_FILES};
use prowess::lint::{Alike, Checked, LintOptions, PackageReport, check_trees, github, sarif};
use prowess::source_fs::{FsConfig, FsSource, Nested};
use prowess::{Cancel, Diagnostic, Severity, SkillSource};
use serde::Serialize;

use crate::args::{Report, Validate};
use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::output::Output;
use crate::package::{directory_of, source};
use crate::paths::{absolute, working_directory};
use fixing::{FixedFile, Fixes};
use progress::Bar;
use roles::Roles;

/// The output of `validate --format json`.
#[derive(Serialize)]
struct Validated {
    profile: Profile,
    packages: Vec<PackageReport>,
    summary: Summary,
    /// Findings that belong to no package, such as an unreadable folder.
    diagnostics: Vec<Diagnostic>,
    /// Skills whose descriptions are alike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alike: Vec<Alike>,
    /// The files that `--fix` changed, or would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixed: Vec<FixedFile>,
    /// The roles of the skills, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<Roles>,
}

#[derive(Serialize)]
struct Summary {
    packages: usize,
    valid: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
}

pub(crate) fn run(args: &Validate, output: &Output) -> Result<ExitCode, Failure> {
    let mut checked = check_all(args, output)?;
    let is_single = checked.packages.len() <= args.paths.len();
    if args.profile == Profile::SkillsRef
        && output.is_text()
        && is_single
        && args.report.is_none()
        && !args.fix
    {
        return skills_ref::validate(&args.paths, output);
    }
    if checked.packages.is_empty() && checked.count(Severity::Error) == 0 {
        let message = "there is no skill in what was named";
        let help = "name a folder that holds a `SKILL.md`";
        return Err(Failure::new("skill-md-missing", message, help));
    }
    let mut fixes = Fixes::default();
    if args.fix {
        let roots = args.paths.iter().map(|path| root_of(path)).collect::<Result<Vec<_>, _>>()?;
        fixes = Fixes::of(&roots, &checked.packages, args.dry_run);
        if !args.dry_run && !fixes.files.is_empty() {
            checked = check_all(args, output)?;
        }
        checked.problems.append(&mut fixes.problems);
    }
    let is_valid = checked.count(Severity::Error) == 0;
    print(args, checked, fixes.files, output)?;
    Ok(ExitCode::from(u8::from(!is_valid)))
}

fn print(
    args: &Validate,
    mut checked: Checked,
    fixed: Vec<FixedFile>,
    output: &Output,
) -> Result<(), Failure> {
    let base = working_directory()?.to_string_lossy().into_owned();
    match args.report {
        Some(Report::Sarif) => {
            return output.json(&sarif(&checked, &base, env!("CARGO_PKG_VERSION")));
        }
        Some(Report::Github) => {
            if !args.hints {
                leave_out_hints(&mut checked);
            }
            return output.data(&github(&checked, &base));
        }
        None => {}
    }
    let summary = summary(&checked);
    let Checked { packages, problems, alike } = checked;
    let profile = args.profile;
    let roles = args.roles.then(|| Roles::of(&packages));
    let validated =
        Validated { profile, packages, summary, diagnostics: problems, alike, fixed, roles };
    output.result(&validated, |validated| show::text(validated, args, &base))
}

fn leave_out_hints(checked: &mut Checked) {
    let reports = checked.packages.iter_mut().map(|package| &mut package.diagnostics);
    for diagnostics in reports.chain([&mut checked.problems]) {
        diagnostics.retain(|found| found.severity != Severity::Hint);
    }
}

/// Checks the packages of all paths as one tree: names and descriptions are compared across them.
fn check_all(args: &Validate, output: &Output) -> Result<Checked, Failure> {
    let bar = Bar::new(output);
    let sources = args.paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<&dyn SkillSource> = sources.iter().map(|it| it as _).collect();
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = LintOptions { profile: args.profile, threads, ..LintOptions::default() };
    check_trees(&sources, &options, &bar, &Cancel::default()).map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "name a folder that can be read")
    })
}

/// Returns the absolute path of the directory that an argument names.
fn root_of(path: &Path) -> Result<PathBuf, Failure> {
    absolute(&directory_of(path))
}

fn open(path: &Path) -> Result<FsSource, Failure> {
    let root = root_of(path)?;
    if !root.exists() {
        let message = format!("`{}` does not exist", path.display());
        let help = "name a skill, its `SKILL.md` or a folder of skills";
        return Err(Failure::new("path-not-found", message, help));
    }
    let is_package = SKILL_MD_FILES.iter().any(|file| root.join(file).exists());
    let nested = if is_package { Nested::Stop } else { Nested::Descend };
    Ok(source(FsConfig { nested, ..FsConfig::new(root) }))
}

fn summary(checked: &Checked) -> Summary {
    Summary {
        packages: checked.packages.len(),
        valid: checked.packages.iter().filter(|package| package.valid).count(),
        errors: checked.count(Severity::Error),
        warnings: checked.count(Severity::Warning),
        hints: checked.count(Severity::Hint),
    }
}
