//! `prowess validate`: checks packages against a profile.

mod fixing;
mod input;
mod progress;
mod roles;
mod show;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use prowess::format::Profile;
use prowess::lint::codes::DESCRIPTION_DUPLICATE;
use prowess::lint::{
    Alike, Checked, Likeness, LintOptions, PackageReport, Progress, check_trees, github, sarif,
};
use prowess::registry::codes::SKILL_COLLISION;
use prowess::registry::{Collision, IdFrom};
use prowess::{Cancel, Catalog, Diagnostic, Policies, Runtime, Severity, SkillSource};
use prowess_text::quoted;
use serde::Serialize;

use crate::args::{Format, Global, Validate};
use crate::commands::elsewhere::sources_of;
#[cfg(feature = "reference")]
use crate::commands::skills_ref;
use crate::commands::user_trust::{UserTrust, trusted_folders};
use crate::drift::{self, Facts, Machine};
use crate::failure::Failure;
use crate::features;
use crate::lock_place::of_directory;
use crate::output::Output;
use crate::paths::working_directory;
use crate::plugins::Loaded;
use crate::policies::{chosen_profile, ignored_project_file, policies};
use crate::runtime::builder_with;
use crate::terminal::plain_lines;
use fixing::{FixedFile, Fixes};
use input::{Input, exists_outside, name_stdin};
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
    /// Whether nothing chose the profile, so that the place of a skill may.
    is_by_place: bool,
    above: Above,
}

impl Settings {
    fn of(global: &Global, profile: Option<Profile>) -> Result<Self, Failure> {
        let policies = policies(global)?;
        let chosen = match profile {
            Some(profile) => Some(profile),
            None => chosen_profile(global)?,
        };
        let profile = chosen.unwrap_or(Profile::Spec);
        Ok(Self { policies, profile, is_by_place: chosen.is_none(), above: Above::default() })
    }

    /// Returns the profile of what is at a path, where it is not that of the others: only its own
    /// client reads a directory or a plugin, and these clients document further fields.
    fn profile_of(&self, path: &str) -> Option<Profile> {
        const WITH_FIELDS: [&str; 3] = [".copilot", ".cursor", ".github"];
        let is_in = |names: &[&str]| path.split('/').any(|part| names.contains(&part));
        let profile = if is_in(&[".claude"]) || self.above.is_in_plugin(path.as_ref()) {
            Profile::ClaudeCode
        } else {
            Some(Profile::Extended).filter(|_| is_in(&WITH_FIELDS))?
        };
        self.is_by_place.then_some(profile)
    }
}

/// The directory that was asked about last, and whether it is in a plugin of Claude Code. The
/// skills of a tree mostly have the same ones above them.
#[derive(Default)]
struct Above(Mutex<(PathBuf, bool)>);

impl Above {
    /// Returns whether a path is in a plugin of Claude Code, or in a repository of such plugins,
    /// but in no directory of another client there.
    fn is_in_plugin(&self, path: &Path) -> bool {
        let Some(parent) = path.parent().filter(|_| path.is_absolute()) else { return false };
        !is_hidden(path) && (self.is_directory_in_plugin(parent) || has_manifest(path))
    }

    fn is_directory_in_plugin(&self, directory: &Path) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != directory {
            let is_in_plugin =
                directory.ancestors().take_while(|it| !is_hidden(it)).any(has_manifest);
            *last = (directory.to_owned(), is_in_plugin);
        }
        last.1
    }
}

fn has_manifest(directory: &Path) -> bool {
    const MANIFESTS: [&str; 2] = ["plugin.json", "marketplace.json"];
    let directory = directory.join(".claude-plugin");
    // Most directories have none: one call says so.
    directory.is_dir() && MANIFESTS.iter().any(|file| directory.join(file).is_file())
}

fn is_hidden(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

pub(crate) fn run(global: &Global, args: &Validate, output: &Output) -> Result<ExitCode, Failure> {
    if args.schema {
        return schema(args.profile.unwrap_or(Profile::Spec), output);
    }
    let settings = Settings::of(global, args.profile)?;
    if settings.profile == Profile::SkillsRef {
        let is_option = args.profile == Some(Profile::SkillsRef);
        let what = if is_option { "--profile skills-ref" } else { "registry.profile: skills-ref" };
        features::require("reference", what)?;
    }
    output.diagnostics(&ignored_project_file(global)?);
    let input = Input::open(global, &args.paths, &settings.policies.discovery)?;
    let mut checked = check_all(global, &input, &settings, output)?;
    #[cfg(feature = "reference")]
    let is_single = checked.packages.len() <= args.paths.len() && input.stdin.is_none();
    #[cfg(feature = "reference")]
    if settings.profile == Profile::SkillsRef && output.is_text() && is_single && !args.fix {
        return skills_ref::validate(&args.paths, output);
    }
    if checked.packages.is_empty() && checked.count(Severity::Error) == 0 {
        let paths: Vec<_> = args.paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let message = format!("no skills found in {}", paths.join(", "));
        // Such as a limit that ended the search.
        output.diagnostics(&checked.problems);
        let help = "name a folder that holds a `SKILL.md`";
        return Err(Failure::new("skill-md-missing", message, help));
    }
    let mut fixes = Fixes::default();
    if args.fix && input.stdin.is_some() {
        let message = "`--fix` writes files, and standard input is none";
        return Err(Failure::usage("stdin-not-fixable", message, "name the file"));
    }
    if args.fix {
        fixes = Fixes::of(&input.roots, &checked.packages, args.dry_run);
        if !args.dry_run && !fixes.files.is_empty() {
            checked = check_all(global, &input, &settings, output)?;
        }
        checked.problems.append(&mut fixes.problems);
    }
    let is_valid = checked.count(Severity::Error) == 0;
    let run = Run { args, profile: settings.profile, stdin: input.stdin };
    let kept = fixes.keep_reviews(global, output);
    print(run, checked, fixes.files, output)?;
    kept?;
    Ok(ExitCode::from(u8::from(!is_valid)))
}

/// Prints the frontmatter of a profile as a JSON Schema, which is JSON in either format.
fn schema(profile: Profile, output: &Output) -> Result<ExitCode, Failure> {
    output.json(&prowess::format::schema::frontmatter(profile))?;
    Ok(ExitCode::SUCCESS)
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
            return output.data(&plain_lines(&github(&checked, &base)));
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
        // That a change made a skill stale belongs where the change is reviewed.
        let is_kept =
            |it: &Diagnostic| it.severity != Severity::Hint || drift::CODES.contains(&it.code);
        diagnostics.retain(is_kept);
    }
}

/// Checks the packages of all paths as one tree: names and descriptions are compared across them.
fn check_all(
    global: &Global,
    input: &Input,
    settings: &Settings,
    output: &Output,
) -> Result<Checked, Failure> {
    let bar = Bar::new(output);
    let sources: Vec<&dyn SkillSource> = input.sources.iter().map(AsRef::as_ref).collect();
    let files = if input.stdin.is_some() { Files::Ignored } else { Files::Checked };
    let (global, roots) = (global.clone(), input.roots.clone());
    let facts = Facts::new(move || machine(&global, &roots));
    let mut checked = check_sources(&sources, settings, files, &facts, &bar)?;
    checked.problems.extend(facts.unchecked());
    if input.stdin.is_some() {
        name_stdin(&mut checked);
    }
    Ok(checked)
}

/// Returns the skills of this machine. No plugin is started.
fn catalog(global: &Global) -> Option<Arc<Catalog>> {
    let policies = Policies { plugins: Default::default(), ..policies(global).ok()? };
    Some(builder_with(global, policies, &Loaded::none()).ok()?.build().ok()?.catalog())
}

/// Returns the skills of this machine, and those of the checked directories.
fn machine(global: &Global, roots: &[PathBuf]) -> Option<Machine> {
    let scripts = policies(global).ok()?.scripts;
    let catalog = catalog(global)?;
    let checked = roots.iter().filter_map(|root| {
        let built = Runtime::builder().tree("user", root.clone()).build();
        built.ok().map(|runtime| runtime.catalog())
    });
    let checked = checked.collect();
    let trusted = UserTrust::of(&catalog).ok()?.trusted_sources(&catalog);
    let folders = trusted_folders().ok()?;
    Some(Machine { catalog, trusted, folders, checked, scripts })
}

/// Whether the files of a package are checked, besides its `SKILL.md`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Checked,
    Ignored,
}

/// Checks the packages of a source by the configuration, and returns the profile with the result.
pub(crate) fn check_source(
    global: &Global,
    source: &dyn SkillSource,
    facts: &Facts<'_>,
    progress: &dyn Progress,
) -> Result<(Profile, Checked), Failure> {
    let settings = Settings::of(global, None)?;
    let checked = check_sources(&[source], &settings, Files::Checked, facts, progress)?;
    let profile = settings.profile_of(source.root()).unwrap_or(settings.profile);
    Ok((profile, checked))
}

fn check_sources(
    sources: &[&dyn SkillSource],
    settings: &Settings,
    files: Files,
    facts: &Facts<'_>,
    progress: &dyn Progress,
) -> Result<Checked, Failure> {
    let registry = &settings.policies.registry;
    let today = drift::today();
    let options = LintOptions {
        profile: settings.profile,
        profile_of: &|path| settings.profile_of(path),
        name_rule: registry.name_rule,
        name_mismatch: registry.name_mismatch,
        skill_md_case: registry.skill_md_case,
        limits: registry.limits,
        checks_files: files == Files::Checked,
        exists_outside: &exists_outside,
        facts: &|dependency| facts.of(dependency),
        today: today.as_deref(),
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        ..LintOptions::default()
    };
    let checked = check_trees(sources, &options, progress, &Cancel::default());
    let mut checked = checked.map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "name a folder that can be read")
    })?;
    leave_out_installed(&mut checked);
    if registry.collision == Collision::Error && registry.id_from == IdFrom::Name {
        report_collisions(&mut checked.packages);
    }
    Ok(checked)
}

/// Takes away that a copy which a lock file places is like another one, or like where it comes from:
/// they are one installed skill.
fn leave_out_installed(checked: &mut Checked) {
    let Checked { packages, alike, .. } = checked;
    alike.retain(|Alike { one, other, likeness, .. }| {
        let is_one = || installed_at(one).is_some_and(|it| installed_at(other) == Some(it));
        let is_again = *likeness == Likeness::Duplicate && is_one();
        for package in packages.iter_mut().filter(|it| is_again && it.path == *other) {
            package.diagnostics.retain(|found| found.code != DESCRIPTION_DUPLICATE);
        }
        !is_again
    });
}

/// Returns the installed skill that a directory is, and its lock file.
fn installed_at(directory: &str) -> Option<(PathBuf, String)> {
    let directory = Path::new(directory);
    of_directory(directory).ok()?.into_iter().find_map(|file| {
        let from = || sources_of(&file).into_iter().find(|(_, it)| it == directory);
        let id = file.placed_at(directory).ok()?.or_else(|| Some(from()?.0))?;
        Some((file.path().to_owned(), id))
    })
}

/// Adds the error of the registry to each skill that has a name of another one: it leaves out both.
fn report_collisions(packages: &mut [PackageReport]) {
    let mut paths = HashMap::<_, Vec<_>>::new();
    for PackageReport { name, path, .. } in packages.iter().filter(|it| it.name.is_some()) {
        paths.entry(name.clone()).or_default().push(path.clone());
    }
    for package in packages {
        let mut others = paths.get(&package.name).into_iter().flatten();
        let Some(other) = others.find(|path| **path != package.path) else { continue };
        let message = format!("{} has the same name, so neither is used", quoted(other));
        let help = "rename or remove one of the two";
        let found = Diagnostic::new(SKILL_COLLISION, Severity::Error, message, help);
        package.diagnostics.push(found.in_file(format!("{}/{}", package.path, package.file)));
        package.valid = false;
    }
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
