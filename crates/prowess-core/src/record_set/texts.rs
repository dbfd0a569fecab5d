//! The texts of a set, shared with the sets before it.

use std::ops::Range;
use std::sync::Arc;

/// Limits after which everything is packed again: a sixteenth of the texts were written since, or a
/// quarter of the records no longer exist.
const MOST_WRITTEN: usize = 16;
const MOST_GONE: usize = 4;

/// Texts that were packed at once and are shared with later sets, and texts that were written
/// since.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    packed: Arc<String>,
    /// The number of records in `packed`.
    records: usize,
    since: Box<str>,
}

/// The position of a text: positions in `since` follow those in `packed`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slice {
    pub(super) start: u32,
    pub(super) length: u16,
}

impl Texts {
    pub(super) fn packed(text: String, records: usize) -> Self {
        Self { packed: Arc::new(text), records, since: Box::default() }
    }

    pub(super) fn get(&self, slice: Slice) -> &str {
        let (text, place) = self.place(slice);
        &text[place]
    }

    /// Returns whether a slice equals this text. Compares bytes, because slicing a `str` checks
    /// both ends.
    pub(super) fn is(&self, slice: Slice, other: &str) -> bool {
        let (text, place) = self.place(slice);
        text.as_bytes()[place] == *other.as_bytes()
    }

    fn place(&self, Slice { start, length }: Slice) -> (&str, Range<usize>) {
        let start = start as usize;
        let length = usize::from(length);
        match start.checked_sub(self.packed.len()) {
            None => (&self.packed, start..start + length),
            Some(start) => (&self.since, start..start + length),
        }
    }

    /// Returns whether every slice of `earlier` is the same text here.
    pub(super) fn follow(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.packed, &earlier.packed) && self.since.starts_with(&*earlier.since)
    }

    /// Returns whether too much of the text is unused in a set of this many records.
    pub(super) fn are_spent(&self, records: usize) -> bool {
        self.since.len() > self.packed.len() / MOST_WRITTEN
            || records < self.records - self.records / MOST_GONE
    }
}

/// Writes the texts of a set.
#[derive(Debug, Default)]
pub(super) struct TextsBuilder {
    /// Empty if the texts are packed here.
    packed: Arc<String>,
    records: usize,
    written: String,
}

impl TextsBuilder {
    /// Appends to these texts.
    pub(super) fn after(earlier: &Texts) -> Self {
        let Texts { packed, records, since } = earlier;
        Self { packed: Arc::clone(packed), records: *records, written: since.to_string() }
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.written.reserve(bytes);
    }

    /// Writes a text, cut to 65,535 bytes.
    pub(super) fn write(&mut self, text: &str) -> Slice {
        let most = usize::from(u16::MAX);
        let text = if text.len() > most { &text[..text.floor_char_boundary(most)] } else { text };
        // A scan's limits are far below 4 GiB of text; beyond that, texts are empty.
        let Ok(start) = u32::try_from(self.packed.len() + self.written.len()) else {
            return Slice::default();
        };
        self.written.push_str(text);
        Slice { start, length: to_length(text) }
    }

    /// Returns whether the text that was written at `slice` equals this one.
    pub(super) fn is(&self, slice: Slice, text: &str) -> bool {
        let start = (slice.start as usize).checked_sub(self.packed.len());
        let written = start.and_then(|start| self.written.get(start..));
        written.is_some_and(|written| written.get(..usize::from(slice.length)) == Some(text))
    }

    /// Returns the texts of a set with this many records, without spare capacity.
    pub(super) fn finish(self, records: usize) -> Texts {
        let Self { packed, records: of_packing, mut written } = self;
        if packed.is_empty() {
            written.shrink_to_fit();
            return Texts::packed(written, records);
        }
        Texts { packed, records: of_packing, since: written.into() }
    }
}

pub(super) fn to_length(text: &str) -> u16 {
    u16::try_from(text.len()).unwrap_or(u16::MAX)
}
