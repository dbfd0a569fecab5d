//! The difference between a catalog and the one that a conversation first saw.

use prowess_text::push_xml_line;

use crate::budget::shortened;
use crate::catalog::{DELIMITED_SEPARATOR, push_entry};
use crate::entries::Entries;
use crate::{CatalogFormat, CatalogNotice, ChangeKind, Prompt, SkillEntry};

/// The difference between a prompt's catalog and a newer one.
pub(crate) struct CatalogDifference<'b> {
    /// The limit of descriptions in the prompt.
    description: Option<usize>,
    /// Positions in the newer catalog.
    added: Vec<usize>,
    /// Positions in the newer catalog, with the ids.
    changed: Vec<(usize, &'b str)>,
    removed: Vec<&'b str>,
}

impl<'b> CatalogDifference<'b> {
    /// Compares the entries of a prompt with those of a newer catalog. Both are sorted by id.
    /// Skills that the prompt has no room for do not count.
    pub(crate) fn new(base: &'b Prompt, now: &Entries<'_>, format: CatalogFormat) -> Self {
        let description = base.entries.description();
        let mut found = Self { description, added: vec![], changed: vec![], removed: vec![] };
        let mut shown = base.shown_entries().peekable();
        let dropped = base.ledger.changes.iter();
        let dropped = dropped.filter(|change| change.change == ChangeKind::Dropped);
        let mut dropped = dropped.map(|change| change.id).peekable();
        let mut text = String::new();
        let mut location = String::new();
        for (position, id) in now.ids().enumerate() {
            while let Some((removed, _)) = shown.next_if(|(shown, _)| *shown < id) {
                found.removed.push(removed);
            }
            while dropped.next_if(|dropped| *dropped < id).is_some() {}
            if let Some((id, before)) = shown.next_if(|(shown, _)| *shown == id) {
                text.clear();
                let skill = now.get(position, &mut location);
                push_skill(&mut text, &skill, description, format);
                if content(&text) != content(before) {
                    found.changed.push((position, id));
                }
            } else if dropped.next_if_eq(&id).is_none() {
                found.added.push(position);
            }
        }
        found.removed.extend(shown.map(|(id, _)| id));
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// Returns the ids whose entries in the prompt no longer hold.
    pub(crate) fn lost(&self) -> impl Iterator<Item = &'b str> {
        let changed = self.changed.iter().map(|(_, id)| *id);
        self.removed.iter().copied().chain(changed)
    }

    /// Returns the notice of this difference, with the entries of the newer catalog.
    pub(crate) fn notice(&self, now: &Entries<'_>, format: CatalogFormat) -> CatalogNotice {
        let mut text = "The list of skills has changed since it was written.".to_owned();
        let changed = self.changed.iter().map(|&(position, _)| position);
        let mut positions: Vec<_> = self.added.iter().copied().chain(changed).collect();
        positions.sort_unstable();
        if !positions.is_empty() {
            text.push_str(" These are new, or have changed:\n");
        }
        let mut location = String::new();
        for position in positions {
            let skill = now.get(position, &mut location);
            push_skill(&mut text, &skill, self.description, format);
        }
        if !self.removed.is_empty() {
            let blank = if text.ends_with('\n') { "" } else { " " };
            text.push_str(blank);
            text.push_str("These are no longer available: ");
            push_names(&mut text, self.removed.iter().copied());
            text.push('.');
        }
        text.push('\n');
        CatalogNotice {
            added: self.added.iter().map(|&position| now.id(position)).collect(),
            changed: self.changed.iter().map(|(_, id)| *id).collect(),
            removed: self.removed.iter().copied().collect(),
            text,
        }
    }
}

fn push_skill(
    text: &mut String,
    skill: &SkillEntry<'_>,
    description: Option<usize>,
    format: CatalogFormat,
) {
    let shortened = shortened(skill, description);
    push_entry(text, shortened.as_ref().unwrap_or(skill), format);
}

/// Returns an entry without what follows it unless it is the last of its catalog.
fn content(entry: &str) -> &str {
    entry.strip_suffix(DELIMITED_SEPARATOR).unwrap_or(entry).trim_end_matches('\n')
}

/// Appends ids, each in backticks.
pub(crate) fn push_names<'i>(text: &mut String, ids: impl Iterator<Item = &'i str>) {
    for (at, id) in ids.enumerate() {
        text.push_str(if at == 0 { "`" } else { ", `" });
        push_xml_line(text, id);
        text.push('`');
    }
}
