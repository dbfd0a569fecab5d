//! Small libraries, made by the C compiler that Rust links with.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use prowess_plugin_abi::manifest::{MAGIC, Manifest, PanicStrategy, SECTION, SYMBOL};
use prowess_plugin_host::Target;

/// What goes into a library.
pub(crate) struct Library {
    section: Vec<u8>,
    code: String,
    flags: Vec<String>,
}

/// A manifest in order.
pub(crate) fn manifest() -> Manifest {
    Manifest {
        manifest: 1,
        name: "notes".into(),
        version: "1.2.0".into(),
        description: "Notes as skills".into(),
        license: "MIT".into(),
        homepage: String::new(),
        abi: "1.0".into(),
        sdk: "0.1.0".into(),
        rustc: "rustc 1.95.0".into(),
        target: format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
        panic: PanicStrategy::Unwind,
        debug_assertions: false,
        kinds: vec!["source".into()],
        features: vec![],
        config_schema: None,
    }
}

/// The bytes of a section with this text.
pub(crate) fn section(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    [&MAGIC[..], &length, text.as_bytes()].concat()
}

/// A library that is a plugin in order, as far as can be known without opening it.
pub(crate) fn good() -> Vec<u8> {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    GOOD.get_or_init(|| Library::new(&manifest()).build()).clone()
}

impl Library {
    /// With this manifest.
    pub(crate) fn new(manifest: &Manifest) -> Self {
        Self::with_section(section(&serde_json::to_string(manifest).unwrap()))
    }

    /// With these bytes where the manifest is.
    pub(crate) fn with_section(section: Vec<u8>) -> Self {
        Self { section, code: String::new(), flags: vec!["-shared".into(), "-fPIC".into()] }
    }

    /// With more C.
    pub(crate) fn code(mut self, code: &str) -> Self {
        self.code.push_str(code);
        self
    }

    /// With more words on the compiler's command line.
    pub(crate) fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Not as a library, but with these words alone.
    pub(crate) fn only_flags(self, flags: &[&str]) -> Self {
        Self { flags: Vec::new(), ..self }.flags(flags)
    }

    /// The bytes of the file.
    pub(crate) fn build(&self) -> Vec<u8> {
        let place = tempfile::tempdir().unwrap();
        let (source, library) = (place.path().join("plugin.c"), place.path().join("plugin"));
        let numbers: Vec<_> = self.section.iter().map(u8::to_string).collect();
        let manifest = match numbers.is_empty() {
            true => String::new(),
            false => format!(
                "__attribute__((section(\"{SECTION}\"), used)) const unsigned char {SYMBOL}[] = {{{}}};",
                numbers.join(",")
            ),
        };
        std::fs::write(&source, format!("{manifest}\n{}\n", self.code)).unwrap();
        // What comes after the source is what it is linked with.
        let mut command = Command::new("cc");
        let output =
            command.arg(&source).args(&self.flags).arg("-o").arg(&library).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(&library).unwrap()
    }
}

/// A small library of this name to link with, in this directory.
pub(crate) fn dependency(directory: &Path, name: &str) {
    let bytes = Library::with_section(Vec::new())
        .code("int helper(void) { return 1; }")
        .flags(&[&format!("-Wl,-soname,{name}")])
        .build();
    std::fs::write(directory.join(name), bytes).unwrap();
}

/// How messages name this host.
pub(crate) fn this_host() -> String {
    Target::of_this_host().to_string()
}
