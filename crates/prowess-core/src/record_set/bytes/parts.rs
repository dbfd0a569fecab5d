//! The numbers and texts of a set, written and read one behind the other.

use std::num::NonZeroU64;

use crate::record_set::texts::Slice;
use crate::{PackagePath, Stamp};

/// Writes what a [`Reader`] reads.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) numbers: Vec<u8>,
    pub(super) names: String,
    texts: String,
    told: String,
}

impl Writer {
    /// A length or a count; a scan is bounded far below 2^32, and what is not reads as nothing.
    pub(super) fn length(&mut self, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.numbers.extend(length.to_le_bytes());
    }

    pub(super) fn name(&mut self, text: &str) {
        self.length(text.len());
        self.names.push_str(text);
    }

    pub(super) fn own(&mut self, text: &str) {
        self.length(text.len());
        self.texts.push_str(text);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.told.push_str(text);
    }

    pub(super) fn stamp(&mut self, stamp: Option<Stamp>) {
        let number = stamp.map_or(0, |stamp| stamp.0.get());
        self.numbers.extend(number.to_le_bytes());
    }

    pub(super) fn flags<const FLAGS: usize>(&mut self, flags: [bool; FLAGS]) {
        let bits = (0..).zip(flags).fold(0_u8, |bits, (at, flag)| bits | u8::from(flag) << at);
        self.numbers.push(bits);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let Self { numbers, names, texts, told } = self;
        let lengths = [numbers.len(), names.len(), texts.len()].map(|length| length as u64);
        let lengths = lengths.map(u64::to_le_bytes).concat();
        [&*lengths, &*numbers, names.as_bytes(), texts.as_bytes(), told.as_bytes()].concat()
    }
}

/// Reads what may be anything: each step asks whether there is what it takes.
pub(super) struct Reader<'b> {
    numbers: &'b [u8],
    pub(super) names: Part<'b>,
    pub(super) texts: Part<'b>,
    told: Part<'b>,
}

/// A text that slices are cut from, one behind the other.
pub(super) struct Part<'b> {
    pub(super) text: &'b str,
    at: usize,
}

impl<'b> Part<'b> {
    pub(super) fn cut(&mut self, length: usize) -> Option<(Slice, &'b str)> {
        let end = self.at.checked_add(length)?;
        let text = self.text.get(self.at..end)?;
        let start = u32::try_from(std::mem::replace(&mut self.at, end)).ok()?;
        Some((Slice { start, length: u16::try_from(length).ok()? }, text))
    }

    fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Option<Self> {
        let (lengths, rest) = bytes.split_first_chunk::<24>()?;
        let length = |at: usize| {
            let bytes = lengths[8 * at..].first_chunk()?;
            usize::try_from(u64::from_le_bytes(*bytes)).ok()
        };
        let (numbers, text) = rest.split_at_checked(length(0)?)?;
        let (names, rest) = str::from_utf8(text).ok()?.split_at_checked(length(1)?)?;
        let (texts, told) = rest.split_at_checked(length(2)?)?;
        let [names, texts, told] = [names, texts, told].map(|text| Part { text, at: 0 });
        Some(Self { numbers, names, texts, told })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.numbers.is_empty()
            && [&self.names, &self.texts, &self.told].iter().all(|part| part.is_at_end())
    }

    pub(super) fn number<const BYTES: usize>(&mut self) -> Option<[u8; BYTES]> {
        let (number, rest) = self.numbers.split_first_chunk()?;
        self.numbers = rest;
        Some(*number)
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.number()?)).ok()
    }

    pub(super) fn name(&mut self) -> Option<(Slice, &'b str)> {
        let length = self.length()?;
        self.names.cut(length)
    }

    pub(super) fn own(&mut self) -> Option<Slice> {
        let length = self.length()?;
        Some(self.texts.cut(length)?.0)
    }

    /// A text of any length.
    pub(super) fn text(&mut self) -> Option<&'b str> {
        let end = self.told.at.checked_add(self.length()?)?;
        let text = self.told.text.get(self.told.at..end)?;
        self.told.at = end;
        Some(text)
    }

    pub(super) fn package(&mut self) -> Option<&'b str> {
        self.text().filter(|package| PackagePath::is_normal(package))
    }

    pub(super) fn stamp(&mut self) -> Option<Option<Stamp>> {
        Some(NonZeroU64::new(u64::from_le_bytes(self.number()?)).map(Stamp))
    }

    pub(super) fn flags<const FLAGS: usize>(&mut self) -> Option<[bool; FLAGS]> {
        let [bits] = self.number()?;
        (bits < 1 << FLAGS).then(|| std::array::from_fn(|at| bits >> at & 1 == 1))
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        self.flags().map(|[flag]| flag)
    }

    pub(super) fn optional_text(&mut self) -> Option<Option<&'b str>> {
        let (is_some, text) = (self.flag()?, self.text()?);
        Some(is_some.then_some(text))
    }

    pub(super) fn optional_number(&mut self) -> Option<Option<u32>> {
        let (is_some, number) = (self.flag()?, u32::from_le_bytes(self.number()?));
        Some(is_some.then_some(number))
    }
}
