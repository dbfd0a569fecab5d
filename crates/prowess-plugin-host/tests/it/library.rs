//! Small libraries for the tests of this crate.

use std::path::Path;
use std::sync::OnceLock;

use prowess_plugin_host::Target;

pub(crate) use prowess_testkit::PluginFile as Library;

/// A manifest in order.
pub(crate) fn manifest() -> prowess_plugin_host::Manifest {
    Library::manifest()
}

/// The bytes of a section with this text.
pub(crate) fn section(text: &str) -> Vec<u8> {
    Library::section(text)
}

/// A library that is a plugin in order, as far as can be known without opening it.
pub(crate) fn good() -> Vec<u8> {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    GOOD.get_or_init(|| Library::new(&manifest()).build()).clone()
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
