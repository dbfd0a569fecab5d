//! The texts by which a model refers to a skill.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{ActiveSkill, Caller, Catalog, SessionState, parse_virtual_uri};
use serde_json::Value;

/// Returns the skills in the field `names` of a call's arguments.
pub(crate) fn names(arguments: &Value) -> Vec<&str> {
    arguments["names"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the id or location that a reference stands for: a virtual URI, as the model may have
/// seen it in the catalog, stands for its id.
pub(crate) fn resolved(reference: &str) -> Cow<'_, str> {
    match parse_virtual_uri(reference) {
        Some((id, _)) => Cow::Owned(id),
        None => Cow::Borrowed(reference),
    }
}

/// Returns the skill and the path of a file that a call names, from a virtual URI if the path is
/// one. A blank skill counts as none.
pub(crate) fn resolved_file(skill: Option<String>, path: String) -> (Option<String>, String) {
    match parse_virtual_uri(&path) {
        Some((id, path)) => (Some(id), path),
        None => (skill.filter(|skill| !skill.trim().is_empty()), path),
    }
}

/// Returns the id of the skill and the path in its package of the file that a call of a tool means
/// that reads files or runs scripts. Without a skill in its arguments, it is that of the skill that
/// was loaded last.
pub fn used_file(
    catalog: &Catalog,
    state: &SessionState,
    arguments: &Value,
) -> Option<(String, String)> {
    let path = arguments["path"].as_str()?.to_owned();
    let named = ["skill", "skill_id"].into_iter().find_map(|field| arguments[field].as_str());
    let (named, path) = resolved_file(named.map(str::to_owned), path);
    let skill = match named {
        Some(name) => {
            let name = resolved(&name);
            let found = catalog.find(&name, Caller::User).found();
            found.map_or_else(|| name.into_owned(), |record| record.id().to_owned())
        }
        None => state.current()?.id.clone(),
    };
    Some((skill, path.trim_start_matches("./").to_owned()))
}

/// Finds the active skill with this id, at this location, or that a qualified id or an alias leads
/// to.
pub(crate) fn active<'s>(
    catalog: &Catalog,
    state: &'s SessionState,
    reference: &str,
) -> Option<&'s ActiveSkill> {
    let reference = &*resolved(reference);
    let at = |location: &str| {
        state.active.iter().map(Arc::as_ref).find(|skill| skill.location == location)
    };
    let meant =
        |caller| catalog.find(reference, caller).found().and_then(|found| at(&found.location()));
    state
        .find(reference)
        .or_else(|| at(reference))
        .or_else(|| meant(Caller::Model))
        .or_else(|| meant(Caller::User))
}
