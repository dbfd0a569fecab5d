//! Small plugin files for inspection, compiled by the C compiler that Rust links with.

use std::process::Command;

use prowess_plugin_abi::manifest::{MAGIC, Manifest, PanicStrategy, SECTION, SYMBOL};

/// A dynamic library that has the manifest of a plugin and no function that a host could call.
pub struct PluginFile {
    section: Vec<u8>,
    code: String,
    flags: Vec<String>,
}

impl PluginFile {
    /// Returns the manifest of a plugin `notes`, version 1.2.0, for this host.
    pub fn manifest() -> Manifest {
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

    /// Returns the bytes of a section with this text.
    pub fn section(text: &str) -> Vec<u8> {
        let length = u32::try_from(text.len()).expect("a text of a test is short").to_le_bytes();
        [&MAGIC[..], &length, text.as_bytes()].concat()
    }

    /// Creates a library with this manifest.
    #[must_use]
    pub fn new(manifest: &Manifest) -> Self {
        Self::with_section(Self::section(
            &serde_json::to_string(manifest).expect("a manifest is JSON"),
        ))
    }

    /// Creates a library with these bytes in the section of the manifest.
    #[must_use]
    pub fn with_section(section: Vec<u8>) -> Self {
        Self { section, code: String::new(), flags: vec!["-shared".into(), "-fPIC".into()] }
    }

    /// Adds C code.
    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        self.code.push_str(code);
        self
    }

    /// Adds arguments of the compiler.
    #[must_use]
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Replaces all arguments of the compiler, including those that make a library.
    #[must_use]
    pub fn only_flags(self, flags: &[&str]) -> Self {
        Self { flags: Vec::new(), ..self }.flags(flags)
    }

    /// Compiles the file and returns its bytes.
    pub fn build(&self) -> Vec<u8> {
        let place = tempfile::tempdir().expect("a temporary directory");
        let source = place.path().join("plugin.c");
        let library = place.path().join("plugin");
        let numbers: Vec<_> = self.section.iter().map(u8::to_string).collect();
        let manifest = if numbers.is_empty() {
            String::new()
        } else {
            format!(
                "__attribute__((section(\"{SECTION}\"), used)) const unsigned char {SYMBOL}[] = {{{}}};",
                numbers.join(",")
            )
        };
        std::fs::write(&source, format!("{manifest}\n{}\n", self.code))
            .expect("a file can be written");
        // Arguments after the source are passed to the linker.
        let mut command = Command::new("cc");
        let output = command
            .arg(&source)
            .args(&self.flags)
            .arg("-o")
            .arg(&library)
            .output()
            .expect("`cc` runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(&library).expect("`cc` wrote the library")
    }
}
