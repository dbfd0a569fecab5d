//! Serialises the findings of a set.

use prowess_core::{Code, Diagnostic, Severity};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::parts::{Reader, Writer};

pub(super) fn write_finding(package: Option<&str>, finding: &Diagnostic, writer: &mut Writer) {
    let Diagnostic { code, severity, path, line, column, span, message, help } = finding;
    for text in [package, path.as_deref()] {
        writer.flags([text.is_some()]);
        writer.text(text.unwrap_or_default());
    }
    for number in [line, column] {
        writer.flags([number.is_some()]);
        writer.number(number.unwrap_or_default().to_le_bytes());
    }
    writer.flags([span.is_some()]);
    let span = span.clone().unwrap_or_default();
    writer.length(span.start);
    writer.length(span.end);
    for text in [code.as_str(), severity.as_str(), message, help] {
        writer.text(text);
    }
}

/// Reads a finding and its package.
pub(super) fn read_finding<'b>(reader: &mut Reader<'b>) -> Option<(Option<&'b str>, Diagnostic)> {
    let [package, path] = [reader.optional_text()?, reader.optional_text()?];
    let [line, column] = [reader.optional_number()?, reader.optional_number()?];
    let has_span = reader.flag()?;
    let span = reader.length()?..reader.length()?;
    let span = has_span.then_some(span);
    let code = Code::deserialize(deserializer(reader.text()?)).ok()?;
    let severity = Severity::deserialize(deserializer(reader.text()?)).ok()?;
    let message = reader.text()?.to_owned();
    let help = reader.text()?.to_owned();
    let path = path.map(Box::from);
    Some((package, Diagnostic { code, severity, path, line, column, span, message, help }))
}

fn deserializer(text: &str) -> StrDeserializer<'_, Error> {
    text.into_deserializer()
}
