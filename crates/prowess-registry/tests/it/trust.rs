//! Trust in folders, and its changes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::{
    AskedFolder, Availability, Catalog, CatalogProvider, Code, Diagnostic, FolderAnswer,
    FolderTrust, Layer, Ranked, Ranker, Severity, Trust,
};
use prowess_registry::{RefreshPolicy, Refresher, Registry, RegistryBuilder};
use prowess_testkit::ManualClock;

use crate::fixture::memory;

/// Answers with the value that a test sets.
#[derive(Default)]
struct SetTrust(AtomicU64);

const SILENT: u64 = 2;

impl FolderTrust for SetTrust {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        assert_eq!(folder, Path::new("/project/deep"), "the folder of the source is checked");
        match self.0.load(Ordering::Relaxed) {
            1 => FolderAnswer::Trusted,
            _ => FolderAnswer::NotTrusted,
        }
    }

    fn version(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn finding(&self) -> Option<Diagnostic> {
        let finding = Diagnostic::new(Code::new("silent"), Severity::Error, "a", "b");
        (self.version() == SILENT).then_some(finding)
    }
}

/// Returns a registry with a skill of the user, and three sources of a folder that needs trust.
fn builder(trust: &Arc<SetTrust>) -> RegistryBuilder {
    let stranger = memory("stranger", &[("deploy", "a stranger's"), ("other", "a stranger's")]);
    let asked =
        AskedFolder { folder: "/project/deep".into(), project: "/it's".into(), identity: None };
    Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .layer(Layer::new("project", Trust::Trusted))
        .source("user", memory("own", &[("deploy", "the user's")]))
        .source_of_folder("project", stranger, asked.clone())
        .source_of_folder("project", memory("same", &[("same", "it")]), asked.clone())
        .source_of_folder("project", memory("empty", &[]), asked)
        .trust(trust.clone())
}

fn started(builder: RegistryBuilder) -> (Arc<Registry>, Refresher) {
    let registry = Arc::new(builder.build().expect("the layers are valid"));
    let clock = Arc::new(ManualClock::default());
    let refresher = Refresher::start(Arc::clone(&registry), RefreshPolicy::default(), clock);
    registry.reload();
    (registry, refresher.expect("no thread is needed"))
}

#[test]
fn untrusted_folder_is_hidden_and_shadows_nothing() {
    let trust = Arc::new(SetTrust::default());
    let (registry, refresher) = started(builder(&trust));
    let catalog = registry.catalog();
    let offered: Vec<_> = catalog.skills().map(|skill| skill.description()).collect();
    assert_eq!(offered, ["the user's"], "a withheld skill is not offered and shadows none");
    let hidden = (Availability::Hidden, Some("the folder `/it's` is not trusted"));
    let aside: Vec<_> = catalog
        .excluded()
        .map(|skill| (skill.id(), (skill.availability(), skill.reason())))
        .collect();
    let expected = ["deploy", "other", "same"].map(|id| (id, hidden));
    assert_eq!(aside, expected, "each hidden skill has the reason");
    let codes = |registry: &Registry| {
        let catalog = registry.catalog();
        let codes = catalog.diagnostics().map(|found| found.code.as_str().to_owned());
        codes.collect::<Vec<_>>()
    };
    assert_eq!(codes(&registry), ["project-not-trusted"], "there is one finding");
    let help = &catalog.diagnostics().next().expect("there is a finding").help;
    assert!(
        help.ends_with(r"`prowess trust '/it'\''s'`"),
        "the path is quoted for a shell: {help}"
    );

    assert!(refresher.reload_if_stale().is_none(), "the trust is unchanged");
    trust.0.store(1, Ordering::Relaxed);
    assert!(refresher.reload_if_stale().is_some(), "the trust has changed");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "a stranger's");
    assert_eq!(codes(&registry), ["skill-shadowed"], "the finding about trust is removed");
    trust.0.store(SILENT, Ordering::Relaxed);
    assert!(refresher.reload_if_stale().is_some(), "the trust is unknown now");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "the user's");
    assert_eq!(
        codes(&registry),
        ["silent", "project-not-trusted"],
        "the turn has the current findings"
    );
}

/// Starts another turn while a catalog is being built.
#[derive(Default)]
struct Meanwhile {
    parts: OnceLock<(Arc<Registry>, Arc<Refresher>)>,
    seen: Mutex<Option<mpsc::Receiver<bool>>>,
}

impl Ranker for Meanwhile {
    fn rank<'c>(&self, _: &'c Arc<Catalog>, _: &str, _: usize) -> Vec<Ranked<'c>> {
        Vec::new()
    }

    fn prepare(&self, _: &Arc<Catalog>, _: &Catalog) {
        let Some((registry, refresher)) = self.parts.get().cloned() else { return };
        let (tell, seen) = mpsc::channel();
        thread::spawn(move || {
            refresher.reload_if_stale();
            tell.send(registry.catalog().get("same").is_some())
        });
        let early = seen.recv_timeout(Duration::from_millis(200));
        assert!(early.is_err(), "a turn waits until the revoked skill is removed");
        *self.seen.lock().expect("the lock is not poisoned") = Some(seen);
    }
}

#[test]
fn turn_waits_for_a_revocation() {
    let (trust, meanwhile) = (Arc::new(SetTrust::default()), Arc::new(Meanwhile::default()));
    trust.0.store(1, Ordering::Relaxed);
    let (registry, refresher) = started(builder(&trust).ranker(meanwhile.clone()));
    let refresher = Arc::new(refresher);
    assert!(registry.catalog().get("same").is_some(), "the folder is trusted");
    let parts = (Arc::clone(&registry), Arc::clone(&refresher));
    assert!(meanwhile.parts.set(parts).is_ok(), "it is set once");
    trust.0.store(3, Ordering::Relaxed);
    assert!(refresher.reload_if_stale().is_some(), "the trust is revoked");
    let seen = meanwhile.seen.lock().expect("the lock is not poisoned").take();
    let has_skill = seen.expect("a turn was started").recv().expect("the turn has a catalog");
    assert!(!has_skill, "a revoked skill is not offered to a new turn");
}

/// Panics once, if requested.
#[derive(Default)]
struct Fragile(AtomicU64);

impl Ranker for Fragile {
    fn rank<'c>(&self, _: &'c Arc<Catalog>, _: &str, _: usize) -> Vec<Ranked<'c>> {
        Vec::new()
    }

    fn prepare(&self, _: &Arc<Catalog>, _: &Catalog) {
        assert!(self.0.swap(0, Ordering::Relaxed) == 0, "the test requests a panic");
    }
}

#[test]
fn change_of_trust_survives_a_panic() {
    let (trust, fragile) = (Arc::new(SetTrust::default()), Arc::new(Fragile::default()));
    trust.0.store(1, Ordering::Relaxed);
    let (registry, refresher) = started(builder(&trust).ranker(fragile.clone()));
    assert!(registry.catalog().get("same").is_some(), "the folder is trusted");
    trust.0.store(3, Ordering::Relaxed);
    fragile.0.store(1, Ordering::Relaxed);
    let turn = std::panic::AssertUnwindSafe(|| refresher.reload_if_stale());
    assert!(std::panic::catch_unwind(turn).is_err(), "the ranker panics");
    assert!(registry.catalog().get("same").is_some(), "the catalog is unchanged");
    assert!(refresher.reload_if_stale().is_some(), "the next turn reloads again");
    assert!(registry.catalog().get("same").is_none(), "the revoked skill is removed");
}
