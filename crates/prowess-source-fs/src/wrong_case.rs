//! Instruction files with a wrongly cased name.

use std::ops::ControlFlow;

use prowess_dir::{Dir, Entry, EntryBuffer, Kind, Links};

use crate::package::FILES;

/// Returns whether a listed file is nearly a `SKILL.md`, such as `Skill.md`, as editors and file
/// managers write it. Called for each name, so the length is checked first.
pub(crate) fn is_wrong_case(entry: &Entry<'_>) -> bool {
    let name = entry.name_bytes();
    name.len() == FILES[0].len()
        && entry.kind() == Kind::File
        && name.eq_ignore_ascii_case(FILES[0].as_bytes())
        && FILES.iter().all(|file| name != file.as_bytes())
}

/// Returns the misnamed file of a directory without a `SKILL.md`.
pub(crate) fn find(root: &Dir, directory: &str) -> Option<String> {
    let mut directory = root.open_dir(directory, Links::Refuse).ok()?;
    let mut names = EntryBuffer::default();
    let mut found = None;
    let visited = directory.entries(&mut names).ok()?.visit(|entry| {
        if !is_wrong_case(&entry) {
            return ControlFlow::Continue(());
        }
        found = entry.name().map(str::to_owned);
        ControlFlow::Break(())
    });
    visited.ok().and(found)
}
