//! Skills of folders that the user trusts, and for how long.

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

/// Says of every folder what it is told to say.
#[derive(Default)]
struct Says(AtomicU64);

const SILENT: u64 = 2;

impl FolderTrust for Says {
    fn answer(&self, folder: &Path) -> FolderAnswer {
        assert_eq!(folder, Path::new("/project/deep"), "the folder itself is asked about");
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

/// A skill of the user's, and three sources of a folder that is asked about.
fn builder(says: &Arc<Says>) -> RegistryBuilder {
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
        .trust(says.clone())
}

fn started(builder: RegistryBuilder) -> (Arc<Registry>, Refresher) {
    let registry = Arc::new(builder.build().expect("the layers are good"));
    let clock = Arc::new(ManualClock::default());
    let refresher = Refresher::start(Arc::clone(&registry), RefreshPolicy::default(), clock);
    registry.reload();
    (registry, refresher.expect("no thread is needed"))
}

#[test]
fn what_is_withheld_is_known_and_shadows_nothing() {
    let says = Arc::new(Says::default());
    let (registry, refresher) = started(builder(&says));
    let catalog = registry.catalog();
    let offered: Vec<_> = catalog.skills().map(|skill| skill.description()).collect();
    assert_eq!(offered, ["the user's"], "a withheld skill is not offered and shadows none");
    let hidden = (Availability::Hidden, Some("the folder `/it's` is not trusted"));
    let aside: Vec<_> = catalog
        .excluded()
        .map(|skill| (skill.id(), (skill.availability(), skill.reason())))
        .collect();
    let expected = ["deploy", "other", "same"].map(|id| (id, hidden));
    assert_eq!(aside, expected, "each is known, with the reason");
    let codes = |registry: &Registry| {
        let catalog = registry.catalog();
        let codes = catalog.diagnostics().map(|found| found.code.as_str().to_owned());
        codes.collect::<Vec<_>>()
    };
    assert_eq!(codes(&registry), ["project-not-trusted"], "it is told once");
    let help = &catalog.diagnostics().next().expect("it is told").help;
    assert!(help.ends_with(r"`prowess trust '/it'\''s'`"), "one word of a shell: {help}");

    assert!(refresher.turn_begins().is_none(), "the user has said nothing more");
    says.0.store(1, Ordering::Relaxed);
    assert!(refresher.turn_begins().is_some(), "the user trusts the folder now");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "a stranger's");
    assert_eq!(codes(&registry), ["skill-shadowed"], "and there is nothing to tell of trust");
    says.0.store(SILENT, Ordering::Relaxed);
    assert!(refresher.turn_begins().is_some(), "and nobody knows any more");
    assert_eq!(registry.catalog().get("deploy").unwrap().description(), "the user's");
    assert_eq!(codes(&registry), ["silent", "project-not-trusted"], "a turn has what counts now");
}

/// Lets another turn begin while a catalog is being made.
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
            refresher.turn_begins();
            tell.send(registry.catalog().get("same").is_some())
        });
        let early = seen.recv_timeout(Duration::from_millis(200));
        assert!(early.is_err(), "a turn does not begin before what is taken back is gone");
        *self.seen.lock().expect("no test panics here") = Some(seen);
    }
}

#[test]
fn a_turn_that_begins_while_trust_is_taken_back_waits_for_it() {
    let (says, meanwhile) = (Arc::new(Says::default()), Arc::new(Meanwhile::default()));
    says.0.store(1, Ordering::Relaxed);
    let (registry, refresher) = started(builder(&says).ranker(meanwhile.clone()));
    let refresher = Arc::new(refresher);
    assert!(registry.catalog().get("same").is_some(), "it is trusted");
    let parts = (Arc::clone(&registry), Arc::clone(&refresher));
    assert!(meanwhile.parts.set(parts).is_ok(), "nobody else sets it");
    says.0.store(3, Ordering::Relaxed);
    assert!(refresher.turn_begins().is_some(), "it is taken back");
    let seen = meanwhile.seen.lock().expect("no test panics here").take();
    let has_skill = seen.expect("a turn began meanwhile").recv().expect("and has a catalog");
    assert!(!has_skill, "what is taken back is offered to no turn that begins");
}

/// Panics once, when it is told to.
#[derive(Default)]
struct Fragile(AtomicU64);

impl Ranker for Fragile {
    fn rank<'c>(&self, _: &'c Arc<Catalog>, _: &str, _: usize) -> Vec<Ranked<'c>> {
        Vec::new()
    }

    fn prepare(&self, _: &Arc<Catalog>, _: &Catalog) {
        assert!(self.0.swap(0, Ordering::Relaxed) == 0, "it was told to");
    }
}

#[test]
fn a_panic_on_the_way_loses_no_word_of_trust() {
    let (says, fragile) = (Arc::new(Says::default()), Arc::new(Fragile::default()));
    says.0.store(1, Ordering::Relaxed);
    let (registry, refresher) = started(builder(&says).ranker(fragile.clone()));
    assert!(registry.catalog().get("same").is_some(), "it is trusted");
    says.0.store(3, Ordering::Relaxed);
    fragile.0.store(1, Ordering::Relaxed);
    let turn = std::panic::AssertUnwindSafe(|| refresher.turn_begins());
    assert!(std::panic::catch_unwind(turn).is_err(), "the ranker panics");
    assert!(registry.catalog().get("same").is_some(), "readers have what they had");
    assert!(refresher.turn_begins().is_some(), "the next turn tries again");
    assert!(registry.catalog().get("same").is_none(), "and what is taken back is gone");
}
