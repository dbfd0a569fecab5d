//! The plugins that clients keep: a cache has older versions of each beside the newest one.

use std::path::{Path, PathBuf};

use crate::further_place::directories_in;

/// The end of the path of a cache, below the directory of each client that has one.
const CACHE: &str = "plugins/cache";

/// Returns the plugins in a cache (`MARKETPLACE/PLUGIN/VERSION`), each in its newest version; none
/// if the directory is no cache.
pub(crate) fn newest_plugins(directory: &Path) -> Vec<PathBuf> {
    if !directory.ends_with(CACHE) {
        return Vec::new();
    }
    let plugins = directories_in(directory).into_iter().flat_map(|market| directories_in(&market));
    let newest = plugins.map(|plugin| {
        let versions = directories_in(&plugin);
        // Another form has skills there, which may have such names.
        match versions.iter().all(|it| is_version(&name(it))) {
            true => versions.into_iter().max_by_key(|it| order(it)).unwrap_or(plugin),
            false => plugin,
        }
    });
    newest.collect()
}

fn name(directory: &Path) -> String {
    directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns whether a name is a version, or a commit.
fn is_version(name: &str) -> bool {
    let digits = name.strip_prefix('v').unwrap_or(name);
    digits.starts_with(|first: char| first.is_ascii_digit())
        || name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        || name == "unknown"
}

/// Returns what versions are compared by: their numbers, then whether they are released, then the
/// time at which they came.
fn order(version: &Path) -> impl Ord + use<> {
    let name = name(version);
    let numbers = name.trim_start_matches('v').split(['.', '-', '+']);
    let numbers: Vec<u32> = numbers.map_while(|number| number.parse().ok()).collect();
    (numbers, !name.contains('-'), version.metadata().and_then(|it| it.modified()).ok())
}
