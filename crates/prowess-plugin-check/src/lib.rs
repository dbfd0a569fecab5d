//! The kit that plugins are checked with: does a plugin keep the rules of one?
//!
//! Each check has a rule, and reports how the rule is broken and what to do. The checks of the
//! file's bytes run here. Those that open the library run in a process of their own, one for each
//! check, under a deadline: a plugin that crashes or hangs breaks that rule, and the other checks
//! still run. The process has the rights of a plugin in a process of its own, so an operator can
//! check a plugin before it gets more.
//!
//! [`check()`] looks at a plugin; the program of a check's own process calls [`run_check`], and
//! nothing else. `prowess plugin check` is both.
//!
//! ```
//! use prowess_plugin_check::{CheckSetup, check};
//! use prowess_plugin_host::{Origin, PluginPolicy, TrustStore};
//!
//! # let directory = tempfile::tempdir()?;
//! # let file = directory.path().join("notes.so");
//! # std::fs::write(&file, "no library")?;
//! let setup = CheckSetup {
//!     policy: PluginPolicy::default(),
//!     trust: TrustStore::default(), // Nothing is trusted, so nothing is opened.
//!     config: None,
//!     staging: directory.path().to_owned(),
//!     program: "/usr/bin/true".into(),
//!     arguments: Vec::new(),
//!     deadline: std::time::Duration::from_secs(20),
//!     only: Vec::new(),
//! };
//! let report = check(&file, Origin::Named, &setup, &|_, _| {})?;
//! assert!(!report.is_passed(), "it is not a library");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Why a crate of its own: it opens plugins by the host's own parts, the host has no use for it,
//! and an application that loads plugins should not link a test kit.
#![forbid(unsafe_code)]

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

use prowess_plugin_host::kit::{read_bytes, verify_bytes};
use prowess_plugin_host::{
    Inspection, Isolation, Launch, Manifest, Origin, PluginError, PluginPolicy, PluginSettings,
    Staged, TrustStore, inspect, stage,
};

use process::CheckProcess;
use rules::{BEGIN, RULES, Rule};

pub use messages::CheckJudges;
pub use report::{CheckOutcome, CheckReport, CheckResult, CheckSummary};
pub use serve::run_check;

/// How plugins are checked.
#[derive(Clone, Debug)]
pub struct CheckSetup {
    /// The policy of plugins and their settings. Where the policy would let one run does not
    /// matter.
    pub policy: PluginPolicy,
    /// The operator's trust: nothing else is opened.
    pub trust: TrustStore,
    /// The plugin's configuration; `None` for that of the policy's settings.
    pub config: Option<Value>,
    /// Where bytes are put if they cannot be kept in memory: a directory that programs may run
    /// from.
    pub staging: PathBuf,
    /// The program of a check's own process: one that calls [`run_check`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How long each step of a check may take.
    pub deadline: Duration,
    /// The checks that open the library and are run besides `begin`; all, if none is named.
    pub only: Vec<String>,
}

/// The names of the checks that open the library, in their order.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}

/// Checks a plugin. `begun` receives the name of each check that starts a process, and
/// the number of them.
///
/// # Errors
///
/// There is no such file, it lies where no plugin is taken from, or its bytes cannot be put where
/// they can be opened. Whatever else is wrong is in the report.
pub fn check(
    file: &Path,
    origin: Origin,
    setup: &CheckSetup,
    begun: &dyn Fn(&str, usize),
) -> Result<CheckReport, PluginError> {
    let bytes = read_bytes(file, origin, &setup.policy)?;
    let digest = Digest::of(&bytes);
    let inspected = inspect(file, &bytes);
    let mut checks = look_at_file(file, &bytes, &inspected, setup);
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
    checks.run_all(process.as_ref(), &setup.only, begun);
    Ok(CheckReport { file: file.to_owned(), digest, manifest, checks: checks.0 })
}

/// Returns how each check starts its process, with the rights that the operator gives the plugin.
fn launch(file: &Path, library: Staged, manifest: Option<&Manifest>, setup: &CheckSetup) -> Launch {
    let CheckSetup { policy, config, program, arguments, .. } = setup;
    let usual = manifest.and_then(|manifest| policy.settings.get(&manifest.name));
    let PluginSettings { config: usual, rights, .. } = usual.cloned().unwrap_or_default();
    Launch {
        program: program.clone(),
        arguments: arguments.clone(),
        name: manifest.map(|manifest| manifest.name.clone()).unwrap_or_default(),
        file: file.to_owned(),
        library,
        config: config.clone().or(usual),
        limits: policy.limits.clone(),
        sandbox: policy.sandbox,
        rights: rights.unwrap_or_default(),
        shows_conversation: false,
        directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
    }
}

/// Runs the checks that do not open the library.
fn look_at_file(
    file: &Path,
    bytes: &[u8],
    inspected: &Result<Inspection, PluginError>,
    setup: &CheckSetup,
) -> Checks {
    let mut checks = Checks::default();
    let unread = || CheckOutcome::skipped("the file cannot be read as a plugin");
    checks.run("manifest", file::MANIFEST, || match inspected {
        Ok(inspection) => file::manifest(file, inspection),
        Err(error) => file::refused(error),
    });
    checks.run("symbols", file::SYMBOLS, || match inspected {
        Ok(_) => file::symbols(bytes),
        Err(_) => unread(),
    });
    checks.run("linkage", file::LINKAGE, || match inspected {
        Ok(inspection) => file::linkage(file, inspection, &setup.policy),
        Err(_) => unread(),
    });
    checks
}

/// The results so far.
#[derive(Default)]
struct Checks(Vec<CheckResult>);

impl Checks {
    fn run(&mut self, name: &'static str, rule: &'static str, work: impl FnOnce() -> CheckOutcome) {
        let begun = Instant::now();
        let outcome = work();
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.push(CheckResult { name, rule, outcome, duration_ms });
    }

    /// The library to open, if it may be.
    fn trusted(
        &mut self,
        file: &Path,
        bytes: Vec<u8>,
        inspection: Inspection,
        setup: &CheckSetup,
    ) -> Result<Option<Staged>, PluginError> {
        // Each check is a process of its own anyway.
        let policy = PluginPolicy { isolation: Isolation::Process, ..setup.policy.clone() };
        let verified = verify_bytes(file, bytes, inspection, &policy, &setup.trust);
        self.run("trust", file::TRUST, || file::trust(verified.as_ref().err()));
        verified.ok().map(|verified| stage(&verified, &setup.staging)).transpose()
    }

    fn skip_trust(&mut self) -> Option<Staged> {
        self.run("trust", file::TRUST, || CheckOutcome::skipped("it is no plugin"));
        None
    }

    fn run_all(
        &mut self,
        process: Option<&CheckProcess<'_>>,
        only: &[String],
        begun: &dyn Fn(&str, usize),
    ) {
        let is_asked = |rule: &&Rule| {
            only.is_empty() || rule.name == BEGIN || only.iter().any(|name| name == rule.name)
        };
        let count = RULES.iter().filter(is_asked).count();
        let mut has_begun = true;
        for rule in RULES.iter().filter(is_asked) {
            begun(rule.name, count);
            self.run(rule.name, rule.rule, || match process {
                None => CheckOutcome::skipped("nothing was executed"),
                Some(_) if !has_begun && !rule.is_for_beginnings => {
                    CheckOutcome::skipped("it does not begin")
                }
                Some(process) => process.run(rule),
            });
            let is_failed = self.0.last().is_some_and(|check| check.outcome.is_failed());
            has_begun &= rule.name != BEGIN || !is_failed;
        }
    }
}
