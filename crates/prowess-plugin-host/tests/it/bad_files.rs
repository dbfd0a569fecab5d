//! Files that must not run, each with a constructor that would tell if one did.

use std::path::{Path, PathBuf};

use prowess_core::Digest;
use prowess_plugin_host::{
    InventoryCache, Isolation, LoadedCode, Manifest, Older, Origin, PanicStrategy, PluginError,
    PluginErrorKind, PluginPolicy, TrustStore, VerifiedPlugin, inspect, list, stage, verify,
};
use tempfile::TempDir;

use crate::library::{Library, dependency, manifest};
use crate::trust::witness;

/// A directory of plugins with one file, whose code writes another file as soon as it is opened.
struct Trap {
    place: TempDir,
    policy: PluginPolicy,
    trust: TrustStore,
}

impl Trap {
    fn new(manifest: &Manifest, more: impl FnOnce(&Path, Library) -> Library) -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        let policy = PluginPolicy {
            directories: vec![path.clone()],
            isolation: Isolation::InProcess,
            ..PluginPolicy::default()
        };
        let trap = Self { place, policy, trust: TrustStore::default() };
        let code = format!(
            "#include <stdio.h>\n\
             __attribute__((constructor)) static void run(void) {{ fopen(\"{}\", \"w\"); }}",
            trap.sprung().display()
        );
        let library = more(&path, Library::new(manifest).code(&code));
        std::fs::write(trap.file(), library.build()).unwrap();
        trap
    }

    fn file(&self) -> PathBuf {
        self.policy.directories[0].join("trap.so")
    }

    fn sprung(&self) -> PathBuf {
        self.policy.directories[0].join("it-ran")
    }

    fn trusted(mut self) -> Self {
        let bytes = std::fs::read(self.file()).unwrap();
        let inspection = inspect(&self.file(), &bytes).unwrap();
        let digest = Digest::of(&bytes);
        self.trust.pin(&self.file(), digest, &inspection, &witness(), Older::Refuse).unwrap();
        self
    }

    fn verify(&self) -> Result<VerifiedPlugin, PluginError> {
        verify(&self.file(), Origin::Directory, &self.policy, &self.trust)
    }

    /// It is refused for this reason, whoever looks at it, and nothing of it ran.
    #[track_caller]
    fn check(self, kind: PluginErrorKind) {
        let error = self.verify().expect_err("it must not run");
        assert_eq!(error.kind, kind, "{error}");
        let mut cache = InventoryCache::default();
        let listed = list(&self.policy, &self.trust, &mut cache).unwrap();
        let verdict = listed[0].verdict.as_ref().expect_err("the list says so, too");
        assert_eq!(verdict.kind, kind, "{verdict}");
        assert!(!self.sprung().exists(), "no constructor ran: {error}");
        drop(self.place);
    }
}

fn plain(_: &Path, library: Library) -> Library {
    library
}

#[test]
fn no_constructor_of_a_file_that_is_refused_runs() {
    Trap::new(&manifest(), plain).check(PluginErrorKind::NotTrusted);
    let other = Manifest { abi: "2.0".into(), ..manifest() };
    Trap::new(&other, plain).trusted().check(PluginErrorKind::Abi);
    let aborts = Manifest { panic: PanicStrategy::Abort, ..manifest() };
    Trap::new(&aborts, plain).trusted().check(PluginErrorKind::PanicStrategy);
    let runpath = |_: &Path, library: Library| library.flags(&["-Wl,-rpath,$ORIGIN/lib"]);
    Trap::new(&manifest(), runpath).trusted().check(PluginErrorKind::Linkage);
    let needs = |place: &Path, library: Library| {
        dependency(place, "libextra.so.3");
        let extra = place.join("libextra.so.3").display().to_string();
        library.code("int helper(void);int f(void){return helper();}").flags(&[&extra])
    };
    Trap::new(&manifest(), needs).trusted().check(PluginErrorKind::Linkage);
}

/// Opens what is trusted and is no plugin all the same.
#[track_caller]
fn opened(code: &str, reason: &str) {
    let trap = Trap::new(&manifest(), |_, library| library.code(code)).trusted();
    let plugin = trap.verify().expect("it may run");
    let error = LoadedCode::open(&plugin, stage(&plugin, trap.place.path()).unwrap());
    let error = error.expect_err("there is nothing to call");
    assert_eq!(error.kind, PluginErrorKind::Abi, "{error}");
    assert!(error.reason.contains(reason) && error.was_executed, "{error}");
    assert!(trap.sprung().exists(), "the trap works: to open a library is to run it");
}

#[test]
fn a_library_without_a_way_to_its_code_is_refused_before_any_call() {
    opened("", "has no way to its code");
    let symbol = "_1as_0lib_1header_0root_bmodule_bloader";
    let nothing = format!("const unsigned char {symbol}[4096] = {{0}};");
    opened(&nothing, "was built with another boundary");
    let nonsense = format!("const char {symbol}[4096] = \"abi_stable library header\";");
    opened(&nonsense, "was built with another boundary");
}
