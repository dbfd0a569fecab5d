//! Locks with conflict markers.

use std::collections::BTreeSet;

use crate::error::LockError;
use crate::lock::{Lock, is_marker, skill_text};
use crate::lock_merge::{Conflict, Merge, merge};

/// Merges the two versions that the conflict markers of a text separate. A text without markers is
/// read as it is.
///
/// # Errors
///
/// The markers are incomplete, or one of the versions is not a lock file.
pub fn heal(text: &str) -> Result<Merge, LockError> {
    let versions = Versions::split(text)?;
    let ours = Lock::parse(&versions.ours)?;
    let theirs = Lock::parse(&versions.theirs)?;
    // Without markers of the base, its version is that of neither side.
    let base = if versions.has_base { Some(Lock::parse(&versions.base)?) } else { None };
    Ok(merge(base.as_ref(), &ours, &theirs))
}

impl Merge {
    /// Returns the text of the merged lock, with conflict markers around each skill with a
    /// conflict.
    pub fn to_text(&self) -> String {
        let mut text = self.lock.head_text();
        let ids: BTreeSet<_> = self.lock.skills.keys().chain(self.conflicts.keys()).collect();
        for id in ids {
            match (self.conflicts.get(id), self.lock.skills.get(id)) {
                (Some(conflict), _) => push_conflict(&mut text, id, conflict),
                (None, Some(skill)) => text.push_str(&skill_text(id, skill)),
                (None, None) => {}
            }
        }
        text
    }
}

fn push_conflict(text: &mut String, id: &str, conflict: &Conflict) {
    let side =
        |skill: &Option<_>| skill.as_ref().map_or_else(String::new, |skill| skill_text(id, skill));
    text.push_str("<<<<<<< ours\n");
    text.push_str(&side(&conflict.ours));
    if conflict.base.is_some() {
        text.push_str("||||||| base\n");
        text.push_str(&side(&conflict.base));
    }
    text.push_str("=======\n");
    text.push_str(&side(&conflict.theirs));
    text.push_str(">>>>>>> theirs\n");
}

/// The versions of a text with conflict markers.
#[derive(Default)]
struct Versions {
    ours: String,
    base: String,
    theirs: String,
    has_base: bool,
}

/// The part of a conflict that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Common,
    Ours,
    Base,
    Theirs,
}

impl Versions {
    fn split(text: &str) -> Result<Self, LockError> {
        let mut versions = Self::default();
        let mut part = Part::Common;
        for line in text.lines() {
            if is_marker(line) {
                part = next_part(part, line.as_bytes()[0])?;
                versions.has_base |= part == Part::Base;
            } else {
                versions.push(part, line);
            }
        }
        if part == Part::Common { Ok(versions) } else { Err(incomplete()) }
    }

    fn push(&mut self, part: Part, line: &str) {
        let targets: &mut [&mut String] = match part {
            Part::Common => &mut [&mut self.ours, &mut self.base, &mut self.theirs],
            Part::Ours => &mut [&mut self.ours],
            Part::Base => &mut [&mut self.base],
            Part::Theirs => &mut [&mut self.theirs],
        };
        for target in targets {
            target.push_str(line);
            target.push('\n');
        }
    }
}

/// Returns the part that starts at a marker.
fn next_part(part: Part, marker: u8) -> Result<Part, LockError> {
    match (part, marker) {
        (Part::Common, b'<') => Ok(Part::Ours),
        (Part::Ours, b'|') => Ok(Part::Base),
        (Part::Ours | Part::Base, b'=') => Ok(Part::Theirs),
        (Part::Theirs, b'>') => Ok(Part::Common),
        _ => Err(incomplete()),
    }
}

fn incomplete() -> LockError {
    LockError::Invalid("its conflict markers are incomplete".to_owned())
}
