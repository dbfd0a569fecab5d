//! Reloading a plugin after its file has changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use minisign::KeyPair;
use prowess_core::{Cancel, Diagnostic, Digest, NoAudit, RuntimeEvent, SkillSource, SourceChange};
use prowess_plugin_host::{
    Follower, Isolation, Key, Older, Placement, Plugin, PluginError, PluginErrorKind, PluginLimits,
    PluginLoader, PluginPolicy, PluginSettings, Reloaded, TrustError, TrustStore, inspect, list,
};
use prowess_testkit::{
    AuditRecorder, ManualClock, ScanRecorder, build_plugin, build_plugin_example,
};
use serde_json::json;
use tempfile::TempDir;

use crate::conversation;
use crate::loaded::{Heard, faulty_file};
use crate::running::read;
use crate::trust::signed_off_by;
use crate::verify::sign;

/// Returns the faulty plugin with this version in its manifest.
fn build_of(version: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(faulty_file()).unwrap();
    let own = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let at = bytes.windows(own.len()).position(|part| part == own.as_bytes()).unwrap();
    let other = format!("\"version\":\"{version}\"");
    assert_eq!(own.len(), other.len(), "the section keeps its length");
    bytes[at..at + own.len()].copy_from_slice(other.as_bytes());
    bytes
}

/// Returns an event of a plugin as a line.
fn line(event: &RuntimeEvent) -> String {
    let RuntimeEvent::Plugin(event) = event else { panic!("{event:?} is of no plugin") };
    let digest = event.digest.map(|digest| format!(" {digest}"));
    let error = event.error.as_ref().map(|error| format!(": {error}"));
    let [digest, error] = [digest, error].map(Option::unwrap_or_default);
    format!("{:?} {}{digest}{error}", event.action, event.plugin)
}

/// An installed plugin, and a loader for it.
struct Place {
    directory: TempDir,
    file: PathBuf,
    loader: PluginLoader,
    log: Arc<Heard>,
    audit: Arc<AuditRecorder>,
}

impl Place {
    /// Returns the events of plugins since the last call, as `action plugin`, with a digest or an
    /// error if they have one.
    fn audited(&self) -> Vec<String> {
        assert!(self.audit.take_calls().is_empty(), "a loader calls no tool");
        self.audit.take_changes().iter().map(line).collect()
    }

    /// Installs version 0.2.0 of the faulty plugin, and pins it.
    fn new(isolation: Isolation) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        let log = Arc::<Heard>::default();
        let audit = Arc::<AuditRecorder>::default();
        let policy =
            PluginPolicy { isolation, directories: vec![path.clone()], ..PluginPolicy::default() };
        let loader = PluginLoader {
            policy,
            trust: TrustStore::default(),
            staging: path.clone(),
            runner: env!("CARGO_BIN_EXE_prowess-plugin-runner").into(),
            runner_arguments: Vec::new(),
            clock: Arc::<ManualClock>::default(),
            log: Arc::clone(&log) as _,
            audit: Arc::clone(&audit) as _,
        };
        let mut place = Self { directory, file: path.join("faulty.so"), loader, log, audit };
        place.install(&build_of("0.2.0"));
        place
    }

    fn install(&mut self, bytes: &[u8]) {
        self.write(bytes);
        pin(&mut self.loader.trust, &self.file, bytes);
    }

    /// Replaces the file by another one, as package managers do.
    fn write(&self, bytes: &[u8]) {
        let beside = self.file.with_extension("new");
        std::fs::write(&beside, bytes).unwrap();
        std::fs::rename(beside, &self.file).unwrap();
    }

    fn load(&self) -> Plugin {
        self.loader.load(&self.file).unwrap()
    }

    fn reload(&self, plugin: &Plugin) -> Result<Reloaded, PluginError> {
        self.loader.reload(&plugin.handle, &self.loader.trust)
    }
}

fn pin(trust: &mut TrustStore, file: &Path, bytes: &[u8]) {
    let inspection = inspect(file, bytes).unwrap();
    trust.pin(file, Digest::of(bytes), &inspection, &signed_off_by(), Older::Allow).unwrap();
}

fn answers(source: &dyn SkillSource) {
    assert_eq!(read(source, "good"), Ok(b"good".to_vec()), "a read works");
    assert_eq!(ScanRecorder::scan(source).unwrap().packages(), ["good"], "a scan works");
}

#[test]
fn another_build_replaces_the_plugin() {
    for isolation in [Isolation::InProcess, Isolation::Process] {
        let mut place = Place::new(isolation);
        let plugin = place.load();
        let source = Arc::clone(&plugin.sources[0]);
        let changes: Arc<Mutex<Vec<SourceChange>>> = Arc::default();
        let notes = Arc::clone(&changes);
        let listener = Arc::new(move |change| notes.lock().unwrap().push(change));
        let watch = source.watch(listener).unwrap();
        answers(&*source);
        assert_eq!(place.reload(&plugin), Ok(Reloaded::Unchanged), "the file is unchanged");
        for version in ["0.3.0", "0.4.0", "0.2.0"] {
            // The last build is older, but its digest is pinned.
            let bytes = build_of(version);
            place.install(&bytes);
            let version = version.parse().unwrap();
            let expected = Reloaded::Replaced { version, digest: Digest::of(&bytes) };
            assert_eq!(place.reload(&plugin), Ok(expected), "{isolation:?}");
            answers(&*source);
            // The new build's own change may be reported before or after.
            let is_reported = changes.lock().unwrap().contains(&SourceChange::Everything);
            assert!(is_reported, "everything may have changed");
            changes.lock().unwrap().clear();
        }
        let tool = Arc::clone(&plugin.tools[0].tools()[0]);
        let never = Cancel::default();
        let arguments = json!({"how": "who"});
        let result = conversation::call(&*tool, &*place.loader.clock, &arguments, &never);
        assert!(!result.is_error, "the tool remains valid: {result:?}");
        drop(watch);
        let count = changes.lock().unwrap().len();
        place.install(&build_of("0.5.0"));
        place.reload(&plugin).unwrap();
        assert_eq!(changes.lock().unwrap().len(), count, "nobody is called after the drop");
    }
}

#[test]
fn audit_has_each_change_of_a_plugin() {
    for (isolation, fault) in [(Isolation::InProcess, "panic"), (Isolation::Process, "exit")] {
        let mut place = Place::new(isolation);
        let plugin = place.load();
        let name = plugin.handle.name();
        let opened = format!("Opened {name} {}", Digest::of(&build_of("0.2.0")));
        assert_eq!(place.audited(), [opened], "{isolation:?}");

        place.install(&build_of("0.3.0"));
        place.reload(&plugin).unwrap();
        place.reload(&plugin).unwrap();
        let replaced = format!("Replaced {name} {}", Digest::of(&build_of("0.3.0")));
        assert_eq!(place.audited(), [replaced], "an unchanged file is no event");

        place.write(b"text");
        place.reload(&plugin).unwrap_err();
        let rejected = place.audited().join("\n");
        assert!(rejected.starts_with(&format!("Rejected {name}: ")), "{rejected}");
        assert!(rejected.contains("is not a dynamic library"), "{rejected}");

        read(&*plugin.sources[0], fault).unwrap_err();
        let failed = place.audited();
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert!(failed[0].starts_with(&format!("Failed {name}: ")), "{failed:?}");

        let nowhere = place.directory.path().join("nowhere.so");
        assert!(place.loader.load(&nowhere).is_err());
        let rejected = place.audited().join("\n");
        assert!(rejected.starts_with(&format!("Rejected {}: ", nowhere.display())), "{rejected}");
    }
}

#[test]
fn audit_has_one_event_for_a_stuck_plugin() {
    let mut place = Place::new(Isolation::InProcess);
    place.loader.policy.limits =
        PluginLimits { call_ms: 50, grace_ms: 50, calls_at_once: 2, ..PluginLimits::default() };
    let plugin = place.load();
    let name = plugin.handle.name();
    let read = |package| read(&*plugin.sources[0], package);
    place.audited();
    read("hang").unwrap_err();
    assert_eq!(place.audited(), [""; 0], "one call is lost, and others still run");
    read("hang").unwrap_err();
    assert_eq!(place.audited(), [format!("Failed {name}: no call returns")]);
    for _ in 0..3 {
        read("good").unwrap_err();
    }
    assert_eq!(place.audited(), [""; 0], "it was reported");
}

#[test]
fn stamps_of_another_build_are_not_used() {
    let places = [Isolation::InProcess, Isolation::Process];
    for (isolation, scan) in places.into_iter().flat_map(|at| [(at, "stamp"), (at, "keep")]) {
        let mut place = Place::new(isolation);
        let config = Some(json!({ "scan": scan }));
        let settings = PluginSettings { config, ..PluginSettings::default() };
        place.loader.policy.settings.insert("prowess-plugin-sdk".into(), settings);
        let plugin = place.load();
        let source = &*plugin.sources[0];
        let first = ScanRecorder::scan(source).unwrap();
        let again = || {
            let again = first.next().record(source).unwrap();
            (again.found.len(), again.unchanged.len())
        };
        assert_eq!(again(), (0, 1), "{isolation:?} {scan}: its own stamps are used");
        place.install(&build_of("0.3.0"));
        place.reload(&plugin).unwrap();
        assert_eq!(again(), (1, 0), "{isolation:?} {scan}: the new build scans everything");
        assert_eq!(again(), (0, 1), "{isolation:?}: only the first scan is complete");
    }
}

#[test]
fn invalid_files_do_not_replace_the_plugin() {
    for isolation in [Isolation::InProcess, Isolation::Process] {
        let mut place = Place::new(isolation);
        let plugin = place.load();
        let other_layout = build_plugin_example("prowess-plugin-abi", "other_layout");
        let other_layout = std::fs::read(other_layout).unwrap();
        let memory = std::fs::read(build_plugin("prowess-plugin-memory")).unwrap();
        pin(&mut place.loader.trust, &place.file, &other_layout);
        pin(&mut place.loader.trust, &place.file, &memory);
        let whole = build_of("0.3.0");
        let half = &whole[..whole.len() / 2];
        let cases: [(&[u8], PluginErrorKind, &str); 5] = [
            (b"text", PluginErrorKind::NotALibrary, "is not a dynamic library"),
            (half, PluginErrorKind::NotALibrary, "damaged or truncated"),
            (
                &whole,
                PluginErrorKind::DigestMismatch,
                "is not the trusted build of `prowess-plugin-sdk`",
            ),
            (&other_layout, PluginErrorKind::Manifest, "is now the plugin `other-layout`"),
            (&memory, PluginErrorKind::Manifest, "is now the plugin `prowess-plugin-memory`"),
        ];
        for (bytes, kind, part) in cases {
            place.write(bytes);
            let error = place.reload(&plugin).expect_err("the file is refused");
            assert_eq!(error.kind, kind, "{isolation:?}: {error}");
            assert!(error.reason.contains(part) && !error.was_executed, "{isolation:?}: {error}");
            answers(&*plugin.sources[0]);
        }
        std::fs::remove_file(&place.file).unwrap();
        let error = place.reload(&plugin).expect_err("the file does not exist");
        assert_eq!(error.kind, PluginErrorKind::Unreadable, "{error}");
        answers(&*plugin.sources[0]);
    }
}

#[test]
fn signed_older_version_is_refused() {
    let mut place = Place::new(Isolation::InProcess);
    place.loader.trust = TrustStore::default();
    let key = KeyPair::generate_unencrypted_keypair().unwrap();
    let text = key.pk.to_box().unwrap().into_string();
    place.loader.trust.trust_key(Key::parse(&text, &signed_off_by()).unwrap());
    let release = |version: &str| {
        let bytes = build_of(version);
        place.write(&bytes);
        let manifest = inspect(&place.file, &bytes).unwrap().manifest;
        let comment = format!("{} {version} {}", manifest.name, manifest.target);
        sign(&key.sk, &key.pk, &place.file, &comment);
    };
    release("0.3.0");
    let plugin = place.load();
    release("0.2.0");
    let error = place.reload(&plugin).expect_err("the version is older");
    assert_eq!(error.kind, PluginErrorKind::Rollback, "{error}");
    assert!(error.to_string().contains("is version 0.2.0, but 0.3.0 is running"), "{error}");
    assert!(error.help.contains("the older file"), "the help has the host's words: {}", error.help);
    release("0.4.0");
    place.reload(&plugin).expect("a newer version replaces it");
    answers(&*plugin.sources[0]);
}

#[test]
fn replacements_are_limited_only_in_the_host() {
    for (isolation, is_allowed) in [(Isolation::InProcess, false), (Isolation::Process, true)] {
        let mut place = Place::new(isolation);
        place.loader.policy.generations = 1;
        let plugin = place.load();
        place.install(&build_of("0.3.0"));
        place.reload(&plugin).expect("one replacement is allowed");
        place.install(&build_of("0.4.0"));
        let again = place.reload(&plugin);
        assert_eq!(again.is_ok(), is_allowed, "{isolation:?}: {again:?}");
        if let Err(error) = again {
            assert_eq!(error.kind, PluginErrorKind::Generations, "{error}");
            assert!(!error.was_executed, "the new build is not opened: {error}");
        }
        answers(&*plugin.sources[0]);
    }
}

#[test]
fn changed_placement_is_refused() {
    let mut place = Place::new(Isolation::InProcess);
    let plugin = place.load();
    assert_eq!(plugin.placement, Placement::InProcess);
    place.install(&build_of("0.3.0"));
    // With the isolation `auto` a debug build runs in a separate process.
    place.loader.policy.isolation = Isolation::Auto;
    let error = place.reload(&plugin).expect_err("the placement would change");
    assert!(error.reason.contains("would now run in another process"), "{error}");
}

/// Waits until a condition holds, and fails after a long time.
#[track_caller]
fn soon(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

#[test]
fn follower_reloads_changed_files() {
    let place = Place::new(Isolation::InProcess);
    let plugin = place.load();
    let reported: Arc<Mutex<Vec<Diagnostic>>> = Arc::default();
    let notes = Arc::clone(&reported);
    let trust_file = place.directory.path().canonicalize().unwrap().join("state/plugins.json");
    let trust = |bytes: &[u8]| {
        TrustStore::update(&trust_file, |store| {
            pin(store, &place.file, bytes);
            Ok::<_, TrustError>(())
        })
        .unwrap();
    };
    trust(&build_of("0.2.0"));
    let Place { loader, log, .. } = &place;
    let loader = PluginLoader {
        policy: loader.policy.clone(),
        trust: TrustStore::default(),
        staging: loader.staging.clone(),
        runner: loader.runner.clone(),
        runner_arguments: Vec::new(),
        clock: Arc::clone(&loader.clock),
        log: Arc::clone(&loader.log),
        audit: Arc::new(NoAudit),
    };
    let tell = Arc::new(move |diagnostic| notes.lock().unwrap().push(diagnostic));
    let plugins = vec![plugin.handle.clone()];
    let follower = Follower::start(loader, plugins, Some(trust_file.clone()), tell).unwrap();
    let codes = || -> Vec<_> {
        reported.lock().unwrap().iter().map(|finding| finding.code.as_str().to_owned()).collect()
    };

    place.write(b"text");
    soon("what is no plugin is reported", || codes() == ["plugin-not-a-library"]);
    answers(&*plugin.sources[0]);
    let message = reported.lock().unwrap()[0].message.clone();
    assert!(message.ends_with("; the old build keeps running"), "{message}");

    let newer = build_of("0.3.0");
    place.write(&newer);
    soon("an untrusted build is reported", || codes().last().unwrap() == "plugin-digest-mismatch");
    trust(&newer);
    soon("a trusted build replaces the plugin", || {
        log.has("Info host: replaced by version 0.3.0, sha256:")
    });
    answers(&*plugin.sources[0]);
    assert_eq!(
        codes().len(),
        2,
        "each rejected file is reported once: {:?}",
        reported.lock().unwrap()
    );

    drop(follower);
    trust(&build_of("0.4.0"));
    place.write(&build_of("0.4.0"));
    assert!(!log.has("0.4.0"), "a dropped follower does not reload");
}

#[test]
fn second_plugin_with_the_same_name_is_refused() {
    let place = Place::new(Isolation::InProcess);
    let copy = place.file.with_file_name("again.so");
    std::fs::copy(&place.file, &copy).unwrap();
    let files = [place.file.clone(), copy.clone(), place.file.clone()];
    let files = files.map(|file| (file, PluginSettings::default()));
    let loaded = place.loader.load_all(files);
    let [Ok(first), Err(second), Ok(_)] = &loaded[..] else {
        panic!("the first file may be loaded twice, the second is refused");
    };
    assert_eq!(second.kind, PluginErrorKind::NameTaken, "{second}");
    let first_file = place.file.display().to_string();
    assert!(second.reason.contains(&first_file), "the first one is named: {second}");
    assert!(!second.was_executed, "{second}");
    answers(&*first.sources[0]);
    let listed = list(&place.loader.policy, &place.loader.trust).unwrap();
    let refused = |listed: &prowess_plugin_host::Listed| {
        listed.verdict.as_ref().err().map(|error| error.kind)
    };
    let verdicts: Vec<_> = listed.iter().map(refused).collect();
    let expected = [None, Some(PluginErrorKind::NameTaken)];
    assert_eq!(verdicts, expected, "the list says which one would run");
}

#[test]
fn features_of_both_sides_are_used() {
    let place = Place::new(Isolation::InProcess);
    let plugin = place.load();
    assert_eq!(plugin.manifest.features, ["caller", "telepathy"], "the features of the plugin");
    assert_eq!(plugin.features, ["caller"], "the features of both sides");
    let tool = Arc::clone(&plugin.tools[0].tools()[0]);
    let arguments = json!({"how": "features"});
    let result = conversation::call(&*tool, &*place.loader.clock, &arguments, &Cancel::default());
    let expected = json!({"caller": true, "telepathy": false});
    assert_eq!(result.structured, Some(expected), "the plugin received the host's features");
}
