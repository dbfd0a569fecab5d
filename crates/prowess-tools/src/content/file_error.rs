//! The reasons why a file of a package cannot be read, for a model.

use prowess_core::{Catalog, Code, Record, ResourcePath, SourceError, SourceErrorKind};
use prowess_text::{enumerated, is_shown_exactly, quoted};

use crate::gate::Refusal;
use crate::suggestion::{LEAST_SIMILARITY, closest, hint};

/// The number of files of a package that are compared for a suggestion.
const MOST_COMPARED: usize = 1000;

/// The number of files that are listed when a file does not exist.
const MOST_NAMED: usize = 10;

/// Turns the kind of a source error into our own message. The source's message may contain
/// paths outside the package, unless the kind says that it has none.
pub(crate) fn unreadable(
    catalog: &Catalog,
    record: Record<'_>,
    path: &ResourcePath,
    error: &SourceError,
    limit: usize,
) -> Refusal {
    let kind = error.kind;
    let file = quoted(path.as_str());
    let skill = quoted(record.id());
    let message = match kind {
        SourceErrorKind::NotFound => return missing(catalog, record, path),
        SourceErrorKind::Escape => {
            format!("{file} leads out of skill {skill}; only files inside it can be read")
        }
        SourceErrorKind::NotRegular => {
            format!("{file} of skill {skill} is not a file; name a file inside it")
        }
        SourceErrorKind::Loop => {
            format!("the links at {file} of skill {skill} lead in a circle; read another file")
        }
        SourceErrorKind::TooLarge => format!(
            "{file} of skill {skill} is larger than the limit of {limit} bytes; read another file"
        ),
        SourceErrorKind::Denied => {
            format!("{file} of skill {skill} may not be read; tell the user")
        }
        SourceErrorKind::MultipleLinks => format!(
            "{file} of skill {skill} is a hard link, which is not read in an untrusted layer; \
             read another file"
        ),
        SourceErrorKind::CrossDevice => format!(
            "{file} of skill {skill} lies on another mount, which is not read in an untrusted \
             layer; read another file"
        ),
        SourceErrorKind::Changing => {
            format!("{file} of skill {skill} is being written to; try again in a moment")
        }
        SourceErrorKind::Changed => format!("{error}; go on without the skill"),
        SourceErrorKind::Cancelled => "the turn was cancelled".to_owned(),
        _ => format!("{file} of skill {skill} cannot be read now; try again later"),
    };
    Refusal::new(Code::new(kind.as_str()), message)
}

fn missing(catalog: &Catalog, record: Record<'_>, path: &ResourcePath) -> Refusal {
    let listing = catalog.list_public(record, MOST_COMPARED).unwrap_or_default();
    let files = listing.resources.iter().map(|resource| resource.path.as_str());
    // A name that cannot be shown unchanged cannot be requested.
    let files: Vec<&str> = files.filter(|path| is_shown_exactly(path)).collect();
    let next = match closest(path.as_str(), files.iter().copied(), LEAST_SIMILARITY) {
        Some(meant) => hint(meant),
        None if files.is_empty() => "; it has no other files".to_owned(),
        None => {
            let first = files.iter().copied().take(MOST_NAMED);
            format!("; its files begin with {}", enumerated(first, "and"))
        }
    };
    let message =
        format!("there is no {} in skill {}{next}", quoted(path.as_str()), quoted(record.id()));
    Refusal::new(Code::new(SourceErrorKind::NotFound.as_str()), message)
}
