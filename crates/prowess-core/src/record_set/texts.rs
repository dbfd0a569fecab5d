//! The texts of a set, and those of the sets before it.

use std::ops::Range;
use std::sync::Arc;

/// How much of a packing may be spent before everything is packed anew: a sixteenth of its texts were
/// written since, or a quarter of its records are gone.
const MOST_WRITTEN: usize = 16;
const MOST_GONE: usize = 4;

/// What was packed at once and is shared with later sets, and what was written since.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    packed: Arc<String>,
    /// How many records the packing is of.
    records: usize,
    since: Box<str>,
}

/// Where a text lies: places in `since` follow those in `packed`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slice {
    pub(super) start: u32,
    pub(super) length: u16,
}

impl Texts {
    /// A text that the slices of this many records are cut from.
    pub(super) fn packed(text: String, records: usize) -> Self {
        Self { packed: Arc::new(text), records, since: Box::default() }
    }

    pub(super) fn get(&self, slice: Slice) -> &str {
        let (text, place) = self.place(slice);
        &text[place]
    }

    /// Whether a slice is this text, by its bytes: to cut a text takes a look at its ends.
    pub(super) fn is(&self, slice: Slice, other: &str) -> bool {
        let (text, place) = self.place(slice);
        text.as_bytes()[place] == *other.as_bytes()
    }

    fn place(&self, Slice { start, length }: Slice) -> (&str, Range<usize>) {
        let (start, length) = (start as usize, usize::from(length));
        match start.checked_sub(self.packed.len()) {
            None => (&self.packed, start..start + length),
            Some(start) => (&self.since, start..start + length),
        }
    }

    /// Whether a slice of `earlier` is the same text here.
    pub(super) fn follow(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.packed, &earlier.packed) && self.since.starts_with(&*earlier.since)
    }

    /// Whether a set of this many records has too much that nobody reads any more.
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
    /// Writes behind these texts.
    pub(super) fn after(earlier: &Texts) -> Self {
        let Texts { packed, records, since } = earlier;
        Self { packed: Arc::clone(packed), records: *records, written: since.to_string() }
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.written.reserve(bytes);
    }

    /// Writes a text; what is longer than 65,535 bytes is cut.
    pub(super) fn write(&mut self, text: &str) -> Slice {
        let most = usize::from(u16::MAX);
        let text = if text.len() > most { &text[..text.floor_char_boundary(most)] } else { text };
        // 4 GiB of names and descriptions are beyond every bound of a scan; past them texts are empty.
        let Ok(start) = u32::try_from(self.packed.len() + self.written.len()) else {
            return Slice::default();
        };
        self.written.push_str(text);
        Slice { start, length: to_length(text) }
    }

    /// Whether the text that was written at `slice` is this one.
    pub(super) fn is(&self, slice: Slice, text: &str) -> bool {
        let start = (slice.start as usize).checked_sub(self.packed.len());
        let written = start.and_then(|start| self.written.get(start..));
        written.is_some_and(|written| written.get(..usize::from(slice.length)) == Some(text))
    }

    /// The texts of a set with this many records, with no spare room.
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
