//! What the fuzz targets share: what holds of any result, whatever the bytes.
#![forbid(unsafe_code)]

use std::ops::Range;

use prowess_format::{Diagnostic, Mapping, Parsed, Value};

/// A document is missing exactly when there is an error, and each span lies where it should.
pub fn assert_sound(file: &[u8], parsed: &Parsed<'_>) {
    let has_error = parsed.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(
        parsed.document.is_none(),
        has_error,
        "a document is missing where there is an error"
    );
    assert_findings(file, &parsed.diagnostics);
    if let Some(document) = &parsed.document {
        assert!(file.ends_with(document.body.as_bytes()), "the body is the end of the file");
        assert_mapping_lies_in(file, &document.frontmatter.fields);
    }
}

/// Each finding says something, and stands on whole characters of the file.
pub fn assert_findings(file: &[u8], findings: &[Diagnostic]) {
    assert!(findings.len() <= 100, "a file does not turn into megabytes of advice");
    for found in findings {
        assert!(!found.message.is_empty() && !found.help.is_empty(), "a finding has its words");
        let span = found.span.as_ref().expect("a finding of a file has a place");
        assert_lies_in(file, span);
    }
}

fn assert_mapping_lies_in(file: &[u8], mapping: &Mapping) {
    for field in mapping.iter() {
        assert_lies_in(file, &field.key_span);
        assert_lies_in(file, &field.value_span);
        assert!(field.key_span.end <= field.value_span.start, "a value stands behind its key");
        if let Value::Map(mapping) = &field.value {
            assert_mapping_lies_in(file, mapping);
        }
    }
}

fn assert_lies_in(file: &[u8], span: &Range<usize>) {
    assert!(span.start <= span.end && span.end <= file.len(), "{span:?} lies in the file");
    if let Ok(text) = std::str::from_utf8(file) {
        let is_boundary = text.is_char_boundary(span.start) && text.is_char_boundary(span.end);
        assert!(is_boundary, "{span:?} lies on character boundaries");
    }
}
