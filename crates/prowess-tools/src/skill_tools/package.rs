//! From what a model typed to a record, and from a record to an active skill.

use std::borrow::Cow;

use prowess_core::{
    ActiveSkill, Caller, Catalog, Code, Digest, Lookup, ReadLimit, Record, ResourcePath,
    SourceError, State, Timestamp,
};
use prowess_format::{Document, NameRule, Profile, Rules, parse_with};

use super::problem::Problem;
use crate::ToolPolicy;
use crate::codes;
use crate::suggestion::{closest, hint};
use crate::text::{quoted, sentence};

/// The skill that a text means to who typed it. One that is not for the caller is refused with its
/// reason, and one of another audience is as good as absent.
pub(super) fn find<'c>(
    catalog: &'c Catalog,
    typed: &str,
    caller: Caller,
    policy: &ToolPolicy,
) -> Result<Record<'c>, Problem> {
    match catalog.find(typed, caller) {
        Lookup::Found(record) => Ok(record),
        Lookup::Withheld(record, reason) => Err(withheld(record, reason)),
        Lookup::Unknown => Err(not_found(catalog, typed, policy.suggestion_similarity)),
    }
}

fn withheld(record: Record<'_>, reason: &str) -> Problem {
    let code = match record.state() {
        State::NotReady(_) => codes::SKILL_NOT_READY,
        _ => codes::SKILL_HIDDEN,
    };
    let (id, reason) = (quoted(record.id()), sentence(reason));
    Problem::new(code, format!("skill {id} cannot be loaded: {reason}; go on without it"))
}

fn not_found(catalog: &Catalog, typed: &str, least: u8) -> Problem {
    let next = match closest(typed, catalog.skills().map(|record| record.id()), least) {
        Some(meant) => hint(meant),
        None => "; choose one from the list of skills".to_owned(),
    };
    let message = format!("no skill named {}{next}", quoted(typed));
    Problem::new(codes::SKILL_NOT_FOUND, message)
}

/// Reads a skill's `SKILL.md` whole and makes of it what a conversation keeps.
pub(super) fn activate(
    catalog: &Catalog,
    record: Record<'_>,
    now: Timestamp,
) -> Result<ActiveSkill, Problem> {
    let bytes = read_skill_md(catalog, record)?;
    active_skill(record, &bytes, now)
}

/// What a conversation keeps of a skill with this `SKILL.md`.
pub(super) fn active_skill(
    record: Record<'_>,
    bytes: &[u8],
    now: Timestamp,
) -> Result<ActiveSkill, Problem> {
    let document = document_of(record, bytes)?;
    let properties = serde_json::to_value(&document.frontmatter.fields)?;
    let version = document.frontmatter.version().map(Cow::into_owned);
    Ok(ActiveSkill {
        // Two loaded skills must not share an id, and a shadowed one has that of another.
        id: record.qualified_id().unwrap_or_else(|| record.id().to_owned()),
        name: document.frontmatter.name,
        location: record.location(),
        root_dir: record.root_directory(),
        layer: record.layer().name.to_string(),
        version,
        digest: Digest::of(bytes),
        properties,
        body: document.body.trim().into(),
        loaded_at: now,
    })
}

pub(super) fn read_skill_md(catalog: &Catalog, record: Record<'_>) -> Result<Vec<u8>, Problem> {
    let path = ResourcePath::new(record.file())?;
    catalog.read(record, &path, ReadLimit::default()).map_err(|error| unreadable(record, &error))
}

/// The source's own message stays out: it may name places that are no business of a model.
fn unreadable(record: Record<'_>, error: &SourceError) -> Problem {
    let message = format!(
        "skill {} cannot be read any more; nothing was loaded, go on without it",
        quoted(record.id())
    );
    Problem::new(Code::new(error.kind.as_str()), message)
}

/// A file that has become another skill's since the scan is not passed off as this one's.
fn document_of<'t>(record: Record<'_>, bytes: &'t [u8]) -> Result<Document<'t>, Problem> {
    // Which names are valid was settled when the list of skills was made.
    let rules = Rules { name_rule: NameRule::Any, ..Rules::of(Profile::Lenient) };
    let parsed = parse_with(bytes, &rules);
    let Some(document) = parsed.document else {
        let fault = parsed.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        let fault = fault.map_or("it has no frontmatter", |fault| &fault.message);
        let message = format!(
            "the `{}` of skill {} is broken: {}; nothing was loaded, go on without it",
            record.file(),
            quoted(record.id()),
            sentence(fault)
        );
        return Err(Problem::new(codes::SKILL_INVALID, message));
    };
    if document.frontmatter.name != record.name() {
        let message = format!(
            "skill {} has changed its name since the list of skills was made; nothing was loaded, \
             choose from the next list",
            quoted(record.id())
        );
        return Err(Problem::new(codes::SKILL_CHANGED, message));
    }
    Ok(document)
}
