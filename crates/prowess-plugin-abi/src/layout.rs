//! Whether two sides mean the same by what crosses.

mod summary;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::{
    CheckingGlobals, check_layout_compatibility_with_globals,
};
use abi_stable::type_layout::TypeLayout;

use crate::{MINOR, PluginModule_Ref};

/// One side's idea of a type, and the minor version that it has it from.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// The layout that the side was compiled with.
    pub layout: &'static TypeLayout,
    /// The minor version of the boundary that it was compiled with.
    pub minor: u32,
}

impl Side {
    /// This code's own idea of a plugin's root.
    pub fn own() -> Self {
        Self { layout: PluginModule_Ref::LAYOUT, minor: MINOR }
    }
}

/// How the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The whole report of abi_stable. It may have thousands of lines.
    pub report: String,
}

/// Compares what two sides mean by a type.
///
/// abi_stable asks whether one side can use what the other *implements*, and refuses an
/// implementation that has less. Between minor versions things only grow, so the older side is
/// always the one that is asked for: then an old plugin passes on a new host, and a new one on an
/// old host.
///
/// # Errors
///
/// They mean different things. A side that lies about its minor version is found out as well.
pub fn check(one: Side, other: Side) -> Result<(), Mismatch> {
    let (older, newer) = if one.minor <= other.minor { (one, other) } else { (other, one) };
    // abi_stable's own memory would mix the sides of every check of this process: after an older
    // plugin it refuses a newer one. A plugin has to fit this host and no other plugin.
    let memory = CheckingGlobals::new();
    check_layout_compatibility_with_globals(older.layout, newer.layout, &memory)
        .map_err(|errors| Mismatch { report: errors.to_string() })
}

impl Mismatch {
    /// The report in one line: the first errors, each with its place, what was expected and what
    /// was found.
    pub fn summary(&self) -> String {
        summary::of(&self.report)
    }
}
