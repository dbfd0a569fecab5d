//! Small libraries for tests.

use std::path::Path;
use std::sync::OnceLock;

use prowess_plugin_host::Target;

pub(crate) use prowess_testkit::PluginFile as Library;

/// Returns a valid manifest.
pub(crate) fn manifest() -> prowess_plugin_host::Manifest {
    Library::manifest()
}

/// Returns the bytes of a manifest section with this text.
pub(crate) fn section(text: &str) -> Vec<u8> {
    Library::section(text)
}

/// Returns a library that passes inspection.
pub(crate) fn good() -> Vec<u8> {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    GOOD.get_or_init(|| Library::new(&manifest()).build()).clone()
}

/// Creates a small library to link with.
pub(crate) fn dependency(directory: &Path, name: &str) {
    let bytes = Library::with_section(Vec::new())
        .code("int helper(void) { return 1; }")
        .flags(&[&format!("-Wl,-soname,{name}")])
        .build();
    std::fs::write(directory.join(name), bytes).unwrap();
}

/// Returns the name of this host's target in messages.
pub(crate) fn this_host() -> String {
    Target::of_this_host().to_string()
}
