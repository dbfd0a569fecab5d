//! Serialises the findings of a set.

use prowess_format::{Code, Diagnostic, Severity};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::parts::{Reader, Writer};
use crate::record_set::PackageDiagnostic;

pub(super) fn write_diagnostic(found: &PackageDiagnostic, writer: &mut Writer) {
    let PackageDiagnostic { package, diagnostic } = found;
    let Diagnostic { code, severity, path, line, column, span, message, help } = diagnostic;
    for text in [package.as_deref(), path.as_deref()] {
        writer.flags([text.is_some()]);
        writer.text(text.unwrap_or_default());
    }
    for number in [line, column] {
        writer.flags([number.is_some()]);
        writer.numbers.extend(number.unwrap_or_default().to_le_bytes());
    }
    writer.flags([span.is_some()]);
    let span = span.clone().unwrap_or_default();
    writer.length(span.start);
    writer.length(span.end);
    for text in [code.as_str(), severity.as_str(), message, help] {
        writer.text(text);
    }
}

pub(super) fn read_diagnostic(reader: &mut Reader<'_>) -> Option<PackageDiagnostic> {
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
    let diagnostic = Diagnostic { code, severity, path, line, column, span, message, help };
    Some(PackageDiagnostic { package: package.map(Box::from), diagnostic })
}

fn deserializer(text: &str) -> StrDeserializer<'_, Error> {
    text.into_deserializer()
}
