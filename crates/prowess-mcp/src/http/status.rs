//! The state of a server, for its operators.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use prowess::registry::codes::{SOURCE_FAILED, SOURCE_NOT_WATCHED};
use prowess::{
    ApprovalState, Availability, Catalog, CatalogSource, Code, Diagnostic, Record, Runtime,
    Severity, is_default_skill,
};
use serde_json::{Value, json};

use super::calls::Calls;
use super::exposition::Exposition;
use crate::hidden;

/// The number of approvals that are read at once, and of such pages.
const PAGE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");
const MOST_PAGES: usize = 64;

const STATES: [(&str, Availability); 4] = [
    ("hidden", Availability::Hidden),
    ("not-ready", Availability::NotReady),
    ("shadowed", Availability::Shadowed),
    ("rejected", Availability::Rejected),
];

/// The states of a source in which it is not as it should be.
const SOURCE_STATES: [&str; 4] = ["failed", "missing", "unreadable", "polled"];

/// Returns the state of a source about whose root there is this code. Those of directories are of a
/// crate that not every server has.
fn state_of(code: &Code) -> Option<&'static str> {
    match code.as_str() {
        "root-missing" => Some("missing"),
        "directory-unreadable" => Some("unreadable"),
        _ if *code == SOURCE_FAILED => Some("failed"),
        _ if *code == SOURCE_NOT_WATCHED => Some("polled"),
        _ => None,
    }
}

/// Reads the state of one server.
pub(super) struct Status {
    pub(super) runtime: Arc<Runtime>,
    pub(super) calls: Arc<Calls>,
    pub(super) started: Instant,
}

impl Status {
    /// Returns the state as JSON. Waits for the store of approvals.
    pub(super) fn json(&self, sessions: usize) -> Value {
        let Self { runtime, calls, started } = self;
        let catalog = runtime.catalog();
        let shows_paths = hidden::shows_paths(runtime);
        let count = |severity| catalog.diagnostics().filter(|it| it.severity == severity).count();
        let mut skills = json!({ "offered": catalog.len() });
        for (name, count) in excluded(&catalog) {
            skills[name] = count.into();
        }
        let sources = catalog.sources().iter();
        let sources: Vec<_> =
            sources.map(|source| source_state(&catalog, source, shows_paths)).collect();
        let last_reload = calls.lock().last_reload.as_ref().map(|event| {
            json!({
                "cause": event.cause,
                "age_seconds": runtime.now().since(event.at).as_secs(),
                "added": event.added,
                "changed": event.changed,
                "removed": event.removed,
            })
        });
        let failed = sources.iter().find_map(|source| source.get("error").cloned());
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "uptime_seconds": started.elapsed().as_secs(),
            "catalog": {
                "generation": catalog.generation(),
                "skills": skills,
                "errors": count(Severity::Error),
                "warnings": count(Severity::Warning),
            },
            "sources": sources,
            "sessions": sessions,
            "approvals_pending": self.pending(),
            "last_reload": last_reload,
            "reload_failures": runtime.failed_scans(),
            "reload_error": failed,
        })
    }

    /// Adds the metrics. Waits for the store of approvals.
    pub(super) fn write(&self, text: &mut Exposition) {
        let Self { runtime, calls, started } = self;
        let catalog = runtime.catalog();
        text.family("prowess_build_info", "gauge", "The version of the program.");
        text.value("prowess_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        let uptime = started.elapsed().as_secs_f64();
        text.single("prowess_uptime_seconds", "gauge", "The time since the start.", uptime);
        let name = "prowess_catalog_skills";
        text.family(name, "gauge", "Skills of the catalog, by their state.");
        text.value(name, &[("state", "offered")], catalog.len() as f64);
        for (state, count) in excluded(&catalog) {
            text.value(name, &[("state", state)], count as f64);
        }
        let name = "prowess_catalog_sources";
        text.family(name, "gauge", "Sources of the catalog, by their state.");
        let sources = || catalog.sources().iter();
        for state in SOURCE_STATES.into_iter().chain(["ok"]) {
            let count = sources().filter(|it| found_state(&catalog, it).0 == state).count();
            text.value(name, &[("state", state)], count as f64);
        }
        let name = "prowess_catalog_findings";
        text.family(
            name,
            "gauge",
            "Findings about the skills, such as broken ones that are left out.",
        );
        for severity in [Severity::Error, Severity::Warning] {
            let count = catalog.diagnostics().filter(|it| it.severity == severity).count();
            text.value(name, &[("severity", severity.to_string().as_str())], count as f64);
        }
        let age = calls.lock().last_reload.as_ref().map(|it| runtime.now().since(it.at));
        if let Some(age) = age {
            let help = "The time since the catalog was replaced.";
            text.single("prowess_catalog_age_seconds", "gauge", help, age.as_secs_f64());
        }
        let failures = runtime.failed_scans() as f64;
        let help = "Scans of a source that failed; its last good one stays in use.";
        text.single("prowess_reload_failures_total", "counter", help, failures);
        if let Some(pending) = self.pending() {
            let help = "Calls that wait for a person.";
            text.single("prowess_approvals_pending", "gauge", help, pending as f64);
        }
        calls.write(text);
    }

    /// Returns the number of calls that wait for a person; `None` if the store fails.
    fn pending(&self) -> Option<usize> {
        let now = self.runtime.now();
        let mut last = None;
        let mut pending = 0;
        for _ in 0..MOST_PAGES {
            let page = self.runtime.approvals().list(last.as_ref(), PAGE).ok()?;
            let waits =
                page.iter().filter(|it| it.state == ApprovalState::Pending && it.is_open(now));
            pending += waits.count();
            let Some(entry) = page.last() else { break };
            last = Some(entry.id.clone());
        }
        Some(pending)
    }
}

/// Returns the number of skills in each state in which they are not offered. The skills about this
/// program are off by default, which is not what an operator means by hidden.
fn excluded(catalog: &Catalog) -> [(&'static str, usize); STATES.len()] {
    STATES.map(|(name, state)| {
        let records = catalog.excluded().chain(catalog.rejected());
        let is_meant = |record: &Record<'_>| {
            record.availability() == state
                && (state != Availability::Hidden || !is_default_skill(*record))
        };
        (name, records.filter(is_meant).count())
    })
}

/// Returns the state of a source, and what was found about it.
fn found_state<'c>(
    catalog: &'c Catalog,
    source: &CatalogSource,
) -> (&'static str, Option<&'c Diagnostic>) {
    let root = source.source.root();
    let of_root = |state: &str| {
        let mut found = catalog.diagnostics();
        found.find(|it| state_of(&it.code) == Some(state) && it.path.as_deref() == Some(root))
    };
    let found = SOURCE_STATES.into_iter().find_map(|state| Some((state, of_root(state)?)));
    found.map_or(("ok", None), |(state, found)| (state, Some(found)))
}

/// Returns the state of a source. Paths of this machine are shown only if the policies show
/// locations, and so are errors, which may have some.
fn source_state(catalog: &Catalog, source: &CatalogSource, shows_paths: bool) -> Value {
    let (state, found) = found_state(catalog, source);
    let CatalogSource { layer, source, records } = source;
    let root = source.root();
    let failed = found.filter(|_| state != "polled");
    let layer = &catalog.layers()[*layer];
    let mut shown = json!({
        "name": source.name(),
        "layer": &*layer.name,
        "trust": layer.trust.as_str(),
        "state": state,
        "skills": records.len(),
    });
    if let Some(failed) = failed {
        let error = if shows_paths { &*failed.message } else { "the source could not be scanned" };
        shown["error"] = error.into();
    }
    if shows_paths {
        shown["root"] = root.into();
    }
    shown
}
