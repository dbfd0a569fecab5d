//! The skill that a user names.

use prowess::tools::closest;
use prowess::{Caller, Catalog, Lookup, Record};

use crate::args::LEAST_SIMILARITY;
use crate::failure::Failure;
use crate::terminal::plain;

/// The maximum number of ids that are compared with an unknown one: a page must not wait for it.
const MOST_COMPARED: usize = 2_000;

/// Returns the skill that a user would load; for the operator of the host, otherwise any skill with
/// that name.
pub(crate) fn record<'c>(catalog: &'c Catalog, id: &str) -> Result<Record<'c>, Failure> {
    match catalog.find(id, Caller::User) {
        Lookup::Found(record) | Lookup::Unavailable(record, _) => Ok(record),
        Lookup::Ambiguous(one, other) => Err(ambiguous(id, one, other)),
        Lookup::Unknown => {
            catalog.all_named(id).first().copied().ok_or_else(|| unknown(catalog, id))
        }
    }
}

/// Returns the failure for a name that two skills have in another spelling.
fn ambiguous(id: &str, one: Record<'_>, other: Record<'_>) -> Failure {
    let message = format!("`{}` may be `{}` or `{}`", plain(id), one.id(), other.id());
    Failure::new("skill-ambiguous", message, "name one of them, see `prowess list` for the ids")
}

/// Returns the failure for an unknown id.
fn unknown(catalog: &Catalog, id: &str) -> Failure {
    // It may be saved at this moment.
    let is_of_skill = |path: &str| {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        directory.rsplit('/').next() == Some(id)
    };
    let mut errors = catalog.diagnostics().filter(|found| found.is_error());
    if let Some(error) = errors.find(|it| it.path.as_deref().is_some_and(is_of_skill)) {
        let message = format!("`{}` cannot be used: {error}", plain(id));
        return Failure::new("skill-invalid", message, "see `prowess doctor`, or try again");
    }
    let message = match suggestion(catalog, id, []) {
        Some(meant) => format!("no skill named `{id}`; did you mean `{meant}`?"),
        None => format!("no skill named `{id}`"),
    };
    let late = catalog.diagnostics().find(|found| found.code.as_str() == "source-late");
    let help = late.map_or_else(
        || "see `prowess list` for the ids, or `prowess explain` for why it is missing".to_owned(),
        |late| format!("{late}; {}", late.help),
    );
    Failure::new("skill-not-found", message, help)
}

/// Returns the id of a skill, offered or not, or the other name that is most similar to an unknown
/// one. Of very many skills, it is one of the first that begin with the same letter.
pub(crate) fn suggestion<'c>(
    catalog: &'c Catalog,
    id: &str,
    others: impl IntoIterator<Item = &'static str>,
) -> Option<&'c str> {
    let ids = || catalog.skills().chain(catalog.excluded()).map(|record| record.id());
    let (are_many, start) = (ids().nth(MOST_COMPARED).is_some(), id.chars().next());
    let ids = ids().filter(|it| !are_many || it.chars().next() == start).take(MOST_COMPARED);
    let others = others.into_iter().map(|name| -> &'c str { name });
    closest(id, ids.chain(others), LEAST_SIMILARITY)
}
