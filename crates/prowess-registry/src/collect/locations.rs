//! Locations of packages, as paths and names.

use prowess_core::SKILL_MD_FILES;

/// Returns the name of a package's directory. The directory of a source that is one package is its
/// root.
pub(super) fn directory_of<'a>(root: &'a str, package: &'a str) -> &'a str {
    let path = if package.is_empty() { root.trim_end_matches('/') } else { package };
    // Called for each package: a loop over bytes, because paths are too short for a search
    // function.
    let slash = path.bytes().rposition(|byte| byte == b'/');
    slash.map_or(path, |at| &path[at + 1..])
}

/// Returns the location of a package's file as an absolute path or URL.
pub(super) fn location(root: &str, package: &str, file: &str) -> String {
    let root = root.trim_end_matches('/');
    match package {
        "" => format!("{root}/{file}"),
        package => format!("{root}/{package}/{file}"),
    }
}

/// Returns the package whose `SKILL.md` is at this location, in any spelling.
pub(super) fn package_of<'p>(root: &str, location: &'p str) -> Option<&'p str> {
    let inside = location.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?;
    let (package, file) = inside.rsplit_once('/').unwrap_or(("", inside));
    is_skill_file(file).then_some(package)
}

/// Returns whether a location is a package's directory or its `SKILL.md`, in any spelling: findings
/// at these locations come from a scan of the package alone. Packages inside it are separate.
pub(super) fn is_of(root: &str, package: &str, location: &str) -> bool {
    let inside = location.strip_prefix(root.trim_end_matches('/'));
    let inside = inside.map(|inside| inside.trim_start_matches('/'));
    let Some(rest) = inside.and_then(|inside| inside.strip_prefix(package)) else { return false };
    let file = if package.is_empty() { Some(rest) } else { rest.strip_prefix('/') };
    rest.is_empty() || file.is_some_and(is_skill_file)
}

/// Returns whether a name is that of a `SKILL.md`, in any spelling: a misspelt one has findings
/// too.
fn is_skill_file(name: &str) -> bool {
    SKILL_MD_FILES.iter().any(|file| name.eq_ignore_ascii_case(file))
}
