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
    let add = |records: &mut Vec<Record<'c>>, found: Vec<Record<'c>>| {
        for record in found {
            if records.iter().all(|other| other.index() != record.index()) {
                records.push(record);
            }
        }
    };
    // A name that is a path of nothing would be compared with each skill in other spellings.
    let mut roots = catalog.sources().iter().map(|source| source.source.root());
    if roots.any(|root| Path::new(path).starts_with(root)) {
        add(&mut records, catalog.all_named(path));
    }
    if let Some(directory) = real_directory(path.as_ref()) {
        let there = in_directory(catalog, &directory, &records);
        add(&mut records, there);
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

/// Returns the records whose directory is this one, links resolved. If one is known, the others
/// have its name.
fn in_directory<'c>(
    catalog: &'c Catalog,
    directory: &Path,
    known: &[Record<'c>],
) -> Vec<Record<'c>> {
    let is_there = |record: &Record<'_>| {
        let own = PathBuf::from(record.root_directory());
        own.canonicalize().is_ok_and(|own| own == directory)
    };
    let name = known.iter().find(|record| is_there(record)).map(Record::name);
    let is_meant = |record: &Record<'_>| name.is_none_or(|name| record.name() == name);
    let all = catalog.skills().chain(catalog.excluded()).chain(catalog.rejected());
    all.filter(|record| is_meant(record) && is_there(record)).collect()
}
