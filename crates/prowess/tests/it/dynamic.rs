//! The built-in sources as plugins, for every test at once: with `PROWESS_TEST_DYNAMIC` in the
//! environment, a folder that `cargo xtask plugins` has filled, each runtime takes them there.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use prowess::plugin_host::{
    Isolation, NoLog, Older, PluginLoader, PluginPolicy, SignedOffBy, TrustStore, inspect,
};
use prowess::{
    Cancel, Catalog, Digest, NoAudit, Record, Runtime, RuntimeBuilder, ShellError, ShellOutcome,
    ShellRequest, SystemClock, Timestamp, VirtualShell,
};

/// A runtime to be built, in which skills are mounted and no command runs: the built-in shell has
/// tests of its own, with its feature.
pub(crate) fn builder() -> RuntimeBuilder {
    let builder = Runtime::builder().virtual_shell(Arc::new(NoCommands));
    match std::env::var_os("PROWESS_TEST_DYNAMIC") {
        Some(directory) => builder.dynamic(loader(directory.into())),
        None => builder,
    }
}

struct NoCommands;

impl VirtualShell for NoCommands {
    fn mount_path(&self, _: &Catalog, record: Record<'_>) -> Result<String, ShellError> {
        Ok(format!("/.sandbox/skills/{}", record.id()))
    }

    fn execute(&self, _: &ShellRequest<'_>, _: &Cancel) -> Result<ShellOutcome, ShellError> {
        unreachable!("no test runs a command here")
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
