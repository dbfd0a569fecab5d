//! The kit that plugins are checked with: does one keep what it promises by being a plugin?
//!
//! Each check has a rule, and says how it is broken and what to do. What looks at the file's bytes runs
//! here. What opens the library runs in a process of its own, one for each check and for so long: a
//! plugin that crashes or hangs breaks that rule, and the others are still looked at.

mod file;
mod junit;
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

use crate::verify::verify_bytes;
use crate::{
    Inspection, Isolation, Origin, PluginError, PluginPolicy, Staged, TrustStore, inspect, place,
    stage,
};

use process::CheckProcess;
use rules::{BEGIN, RULES, Rule};

pub use report::{CheckOutcome, CheckReport, CheckResult, CheckSummary};
pub use serve::{CheckJudges, run_check};

/// How plugins are checked.
#[derive(Clone, Debug)]
pub struct CheckSetup {
    /// Which plugins may run, and their settings. Where the policy would let one run does not matter.
    pub policy: PluginPolicy,
    /// What the operator trusts: nothing else is opened.
    pub trust: TrustStore,
    /// What the plugin is configured with; `None` for what the policy's settings say.
    pub config: Option<Value>,
    /// Where bytes are put if they cannot be kept in memory: a directory that programs may run from.
    pub staging: PathBuf,
    /// The program of a check's own process: one that calls [`run_check`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How long each check may take.
    pub deadline: Duration,
    /// Which of the checks that open the library are run, beside `begin`; all, if none is named.
    pub only: Vec<String>,
}

/// The names of the checks that open the library, in their order.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}

/// Checks a plugin. `begun` hears the name of each check that runs in a process of its own, and out of
/// how many it is.
///
/// # Errors
///
/// There is no such file, it lies where no plugin is taken from, or its bytes cannot be put where they
/// can be opened. Whatever else is wrong is in the report.
pub fn check(
    file: &Path,
    origin: Origin,
    setup: &CheckSetup,
    begun: &dyn Fn(&str, usize),
) -> Result<CheckReport, PluginError> {
    let bytes = place::open(file, origin, &setup.policy)?.read(&setup.policy)?;
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
        file,
        library,
        config: setup.config.clone().or_else(|| configured(manifest.as_ref()?, setup)),
    });
    checks.run_all(process.as_ref(), &setup.only, begun);
    Ok(CheckReport { file: file.to_owned(), digest, manifest, checks: checks.0 })
}

fn configured(manifest: &crate::Manifest, setup: &CheckSetup) -> Option<Value> {
    setup.policy.settings.get(&manifest.name)?.config.clone()
}

/// What can be said without opening the library.
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
