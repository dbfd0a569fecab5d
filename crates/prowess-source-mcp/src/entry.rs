//! Checks an entry of the skills extension.

use std::collections::BTreeMap;

use prowess_core::{Code, Diagnostic, Digest, PackagePath, ResourcePath, Severity};
use prowess_text::quoted;
use serde_json::Value;

use crate::codes;
use crate::frontmatter::head;
use crate::place::Place;
use crate::skill::{File, Listed, MAX_BYTES, MOST_FILES, SKILL_FILE, Skill};

/// A skill that cannot be used, with the path of its package if it has one.
pub(crate) struct Rejected {
    pub(crate) package: Option<PackagePath>,
    pub(crate) finding: Box<Diagnostic>,
}

/// A reason, with its code.
pub(crate) type Reason = (Code, String);

/// Returns the skill that an entry describes.
pub(crate) fn skill(entry: &Value) -> Result<Skill, Rejected> {
    let uri = entry["uri"].as_str().unwrap_or_default();
    let place = Place::of(uri, SKILL_FILE).ok_or_else(|| {
        let reason = format!("{} is not the URI of a `SKILL.md` in a directory", quoted(uri));
        rejected(None, "", (codes::MCP_SKILL_INVALID, reason))
    })?;
    let package = place.package.clone();
    described(entry, uri, place).map_err(|reason| rejected(Some(package), uri, reason))
}

/// Returns the report of a skill that cannot be used.
pub(crate) fn rejected(
    package: Option<PackagePath>,
    uri: &str,
    (code, reason): Reason,
) -> Rejected {
    let message = match uri {
        "" => reason,
        uri => format!("the skill {} is not used: {reason}", quoted(uri)),
    };
    let help = "report it to the operator of the server";
    let finding = Box::new(Diagnostic::new(code, Severity::Error, message, help));
    Rejected { package, finding }
}

fn described(entry: &Value, uri: &str, place: Place) -> Result<Skill, Reason> {
    let frontmatter = listed(entry, &place)?;
    let files = match &entry["resources"] {
        Value::Array(resources) => files(resources, &place)?,
        Value::String(word) if word == "dynamic" => {
            let reason = "the server publishes no digests of its files";
            return Err((codes::MCP_SKILL_DYNAMIC, reason.to_owned()));
        }
        _ => return Err(invalid("it has no list of its files")),
    };
    let has_instructions = files.values().any(|file| file.uri == uri);
    if !has_instructions {
        return Err(invalid("its own `SKILL.md` is not among its files"));
    }
    Ok(Skill::new(place, SKILL_FILE, files, Some(frontmatter)))
}

fn listed(entry: &Value, place: &Place) -> Result<Listed, Reason> {
    let fields =
        entry["frontmatter"].as_object().ok_or_else(|| invalid("it has no frontmatter"))?;
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
    if name != place.name() {
        let reason = format!("its name is {} and its URI has another one", quoted(name));
        return Err((codes::MCP_SKILL_INVALID, reason));
    }
    if !fields.get("description").is_some_and(Value::is_string) {
        return Err(invalid("it has no description"));
    }
    let head = head(fields).map_err(|error| {
        (codes::MCP_SKILL_INVALID, format!("its frontmatter cannot be written: {error}"))
    })?;
    Ok(Listed { fields: fields.clone(), head })
}

fn files(resources: &[Value], place: &Place) -> Result<BTreeMap<ResourcePath, File>, Reason> {
    if resources.len() > MOST_FILES {
        let reason = format!("it has more than {MOST_FILES} files");
        return Err((codes::MCP_SKILL_TOO_LARGE, reason));
    }
    let mut files = BTreeMap::new();
    let mut total = 0_u64;
    for resource in resources {
        let uri = resource["uri"].as_str().unwrap_or_default();
        let about = |problem: &str| {
            (codes::MCP_SKILL_INVALID, format!("the file {} {problem}", quoted(uri)))
        };
        let path = place.resource(uri).ok_or_else(|| about("is not below its directory"))?;
        let digest = resource["digest"].as_str().and_then(digest);
        let size = resource["size"].as_u64().ok_or_else(|| about("has no size"))?;
        let digest = Some(digest.ok_or_else(|| about("has no digest"))?);
        total = total.saturating_add(size);
        let file = File { uri: uri.to_owned(), size: Some(size), digest };
        if files.insert(path, file).is_some() {
            return Err(about("is listed twice"));
        }
    }
    if total > MAX_BYTES as u64 {
        return Err((codes::MCP_SKILL_TOO_LARGE, format!("its files have {total} bytes")));
    }
    Ok(files)
}

/// Reads a digest, whose digits are lower case.
pub(crate) fn digest(text: &str) -> Option<Digest> {
    text.parse::<Digest>().ok().filter(|digest| digest.to_string() == text)
}

fn invalid(reason: &str) -> Reason {
    (codes::MCP_SKILL_INVALID, reason.to_owned())
}
