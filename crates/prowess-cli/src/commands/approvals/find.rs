//! Finds the approval that a user names: by its number, its id, or the start of its id.

use std::num::NonZeroUsize;

use prowess::{ApprovalEntry, ApprovalId, Timestamp};

use super::shown::state;
use super::{Numbered, unusable};
use crate::failure::Failure;

/// The number of entries that are read at once.
const PAGE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");

/// The most digits of a number. A text with more is the start of an id.
const MOST_DIGITS: usize = 6;

/// The least part of an id that a person decides by: less is typed by mistake.
const LEAST_LETTERS: usize = 4;

/// The most ids that a message names.
const MOST_NAMED: usize = 5;

/// Returns all approvals, in the order in which they were asked for.
pub(super) fn all(database: &dyn Numbered) -> Result<Vec<ApprovalEntry>, Failure> {
    let mut entries: Vec<ApprovalEntry> = Vec::new();
    loop {
        let after = entries.last().map(|entry| &entry.id);
        let page = database.list(after, PAGE).map_err(|error| unusable(&error))?;
        if page.is_empty() {
            break;
        }
        entries.extend(page);
    }
    entries.sort_by_key(|entry| entry.asked);
    Ok(entries)
}

/// Returns the named approval, and its number if it has one.
pub(super) fn one(
    database: &dyn Numbered,
    named: &str,
    now: Timestamp,
) -> Result<(ApprovalEntry, Option<u64>), Failure> {
    let numbers = database.numbers(&[]).map_err(|error| unusable(&error))?;
    let with_number = |entry: ApprovalEntry| {
        let number = numbers.get(&entry.id).copied();
        (entry, number)
    };
    let load = |id: &ApprovalId| database.load(id).map_err(|error| unusable(&error));
    if let Some(entry) = load(&ApprovalId::new(named))? {
        return Ok(with_number(entry));
    }
    let is_number = named.len() <= MOST_DIGITS && named.bytes().all(|byte| byte.is_ascii_digit());
    let number = named.parse::<u64>().ok().filter(|_| is_number);
    if let Some(number) = number {
        let id = numbers.iter().find(|(_, known)| **known == number).map(|(id, _)| id.clone());
        let id = match id {
            Some(id) => Some(id),
            None => only_pending(database, number, now)?,
        };
        if let Some(entry) = id.as_ref().map(load).transpose()?.flatten() {
            return Ok((entry, Some(number)));
        }
    }
    let mut found = all(database)?;
    found.retain(|entry| !named.is_empty() && entry.id.as_str().starts_with(named));
    match found.len() {
        0 => Err(not_found(named)),
        1 if named.len() >= LEAST_LETTERS => Ok(with_number(found.remove(0))),
        _ => Err(ambiguous(named, &found)),
    }
}

/// Returns the only call that waits, if it gets this number. Of several, a person sees them first.
fn only_pending(
    database: &dyn Numbered,
    number: u64,
    now: Timestamp,
) -> Result<Option<ApprovalId>, Failure> {
    let mut pending = all(database)?;
    pending.retain(|entry| state(entry, now) == "pending");
    let [only] = &pending[..] else { return Ok(None) };
    let numbers =
        database.numbers(std::slice::from_ref(&only.id)).map_err(|error| unusable(&error))?;
    Ok((numbers.get(&only.id) == Some(&number)).then(|| only.id.clone()))
}

pub(super) fn not_found(named: &str) -> Failure {
    let message = format!("there is no approval `{named}`");
    Failure::usage("approval-not-found", message, "see `prowess approvals list --all`")
}

fn ambiguous(named: &str, found: &[ApprovalEntry]) -> Failure {
    let ids: Vec<_> =
        found.iter().take(MOST_NAMED).map(|entry| format!("`{}`", entry.id)).collect();
    let more = if found.len() > MOST_NAMED { " and others" } else { "" };
    let message = format!("`{named}` is the start of {}{more}", ids.join(", "));
    Failure::usage("approval-ambiguous", message, "write more of the id, or its number")
}
