//! `prowess doctor`: every problem of this setup, and whether file changes are detected.

mod authoring;
mod sandbox;
mod state;

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

use prowess::registry::codes::SOURCE_FAILED;
use prowess::registry::{RefreshMode, RefreshPolicy};
use prowess::source_fs::codes::ROOT_MISSING;
use prowess::{Cancel, Catalog, CatalogSource, Diagnostic, Record, Runtime, Severity};
use prowess_store::LockFile;
use prowess_store::codes::PACKAGE_CHANGED;
use serde::Serialize;

use crate::args::Global;
use crate::catalog_root;
use crate::commands::composed::InPrompt;
use crate::commands::elsewhere::Elsewhere;
use crate::commands::own_copies::elsewhere;
use crate::commands::user_trust::{self, UserTrust};
use crate::drift::{Facts, Machine};
use crate::failure::Failure;
use crate::lock_place::{self, shown_root};
use crate::output::{DIM, HEADING, Output, counted, write_diagnostic};
use crate::paths;
use crate::plugins::{self, Loaded};
use crate::policies::{Found, policies};
use crate::runtime::builder_with;
use crate::terminal::{columns_behind, plain, wrapped};

use authoring::Authoring;
use sandbox::Sandbox;

/// The output of `doctor --format json`.
#[derive(Serialize)]
pub(crate) struct Checked<'c> {
    healthy: bool,
    generation: u64,
    roots: Vec<Root<'c>>,
    diagnostics: Vec<&'c Diagnostic>,
    /// What `validate` reports about the same roots.
    authoring: Vec<Authoring>,
    sandbox: Sandbox,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_prompt: Option<InPrompt>,
}

#[derive(Serialize)]
struct Root<'c> {
    layer: &'c str,
    trust: &'static str,
    source: &'c str,
    root: &'c str,
    exists: bool,
    skills: usize,
    /// Whether the user trusts the directory of a layer that asks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_by_user: Option<bool>,
    #[serde(flatten)]
    changes: Changes,
}

/// How a server detects changes of a root.
#[derive(Serialize)]
#[serde(tag = "changes", rename_all = "snake_case")]
enum Changes {
    /// The operating system reports them.
    Watched,
    /// By a scan every few seconds.
    Polled { reason: String },
    /// By a scan at the start of a model call, if the catalog is old.
    Aged { reason: String },
    /// Only on request.
    Manual { reason: String },
}

#[derive(Serialize)]
struct Summary {
    skills: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
}

/// Runs the command. The exit code is 1 if there is an error.
///
/// A fault that ends other commands is a finding here, and the report is about the rest.
pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let print = |checked: &Checked<'_>| output.result(checked, text).map(|()| checked.healthy);
    Ok(if with_checked(global, print)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Passes on what the command finds.
pub(crate) fn with_checked<R>(
    global: &Global,
    then: impl FnOnce(&Checked<'_>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let (found, failures) = Found::usable(global);
    let mut further: Vec<_> = failures.iter().map(Failure::left_out).collect();
    let global = &with_usable_roots(global.with(found), &mut further)?;
    let runtime = runtime(global, &mut further)?;
    further.extend(state::findings(global, runtime.policies()));
    let catalog = runtime.catalog();
    // The default of `serve`.
    let mut refresh = runtime.policies().refresh;
    refresh.mode.get_or_insert(RefreshMode::Watch);
    let trust = UserTrust::of(&catalog)?;
    let machine = Machine {
        catalog: Arc::clone(&catalog),
        trusted: trust.trusted_sources(&catalog),
        folders: user_trust::trusted_folders()?,
        checked: Vec::new(),
        scripts: runtime.policies().scripts.clone(),
    };
    let facts = Facts::new(|| Some(machine));
    let authoring = authoring::check(global, &catalog, &facts)?;
    further.extend(facts.unchecked());
    let sandbox = Sandbox::probe(runtime.policies())?;
    let in_prompt = InPrompt::of(&runtime).unwrap_or_else(|failure| {
        further.push(failure.to_diagnostic());
        None
    });
    further.extend(changed_packages(&catalog));
    further.extend(elsewhere(&catalog));
    let locks = lock_place::all(&paths::surroundings()?, &runtime.policies().discovery);
    further.extend(locks.iter().flat_map(LockFile::findings));
    further.extend(Elsewhere::with_insides(global, runtime.policies(), &catalog)?.findings());
    let checked = checked(&catalog, &further, refresh, authoring, sandbox, &trust);
    then(&Checked { in_prompt, ..checked })
}

/// Returns the options without the roots that cannot be read.
fn with_usable_roots(mut global: Global, further: &mut Vec<Diagnostic>) -> Result<Global, Failure> {
    let mut named = Vec::new();
    for root in std::mem::take(&mut global.skills.root) {
        let directory = paths::absolute(&root.directory)?;
        match (fs::read_dir(&directory), catalog_root::is_meant(&root)) {
            // The registry reports a catalog that cannot be used.
            (_, Ok(true)) | (Ok(_), _) => named.push(root),
            (_, Err(failure)) => further.push(failure.to_diagnostic()),
            (Err(error), _) => {
                let path = directory.display().to_string();
                let message = format!("the directory of skills `{path}` cannot be read: {error}");
                let help = "name a directory that holds the skills' directories";
                let found = Diagnostic::new(ROOT_MISSING, Severity::Error, message, help);
                further.push(found.in_file(&*path));
            }
        }
    }
    global.skills.root = named;
    Ok(global)
}

/// Builds the runtime of what can be used: without the plugins that cannot start.
fn runtime(global: &Global, further: &mut Vec<Diagnostic>) -> Result<Runtime, Failure> {
    let mut policies = policies(global)?;
    let loaded = plugins::load_reported(global, &policies);
    let built = builder_with(global, policies.clone(), &loaded)
        .and_then(|it| Ok(it.keep_files().build()?));
    built.or_else(|failure| {
        further.push(failure.to_diagnostic());
        policies.plugins.built_in = None;
        further.extend(loaded.failures);
        Ok(builder_with(global, policies, &Loaded::none())?.build()?)
    })
}

/// Reports installed packages whose files are not the locked ones. They may be in a kept scan.
fn changed_packages(catalog: &Catalog) -> Vec<Diagnostic> {
    let changed = |skill: Record<'_>| {
        let source = &catalog.sources()[skill.index().source()].source;
        let found = || catalog.package_contents(skill, &Cancel::default()).err();
        let error = Some(source).filter(|source| source.name() == "store").and_then(|_| found())?;
        let sync = "run `prowess sync` to install it again";
        let (message, help) = error.message.rsplit_once("; ").unwrap_or((&error.message, sync));
        Some(Diagnostic::new(PACKAGE_CHANGED, Severity::Error, message, help))
    };
    catalog.skills().filter_map(changed).collect()
}

fn checked<'c>(
    catalog: &'c Catalog,
    further: &'c [Diagnostic],
    refresh: RefreshPolicy,
    authoring: Vec<Authoring>,
    sandbox: Sandbox,
    trust: &UserTrust,
) -> Checked<'c> {
    // The findings about lock files name the files.
    let is_lock = |found: &Diagnostic| {
        found.code == SOURCE_FAILED
            && found.path.as_deref().is_some_and(|path| path.starts_with(paths::LOCKED))
    };
    let of_catalog = catalog.diagnostics().filter(|found| !is_lock(found));
    let mut diagnostics: Vec<_> = further.iter().chain(of_catalog).collect();
    let count = |severity| diagnostics.iter().filter(|found| found.severity == severity).count();
    let summary = Summary {
        skills: catalog.len(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        hints: count(Severity::Hint),
    };
    // A stable sort keeps the order within one severity.
    diagnostics.sort_by_key(|found| Reverse(found.severity));
    let is_shown = |root: &str| root.starts_with('/') || paths::is_there(root);
    let roots = catalog.sources().iter().enumerate().filter(|(_, it)| is_shown(it.source.root()));
    Checked {
        healthy: summary.errors == 0 && authoring.iter().all(|root| root.errors == 0),
        generation: catalog.generation(),
        roots: roots.map(|(at, source)| root(catalog, at, source, refresh, trust)).collect(),
        diagnostics,
        authoring,
        sandbox,
        summary,
        in_prompt: None,
    }
}

fn root<'c>(
    catalog: &'c Catalog,
    at: usize,
    source: &'c CatalogSource,
    refresh: RefreshPolicy,
    trust: &UserTrust,
) -> Root<'c> {
    let layer = &catalog.layers()[source.layer];
    Root {
        layer: &layer.name,
        trust: layer.trust.as_str(),
        source: source.source.name(),
        root: source.source.root(),
        exists: paths::is_there(source.source.root()),
        skills: catalog.len_of(at),
        trusted_by_user: trust.in_source(at),
        changes: changes(source, refresh),
    }
}

/// Returns how changes are detected. With the policy `watch`, tries to watch.
fn changes(source: &CatalogSource, refresh: RefreshPolicy) -> Changes {
    let policy = |mode: &str| format!("the policy is `refresh: {{ mode: {mode} }}`");
    match refresh.mode() {
        RefreshMode::Manual => Changes::Manual { reason: policy("manual") },
        RefreshMode::Ttl => Changes::Aged {
            reason: format!("{}, {} s after the last scan", policy("ttl"), refresh.ttl().as_secs()),
        },
        RefreshMode::Poll => Changes::Polled { reason: policy("poll") },
        RefreshMode::Watch => match source.source.watch(Arc::new(|_| {})) {
            Ok(Some(_)) => Changes::Watched,
            Ok(None) => Changes::Polled { reason: "its source does not report changes".to_owned() },
            Err(error) => Changes::Polled { reason: error.to_string() },
        },
    }
}

/// The number of columns in front of what is known of a root.
const ROOT_MARGIN: usize = 6;

fn text(checked: &Checked<'_>) -> String {
    let Summary { skills, errors, warnings, hints } = checked.summary;
    let mut text = String::new();
    for found in &checked.diagnostics {
        write_diagnostic(&mut text, found);
        text.push('\n');
    }
    let _ = writeln!(text, "{HEADING}Roots{HEADING:#}, highest precedence first");
    for root in checked.roots.iter().filter(|root| root.exists) {
        let _ = writeln!(text, "  {}", shown_root(root.root));
        let skills = counted(root.skills, "skill");
        let changes = described(&root.changes);
        let layer = plain(root.layer);
        let trust = user_trust::described(root.trust, root.trusted_by_user);
        let line = format!("{layer} layer · {trust} · {skills} · {changes}");
        let line = wrapped(&line, columns_behind(ROOT_MARGIN), ROOT_MARGIN);
        let _ = writeln!(text, "      {DIM}{line}{DIM:#}");
    }
    let missing: Vec<_> = checked.roots.iter().filter(|root| !root.exists).collect();
    if !missing.is_empty() {
        let _ = writeln!(text, "\n{HEADING}Also looked in{HEADING:#} (none there)");
    }
    for root in missing {
        let _ = writeln!(text, "  {}  {DIM}{}{DIM:#}", plain(root.root), plain(root.layer));
    }
    authoring::write(&mut text, &checked.authoring);
    checked.sandbox.write(&mut text);
    let found = [(errors, "error"), (warnings, "warning"), (hints, "hint")];
    let found = found.map(|(number, word)| counted(number, word)).join(", ");
    let authors: usize = checked.authoring.iter().map(|root| root.errors).sum();
    let authors = match (errors, authors) {
        (0, 1..) => format!("; {} for authors", counted(authors, "error")),
        _ => String::new(),
    };
    let _ = writeln!(text, "\n{}: {found}{authors}", counted(skills, "skill"));
    if let Some(in_prompt) = &checked.in_prompt {
        let _ = writeln!(text, "{}", wrapped(&in_prompt.sentence(), columns_behind(0), 0));
    }
    text
}

fn described(changes: &Changes) -> String {
    match changes {
        Changes::Watched => "watched for changes".to_owned(),
        Changes::Polled { reason } => format!("polled for changes: {}", plain(reason)),
        Changes::Aged { reason } => {
            format!("scanned when a model call starts: {}", plain(reason))
        }
        Changes::Manual { reason } => format!("reloaded on SIGHUP only: {}", plain(reason)),
    }
}
