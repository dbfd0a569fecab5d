//! Trust in folders, and its changes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use prowess_core::{
    AskedFolder, Availability, Catalog, CatalogProvider, CheckedFolder, Code, Diagnostic,
    FolderAnswer, FolderIdentity, FolderTrust, HostCommands, Layer, Ranked, Ranker, Severity,
    Trust,
};
use prowess_registry::{RefreshPolicy, Refresher, Registry, RegistryBuilder};
use prowess_testkit::ManualClock;

use crate::fixture::memory;

fn trusted_if(is_trusted: bool) -> FolderAnswer {
    if is_trusted { FolderAnswer::Trusted } else { FolderAnswer::NotTrusted }
}

/// Answers with the value that a test sets.
#[derive(Default)]
struct SetTrust(AtomicU64);

const SILENT: u64 = 2;

impl FolderTrust for SetTrust {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        assert_eq!(folder, Path::new("/project/deep"), "the folder of the source is checked");
        trusted_if(self.0.load(Ordering::Relaxed) == 1)
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
        .commands(HostCommands {
            trust_folder: "press `Trust` next to {}".into(),
            ..HostCommands::default()
        })
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
    let step = r"press `Trust` next to '/it'\''s'";
    assert!(help.ends_with(step), "the host's words, with a path that a shell takes: {help}");

    assert!(refresher.reload_if_stale().is_none(), "the trust is unchanged");
    trust.0.store(1, Ordering::Relaxed);
    assert!(refresher.reload_if_stale().is_some(), "the trust has changed");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "a stranger's");
    assert_eq!(codes(&registry), ["skill-shadowed"], "the finding about trust is removed");
    trust.0.store(SILENT, Ordering::Relaxed);
    assert!(refresher.reload_if_stale().is_some(), "the trust is unknown now");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "the user's");
    let current = ["silent", "project-not-trusted"];
    assert_eq!(codes(&registry), current, "the turn has the current findings");
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

/// Trusts one folder, which has this identity now.
struct OneFolder {
    folder: &'static str,
    identity: Option<FolderIdentity>,
}

impl FolderTrust for OneFolder {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        trusted_if(folder == Path::new(self.folder))
    }

    fn check(&self, folder: &Path) -> CheckedFolder {
        CheckedFolder { answer: self.answer(folder), identity: self.identity }
    }
}

fn asked(folder: &str, identity: Option<FolderIdentity>) -> AskedFolder {
    AskedFolder { folder: folder.into(), project: "/project".into(), identity }
}

#[test]
fn folder_that_replaced_the_trusted_one_is_hidden() {
    let identity = |inode| Some(FolderIdentity { device: 1, inode, created: None });
    for (source, trusted, is_offered) in [
        (identity(7), identity(7), true),
        (identity(7), identity(8), false),
        (None, identity(8), true),
        (identity(7), None, true),
    ] {
        let trust = OneFolder { folder: "/project/a", identity: trusted };
        let registry = Registry::builder()
            .layer(Layer::new("project", Trust::Trusted))
            .source_of_folder("project", memory("a", &[("a", "It.")]), asked("/project/a", source))
            .trust(Arc::new(trust))
            .build()
            .expect("the layer is valid");
        let catalog = registry.reload().catalog;
        assert_eq!(catalog.get("a").is_some(), is_offered, "{source:?} {trusted:?}");
        let reasons: Vec<_> = catalog.excluded().map(|skill| skill.reason()).collect();
        let replaced = Some("`/project` was replaced since this program started");
        assert!(reasons.iter().all(|&reason| reason == replaced), "{reasons:?}");
    }
}

/// Trusts as many of the folders `/project/0`, `/project/1` and so on as a test sets.
struct FirstFolders(AtomicU64);

impl FolderTrust for FirstFolders {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        let number = folder.to_string_lossy().trim_start_matches("/project/").parse::<u64>();
        trusted_if(number.expect("the folder has a number") < self.0.load(Ordering::Relaxed))
    }
}

#[test]
fn trust_in_one_of_two_folders_offers_its_skills() {
    let trust = Arc::new(FirstFolders(AtomicU64::new(0)));
    let registry = Registry::builder()
        .layer(Layer::new("project", Trust::Trusted))
        .source_of_folder("project", memory("a", &[("a", "It.")]), asked("/project/0", None))
        .source_of_folder("project", memory("b", &[("b", "It.")]), asked("/project/1", None))
        .trust(trust.clone())
        .build()
        .expect("the layer is valid");
    let offered = || {
        let catalog = registry.reload().catalog;
        let ids: Vec<_> = catalog.skills().map(|skill| skill.id().to_owned()).collect();
        (ids.join(" "), catalog.diagnostics().count())
    };
    assert_eq!(offered(), (String::new(), 1));
    trust.0.store(1, Ordering::Relaxed);
    assert_eq!(offered(), ("a".to_owned(), 1), "the finding about the project is the same");
    trust.0.store(2, Ordering::Relaxed);
    assert_eq!(offered(), ("a b".to_owned(), 0));
}

#[test]
fn empty_untrusted_folder_has_no_finding() {
    let registry = Registry::builder()
        .layer(Layer::new("project", Trust::Trusted))
        .source_of_folder("project", memory("empty", &[]), asked("/project/0", None))
        .trust(Arc::new(FirstFolders(AtomicU64::new(0))))
        .build()
        .expect("the layer is valid");
    registry.reload();
    assert_eq!(registry.catalog().diagnostics().count(), 0);
}
