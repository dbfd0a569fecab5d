//! The text of a prompt, piece by piece.

use crate::{Part, Prompt};

/// A piece of a prompt's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'p> {
    /// The part that the piece belongs to. A part may have several pieces.
    pub part: &'p Part,
    /// The id of the skill that the piece is about, if it is about one.
    pub skill: Option<&'p str>,
    /// The piece.
    pub text: &'p str,
}

impl Prompt {
    /// Returns the pieces of the text, and behind them those of the catalog in a block of context:
    /// one for each fixed part, for each entry of the catalog and for each loaded body.
    pub fn segments(&self) -> Vec<Segment<'_>> {
        let mut segments = Vec::new();
        let mut start = 0;
        for segment in self.text_segments() {
            let length = segment.text.len();
            if *segment.part == Part::Catalog {
                self.push_catalog(&mut segments, segment, start);
            } else {
                segments.push(segment);
            }
            start += length;
        }
        if let Some(block) = &self.context {
            let whole = Segment { part: &Part::Catalog, skill: None, text: &block.text };
            self.push_catalog(&mut segments, whole, 0);
        }
        segments
    }

    /// Iterates over the parts of the text in its order, the catalog as one piece.
    pub(crate) fn text_segments(&self) -> impl Iterator<Item = Segment<'_>> {
        let mut start = 0;
        self.ledger.pieces.iter().map(move |piece| {
            let part = &self.ledger.entries[piece.entry].part;
            let text = &self.text[start..piece.end];
            start = piece.end;
            let skill = match part {
                Part::ActiveSkill { id } => Some(id.as_str()),
                _ => None,
            };
            Segment { part, skill, text }
        })
    }

    /// Appends a catalog, which begins at `start` of its text, entry by entry.
    fn push_catalog<'p>(
        &'p self,
        segments: &mut Vec<Segment<'p>>,
        whole: Segment<'p>,
        start: usize,
    ) {
        let mut from = 0;
        let mut push = |skill, to| {
            if to > from {
                segments.push(Segment { skill, text: &whole.text[from..to], ..whole });
                from = to;
            }
        };
        let ranges = self.entries.ranges(start + whole.text.len());
        for (id, range) in self.shown.iter().zip(ranges) {
            push(None, range.start - start);
            push(Some(id), range.end - start);
        }
        push(None, whole.text.len());
    }
}
