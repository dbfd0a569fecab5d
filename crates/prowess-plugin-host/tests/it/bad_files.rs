//! Rejected files do not run. Each has a constructor that would leave a trace.

use std::path::{Path, PathBuf};

use prowess_core::Digest;
use prowess_plugin_host::{
    Isolation, LoadedCode, Manifest, Older, PanicStrategy, PluginError, PluginErrorKind,
    PluginPolicy, TrustStore, VerifiedPlugin, inspect, list, stage, verify,
};
use tempfile::TempDir;

use crate::library::{Library, dependency, manifest};
use crate::trust::signed_off_by;

/// A plugin directory with one file, whose constructor creates another file when it is opened.
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
            trap.trace_file().display()
        );
        let library = more(&path, Library::new(manifest).code(&code));
        std::fs::write(trap.file(), library.build()).unwrap();
        trap
    }

    fn file(&self) -> PathBuf {
        self.policy.directories[0].join("trap.so")
    }

    fn trace_file(&self) -> PathBuf {
        self.policy.directories[0].join("it-ran")
    }

    fn trusted(mut self) -> Self {
        let bytes = std::fs::read(self.file()).unwrap();
        let inspection = inspect(&self.file(), &bytes).unwrap();
        let digest = Digest::of(&bytes);
        self.trust.pin(&self.file(), digest, &inspection, &signed_off_by(), Older::Refuse).unwrap();
        self
    }

    fn verify(&self) -> Result<VerifiedPlugin, PluginError> {
        verify(&self.file(), &self.policy, &self.trust)
    }

    /// Checks that verification and listing refuse the file for this reason, and that no code ran.
    #[track_caller]
    fn check(self, kind: PluginErrorKind) {
        let error = self.verify().expect_err("the file is refused");
        assert_eq!(error.kind, kind, "{error}");
        let listed = list(&self.policy, &self.trust).unwrap();
        let verdict = listed[0].verdict.as_ref().expect_err("the list has the same verdict");
        assert_eq!(verdict.kind, kind, "{verdict}");
        assert!(!self.trace_file().exists(), "no constructor ran: {error}");
        drop(self.place);
    }
}

fn plain(_: &Path, library: Library) -> Library {
    library
}

#[test]
fn constructors_of_refused_files_do_not_run() {
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

/// Opens a trusted library with this code, which is not a plugin.
#[track_caller]
fn opened(code: &str, reason: &str) {
    let trap = Trap::new(&manifest(), |_, library| library.code(code)).trusted();
    let plugin = trap.verify().expect("the file is trusted");
    let error = LoadedCode::open(&plugin, stage(&plugin, trap.place.path()).unwrap());
    let error = error.expect_err("the library exports no root module");
    assert_eq!(error.kind, PluginErrorKind::Abi, "{error}");
    assert!(error.reason.contains(reason) && error.was_executed, "{error}");
    assert!(trap.trace_file().exists(), "opening the library ran its constructor");
}

#[test]
fn library_without_root_module_is_refused() {
    opened("", "does not export the root module of a plugin");
    let symbol = "_1as_0lib_1header_0root_bmodule_bloader";
    let zeroes = format!("const unsigned char {symbol}[4096] = {{0}};");
    opened(&zeroes, "was built with another ABI");
    let invalid = format!("const char {symbol}[4096] = \"abi_stable library header\";");
    opened(&invalid, "was built with another ABI");
}
