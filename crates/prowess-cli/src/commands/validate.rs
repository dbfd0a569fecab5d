//! `prowess validate`: checks packages against a profile.

mod boxxy;
mod fixing;
mod input;
mod progress;
mod roles;
mod show;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use prowess::format::Profile;
use prowess::lint::{Alike, Checked, LintOptions, PackageReport, check_trees, github, sarif};
use prowess::{Cancel, Diagnostic, Policies, Severity, SkillSource};
use serde::Serialize;

use crate::args::{Format, Global, Validate};
use crate::commands::skills_ref;
use crate::failure::Failure;
use crate::output::Output;
use crate::paths::working_directory;
use crate::policies::{chosen_profile, policies};
use fixing::{FixedFile, Fixes};
use input::{Input, exists_outside, name_stdin, root_of};
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
    /// The text of standard input, if it was checked.
    #[serde(skip)]
    stdin: Option<Vec<u8>>,
}

#[derive(Serialize)]
struct Summary {
    packages: usize,
    valid: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
}

/// The settings of a run: the configuration, with the options of the command line over it.
struct Settings {
    policies: Policies,
    profile: Profile,
}

impl Settings {
    fn of(global: &Global, args: &Validate) -> Result<Self, Failure> {
        let policies = policies(global)?;
        let profile = match args.profile {
            Some(profile) => profile,
            None => chosen_profile(global)?.unwrap_or(Profile::Spec),
        };
        Ok(Self { policies, profile })
    }
}

pub(crate) fn run(global: &Global, args: &Validate, output: &Output) -> Result<ExitCode, Failure> {
    let settings = Settings::of(global, args)?;
    let input = Input::open(&args.paths, &settings.policies.discovery)?;
    let mut checked = check_all(&input, &settings, output)?;
    let is_single = checked.packages.len() <= args.paths.len() && input.stdin.is_none();
    if settings.profile == Profile::SkillsRef && output.is_text() && is_single && !args.fix {
        return skills_ref::validate(&args.paths, output);
    }
    if checked.packages.is_empty() && checked.count(Severity::Error) == 0 {
        let message = "there is no skill in what was named";
        let help = "name a folder that holds a `SKILL.md`";
        return Err(Failure::new("skill-md-missing", message, help));
    }
    let mut fixes = Fixes::default();
    if args.fix && input.stdin.is_some() {
        let message = "`--fix` writes files, and standard input is none";
        return Err(Failure::usage("stdin-not-fixable", message, "name the file"));
    }
    if args.fix {
        let roots = args.paths.iter().map(|path| root_of(path)).collect::<Result<Vec<_>, _>>()?;
        fixes = Fixes::of(&roots, &checked.packages, args.dry_run);
        if !args.dry_run && !fixes.files.is_empty() {
            checked = check_all(&input, &settings, output)?;
        }
        checked.problems.append(&mut fixes.problems);
    }
    let is_valid = checked.count(Severity::Error) == 0;
    let run = Run { args, profile: settings.profile, stdin: input.stdin };
    print(run, checked, fixes.files, output)?;
    Ok(ExitCode::from(u8::from(!is_valid)))
}

/// A finished run.
struct Run<'a> {
    args: &'a Validate,
    profile: Profile,
    stdin: Option<Vec<u8>>,
}

fn print(
    run: Run<'_>,
    mut checked: Checked,
    fixed: Vec<FixedFile>,
    output: &Output,
) -> Result<(), Failure> {
    let Run { args, profile, stdin } = run;
    let base = working_directory()?.to_string_lossy().into_owned();
    match output.format() {
        Format::Sarif => return output.json(&sarif(&checked, &base, env!("CARGO_PKG_VERSION"))),
        Format::Github => {
            if !args.hints {
                leave_out_hints(&mut checked);
            }
            return output.data(&github(&checked, &base));
        }
        Format::Text | Format::Json => {}
    }
    let summary = summary(&checked);
    let Checked { packages, problems, alike } = checked;
    let roles = args.roles.then(|| Roles::of(&packages));
    let diagnostics = problems;
    let validated =
        Validated { profile, packages, summary, diagnostics, alike, fixed, roles, stdin };
    output.result(&validated, |validated| show::text(validated, args, &base))
}

fn leave_out_hints(checked: &mut Checked) {
    let reports = checked.packages.iter_mut().map(|package| &mut package.diagnostics);
    for diagnostics in reports.chain([&mut checked.problems]) {
        diagnostics.retain(|found| found.severity != Severity::Hint);
    }
}

/// Checks the packages of all paths as one tree: names and descriptions are compared across them.
fn check_all(input: &Input, settings: &Settings, output: &Output) -> Result<Checked, Failure> {
    let bar = Bar::new(output);
    let sources: Vec<&dyn SkillSource> = input.sources.iter().map(AsRef::as_ref).collect();
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let registry = &settings.policies.registry;
    let options = LintOptions {
        profile: settings.profile,
        name_rule: registry.name_rule,
        limits: registry.limits,
        checks_files: input.stdin.is_none(),
        exists_outside: &exists_outside,
        threads,
        ..LintOptions::default()
    };
    let checked = check_trees(&sources, &options, &bar, &Cancel::default());
    let mut checked = checked.map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "name a folder that can be read")
    })?;
    if input.stdin.is_some() {
        name_stdin(&mut checked);
    }
    Ok(checked)
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
