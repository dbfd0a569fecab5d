//! Builds, opens and starts plugins for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use prowess_core::{Digest, SkillSource};
use prowess_plugin_host::{
    Isolation, LoadedCode, LoadedPlugin, LogLevel, Older, PluginError, PluginLimits, PluginLog,
    PluginPolicy, PluginSetup, Staged, TrustStore, VerifiedPlugin, inspect, stage, verify,
};
use prowess_testkit::{ManualClock, build_plugin, build_plugin_example};
use serde_json::{Value, json};

use crate::trust::signed_off_by;

/// Returns the library of `plugins/memory`, opened once.
pub(crate) fn memory() -> LoadedCode {
    image(&build_plugin("prowess-plugin-memory")).unwrap()
}

/// Returns the library of the faulty plugin, opened once.
pub(crate) fn faulty() -> LoadedCode {
    image(&faulty_file()).unwrap()
}

/// Opens a file once: its code stays in memory.
pub(crate) fn image(file: &Path) -> Result<LoadedCode, PluginError> {
    static OPENED: Mutex<BTreeMap<PathBuf, LoadedCode>> = Mutex::new(BTreeMap::new());
    let mut opened = OPENED.lock().unwrap();
    if let Some(known) = opened.get(file) {
        return Ok(known.clone());
    }
    let (plugin, staged) = staged(file, Isolation::InProcess)?;
    let code = LoadedCode::open(&plugin, staged)?;
    opened.insert(file.to_owned(), code.clone());
    Ok(code)
}

pub(crate) fn faulty_file() -> PathBuf {
    build_plugin_example("prowess-plugin-sdk", "faulty")
}

/// Pins a file and verifies it, once: hashing is slow without optimization.
fn known(file: &Path, isolation: Isolation) -> Result<VerifiedPlugin, PluginError> {
    type Known = Mutex<BTreeMap<(PathBuf, bool), Result<VerifiedPlugin, PluginError>>>;
    static KNOWN: Known = Mutex::new(BTreeMap::new());
    let verified = || {
        let bytes = std::fs::read(file).unwrap();
        let mut trust = TrustStore::default();
        let inspection = inspect(file, &bytes).unwrap();
        trust.pin(file, Digest::of(&bytes), &inspection, &signed_off_by(), Older::Refuse).unwrap();
        let file = file.canonicalize().unwrap();
        let policy = PluginPolicy { isolation, ..PluginPolicy::default() };
        verify(&file, &policy, &trust)
    };
    let key = (file.to_owned(), isolation == Isolation::InProcess);
    KNOWN.lock().unwrap().entry(key).or_insert_with(verified).clone()
}

pub(crate) fn verified(file: &Path) -> VerifiedPlugin {
    known(file, Isolation::Process).unwrap()
}

/// Pins, verifies and stages a file.
pub(crate) fn staged(
    file: &Path,
    isolation: Isolation,
) -> Result<(VerifiedPlugin, Staged), PluginError> {
    let plugin = known(file, isolation)?;
    let staged = stage(&plugin, &std::env::temp_dir())?;
    Ok((plugin, staged))
}

/// Opens another copy of a file, with its own statics.
pub(crate) fn open(file: &Path) -> Result<LoadedCode, PluginError> {
    let plugin = verified(file);
    let directory = tempfile::tempdir().unwrap();
    LoadedCode::open(&plugin, stage(&plugin, directory.path()).unwrap())
}

/// Collects the messages of plugins as `level target: message`.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Vec<String>>);

impl PluginLog for Heard {
    fn log(&self, _: &str, level: LogLevel, target: &str, message: &str) {
        let line = format!("{level:?} {target}: {message}");
        self.0.lock().unwrap().push(line);
    }
}

impl Heard {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.lines().iter().any(|line| line.contains(part))
    }
}

/// The parameters for starting a plugin in a test.
pub(crate) struct Start {
    pub(crate) config: Value,
    pub(crate) limits: PluginLimits,
    pub(crate) generations: usize,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) log: Arc<Heard>,
}

impl Start {
    pub(crate) fn with(config: Value) -> Self {
        Self {
            config,
            limits: PluginLimits::default(),
            generations: 20,
            clock: Arc::default(),
            log: Arc::default(),
        }
    }

    pub(crate) fn start(&self, image: LoadedCode) -> Result<LoadedPlugin, PluginError> {
        LoadedPlugin::start(
            image,
            PluginSetup {
                config: self.config.clone(),
                limits: self.limits.clone(),
                generations: self.generations,
                clock: Arc::clone(&self.clock) as _,
                log: Arc::clone(&self.log) as _,
            },
        )
    }
}

/// Returns the source of the memory plugin with these files.
pub(crate) fn memory_source(files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let files: BTreeMap<_, _> = files.iter().map(|(path, bytes)| (*path, text(bytes))).collect();
    let start = Start::with(json!({"files": files}));
    Arc::clone(&start.start(memory()).unwrap().sources()[0])
}
