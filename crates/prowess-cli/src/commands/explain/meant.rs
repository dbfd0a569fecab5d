//! The records that a query matches, as an id, an alias or a path with several spellings.

use std::path::{Path, PathBuf};

use prowess::format::SKILL_MD_FILES;
use prowess::{Catalog, Record};

/// Returns a path so that it starts with a root, if it is below one. Both may contain links.
pub(super) fn as_found(catalog: &Catalog, path: PathBuf) -> PathBuf {
    let Ok(real) = path.canonicalize() else { return path };
    let roots = || catalog.sources().iter().map(|source| Path::new(source.source.root()));
    if roots().any(|root| path.starts_with(root)) {
        return path;
    }
    roots()
        .find_map(|root| {
            let rest = real.strip_prefix(root.canonicalize().ok()?).ok()?.to_owned();
            Some(if rest.as_os_str().is_empty() { root.to_owned() } else { root.join(rest) })
        })
        .unwrap_or(path)
}

/// Returns the records that match `query`, and those at `path`, which is the query as a path. Links
/// are followed.
pub(super) fn records<'c>(catalog: &'c Catalog, query: &str, path: &str) -> Vec<Record<'c>> {
    let mut records = catalog.all_named(query);
    let mut add = |found: Vec<Record<'c>>| {
        for record in found {
            if records.iter().all(|other| other.index() != record.index()) {
                records.push(record);
            }
        }
    };
    // A name that is a path of nothing would be compared with each skill in other spellings.
    let mut roots = catalog.sources().iter().map(|source| source.source.root());
    if roots.any(|root| Path::new(path).starts_with(root)) {
        add(catalog.all_named(path));
    }
    if let Some(directory) = real_directory(path.as_ref()) {
        add(in_directory(catalog, &directory));
    }
    records
}

/// Returns the directory of a path with links resolved; for a `SKILL.md`, the directory that
/// contains it.
fn real_directory(path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let is_skill =
        path.file_name().is_some_and(|name| SKILL_MD_FILES.iter().any(|file| name == *file));
    if is_skill { real.parent().map(Path::to_owned) } else { Some(real) }
}

/// Returns the records whose directory is this one, links resolved.
fn in_directory<'c>(catalog: &'c Catalog, directory: &Path) -> Vec<Record<'c>> {
    catalog
        .skills()
        .chain(catalog.excluded())
        .chain(catalog.rejected())
        .filter(|record| {
            let own = PathBuf::from(record.root_directory());
            own.canonicalize().is_ok_and(|own| own == directory)
        })
        .collect()
}
