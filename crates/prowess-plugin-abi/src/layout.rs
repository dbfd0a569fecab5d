//! Compares the layout of the boundary types between two sides.

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::{
    CheckingGlobals, check_layout_compatibility_with_globals,
};
use abi_stable::type_layout::TypeLayout;

use crate::{MINOR, PluginModule_Ref};

/// The maximum number of errors in a summary.
const MAX_ERRORS: usize = 3;

/// The layout of one side, and its minor version.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// The layout with which the side was compiled.
    pub layout: &'static TypeLayout,
    /// The minor version of the ABI with which it was compiled.
    pub minor: u32,
}

impl Side {
    /// Returns the layout of the root module in this build.
    pub fn own() -> Self {
        Self { layout: PluginModule_Ref::LAYOUT, minor: MINOR }
    }
}

/// A difference between two layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The complete report of abi_stable. It may have thousands of lines.
    pub report: String,
}

/// Compares the layouts of two sides.
///
/// abi_stable checks whether one side can use the *implementation* of the other, and refuses one
/// with fewer fields or methods. Minor versions only add methods, so the older side is always the
/// expected one. Then an old plugin passes on a new host, and a new plugin on an old host.
///
/// # Errors
///
/// Returns an error if the layouts differ, also if a side declares a wrong minor version.
pub fn check(one: Side, other: Side) -> Result<(), Mismatch> {
    let (older, newer) = if one.minor <= other.minor { (one, other) } else { (other, one) };
    // abi_stable's global cache mixes all checks of the process: after an older plugin it would
    // refuse a newer one. A plugin only has to be compatible with this host.
    let globals = CheckingGlobals::new();
    check_layout_compatibility_with_globals(older.layout, newer.layout, &globals)
        .map_err(|errors| Mismatch { report: errors.to_string() })
}

impl Mismatch {
    /// Returns a summary in one line: the first errors, each with the name of its type.
    ///
    /// A section of the report shows the expected type, whose first line is `type:NAME`. Each of its
    /// errors has a line `Error:KIND`.
    pub fn summary(&self) -> String {
        let mut name = "";
        let mut is_before_name = false;
        let mut found: Vec<String> = Vec::new();
        for line in self.report.lines().map(str::trim) {
            if matches!(line, "Compared <this>:" | "Layout of expected type:") {
                is_before_name = true;
            } else if let Some(named) = line.strip_prefix("type:").filter(|_| is_before_name) {
                (name, is_before_name) = (named, false);
            } else if let Some(error) = line.strip_prefix("Error:") {
                let sentence = format!("in `{name}`: {}", error.trim());
                if !found.contains(&sentence) {
                    found.push(sentence);
                }
            }
        }
        found.truncate(MAX_ERRORS);
        found.join("; ")
    }
}
