//! The parts that a host adopts one after another: each works without the later ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use prowess::format::Profile;
use prowess::registry::{RefreshMode, RefreshPolicy, Refresher, Registry};
use prowess::session::{MemoryStore, SessionPolicy, Sessions};
use prowess::source_fs::{FsConfig, FsSource};
use prowess::{
    ActiveSkill, AllowedTools, CatalogProvider as _, Digest, Layer, LoadMode, SessionError,
    Severity, Timestamp, Trust, Unload,
};
use prowess_testkit::{ManualClock, Tree};

const PDF: &str = "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Read\n---\nBody\n";

/// Without a registry, prompts or tools.
#[test]
fn parser_models_and_stores_need_no_runtime() {
    let parse = |text: &'static str| prowess::format::parse(text.as_bytes(), Profile::Strict);
    let parsed = parse("---\nname: pdf\n---\n");
    let errors = parsed.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    assert_eq!(errors.count(), 1, "the description is missing: {:?}", parsed.diagnostics);
    let parsed = parse(PDF);
    let document = parsed.document.expect("it is valid");
    let skill = ActiveSkill {
        id: "pdf".to_owned(),
        name: "pdf".to_owned(),
        location: "/skills/pdf/SKILL.md".to_owned(),
        root_dir: "/skills/pdf".to_owned(),
        layer: "user".to_owned(),
        version: None,
        digest: Digest::of(PDF.as_bytes()),
        properties: serde_json::json!({ "name": "pdf" }),
        allowed_tools: AllowedTools::parse("Read").expect("it is a rule"),
        body: document.body.to_string().into(),
        loaded_at: Timestamp(0),
        activated_at: Timestamp(0),
    };
    let clock = Arc::new(ManualClock::default());
    let store = Arc::new(MemoryStore::new());
    let sessions = Sessions::new(store, clock, SessionPolicy::default());
    let session = sessions.open().expect("memory");
    session.load(&[Arc::new(skill)], LoadMode::Add).expect("there is room");
    let resumed = sessions.resume(session.id()).expect("it is open");
    assert_eq!(&*resumed.state().expect("it is open").active[0].body, "Body\n");
    resumed.unload(&Unload::All).expect("it is open");
    sessions.close(session.id()).expect("memory");
    let gone = session.state().expect_err("it is closed");
    assert!(matches!(gone, SessionError::NotFound(_)), "{gone}");
}

/// Without sessions, prompts or tools.
#[test]
fn registry_has_priority_and_age_under_threads() {
    let tree = Tree::new("");
    let write = |layer: &str, description: &str| {
        let text = format!("---\nname: pdf\ndescription: {description}\n---\n");
        tree.write(&format!("{layer}/pdf/SKILL.md"), text);
    };
    write("low", "Is low.");
    write("high", "Is 0.");
    let clock = Arc::new(ManualClock::default());
    let mut builder = Registry::builder();
    for layer in ["low", "high"] {
        let source = FsSource::new(FsConfig::new(tree.join(layer)), clock.clone());
        builder = builder.layer(Layer::new(layer, Trust::Trusted)).source(layer, Arc::new(source));
    }
    let registry = Arc::new(builder.build().expect("the layers differ"));
    registry.reload();
    let mode = Some(RefreshMode::Ttl);
    let policy =
        RefreshPolicy { mode, ttl_seconds: 10, cool_down_seconds: 0, ..Default::default() };
    let refresher = Refresher::start(Arc::clone(&registry), policy, clock.clone());
    let refresher = refresher.expect("it needs no thread");
    let described =
        || registry.catalog().get("pdf").expect("there is one").description().to_owned();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut last = String::new();
                while !is_done.load(Ordering::Relaxed) {
                    let next = described();
                    assert!(next.starts_with("Is ") && next != "Is low.", "{next}");
                    assert!(next >= last, "no reader goes back from {last} to {next}");
                    last = next;
                }
            });
        }
        for number in 1..=5 {
            write("high", &format!("Is {number}."));
            assert!(refresher.reload_if_stale().is_none(), "the last scan is young enough");
            assert_eq!(described(), format!("Is {}.", number - 1));
            clock.advance(Duration::from_secs(11));
            assert!(refresher.reload_if_stale().is_some(), "it is too old");
            assert_eq!(described(), format!("Is {number}."));
        }
        is_done.store(true, Ordering::Relaxed);
    });
    std::fs::remove_dir_all(tree.join("high/pdf")).expect("it is ours");
    clock.advance(Duration::from_secs(11));
    refresher.reload_if_stale();
    assert_eq!(described(), "Is low.", "the lower layer has one too");
}
