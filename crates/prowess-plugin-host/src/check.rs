//! Tests plugins: checks that a plugin follows the rules for plugins.
//!
//! Each check has a rule, and reports how the rule is violated and how to fix it. The checks of the
//! file's bytes run in this process. Each check that opens the library runs in a separate process
//! with a timeout: a plugin that crashes or hangs fails that check, and the others still run. The
//! process is confined like that of a plugin in use, so an operator can check a plugin before
//! granting it more rights.
//!
//! [`check()`] checks a plugin. The program that it starts for each check calls [`run_check`] and
//! does nothing else. `prowess plugin check` does both.
//!
//! ```
//! use prowess_plugin_host::check::{CheckSetup, check};
//! use prowess_plugin_host::{PluginPolicy, TrustStore};
//!
//! # let directory = tempfile::tempdir()?;
//! # let file = directory.path().join("notes.so");
//! # std::fs::write(&file, "no library")?;
//! let setup = CheckSetup {
//!     policy: PluginPolicy::default(),
//!     trust: TrustStore::default(), // Nothing is trusted, so no library is opened.
//!     config: None,
//!     staging: directory.path().to_owned(),
//!     program: "/usr/bin/true".into(),
//!     arguments: Vec::new(),
//!     deadline: std::time::Duration::from_secs(20),
//!     only: Vec::new(),
//! };
//! let report = check(&file, &setup, &|_, _| {})?;
//! assert!(!report.is_passed(), "the file is not a library");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The feature `check` provides this module, because a program that only loads plugins does not
//! need a test kit.

mod file;
mod junit;
mod messages;
mod probe;
mod process;
mod recorder;
mod report;
mod rules;
mod serve;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use prowess_core::Digest;
use serde_json::Value;

use crate::location;
use crate::verify::verify_bytes;
use crate::{
    Inspection, Isolation, Launch, Manifest, PluginError, PluginPolicy, PluginSettings, Staged,
    TrustStore, inspect, stage,
};

use process::CheckProcess;
use rules::{BEGIN, RULES, Rule};

pub use messages::CheckJudges;
pub use report::{CheckOutcome, CheckReport, CheckResult, CheckSummary};
pub use serve::run_check;

/// The parameters of a check.
#[derive(Clone, Debug)]
pub struct CheckSetup {
    /// The policy for plugins, with their settings. Its isolation is ignored.
    pub policy: PluginPolicy,
    /// The operator's trust store. Only trusted libraries are opened.
    pub trust: TrustStore,
    /// The plugin's configuration; `None` to use the one in the policy's settings.
    pub config: Option<Value>,
    /// The directory for libraries that cannot be kept in memory. Its file system must allow
    /// programs to run.
    pub staging: PathBuf,
    /// The program that runs checks in separate processes. It calls [`run_check`].
    pub program: PathBuf,
    /// The arguments of that program.
    pub arguments: Vec<OsString>,
    /// The time limit of each step of a check.
    pub deadline: Duration,
    /// The names of the checks to run in addition to `begin`, of those that open the library. If
    /// empty, all of them are run.
    pub only: Vec<String>,
}

/// Returns the names of the checks that open the library, in order.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}

/// Checks a plugin. `on_start` is called before each check that starts a process, with its name and
/// the number of these checks.
///
/// # Errors
///
/// Returns an error if the file does not exist, its location is not allowed, or it cannot be copied
/// to where it can be opened. All other problems are in the report.
pub fn check(
    file: &Path,
    setup: &CheckSetup,
    on_start: &dyn Fn(&str, usize),
) -> Result<CheckReport, PluginError> {
    let bytes = location::open(file)?.read(&setup.policy)?;
    let digest = Digest::of(&bytes);
    let inspected = inspect(file, &bytes);
    let mut checks = check_file(file, &bytes, &inspected, setup);
    let inspection = inspected.ok();
    let manifest = inspection.as_ref().map(|inspection| inspection.manifest.clone());
    let library = match inspection {
        Some(inspection) => checks.trusted(file, bytes, inspection, setup)?,
        None => checks.skip_trust(),
    };
    let process = library.map(|library| CheckProcess {
        setup,
        launch: launch(file, library, manifest.as_ref(), setup),
    });
    checks.run_all(process.as_ref(), &setup.only, on_start);
    Ok(CheckReport { file: file.to_owned(), digest, manifest, checks: checks.0 })
}

/// Returns the parameters of the process of each check, with the plugin's rights.
fn launch(file: &Path, library: Staged, manifest: Option<&Manifest>, setup: &CheckSetup) -> Launch {
    let CheckSetup { policy, config, program, arguments, .. } = setup;
    let settings = manifest.and_then(|manifest| policy.settings.get(&manifest.name));
    let PluginSettings { config: default_config, rights, .. } =
        settings.cloned().unwrap_or_default();
    Launch {
        program: program.clone(),
        arguments: arguments.clone(),
        name: manifest.map(|manifest| manifest.name.clone()).unwrap_or_default(),
        file: file.to_owned(),
        library,
        config: config.clone().or(default_config),
        limits: policy.limits.clone(),
        sandbox: policy.sandbox,
        rights: rights.unwrap_or_default(),
        shows_conversation: false,
        directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
    }
}

/// Runs the checks that do not open the library.
fn check_file(
    file: &Path,
    bytes: &[u8],
    inspected: &Result<Inspection, PluginError>,
    setup: &CheckSetup,
) -> Checks {
    let mut checks = Checks::default();
    let not_a_plugin = || CheckOutcome::skipped("the file is not a plugin");
    checks.run("manifest", file::MANIFEST, || match inspected {
        Ok(inspection) => file::manifest(file, inspection),
        Err(error) => file::refused(error),
    });
    checks.run("symbols", file::SYMBOLS, || match inspected {
        Ok(_) => file::symbols(bytes),
        Err(_) => not_a_plugin(),
    });
    checks.run("linkage", file::LINKAGE, || match inspected {
        Ok(inspection) => file::linkage(file, inspection, &setup.policy),
        Err(_) => not_a_plugin(),
    });
    checks
}

/// The results so far.
#[derive(Default)]
struct Checks(Vec<CheckResult>);

impl Checks {
    fn run(&mut self, name: &'static str, rule: &'static str, work: impl FnOnce() -> CheckOutcome) {
        let start = Instant::now();
        let outcome = work();
        let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.push(CheckResult { name, rule, outcome, duration_ms });
    }

    /// Checks trust, and returns the staged library if it is trusted.
    fn trusted(
        &mut self,
        file: &Path,
        bytes: Vec<u8>,
        inspection: Inspection,
        setup: &CheckSetup,
    ) -> Result<Option<Staged>, PluginError> {
        // Each check runs in a separate process anyway.
        let policy = PluginPolicy { isolation: Isolation::Process, ..setup.policy.clone() };
        let verified = verify_bytes(file, bytes, inspection, &policy, &setup.trust);
        self.run("trust", file::TRUST, || file::trust(verified.as_ref().err()));
        verified.ok().map(|verified| stage(&verified, &setup.staging)).transpose()
    }

    fn skip_trust(&mut self) -> Option<Staged> {
        self.run("trust", file::TRUST, || CheckOutcome::skipped("the file is not a plugin"));
        None
    }

    fn run_all(
        &mut self,
        process: Option<&CheckProcess<'_>>,
        only: &[String],
        on_start: &dyn Fn(&str, usize),
    ) {
        let is_selected = |rule: &&Rule| {
            only.is_empty() || rule.name == BEGIN || only.iter().any(|name| name == rule.name)
        };
        let count = RULES.iter().filter(is_selected).count();
        let mut can_start = true;
        for rule in RULES.iter().filter(is_selected) {
            on_start(rule.name, count);
            self.run(rule.name, rule.rule, || match process {
                None => CheckOutcome::skipped("nothing was executed"),
                Some(_) if !can_start && !rule.runs_without_start => {
                    CheckOutcome::skipped("the plugin does not start")
                }
                Some(process) => process.run(rule),
            });
            let is_failed = self.0.last().is_some_and(|check| check.outcome.is_failed());
            can_start &= rule.name != BEGIN || !is_failed;
        }
    }
}
