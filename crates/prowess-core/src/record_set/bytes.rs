//! A set as bytes, to be kept until the next start.
//!
//! Numbers come first and then one text that all strings are cut from, so that its characters are
//! checked once. Nothing that is read is believed: each length is asked for, and a package's path that
//! is not in normal form could lead out of its source.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use prowess_format::{Code, Diagnostic, Severity};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::{NewRecord, PackageDiagnostic, RecordSet, RecordSetBuilder};
use crate::{PackagePath, Stamp};

impl RecordSet {
    /// The set as bytes that [`Self::from_bytes`] of the same version of this crate reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.length(self.len());
        (0..self.len()).for_each(|at| self.write_record(at, &mut writer));
        writer.length(self.rejected.len());
        for rejected in &self.rejected {
            writer.text(&rejected.package);
            writer.stamp(rejected.stamp);
        }
        writer.length(self.diagnostics.len());
        self.diagnostics.iter().for_each(|found| write_diagnostic(found, &mut writer));
        writer.finish()
    }

    /// The set that these bytes were made from; `None` if no set gives such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes)?;
        let mut builder = RecordSetBuilder::new();
        for _ in 0..reader.length()? {
            read_record(&mut reader, &mut builder)?;
        }
        for _ in 0..reader.length()? {
            let package = reader.package()?;
            builder.reject(package, reader.stamp()?);
        }
        for _ in 0..reader.length()? {
            let found = read_diagnostic(&mut reader)?;
            builder.diagnostics.push(Arc::new(found));
        }
        reader.is_at_end().then(|| builder.finish())
    }

    fn write_record(&self, at: usize, writer: &mut Writer) {
        let (name, id) = (self.name(at), self.id(at));
        let is_id_the_name = id == name;
        let conditions = self.conditions(at).and_then(|said| serde_json::to_string(&**said).ok());
        let (is_other_file, version) = (self.file(at) != "SKILL.md", self.version(at));
        writer.flags([is_id_the_name, is_other_file, conditions.is_some(), version.is_some()]);
        writer.stamp(self.stamp(at));
        writer.numbers.extend(self.priority(at).to_le_bytes());
        for text in [self.package(at), name, self.description(at)] {
            writer.text(text);
        }
        if !is_id_the_name {
            writer.text(id);
        }
        for text in [conditions.as_deref(), version].into_iter().flatten() {
            writer.text(text);
        }
        writer.length(self.tags(at).count());
        self.tags(at).for_each(|tag| writer.text(tag));
    }
}

fn read_record(reader: &mut Reader<'_>, builder: &mut RecordSetBuilder) -> Option<()> {
    let [is_id_the_name, is_lower_case_file, has_conditions, has_version] = reader.flags()?;
    let stamp = reader.stamp()?;
    let priority = i16::from_le_bytes(reader.number()?);
    let (package, name, description) = (reader.package()?, reader.text()?, reader.text()?);
    let id = if is_id_the_name { name } else { reader.text()? };
    let conditions = match has_conditions {
        true => Some(Arc::new(serde_json::from_str(reader.text()?).ok()?)),
        false => None,
    };
    let version = if has_version { Some(reader.text()?) } else { None };
    let tags = (0..reader.length()?).map(|_| reader.text().map(Cow::Borrowed));
    let tags = tags.collect::<Option<Vec<_>>>()?;
    let file = if is_lower_case_file { "skill.md" } else { "SKILL.md" };
    let tags = &tags;
    builder.push(&NewRecord {
        package,
        file,
        id,
        name,
        description,
        tags,
        priority,
        version,
        conditions,
        stamp,
    });
    Some(())
}

fn write_diagnostic(found: &PackageDiagnostic, writer: &mut Writer) {
    let PackageDiagnostic { package, diagnostic } = found;
    let Diagnostic { code, severity, path, line, column, span, message, help } = diagnostic;
    for text in [package.as_deref(), path.as_deref()] {
        writer.flags([text.is_some(), false, false, false]);
        writer.text(text.unwrap_or_default());
    }
    for number in [line, column] {
        writer.flags([number.is_some(), false, false, false]);
        writer.numbers.extend(number.unwrap_or_default().to_le_bytes());
    }
    writer.flags([span.is_some(), false, false, false]);
    let span = span.clone().unwrap_or_default();
    writer.length(span.start);
    writer.length(span.end);
    for text in [code.as_str(), severity.as_str(), message, help] {
        writer.text(text);
    }
}

fn read_diagnostic(reader: &mut Reader<'_>) -> Option<PackageDiagnostic> {
    let [package, path] = [reader.optional_text()?, reader.optional_text()?];
    let [line, column] = [reader.optional_number()?, reader.optional_number()?];
    let [has_span, ..] = reader.flags()?;
    let span = reader.length()?..reader.length()?;
    let span = has_span.then_some(span);
    let code = Code::deserialize(deserializer(reader.text()?)).ok()?;
    let severity = Severity::deserialize(deserializer(reader.text()?)).ok()?;
    let (message, help) = (reader.text()?.to_owned(), reader.text()?.to_owned());
    let path = path.map(Box::from);
    let diagnostic = Diagnostic { code, severity, path, line, column, span, message, help };
    Some(PackageDiagnostic { package: package.map(Box::from), diagnostic })
}

fn deserializer(text: &str) -> StrDeserializer<'_, Error> {
    text.into_deserializer()
}

#[derive(Default)]
struct Writer {
    numbers: Vec<u8>,
    text: String,
}

impl Writer {
    /// A length or a count; a scan is bounded far below 2^32, and what is not reads as nothing.
    fn length(&mut self, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.numbers.extend(length.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.text.push_str(text);
    }

    fn stamp(&mut self, stamp: Option<Stamp>) {
        let number = stamp.map_or(0, |stamp| stamp.0.get());
        self.numbers.extend(number.to_le_bytes());
    }

    fn flags(&mut self, flags: [bool; 4]) {
        let bits = (0..).zip(flags).fold(0_u8, |bits, (at, flag)| bits | u8::from(flag) << at);
        self.numbers.push(bits);
    }

    fn finish(mut self) -> Vec<u8> {
        let mut bytes = (self.numbers.len() as u64).to_le_bytes().to_vec();
        bytes.append(&mut self.numbers);
        bytes.extend(self.text.into_bytes());
        bytes
    }
}

struct Reader<'b> {
    numbers: &'b [u8],
    text: &'b str,
}

impl<'b> Reader<'b> {
    fn new(bytes: &'b [u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (numbers, text) = rest.split_at_checked(length)?;
        Some(Self { numbers, text: str::from_utf8(text).ok()? })
    }

    fn is_at_end(&self) -> bool {
        self.numbers.is_empty() && self.text.is_empty()
    }

    fn number<const BYTES: usize>(&mut self) -> Option<[u8; BYTES]> {
        let (number, rest) = self.numbers.split_first_chunk()?;
        self.numbers = rest;
        Some(*number)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.number()?)).ok()
    }

    fn text(&mut self) -> Option<&'b str> {
        let length = self.length()?;
        let (text, rest) = self.text.split_at_checked(length)?;
        self.text = rest;
        Some(text)
    }

    fn package(&mut self) -> Option<&'b str> {
        self.text().filter(|package| PackagePath::is_normal(package))
    }

    fn stamp(&mut self) -> Option<Option<Stamp>> {
        Some(NonZeroU64::new(u64::from_le_bytes(self.number()?)).map(Stamp))
    }

    fn flags(&mut self) -> Option<[bool; 4]> {
        let [bits] = self.number()?;
        (bits < 1 << 4).then(|| [0, 1, 2, 3].map(|at| bits >> at & 1 == 1))
    }

    fn optional_text(&mut self) -> Option<Option<&'b str>> {
        let [is_some, ..] = self.flags()?;
        let text = self.text()?;
        Some(is_some.then_some(text))
    }

    fn optional_number(&mut self) -> Option<Option<u32>> {
        let [is_some, ..] = self.flags()?;
        let number = u32::from_le_bytes(self.number()?);
        Some(is_some.then_some(number))
    }
}
