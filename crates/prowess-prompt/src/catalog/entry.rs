//! The entry of one skill.

use std::borrow::Cow;

use prowess_core::{Record, ShowLocation};
use prowess_text::is_exact;

/// The entry of one skill, as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry<'a> {
    /// The id by which the model loads it.
    pub name: Cow<'a, str>,
    /// The description. Empty for a skill that is shown by its name alone.
    pub description: Cow<'a, str>,
    /// The location of its `SKILL.md`, if it is shown.
    pub location: Option<Cow<'a, str>>,
}

impl<'a> SkillEntry<'a> {
    /// Returns the entry of a record: its id, which the tools accept, instead of its declared name.
    pub fn new(record: Record<'a>, show: ShowLocation) -> Self {
        Self::with_location(record.id(), record, show, || Cow::Owned(record.location()))
    }

    /// Like [`Self::new`], for a record with this id. `absolute` returns its absolute path or URL.
    pub(crate) fn with_location(
        id: &'a str,
        record: Record<'a>,
        show: ShowLocation,
        absolute: impl FnOnce() -> Cow<'a, str>,
    ) -> Self {
        let description = if record.is_name_only() { "" } else { record.description() };
        let location = show.file(id, record.file(), absolute);
        Self { name: id.into(), description: description.into(), location }
    }

    /// Returns the length of the entry if little of it is escaped.
    pub(crate) fn likely_length(&self) -> usize {
        const TAGS: usize = 96;
        let place = self.location.as_ref().map_or(0, |place| place.len());
        self.name.len() + self.description.len() + place + TAGS
    }

    /// Returns the location, unless its shown form would differ: a wrong path is worse than none.
    pub(super) fn shown_location(&self) -> Option<&str> {
        self.location.as_deref().filter(|location| is_exact(location))
    }
}
