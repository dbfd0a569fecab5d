//! Writes and reads the numbers and texts of a set.

use std::io::{self, Error, ErrorKind, Read};
use std::num::NonZeroU64;

use crate::record_set::texts::Slice;
use crate::{PackagePath, Stamp};

/// Writes the format that [`Reader`] reads.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) numbers: Vec<u8>,
    pub(super) names: String,
    texts: String,
    findings: String,
}

impl Writer {
    /// Writes a length or a count. Scans are limited far below 2^32; a larger number makes the
    /// result unreadable.
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
        self.findings.push_str(text);
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
        let Self { numbers, names, texts, findings } = self;
        let parts = [&*numbers, names.as_bytes(), texts.as_bytes(), findings.as_bytes()];
        let lengths = parts.map(|part| (part.len() as u64).to_le_bytes()).concat();
        let all: Vec<_> = std::iter::once(&*lengths).chain(parts).collect();
        all.concat()
    }
}

/// The output of a [`Writer`]. Each part is a separate allocation, so that a set keeps the texts
/// where they were read to.
pub(super) struct Parts {
    numbers: Vec<u8>,
    pub(super) names: String,
    pub(super) texts: String,
    findings: String,
}

impl Parts {
    /// Reads the parts, whose lengths must add up to `length`.
    pub(super) fn read(reader: &mut impl Read, length: u64) -> io::Result<Self> {
        let mut lengths = [[0; 8]; 4];
        reader.read_exact(lengths.as_flattened_mut())?;
        let lengths = lengths.map(u64::from_le_bytes);
        let head = size_of_val(&lengths) as u64;
        // Never allocate more than there are bytes.
        let sum = lengths.into_iter().try_fold(head, u64::checked_add);
        if sum != Some(length) {
            return Err(ErrorKind::InvalidData.into());
        }
        let [numbers, names, texts, findings] = lengths;
        Ok(Self {
            numbers: bytes(reader, numbers)?,
            names: text(reader, names)?,
            texts: text(reader, texts)?,
            findings: text(reader, findings)?,
        })
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        let [names, texts, findings] =
            [&self.names, &self.texts, &self.findings].map(|text| Part { text, at: 0 });
        Reader { numbers: &self.numbers, names, texts, findings }
    }
}

fn bytes(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(Error::other)?;
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(reader: &mut impl Read, length: u64) -> io::Result<String> {
    let bytes = bytes(reader, length)?;
    String::from_utf8(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

/// Reads untrusted bytes: each step checks that there are as many as it takes.
pub(super) struct Reader<'b> {
    numbers: &'b [u8],
    pub(super) names: Part<'b>,
    pub(super) texts: Part<'b>,
    findings: Part<'b>,
}

/// A text from which slices are taken in sequence.
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
            && [&self.names, &self.texts, &self.findings].iter().all(|part| part.is_at_end())
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

    /// Reads a text of any length.
    pub(super) fn text(&mut self) -> Option<&'b str> {
        let end = self.findings.at.checked_add(self.length()?)?;
        let text = self.findings.text.get(self.findings.at..end)?;
        self.findings.at = end;
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
        let is_some = self.flag()?;
        let text = self.text()?;
        Some(is_some.then_some(text))
    }

    pub(super) fn optional_number(&mut self) -> Option<Option<u32>> {
        let is_some = self.flag()?;
        let number = u32::from_le_bytes(self.number()?);
        Some(is_some.then_some(number))
    }
}
