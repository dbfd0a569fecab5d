//! Lines of the log about the catalog of a running server.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess::registry::HiddenProject;
use prowess::registry::codes::PROJECT_NOT_TRUSTED;
use prowess::{Availability, Catalog, Diagnostic, Runtime, Severity};
use tracing::Level;

use crate::log::{self, Log};
use crate::output::counted;
use crate::policies::{Found, FoundFile};
use crate::{paths, runtime};

/// The maximum number of findings of one catalog that have a line each.
const MOST_FINDINGS: usize = 20;

/// The time after the start at which leftovers are swept.
const UNTIL_SWEPT: Duration = Duration::from_secs(1);

/// Logs the places of the configuration.
pub(super) fn configured(found: &Found) {
    let Some(log) = log::active() else { return };
    for FoundFile { path, state } in &found.files {
        let state = serde_json::to_value(state).unwrap_or_default();
        let fields = vec![("path", path.display().to_string().into()), ("state", state)];
        log.line(Level::DEBUG, "configuration", "", fields);
    }
}

/// Logs the start of a server.
pub(super) fn started(catalog: &Catalog, transport: &str, place: &str) {
    let Some(log) = log::active() else { return };
    let hidden = catalog.excluded().filter(|record| {
        record.availability() == Availability::Hidden && !runtime::is_off(*record)
    });
    let roots = catalog.sources().iter().map(|source| source.source.root().to_owned());
    let mut roots: Vec<_> = roots.filter(|root| paths::is_there(root)).collect();
    roots.dedup();
    let fields = vec![
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("transport", transport.into()),
        ("skills", catalog.len().into()),
        ("hidden", hidden.count().into()),
        ("roots", roots.join(", ").into()),
    ];
    log.line(Level::INFO, "start", &format!("serving {place}"), fields);
}

/// Logs hidden skills, and findings: those at the start and those that appear later; and sweeps
/// leftovers. Dropping this ends it.
pub(super) struct Reporting(Arc<Mutex<Option<Runtime>>>);

impl Reporting {
    pub(super) fn start(runtime: &Runtime) -> Self {
        let log = log::active();
        let changes = runtime.subscribe();
        let shared = Arc::new(Mutex::new(Some(runtime.clone())));
        let observed = Arc::clone(&shared);
        let mut reported = Reported::default();
        let mut report = move |catalog: &Catalog| log.map(|log| reported.report(catalog, log));
        report(&runtime.catalog());
        std::thread::spawn(move || {
            // The first answers need the processor.
            let first = changes.recv_timeout(UNTIL_SWEPT);
            sweep();
            for _ in first.into_iter().chain(std::iter::from_fn(|| changes.recv())) {
                let current = lock(&observed).as_ref().map(Runtime::catalog);
                let Some(catalog) = current else { return };
                report(&catalog);
            }
        });
        Self(shared)
    }
}

/// Removes copies of packages of hosts that were killed. A directory for temporary files may be
/// long.
fn sweep() {
    prowess::script::sweep(&std::env::temp_dir());
    prowess_dir::sweep(&std::env::temp_dir(), "prowess-git-");
}

impl Drop for Reporting {
    fn drop(&mut self) {
        // Without the last handle of the runtime, the thread's subscription ends.
        lock(&self.0).take();
    }
}

fn lock(runtime: &Mutex<Option<Runtime>>) -> MutexGuard<'_, Option<Runtime>> {
    runtime.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The code, the path and the message of a finding.
type Identity = (String, Option<String>, String);

fn identity(found: &Diagnostic) -> Identity {
    let path = found.path.as_deref().map(str::to_owned);
    (found.code.as_str().to_owned(), path, found.message.clone())
}

/// The contents of the log about the last catalog.
#[derive(Default)]
struct Reported {
    folders: Vec<String>,
    findings: HashSet<Identity>,
}

impl Reported {
    /// Logs what is new in a catalog.
    fn report(&mut self, catalog: &Catalog, log: &Log) {
        let hidden = HiddenProject::all(catalog);
        for project in hidden.iter().filter(|it| !self.folders.contains(&it.folder)) {
            let fields = vec![
                ("code", PROJECT_NOT_TRUSTED.as_str().into()),
                ("path", project.folder.as_str().into()),
                ("skills", project.skills.into()),
            ];
            log.line(Level::WARN, "hidden", &project.message(), fields);
        }
        self.folders = hidden.into_iter().map(|project| project.folder).collect();
        let is_relevant = |found: &&Diagnostic| {
            found.severity != Severity::Hint && found.code != PROJECT_NOT_TRUSTED
        };
        let now = || catalog.diagnostics().filter(is_relevant);
        let mut new: Vec<_> =
            now().filter(|found| !self.findings.contains(&identity(found))).collect();
        // A skill that is missing matters more than one that could be better.
        new.sort_by_key(|found| !found.is_error());
        for found in new.iter().take(MOST_FINDINGS) {
            log.finding(found);
        }
        if let Some(more) = new.len().checked_sub(MOST_FINDINGS).filter(|more| *more > 0) {
            let more = counted(more, "more finding");
            log.line(Level::WARN, "findings", &format!("{more}: see `prowess doctor`"), Vec::new());
        }
        self.findings = now().map(identity).collect();
    }
}
