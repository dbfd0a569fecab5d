//! The built-in sources as plugins, for every test at once: with `PROWESS_TEST_DYNAMIC` in the
//! environment, a folder that `cargo xtask plugins` has filled, each run of the program takes them
//! there.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;

/// Where a user's trust in plugins is kept, from the home.
const STORE: &str = ".local/state/prowess/plugins.json";

/// The plugins, and a store that trusts them.
pub(crate) struct Dynamic {
    pub(crate) directory: PathBuf,
    store: Vec<u8>,
}

/// The plugins that the tests are run with, if they are.
pub(crate) fn plugins() -> Option<&'static Dynamic> {
    static PLUGINS: OnceLock<Option<Dynamic>> = OnceLock::new();
    let directory = || std::env::var_os("PROWESS_TEST_DYNAMIC").map(PathBuf::from);
    PLUGINS.get_or_init(|| directory().map(Dynamic::of)).as_ref()
}

impl Dynamic {
    fn of(directory: PathBuf) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        for name in ["filesystem", "embedded"] {
            let file = directory.join(format!("{DLL_PREFIX}prowess_plugin_{name}{DLL_SUFFIX}"));
            let mut program = Command::new(env!("CARGO_BIN_EXE_prowess"));
            program.env_clear().env("HOME", home.path()).args(["plugin", "trust"]).arg(&file);
            let trusted = program.output().expect("the program starts");
            assert!(trusted.status.success(), "`cargo xtask plugins` builds them: {trusted:?}");
        }
        let store = fs::read(home.path().join(STORE)).expect("what is trusted is written");
        Self { directory, store }
    }

    /// Lets the user of this home trust the plugins, unless the user has a store already.
    pub(crate) fn trust_in(&self, home: &Path) -> Option<Trusted<'_>> {
        let file = home.join(STORE);
        if file.exists() {
            return None;
        }
        fs::create_dir_all(file.parent().expect("it lies in a directory")).ok()?;
        fs::write(&file, &self.store).ok()?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).ok()?;
        Some(Trusted { file, store: &self.store })
    }
}

/// Takes the trust away again, so that the home is as the test has made it. What the run has added
/// to it is the test's own.
pub(crate) struct Trusted<'s> {
    file: PathBuf,
    store: &'s [u8],
}

impl Drop for Trusted<'_> {
    fn drop(&mut self) {
        if fs::read(&self.file).is_ok_and(|kept| kept != self.store) {
            return;
        }
        let _ = fs::remove_file(&self.file);
        // What holds anything else stays.
        for directory in self.file.ancestors().skip(1).take(3) {
            let _ = fs::remove_dir(directory);
        }
    }
}
