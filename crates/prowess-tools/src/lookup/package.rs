//! From a model's reference to a record, and from a record to an active skill.

use std::borrow::Cow;

use prowess_core::{
    ActivationError, ActiveSkill, Availability, Caller, Catalog, Code, DeliveryPolicy, Diagnostic,
    Lookup, ReadLimit, Record, ResourcePath, ShowLocation, SkillError, SourceError,
    SourceErrorKind, Timestamp, ToolContext,
};
use prowess_text::{clipped, enumerated, is_shown_exactly, quoted};

use crate::codes;
use crate::gate::Refusal;
use crate::policy::SkillLookup;
use crate::suggestion::{closest, hint};

/// A reason of someone else is cut where a sentence repeats it.
const MAX_REASON_CHARS: usize = 400;

/// The number of errors of a broken file that a message names.
const MAX_ERRORS: usize = 3;

/// Finds the skill that a reference means to the caller, by the host's policy.
pub(crate) fn found<'c>(
    context: &ToolContext<'c>,
    reference: &str,
    lookup: SkillLookup,
) -> Lookup<'c> {
    let ToolContext { catalog, caller, .. } = *context;
    let spelled = |is_meant: &dyn Fn(Record<'_>) -> bool| match catalog.find(reference, caller) {
        Lookup::Found(record) if !is_meant(record) => Lookup::Unknown,
        found => found,
    };
    match (lookup, catalog.find_exact(reference, caller)) {
        (SkillLookup::Spelling, _) => catalog.find(reference, caller),
        (SkillLookup::CasefoldUnique, Lookup::Unknown) => {
            spelled(&|record| record.id().to_lowercase() == reference.to_lowercase())
        }
        (_, found) => found,
    }
}

/// Returns the refusal of a name that two skills have in another spelling.
pub(crate) fn ambiguous(reference: &str, one: Record<'_>, other: Record<'_>) -> Refusal {
    let ids = enumerated([one.id(), other.id()], "or");
    let message = format!("{} may be {ids}; write the name of one", quoted(reference));
    Refusal::new(codes::SKILL_AMBIGUOUS, message)
}

pub(crate) fn withheld(record: Record<'_>, reason: &str, delivery: DeliveryPolicy) -> Refusal {
    let id = quoted(record.id());
    let reason = clipped(reason, MAX_REASON_CHARS);
    match record.availability() {
        Availability::NotReady => {
            let message = format!("skill {id} cannot be loaded: {reason}; go on without it");
            Refusal::new(codes::SKILL_NOT_READY, message)
        }
        // The reason may name a folder of the host.
        _ if delivery.show_location == ShowLocation::Absolute => {
            let message = format!("skill {id} cannot be loaded: {reason}; go on without it");
            Refusal::new(codes::SKILL_HIDDEN, message)
        }
        _ => {
            let message = format!("skill {id} cannot be loaded here; go on without it");
            Refusal::new(codes::SKILL_HIDDEN, message)
        }
    }
}

/// Returns the id of the visible skill whose id is most similar to an unknown reference.
pub(crate) fn suggestion<'c>(catalog: &'c Catalog, reference: &str, least: u8) -> Option<&'c str> {
    let ids = catalog.skills().map(|record| record.id()).filter(|id| is_shown_exactly(id));
    closest(reference, ids, least)
}

pub(crate) fn not_found(catalog: &Catalog, reference: &str, least: u8) -> Refusal {
    let next = match suggestion(catalog, reference, least) {
        Some(meant) => hint(meant),
        None if catalog.diagnostics().any(|found| found.code.as_str() == "source-late") => {
            "; a source of skills has not answered yet, so it may be there later".to_owned()
        }
        None => "; choose one from the list of skills".to_owned(),
    };
    let message = format!("no skill named {}{next}", quoted(reference));
    let error = SkillError::NotFound { skill: reference.to_owned() };
    Refusal::new(codes::SKILL_NOT_FOUND, message).with_error(error)
}

/// Returns the catalog's record of an active skill, unless its location has changed.
pub(crate) fn still_there<'c>(
    catalog: &'c Catalog,
    active: &ActiveSkill,
) -> Result<Record<'c>, Refusal> {
    // Whether a model or a user loaded it, its files belong to the session.
    let found = |caller| catalog.find(&active.id, caller).found();
    let record = found(Caller::Model).or_else(|| found(Caller::User));
    record.filter(|record| record.location() == active.location).ok_or_else(|| {
        let message = format!(
            "skill {} is no longer where it was loaded from; load it again, or unload it",
            quoted(&active.id)
        );
        Refusal::new(codes::SKILL_CHANGED, message)
    })
}

/// Returns the state that a session keeps of a skill with this `SKILL.md`.
pub(crate) fn active_skill(
    record: Record<'_>,
    bytes: &[u8],
    now: Timestamp,
) -> Result<ActiveSkill, Refusal> {
    ActiveSkill::of(record, bytes, now).map_err(|error| not_activated(record, &error))
}

/// The start of a text about a skill, in front of its instructions, which ends at an empty line.
const ANNOUNCED: &str = "Note of the host: ";

/// Returns the text of a skill behind a note for the model, if the files of an installed package
/// were changed where they were placed. A person may do that, so it is no refusal.
pub(crate) fn announced<'t>(record: Record<'_>, text: &'t str) -> Cow<'t, str> {
    let note = announcement(record);
    note.map_or(Cow::Borrowed(text), |note| Cow::Owned(format!("{note}\n\n{text}")))
}

/// Returns that note, as a line.
pub(crate) fn announcement(record: Record<'_>) -> Option<String> {
    record.altered().map(|clause| format!("{ANNOUNCED}{clause}."))
}

/// Splits a text behind its note, if it has one.
pub(crate) fn split_note(text: &str) -> (&str, &str) {
    let end = text.find("\n\n").filter(|_| text.starts_with(ANNOUNCED));
    text.split_at(end.map_or(0, |end| end + 2))
}

pub(crate) fn read_skill_md(catalog: &Catalog, record: Record<'_>) -> Result<Vec<u8>, Refusal> {
    let path = ResourcePath::new(record.file())?;
    catalog.read(record, &path, ReadLimit::default()).map_err(|error| unreadable(record, &error))
}

/// Returns the refusal of a file that cannot be read. It leaves out the source's own message, which
/// may name paths that a model must not see, unless the kind of the error says that it has none.
fn unreadable(record: Record<'_>, error: &SourceError) -> Refusal {
    let skill = quoted(record.id());
    let kind = error.kind;
    let message = match kind {
        SourceErrorKind::Changing => format!(
            "the `{}` of skill {skill} is being written to; nothing was loaded, try again in a moment",
            record.file()
        ),
        SourceErrorKind::Changed => format!("{error}; nothing was loaded, go on without it"),
        _ => format!("skill {skill} cannot be read any more; nothing was loaded, go on without it"),
    };
    let skill = record.id().to_owned();
    let error = SkillError::Activation { skill, reason: message.clone() };
    Refusal::new(Code::new(kind.as_str()), message).with_error(error)
}

pub(crate) fn not_activated(record: Record<'_>, error: &ActivationError) -> Refusal {
    match error {
        ActivationError::Renamed => {
            let message = format!(
                "skill {} has changed its name since the list of skills was made; nothing was loaded, \
                 choose from the next list",
                quoted(record.id())
            );
            Refusal::new(codes::SKILL_CHANGED, message)
        }
        ActivationError::Broken(diagnostics) => broken(record, diagnostics),
        other => {
            let message = format!("skill {} cannot be loaded: {other}", quoted(record.id()));
            Refusal::new(codes::SKILL_INVALID, message)
        }
    }
}

/// Names the errors of a file with their codes, lines and columns.
fn broken(record: Record<'_>, diagnostics: &[Diagnostic]) -> Refusal {
    let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    let named = errors.iter().take(MAX_ERRORS);
    let mut faults: Vec<_> =
        named.map(|error| clipped(&error.to_string(), MAX_REASON_CHARS)).collect();
    if let Some(more) = errors.len().checked_sub(MAX_ERRORS).filter(|more| *more > 0) {
        faults.push(format!("and {more} more"));
    }
    let message = format!(
        "the `{}` of skill {} is broken: {}; nothing was loaded, go on without it",
        record.file(),
        quoted(record.id()),
        faults.join("; ")
    );
    Refusal::new(codes::SKILL_INVALID, message).with_error(parse_error(record, &errors))
}

/// Returns the first error of a broken file.
fn parse_error(record: Record<'_>, errors: &[&Diagnostic]) -> SkillError {
    let first = errors.first();
    SkillError::Parse {
        path: record.location(),
        line: first.and_then(|error| error.line),
        column: first.and_then(|error| error.column),
        reason: first.map_or_else(String::new, |error| error.message.clone()),
    }
}
