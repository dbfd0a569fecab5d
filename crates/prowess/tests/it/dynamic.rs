//! The built-in sources as plugins, for every test at once: with `PROWESS_TEST_DYNAMIC` in the
//! environment, a folder that `cargo xtask plugins` has filled, each runtime takes them there.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use prowess::plugin_host::{
    Isolation, NoLog, Older, PluginLoader, PluginPolicy, SignedOffBy, TrustStore, inspect,
};
use prowess::{Digest, NoAudit, Runtime, RuntimeBuilder, SystemClock, Timestamp};

/// A runtime to be built.
pub(crate) fn builder() -> RuntimeBuilder {
    match std::env::var_os("PROWESS_TEST_DYNAMIC") {
        Some(directory) => Runtime::builder().dynamic(loader(directory.into())),
        None => Runtime::builder(),
    }
}

fn loader(directory: PathBuf) -> PluginLoader {
    static TRUST: OnceLock<TrustStore> = OnceLock::new();
    let trust = TRUST.get_or_init(|| trust(&directory)).clone();
    let policy = PluginPolicy {
        built_in: Some(directory),
        isolation: Isolation::InProcess,
        ..PluginPolicy::default()
    };
    PluginLoader {
        policy,
        trust,
        staging: std::env::temp_dir(),
        runner: PathBuf::new(),
        runner_arguments: Vec::new(),
        clock: Arc::new(SystemClock::default()),
        log: Arc::new(NoLog),
        audit: Arc::new(NoAudit),
    }
}

fn trust(directory: &Path) -> TrustStore {
    let mut trust = TrustStore::default();
    let witness = SignedOffBy { who: "the tests".to_owned(), when: Timestamp(0) };
    for name in ["filesystem", "embedded"] {
        let file = directory.join(format!("{DLL_PREFIX}prowess_plugin_{name}{DLL_SUFFIX}"));
        let bytes = std::fs::read(&file).expect("`cargo xtask plugins` builds it");
        let inspection = inspect(&file, &bytes).expect("it is a plugin");
        let digest = Digest::of(&bytes);
        trust.pin(&file, digest, &inspection, &witness, Older::Refuse).expect("it is new");
    }
    trust
}
