//! The numbers and texts of a set, written and read one behind the other.

use std::io::{self, Error, ErrorKind, Read};
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
        let number = stamp.map_or(0, |stamp| stamp.to_bits().get());
        self.numbers.extend(number.to_le_bytes());
    }

    pub(super) fn flags<const FLAGS: usize>(&mut self, flags: [bool; FLAGS]) {
        let bits = (0..).zip(flags).fold(0_u8, |bits, (at, flag)| bits | u8::from(flag) << at);
        self.numbers.push(bits);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let Self { numbers, names, texts, told } = self;
        let parts = [&*numbers, names.as_bytes(), texts.as_bytes(), told.as_bytes()];
        let lengths = parts.map(|part| (part.len() as u64).to_le_bytes()).concat();
        let all: Vec<_> = std::iter::once(&*lengths).chain(parts).collect();
        all.concat()
    }
}

/// What a [`Writer`] wrote. Each part has a place of its own, so that a set keeps its texts where they were
/// read to.
pub(super) struct Parts {
    numbers: Vec<u8>,
    pub(super) names: String,
    pub(super) texts: String,
    told: String,
}

impl Parts {
    /// Reads the parts, which have this length together.
    pub(super) fn read(reader: &mut impl Read, length: u64) -> io::Result<Self> {
        let mut lengths = [[0; 8]; 4];
        reader.read_exact(lengths.as_flattened_mut())?;
        let lengths = lengths.map(u64::from_le_bytes);
        let head = size_of_val(&lengths) as u64;
        // No more is allocated than is there.
        let sum = lengths.into_iter().try_fold(head, u64::checked_add);
        if sum != Some(length) {
            return Err(ErrorKind::InvalidData.into());
        }
        let [numbers, names, texts, told] = lengths;
        Ok(Self {
            numbers: bytes(reader, numbers)?,
            names: text(reader, names)?,
            texts: text(reader, texts)?,
            told: text(reader, told)?,
        })
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        let [names, texts, told] =
            [&self.names, &self.texts, &self.told].map(|text| Part { text, at: 0 });
        Reader { numbers: &self.numbers, names, texts, told }
    }
}

fn bytes(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(Error::other)?;
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(reader: &mut impl Read, length: u64) -> io::Result<String> {
    let invalid = |error| Error::new(ErrorKind::InvalidData, error);
    String::from_utf8(bytes(reader, length)?).map_err(invalid)
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
    text: &'b str,
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
        Some(NonZeroU64::new(u64::from_le_bytes(self.number()?)).map(Stamp::from_bits))
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
